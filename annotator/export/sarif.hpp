// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 (OASIS, 2020): what editors and code review show at lines of source.
#pragma once

#include <string>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// A result a line whose share may reach the run's `hot` one: a warning where it surely does, else a note.
/// Functions instead where the run knows no lines. Paths are relative to SRCROOT unless they are absolute.
std::string to_sarif(const Profile& profile);

}  // namespace jcprof::annotator
