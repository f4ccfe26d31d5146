// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/profiled.hpp"

#include <catch2/catch.hpp>

namespace jcprof::test {
namespace {

using nlohmann::json;

json profiled_once(const Workplace& place, const ProfileCall& call) {
  const Said said =
      place.run({"jcprof", "profile", call.project.string(), "-o", call.out.string(), "--rounds",
                 std::to_string(call.rounds), "--max-time", call.max_time, "--no-refine", "--fresh"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const Said exported =
      place.run({"jcprof", "export", (call.out / "profile.jcprof").string(), "--format", "json"});
  REQUIRE(exported.status == 0);
  return json::parse(exported.out);
}

}  // namespace

json profiled(const Workplace& place, const ProfileCall& call,
              const std::function<bool(const json&)>& is_well_known) {
  json profile = profiled_once(place, call);
  for (int again = 0; again < call.most_repeats && !is_well_known(profile); ++again)
    profile = profiled_once(place, call);
  return profile;
}

double half_width(const json& interval) {
  return (interval["high"].get<double>() - interval["low"].get<double>()) / 2;
}

}  // namespace jcprof::test
