// SPDX-License-Identifier: Apache-2.0
// Profiles of programs whose lines do work of a known ratio, and whether they say so.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

/// The estimate of the line that holds `part`.
nlohmann::json line_with(const nlohmann::json& profile, const std::filesystem::path& source,
                         const std::string& part);

/// The line of a source that holds `part` has this share of the whole.
struct KnownLine {
  std::string part;
  double share = 0;
  int hits = 1;
};

/// Has spin() of a source pass virtual time, 100 ms a unit, in place of the loop `from`.
void spin_in_virtual_time(const std::filesystem::path& source, const std::string& from);

/// Checks lines of `source` in a profile: each share is known to 6 points, and right to 3 points, or to twice
/// the width of its interval, as several intervals of 95 % do not all hold each time.
void check_known_work(const nlohmann::json& profile, const std::filesystem::path& source,
                      const std::vector<KnownLine>& known);

/// The same on a real clock. A machine where some line is known to more than 6 points is too busy: the test
/// is skipped, with the noise. Profiles in virtual time show that such widths come from the machine.
void check_known_work_by_a_real_clock(const nlohmann::json& profile, const std::filesystem::path& source,
                                      const std::vector<KnownLine>& known);

}  // namespace jcprof::test
