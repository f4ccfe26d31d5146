// SPDX-License-Identifier: Apache-2.0
// The exports of a hand-written profile, and cases in which one number replaces another.
#include "annotator/export/exports.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace jcprof::annotator {
namespace {

using Json = nlohmann::json;

Estimate cost(double ticks, double share) {
  return {.ticks = {ticks, ticks, ticks},
          .share = {share, share, share},
          .raw = ticks,
          .rounds = 9,
          .resolved = true};
}

/// So many lines of A.java, each of 400 ns.
Profile with_lines(std::size_t count) {
  Profile profile;
  for (std::size_t line = 1; line <= count; ++line)
    profile.lines.push_back(
        {.path = "A.java", .line = line, .function = "f", .hits = 4, .cost = cost(400, 0.1)});
  return profile;
}

/// main calls f three times from line 21.
Profile with_calls() {
  Profile profile;
  profile.tree.functions = {{.name = "main", .path = "f.c", .line = 20},
                            {.name = "f", .path = "f.c", .line = 10}};
  profile.tree.nodes = {{.function = 0, .calls = 1, .exclusive = 100, .inclusive = 160},
                        {.function = 1,
                         .parent = 0,
                         .from_line = 21,
                         .calls = 3,
                         .exclusive = 60,
                         .inclusive = 60,
                         .lines = {{"f.c", 11, 59}, {"f.c", 12, 1}}}};
  return profile;
}

Json results_of(const Profile& profile) {
  return Json::parse(to_sarif(profile)).at("runs").at(0).at("results");
}

}  // namespace

TEST_CASE("Markdown shows ten rows and how many more there are") {
  const std::string ten = to_markdown(with_lines(10));
  CHECK(ten.find("`A.java:10`") != std::string::npos);
  CHECK(ten.find("more") == std::string::npos);
  const std::string twelve = to_markdown(with_lines(12));
  CHECK(twelve.find("`A.java:11`") == std::string::npos);
  CHECK(twelve.find("… and 2 more\n") != std::string::npos);
}

TEST_CASE("a function's cost with its calls stands beside the one without") {
  Profile profile;
  profile.functions = {{.function = "f", .exclusive = cost(40, 0.1), .inclusive = cost(90, 0.3)}};
  const Json function = Json::parse(to_json(profile)).at("functions").at(0);
  CHECK(function.at("exclusive").at("ticks").at("value") == 40);
  CHECK(function.at("inclusive").at("ticks").at("value") == 90);
}

TEST_CASE("a measured run of one round keeps its interval") {
  Profile profile = with_lines(1);
  profile.lines[0].cost.rounds = 1;
  CHECK(Json::parse(to_json(profile)).at("lines").at(0).at("ticks").at("high") == 400);
}

TEST_CASE("CSV of a measured run has its lines, though there are none yet") {
  CHECK(to_csv(Profile{}).starts_with("path,line,function,hits,rounds,"));
  Profile recorded;
  recorded.recorded = Recorded{};
  CHECK(to_csv(recorded).starts_with("path,line,function,calls,"));
}

TEST_CASE("callgrind counts calls as they were made") {
  CHECK(to_callgrind(with_calls()).find("calls=3 10\n21 60\n") != std::string::npos);
}

TEST_CASE("a line of a single tick is in a stack") {
  CHECK(to_folded(with_calls()) ==
        "main (f.c:20) 100\nmain (f.c:20);f (f.c:10);f.c:11 59\nmain (f.c:20);f (f.c:10);f.c:12 1\n");
}

TEST_CASE("a place without a line has none in speedscope and SARIF") {
  Profile profile = with_calls();
  profile.tree.functions[1].line = 0;
  const Json frames = Json::parse(to_speedscope(profile)).at("shared").at("frames");
  CHECK(frames.at(0).at("line") == 20);
  CHECK_FALSE(frames.at(1).contains("line"));
  CHECK(frames.at(1).at("file") == "f.c");
  Profile recorded;
  recorded.functions = {{.function = "f", .path = "f.c", .calls = 1, .exclusive = cost(40, 0.1)}};
  const Json location = results_of(recorded).at(0).at("locations").at(0).at("physicalLocation");
  CHECK_FALSE(location.contains("region"));
}

TEST_CASE("SARIF reports what may be hot by its interval, with what each pass takes") {
  Profile profile = with_lines(1);
  profile.lines[0].cost.share = {0.009, 0.005, 0.012};
  REQUIRE(results_of(profile).size() == 1);
  CHECK(results_of(profile).at(0).at("level") == "note");
  CHECK(results_of(profile).at(0).at("message").at("text").get<std::string>().find("×4, 100 ns each") !=
        std::string::npos);
  profile.lines[0].cost.share.high = 0.0095;
  CHECK(results_of(profile).empty());
}

TEST_CASE("a path of the whole system is relative to no folder in SARIF") {
  Profile profile = with_lines(1);
  const auto artifact = [&] {
    return results_of(profile).at(0).at("locations").at(0).at("physicalLocation").at("artifactLocation");
  };
  CHECK(artifact().contains("uriBaseId"));
  profile.lines[0].path = "/usr/include/a.h";
  CHECK(artifact().at("uri") == "file:///usr/include/a.h");
  CHECK_FALSE(artifact().contains("uriBaseId"));
}

}  // namespace jcprof::annotator
