// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/record/profile.hpp"
#include "annotator/tree_walk.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/annotator/speedscope_page.hpp"

namespace jcprof::annotator {
namespace {

std::size_t sum_of(const std::string& folded) {
  std::istringstream lines(folded);
  std::string line;
  std::size_t total = 0;
  while (std::getline(lines, line)) total += std::stoul(line.substr(line.rfind(' ')));
  return total;
}

/// Each call takes 1.
Profile a_recursion(std::uint32_t depth) {
  RecordedRun recorded = test::some_recording();
  recorded.recording.threads.resize(1);
  recorded.recording.threads[0].recorded = depth;
  recorded.recording.calls.clear();
  for (std::uint32_t i = 1; i <= depth; ++i)
    recorded.recording.calls.push_back({.id = i,
                                        .parent = i - 1,
                                        .thread = 1,
                                        .symbol = 1,
                                        .count = 1,
                                        .inclusive = 1.0 + depth - i,
                                        .exclusive = 1});
  return recorded_profile(recorded);
}

}  // namespace

TEST_CASE("folded stacks begin with the thread and sum to the total") {
  const std::string text = to_folded(recorded_profile(test::some_recording()));
  CHECK(text ==
        "thread 1 words;main (words.c:20) 100\n"
        "thread 1 words;main (words.c:20);count (words.c:5) 301\n"
        "thread 1 words;main (words.c:20);count (words.c:5);put (words.c:1) 599\n"
        "thread_2;count (words.c:5) 150\n"
        "thread_2;count (words.c:5);memcpy 51\n");
  CHECK(sum_of(text) == 1201);
}

TEST_CASE("a name with a semicolon stays one frame of a folded stack") {
  Profile profile = recorded_profile(test::some_recording());
  profile.tree.functions[1].name = "a;b\nc\xFF";
  CHECK(to_folded(profile).starts_with("thread 1 words;a_b?c? (words.c:20) 100\n"));
}

TEST_CASE("a recursion of a hundred thousand frames is written as deep as the bound, and its cost as it is") {
  const Profile profile = a_recursion(100'000);
  const std::string text = to_folded(profile);
  CHECK(std::ranges::count(text, '\n') == most_depth - 1);  // the thread itself takes nothing
  CHECK(text.size() < 10'000'000);
  CHECK(sum_of(text) == 100'000);
  const nlohmann::json document = nlohmann::json::parse(to_speedscope(profile));
  CHECK(document["profiles"][0]["endValue"].get<double>() == Approx(100'000));
  CHECK(document["profiles"][0]["samples"].back().size() == most_depth - 1);
  CHECK(to_pprof(profile).size() < 1'000'000);
}

TEST_CASE("where lines are known, what is deeper than the bound is the last function's first line") {
  Profile profile = test::some_measured();
  const std::uint32_t last_function = profile.tree.nodes.back().function;
  const CostLine line = profile.tree.nodes.back().lines.at(0);
  for (std::size_t depth = 1; depth < most_depth + 10; ++depth)
    profile.tree.nodes.push_back({.function = last_function,
                                  .parent = static_cast<std::uint32_t>(profile.tree.nodes.size() - 1),
                                  .calls = 1,
                                  .exclusive = 2,
                                  .inclusive = 2,
                                  .lines = {{line.path, line.line + 1, 2}}});
  const std::string text = to_folded(profile);
  CHECK(sum_of(text) == 1980 + 2 * (most_depth + 9));
  CHECK(text.ends_with(";f (A.java:40);A.java:40 22\n"));
}

TEST_CASE("speedscope has a profile a thread, its samples weigh what the nodes took") {
  const nlohmann::json document =
      nlohmann::json::parse(to_speedscope(recorded_profile(test::some_recording())));
  REQUIRE(document["profiles"].size() == 2);
  const nlohmann::json& first = document["profiles"][0];
  CHECK(first["name"] == "thread 1 words");
  CHECK(first["unit"] == "nanoseconds");
  CHECK(first["samples"] == nlohmann::json::parse("[[1], [1, 2], [1, 2, 3]]"));
  CHECK(first["weights"] == nlohmann::json::parse("[100.4, 300.4, 599.6]"));
  CHECK(first["endValue"].get<double>() == Approx(1000.4));
  CHECK(document["shared"]["frames"][3] ==
        nlohmann::json::parse(R"({"name": "put", "file": "/src/words.c", "line": 1})"));
}

TEST_CASE("what a thread did outside of all calls stands under its name alone") {
  RecordedRun recorded = test::some_recording();
  recorded.recording.threads[1].recorded = 300.4;
  const Profile profile = recorded_profile(recorded);
  CHECK(to_folded(profile).find("\nthread_2 100\nthread_2;count (words.c:5) 150\n") != std::string::npos);
  const nlohmann::json document = nlohmann::json::parse(to_speedscope(profile));
  CHECK(document["profiles"][1]["endValue"].get<double>() == Approx(300.4));
  CHECK(document["profiles"][1]["samples"] == nlohmann::json::parse("[[6], [2], [2, 4]]"));
}

TEST_CASE("folded stacks of a measured run end with the lines") {
  CHECK(to_folded(test::some_measured()) ==
        "p (A.java:1);A.java:1 300\n"
        "p (A.java:1);A.java:10 300\n"
        "p (A.java:1);A.java:20 1120\n"
        "p (A.java:1);A.java:30 80\n"
        "p (A.java:1);g (A.java:50);A.java:50 120\n"
        "p (A.java:1);f (A.java:40);A.java:40 60\n");
}

TEST_CASE("speedscope shows a measured run as one profile that says its unit") {
  Profile profile = test::some_measured();
  profile.run.unit = ClockUnit::cycles;
  const nlohmann::json document = nlohmann::json::parse(to_speedscope(profile));
  REQUIRE(document["profiles"].size() == 1);
  const nlohmann::json& only = document["profiles"][0];
  CHECK(only["name"] == "pin (cycles)");
  CHECK(only["unit"] == "none");
  CHECK(only["endValue"].get<double>() == Approx(1980));
  CHECK(only["samples"][4] == nlohmann::json::parse("[0, 1, 7]"));
  CHECK(document["shared"]["frames"][7] ==
        nlohmann::json::parse(R"({"name": "A.java:50", "file": "A.java", "line": 50})"));
}

TEST_CASE("speedscope's own schema accepts the file") {
  const std::string package = test::from_cache("speedscope-1.25.0.tgz");
  if (package.empty()) return;
  const test::ForeignReader reader;
  reader.write("profile.json",
               to_speedscope(GENERATE(recorded_profile(test::some_recording()), test::some_measured())));
  reader.write("check.py", R"(import json, jsonschema, sys, tarfile
schema = json.load(tarfile.open(sys.argv[1]).extractfile("package/dist/release/file-format-schema.json"))
document = json.load(open("profile.json"))
jsonschema.validate(document, schema)
del document["shared"]["frames"][1]["name"]
try:
    jsonschema.validate(document, schema)
except jsonschema.ValidationError:
    print("accepted, and refused without a name")
)");
  CHECK(reader.says({"/usr/bin/python3", "check.py", package}) == "accepted, and refused without a name\n");
}

TEST_CASE("speedscope in Chromium shows what functions and lines take") {
  const std::string table = test::speedscope_table(to_speedscope(test::some_measured()));
  if (table.empty()) return;
  INFO(table);
  CHECK(table.find("1.12µs (57%) 1.12µs (57%) A.java:20\n") != std::string::npos);
  CHECK(table.find("1.98µs (100%) 0.00ns (<0.01%) p\n") != std::string::npos);
  CHECK(table.find("120.00ns (6.1%) 0.00ns (<0.01%) g\n") != std::string::npos);
}

}  // namespace jcprof::annotator
