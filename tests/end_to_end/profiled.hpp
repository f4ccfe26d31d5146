// SPDX-License-Identifier: Apache-2.0
// What `jcprof profile` measures of a project, on a machine that others may keep busy meanwhile.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

struct ProfileCall {
  std::filesystem::path project;  // its file or folder
  std::filesystem::path out;
  int rounds = 0;
  int most_repeats = 3;
  std::string max_time;  // the examples' own is too short for a machine that builds something beside
};

/// The fresh profile, unrefined, as `jcprof export` writes it. Measured again up to that often where the
/// machine was too busy for what the test looks at.
nlohmann::json profiled(const Workplace& place, const ProfileCall& call,
                        const std::function<bool(const nlohmann::json&)>& is_well_known);

/// Of an interval of an estimate.
double half_width(const nlohmann::json& interval);

}  // namespace jcprof::test
