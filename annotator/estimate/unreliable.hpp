// SPDX-License-Identifier: Apache-2.0
// Says in words which parts of a profile are unreliable. Judges nothing itself.
#pragma once

#include <string>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// The most frequent path of the profile.
struct UnreliablePath {
  const TrapMap& map;
  const MeasuredPath& path;
};

/// One warning of places whose times contradict each other, and one of places where stops come elsewhere, if
/// there are any. `profile` has its estimates.
std::vector<std::string> warnings_of_unreliable(const Profile& profile, const UnreliablePath& of);

}  // namespace jcprof::annotator
