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

/// Profiles the project and checks the lines of `source`: seven intervals of 95 % do not all hold each time,
/// so twice the width of one is allowed; and three points for a processor whose speed is not the same from
/// one moment to the next. Measured again where the machine was too busy for that.
nlohmann::json check_known_work(const Workplace& place, const std::filesystem::path& project_file,
                                const std::filesystem::path& source, const std::vector<KnownLine>& known);

}  // namespace jcprof::test
