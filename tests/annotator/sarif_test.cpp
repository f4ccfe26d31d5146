// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/check/check_texts.hpp"
#include "annotator/record/profile.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::json;

Json run_of(const Profile& profile) {
  return Json::parse(to_sarif(profile)).at("runs").at(0);
}

/// A line of 0.8 % to 1.2 %, and one that noise hides.
Profile doubtful() {
  Profile profile = test::some_measured();
  LineEstimate& second = profile.lines.at(1);
  second.cost.share = {.value = 0.01, .low = 0.008, .high = 0.012};
  profile.lines.at(2).cost.resolved = false;
  return profile;
}

/// Each share as sure as can be.
Profile recorded() {
  Profile profile = recorded_profile(test::some_recording());
  for (FunctionEstimate& function : profile.functions) {
    engine::Interval& share = function.exclusive.share;
    share.low = share.high = share.value;
  }
  return profile;
}

/// What Microsoft's tool says of `sarif` with `how`; empty where it is not there.
std::string multitool(const std::string& sarif, const std::vector<std::string>& how) {
  const std::string program = test::from_cache("sarif-multitool-5.7.0/Sarif.Multitool");
  if (program.empty()) return "";
  const test::ForeignReader reader;
  reader.write("profile.sarif", sarif);
  std::vector<std::string> argv{program, how.front(), "profile.sarif"};
  argv.insert(argv.end(), how.begin() + 1, how.end());
  return reader.says(argv);
}

}  // namespace

TEST_CASE("a hot line is a SARIF result with its cost") {
  const Json run = run_of(test::some_measured());
  CHECK(run.at("tool").at("driver").at("name") == "jcprof");
  CHECK(run.at("tool").at("driver").at("version") == JCPROF_VERSION);
  const Json& hottest = run.at("results").at(0);
  CHECK(hottest.at("ruleId") == "JC1001");
  CHECK(hottest.at("level") == "warning");
  CHECK(hottest.at("message").at("text") == "1.120 µs ±0.004, 56.6 % of the command, ×1 (SIMULATED)");
  CHECK(hottest.at("locations").at(0) ==
        Json::parse(R"({"physicalLocation": {"artifactLocation": {"uri": "A.java", "uriBaseId": "SRCROOT",
                         "index": 0}, "region": {"startLine": 20}},
                        "logicalLocations": [{"fullyQualifiedName": "p", "kind": "function"}]})"));
  CHECK(hottest.at("properties").at("ticks").at("value").get<double>() == Approx(1120));
  CHECK(hottest.at("rank").get<double>() == Approx(100.0 * 1120 / 1980));
  CHECK(run.at("artifacts").at(0).at("hashes").at("sha-256") == std::string(64, 'a'));
}

TEST_CASE("a line that may be hot is a note, and what noise hides is not reported") {
  const Profile profile = doubtful();
  const Json results = run_of(profile).at("results");
  REQUIRE(results.size() == profile.lines.size() - 1);
  CHECK(results[0].at("level") == "warning");
  CHECK(results[1].at("level") == "note");
}

TEST_CASE("warnings of the run are notifications, in words and not in links") {
  Profile profile = test::some_measured();
  profile.warnings = {"see [this](0)\x1b[31m {0}"};
  const Json said = run_of(profile).at("invocations").at(0).at("toolExecutionNotifications").at(0);
  CHECK(said.at("descriptor").at("id") == "JC2001");
  CHECK(said.at("message").at("text") == "see \\[this\\](0)?\\[31m {{0}}");
}

TEST_CASE("where a recording knows no lines, functions are reported") {
  const Json results = run_of(recorded()).at("results");
  REQUIRE(results.size() == 3);
  CHECK(results[0].at("ruleId") == "JC1002");
  CHECK(results[0].at("locations").at(0).at("physicalLocation").at("artifactLocation").at("uri") ==
        "file:///src/words.c");
}

TEST_CASE("a path that leaves the root is not named, and its result stands at the entry") {
  Profile profile = test::some_measured();
  profile.sources.front().path = "../secret.c";
  for (LineEstimate& line : profile.lines) line.path = "a/../../secret.c";
  const std::string text = to_sarif(profile);
  CHECK(text.find("secret") == std::string::npos);
  const Json location = Json::parse(text)["runs"][0]["results"][0]["locations"][0];
  CHECK(location["logicalLocations"][0].contains("kind"));
  CHECK(location["physicalLocation"]["artifactLocation"]["uri"] == "A.java");
  profile.lines.front().path = "src/../A.java";
  CHECK(to_sarif(profile).find("\"uri\": \"A.java\"") != std::string::npos);
}

TEST_CASE("Microsoft's validator finds no fault in what is written") {
  const CheckReport checked{.run = doubtful().run,
                            .checked = {{.budget = {.text = "f <= 1ms", .subject = "f", .limit = 1e6},
                                         .subject = "f",
                                         .path = "src/A.java",
                                         .line = 3,
                                         .measured = {2e6, 1.9e6, 2.1e6},
                                         .holding = Holding::broken}},
                            .warnings = {"a warning"}};
  const std::string sarif = GENERATE_COPY(to_sarif(doubtful()), to_sarif(recorded()), to_sarif(checked));
  const std::string said = multitool(sarif, {"validate", "--level", "Error;Warning"});
  if (said.empty()) return;
  INFO(said);
  CHECK(said.find("Analysis completed successfully") != std::string::npos);
  CHECK(said.find(": error ") == std::string::npos);
  // jcprof has no home page to name. That this is said shows that the file was looked at.
  const std::size_t warning = said.find(": warning ");
  REQUIRE(warning != std::string::npos);
  CHECK(said.substr(warning + 10, 9) == "SARIF2005");
  CHECK(said.find(": warning ", warning + 1) == std::string::npos);
}

TEST_CASE("the validator finds a fault") {
  Json broken = Json::parse(to_sarif(test::some_measured()));
  broken["runs"][0]["results"][0].erase("message");
  const std::string said = multitool(broken.dump(), {"validate"});
  if (said.empty()) return;
  INFO(said);
  CHECK(said.find(": error JSON1002: runs[0].results[0]: The required property 'message' is missing.") !=
        std::string::npos);
}

TEST_CASE("Microsoft's tool counts the same warnings, and finds the hottest line's share") {
  const std::string sarif = to_sarif(doubtful());
  const std::string sure = multitool(sarif, {"query", "--expression", "Level == Warning"});
  if (sure.empty()) return;
  INFO(sure);
  CHECK(sure.find("Found 4 of 5 results") != std::string::npos);
  const std::string hottest = multitool(sarif, {"query", "--expression", "Rank > 56.56 && Rank < 56.57"});
  INFO(hottest);
  CHECK(hottest.find("Found 1 of 5 results") != std::string::npos);
}

}  // namespace jcprof::annotator
