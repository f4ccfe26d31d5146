// SPDX-License-Identifier: Apache-2.0
// Profiles for other programs. The same Profile gives the same bytes.
#pragma once

#include <string>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// `{"format": "jcprof-profile", "version": 1, …}`; shares are fractions of 1, infinite ends of intervals
/// null.
std::string to_json(const Profile& profile);

/// One row a line of source, RFC 4180 with a header; infinite ends are empty. Where hooks recorded, which
/// know no lines: one row a function.
std::string to_csv(const Profile& profile);

}  // namespace jcprof::annotator
