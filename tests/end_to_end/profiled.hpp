// SPDX-License-Identifier: Apache-2.0
// A profile as tests look at it.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

/// A fresh profile of a project's file or folder, unrefined, as `jcprof export` writes it.
nlohmann::json profiled(const Workplace& place, const std::filesystem::path& project, int rounds);

/// Half the width of an estimate's interval; infinity where it has none.
double half_width(const nlohmann::json& interval);

/// The noise of the machine while a profile was measured: half the interval of the whole command, as a part
/// of it. No test that looks at a real clock goes on above this, and none of them asserts the total.
inline constexpr double most_noise = 0.05;
double noise_of(const nlohmann::json& profile);

/// The warning is about noise: a busy machine may be unsteady, or have two speeds, and its caches keep
/// something from one command to the next.
inline bool is_of_noise(const std::string& warning) {
  return warning.starts_with("unsteady: ") || warning.starts_with("trend: ") ||
         warning.starts_with("two speeds: ") || warning.starts_with("prepared: ");
}

}  // namespace jcprof::test

/// Ends a test case on a machine that is too noisy, with the noise; ctest calls it skipped.
#define JCPROF_NEEDS_A_QUIET_MACHINE(profile)                                                              \
  if (const double noise = ::jcprof::test::noise_of(profile); noise > ::jcprof::test::most_noise) {        \
    WARN("SKIPPED: this machine is too busy: the whole command is known to " << 100 * noise << " % only"); \
    return;                                                                                                \
  }
