// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/profiled.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace jcprof::test {

namespace fs = std::filesystem;
using nlohmann::json;

json profiled(const Workplace& place, const fs::path& project, int rounds) {
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", std::to_string(rounds),
                               "--max-time", "100h", "--no-refine", "--fresh"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const fs::path folder = fs::is_directory(project) ? project : project.parent_path();
  const Said exported =
      place.run({"jcprof", "export", (folder / "jcprof-out/profile.jcprof").string(), "--format", "json"});
  REQUIRE(exported.status == 0);
  return json::parse(exported.out);
}

double half_width(const json& interval) {
  if (interval["low"].is_null() || interval["high"].is_null()) return std::numeric_limits<double>::infinity();
  return (interval["high"].get<double>() - interval["low"].get<double>()) / 2;
}

double noise_of(const json& profile) {
  if (profile["total"]["low"].is_null()) return 0;  // a recording of one run does not tell it
  return half_width(profile["total"]) / profile["total"]["value"].get<double>();
}

}  // namespace jcprof::test
