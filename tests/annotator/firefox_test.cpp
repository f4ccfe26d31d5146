// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

using nlohmann::json;

/// The Profiler's own command says this of a profile, once its upgraders have read it.
std::string profiler(const std::string& text, const std::string& what) {
  const std::string release = test::from_cache("firefox-profiler-cli-0.10.0/dist/profiler-cli.js");
  if (release.empty()) return "";
  const test::ForeignReader reader;
  reader.write("profile.json", text);
  // It loads in a daemon, which a busy machine starts late.
  reader.write("ask",
               fmt::format("export PROFILER_CLI_SESSION_DIR=$PWD/session\n"
                           "cli() {{ node '{}' \"$@\"; }}\n"
                           "cli load profile.json >load 2>&1 || sleep 5\n"
                           "for try in 1 2 3 4 5 6 7 8; do cli {} >answer 2>&1 && break; sleep 2; done\n"
                           "cli stop --all >stopped 2>&1\ncat answer\n",
                           release, what));
  return reader.says({"sh", "ask"});
}

/// `column` refers to rows of a table of `rows` rows, or to none.
void check_references(const json& table, const char* column, std::size_t rows) {
  INFO(column);
  REQUIRE(table.at(column).size() == table.at("length"));
  for (const json& cell : table.at(column))
    CHECK((cell.is_null() || cell == -1 || cell.get<std::size_t>() < rows));
}

void check_thread(const json& thread) {
  const std::size_t strings = thread["stringArray"].size();
  check_references(thread["samples"], "stack", thread["stackTable"]["length"]);
  check_references(thread["stackTable"], "frame", thread["frameTable"]["length"]);
  check_references(thread["frameTable"], "func", thread["funcTable"]["length"]);
  check_references(thread["funcTable"], "name", strings);
  check_references(thread["funcTable"], "fileName", strings);
  for (std::size_t i = 0; i < thread["stackTable"]["length"]; ++i) {
    const json& prefix = thread["stackTable"]["prefix"][i];
    CHECK((prefix.is_null() || prefix.get<std::size_t>() < i));  // callers come first
  }
  for (const char* const table :
       {"samples", "stackTable", "frameTable", "funcTable", "markers", "resourceTable", "nativeSymbols"})
    for (const auto& [name, column] : thread[table].items())
      if (column.is_array()) CHECK(column.size() == thread[table]["length"]);
  CHECK(std::ranges::is_sorted(thread["samples"]["time"].get<std::vector<double>>()));
}

double weight_of(const json& thread) {
  double sum = 0;
  for (const json& weight : thread["samples"]["weight"]) sum += weight.get<double>();
  return sum;
}

}  // namespace

TEST_CASE("each reference in a Firefox profile leads to a row, and weights sum up") {
  const json measured = json::parse(to_firefox(test::some_measured()));
  REQUIRE(measured["threads"].size() == 1);
  check_thread(measured["threads"][0]);
  CHECK(weight_of(measured["threads"][0]) == Approx(0.00198));
  const json recorded = json::parse(to_firefox(recorded_profile(test::some_recording())));
  REQUIRE(recorded["threads"].size() == 2);
  for (const json& thread : recorded["threads"]) check_thread(thread);
  CHECK(weight_of(recorded["threads"][0]) + weight_of(recorded["threads"][1]) == Approx(0.0012008));
  CHECK(recorded["threads"][0]["samples"]["weightType"] == "tracing-ms");
}

TEST_CASE("the Profiler's axis ends at the total, and own costs that noise hides have a category") {
  Profile profile = test::some_measured();
  const LineEstimate& line = *std::ranges::find(profile.lines, 20U, &LineEstimate::line);
  profile.lines[static_cast<std::size_t>(&line - profile.lines.data())].cost.resolved = false;
  const json document = json::parse(to_firefox(profile));
  const json& thread = document["threads"][0];
  CHECK(thread["samples"]["time"].back().get<double>() + document["meta"]["interval"].get<double>() ==
        Approx(0.00198));
  std::set<json> hidden;
  for (std::size_t i = 0; i < thread["stackTable"]["length"]; ++i)
    if (thread["stackTable"]["category"][i] == 1)
      hidden.insert(thread["frameTable"]["line"][thread["stackTable"]["frame"][i].get<std::size_t>()]);
  CHECK(hidden == std::set<json>{20});
}

TEST_CASE("cycles are weights without a unit for the Firefox Profiler") {
  Profile profile = test::some_measured();
  profile.run.unit = ClockUnit::cycles;
  const json thread = json::parse(to_firefox(profile))["threads"][0];
  CHECK(thread["samples"]["weightType"] == "samples");
  CHECK(weight_of(thread) == Approx(1980));
  CHECK(thread["name"] == "pin (cycles, not in order of time)");
}

TEST_CASE("the Firefox Profiler shows the call tree of a measured run, and what it was measured on") {
  const std::string tree = profiler(to_firefox(test::some_measured()), "thread samples-top-down");
  if (tree.empty()) return;
  INFO(tree);
  CHECK_THAT(tree, Catch::Contains("pin (not in order of time)"));
  CHECK_THAT(tree, Catch::Contains("p [total: 100.0%, self: 90.9%]"));
  CHECK_THAT(tree, Catch::Contains("g [total: 6.1%, self: 6.1%]"));
  CHECK_THAT(profiler(to_firefox(test::some_measured()), "profile meta"), Catch::Contains("SIMULATED"));
}

TEST_CASE("the Firefox Profiler shows the threads of a recording") {
  const std::string text = to_firefox(recorded_profile(test::some_recording()));
  const std::string threads = profiler(text, "thread list");
  if (threads.empty()) return;
  INFO(threads);
  CHECK_THAT(threads, Catch::Contains("thread 1 words (not in order of time)") &&
                          Catch::Contains("thread 2 (not in order of time)"));
  const std::string tree = profiler(text, "thread samples-top-down");
  CHECK_THAT(tree, Catch::Contains("main [total: 100.0%, self: 10.0%]") &&
                       Catch::Contains("put [total: 59.9%, self: 59.9%]"));
}

}  // namespace jcprof::annotator
