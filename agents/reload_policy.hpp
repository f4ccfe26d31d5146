// SPDX-License-Identifier: Apache-2.0
// How many stops a target is trusted to bear before it is loaded anew: twice as many while all stays as it
// was, half as many when it does not. Pure; it loads nothing.
#pragma once

#include <cstdint>

namespace jcprof::agents {

class ReloadPolicy {
 public:
  /// Stops between two loads, from 1.
  std::uint32_t stops() const { return stops_; }
  /// After so many stops all was as on a fresh target.
  void held();
  /// It was not.
  void deviated();

 private:
  std::uint32_t stops_ = 1;
  std::uint32_t too_many_ = UINT32_MAX;  // so many were followed by a deviation
  // Loads that must hold before as many stops as were too many are tried again: where stops use up memory
  // they always are, where one stop did harm they are not.
  std::uint32_t patience_ = 1;
  std::uint32_t held_in_a_row_ = 0;
};

}  // namespace jcprof::agents
