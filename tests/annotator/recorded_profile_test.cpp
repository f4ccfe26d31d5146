// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/profile.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/annotated_tree.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/report/json.hpp"
#include "annotator/show/show.hpp"
#include "annotator/source_comments.hpp"
#include "annotator/tables.hpp"
#include "src/core/file.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view words =
    "void put(int word) {\n"
    "  table[word]++;\n"
    "}\n"
    "\n"
    "void count(const char* text) {\n"
    "}\n";

/// The same with line 2 of words.c recorded by traps.
RecordedRun with_a_line() {
  RecordedRun run = test::some_recording();
  run.estimates.push_back({.scope = EstimateScope::line,
                           .function = "put",
                           .path = "/src/words.c",
                           .line = 2,
                           .hits = 100,
                           .ticks = 500,
                           .low = 480,
                           .high = 520,
                           .share = 0.4164,
                           .resolved = true});
  return run;
}

std::string annotated(const Profile& profile) {
  return annotate_text(words, profile.language, comments_for(profile, "/src/words.c")).text;
}

}  // namespace

TEST_CASE("a function that hooks recorded has its times behind the line on which it begins") {
  CHECK(annotated(recorded_profile(test::some_recording())) ==
        "void put(int word) { // 600 ns ±50 (49.9 %) ×100, 6.0 ns each; own 600 ns ±50 (49.9 %) "
        "(host, 2026-01-02 03:04 UTC)\n"
        "  table[word]++;\n"
        "}\n"
        "\n"
        "void count(const char* text) { // 1.100 µs ±0.003 (91.6 %) ×6, 0.18 µs each; own 450 ns ±3 (37.5 %) "
        "(host, 2026-01-02 03:04 UTC)\n"
        "}\n");
}

TEST_CASE("a line that traps recorded has its own time") {
  CHECK(
      annotated(recorded_profile(with_a_line()))
          .find("  table[word]++; // 500 ns ±20 (41.6 %) ×100, 5.0 ns each (host, 2026-01-02 03:04 UTC)\n") !=
      std::string::npos);
}

TEST_CASE("of functions that begin on one line the one with most time is shown, and how many there are") {
  RecordedRun run = test::some_recording();
  run.estimates[1].line = 5;
  CHECK(annotated(recorded_profile(run))
            .find("own 450 ns ±3 (37.5 %); first of 2 (host, 2026-01-02 03:04 UTC)") != std::string::npos);
}

TEST_CASE("what own cost leaves open as a whole is a bound, and names lose their parameters in tables") {
  RecordedRun run = test::some_recording();
  run.estimates[2].function = "(anonymous namespace)::count(char const*, std::function<void (int)>) const";
  run.estimates[2].resolved = false;
  run.estimates[1].resolved = false;
  run.estimates[1].inclusive_low = 0;
  run.estimates[1].inclusive_high = 1300;
  const Profile profile = recorded_profile(run);
  CHECK(annotated(profile) ==
        "void put(int word) { // < 1.3 µs ×100 (host, 2026-01-02 03:04 UTC)\n"
        "  table[word]++;\n"
        "}\n"
        "\n"
        "void count(const char* text) { // 1.100 µs ±0.003 (91.6 %) ×6, 0.18 µs each; own < 454 ns "
        "(host, 2026-01-02 03:04 UTC)\n"
        "}\n");
  CHECK(without_comments(annotated(profile)) == words);
  CHECK(function_table(profile, {.width = 140}).find("  (anonymous namespace)::count  ") !=
        std::string::npos);
}

TEST_CASE("functions whose calls own cost hides say nothing of single calls") {
  RecordedRun run = with_a_line();
  for (StoredEstimate& row : run.estimates) row.least = row.most = row.q50 = row.q95 = row.q99 = std::nullopt;
  const Profile profile = recorded_profile(run);
  CHECK(function_table(profile, {}).find("   ×100                 put  ") != std::string::npos);
  Profile of_hooks = profile;
  of_hooks.lines.clear();
  CHECK(to_csv(of_hooks).find(",599.6,,,,,,\r\n") != std::string::npos);
}

TEST_CASE("the functions in which threads were away have a table of their own, and a member in JSON") {
  RecordedRun run = with_a_line();
  const auto call_of = [&](const std::string& function) -> StoredCall& {
    return *std::ranges::find_if(run.recording.calls, [&](const StoredCall& call) {
      return run.recording.symbols.at(call.symbol).name == function;
    });
  };
  call_of("count").away = 6000;
  call_of("put").away = 20'000;
  call_of("main").away = 2;                                                // less than 1 % of all
  CHECK(tables(recorded_profile(run)).find("away") == std::string::npos);  // the log did not tell
  run.recording.threads.front().away = 26'002;
  const Profile profile = recorded_profile(run);
  CHECK(tables(profile).find("\n"
                             "  away  calls  a call  function  line\n"
                             " 20 µs   ×100  200 ns  put       /src/words.c:1\n"
                             "6.0 µs     ×6  1.0 µs  count     /src/words.c:5\n") != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(profile))["functions"][0]["away"] == 20'000);
}

TEST_CASE("the interval of one recorded run, whose total own cost hides, is said to be just that") {
  RecordedRun run = with_a_line();
  for (StoredEstimate& row : run.estimates) {
    row.rounds = 1;
    row.resolved = row.scope != EstimateScope::total && row.resolved;
  }
  CHECK_THAT(tables(recorded_profile(run)),
             Catch::Contains("± is what the cost of recording leaves open; one run does not tell"));
}

TEST_CASE("comments of recorded runs are taken out again") {
  Profile profile = recorded_profile(with_a_line());
  CHECK(without_comments(annotated(profile)) == words);
  profile.run.unit = ClockUnit::cycles;
  profile.functions[0].line = 5;
  CHECK(without_comments(annotated(profile)) == words);
}

TEST_CASE("the report of a recorded run") {
  CHECK(tables(recorded_profile(with_a_line())) ==
        "words on host: 230 events of 2 threads, 3 more lost\n"
        "total 1.2 µs ±0.1\n"
        "± is how far another recording of as many commands would be from this one, 95 times in 100\n"
        "\n"
        "  time    ±   share  hits  line            function\n"
        "500 ns  ±20  41.6 %  ×100  /src/words.c:2  put\n"
        "\n"
        "own time     ±   share  with calls  calls  average    most  function  line\n"
        "  600 ns   ±50  49.9 %      600 ns   ×100   6.0 ns   12 ns  put       /src/words.c:1\n"
        "  450 ns    ±3  37.5 %    1.100 µs     ×6   183 ns  367 ns  count     /src/words.c:5\n"
        "100.4 ns  ±0.5   8.4 %   1.0004 µs     ×1   1.0 µs  2.0 µs  main      /src/words.c:20\n"
        "   50 ns    ±4   4.2 %       50 ns     ×8   6.3 ns   13 ns  memcpy\n"
        "\n"
        "warning: lost: 3 events found no room; give --memory more\n");
}

TEST_CASE("the JSON of a recorded run says what single calls took") {
  const std::string json = to_json(recorded_profile(test::some_recording()));
  CHECK(json.find(R"("recorded": {
  "threads": 2,
  "events": 230,
  "lost": 3
 })") != std::string::npos);
  CHECK(json.find(R"(   "each": {
    "average": 1000.4,
    "least": 500.2,
    "q50": 1000.4,
    "q95": 1000.4,
    "q99": 2000.8,
    "most": 2000.8
   })") != std::string::npos);
}

TEST_CASE("of a recording of one run neither cost nor share has ends, in no format, and bounds keep theirs") {
  RecordedRun run = with_a_line();
  for (StoredEstimate& row : run.estimates) row.rounds = 1;
  StoredEstimate& line = run.estimates.back();
  line.share_low = 0.4;
  line.share_high = 0.43;
  Profile profile = recorded_profile(run);
  const nlohmann::json nothing;
  const nlohmann::json item = nlohmann::json::parse(to_json(profile)).at("lines").at(0);
  for (const char* part : {"ticks", "share"}) {
    CHECK(item.at(part).at("value").is_number());
    CHECK(item.at(part).at("low") == nothing);
    CHECK(item.at(part).at("high") == nothing);
  }
  const nlohmann::json cost = nlohmann::json::parse(json(profile.lines[0].cost));
  CHECK(cost ==
        nlohmann::json::parse(R"({"ticks":[500,null,null],"share":[0.4164,null,null],"resolved":true})"));
  CHECK(to_csv(profile).find(",500,,,0.4164,,,1,") != std::string::npos);
  const std::string shown = show_line(profile, {"/src/words.c", 2}, "", {});
  CHECK(shown.find("500 ns, 41.6 %\n") != std::string::npos);
  const nlohmann::json sarif = nlohmann::json::parse(to_sarif(profile));
  CHECK(sarif.at("runs").at(0).at("results").at(0).at("message").at("text") ==
        "500 ns, 41.6 % of what was recorded, ×100, 5.0 ns each");
  profile.lines[0].cost.resolved = false;
  CHECK(nlohmann::json::parse(to_json(profile)).at("lines").at(0).at("ticks").at("high") == 520);
}

TEST_CASE("the CSV of a run without lines is of functions") {
  const std::string csv = to_csv(recorded_profile(test::some_recording()));
  CHECK(csv.starts_with(
      "path,line,function,calls,ns_exclusive,share,ns_inclusive,ns_average,ns_least,ns_q50,ns_q95,ns_q99,"
      "ns_most\r\n\"/src/words.c\",1,\"put\",100,599.6,"));
  CHECK(to_csv(recorded_profile(with_a_line())).starts_with("path,line,function,hits,"));
}

TEST_CASE("sources of hooks lie below the folder that holds them all, without the system's headers") {
  Profile profile = recorded_profile(test::some_recording());
  profile.sources = {{.path = "/home/me/words/src/a.cpp"},
                     {.path = "/usr/include/c++/12/vector"},
                     {.path = "/home/me/words/include/../include/b.hpp"}};
  profile.functions[0].path = "/home/me/words/include/../include/b.hpp";
  const std::filesystem::path root = root_of_sources(profile);
  CHECK(root == "/home/me/words");
  profile.edges = {{.path = "/home/me/words/src/a.cpp", .to_path = "/home/me/words/include/b.hpp"}};
  profile.tree.nodes[0].lines = {{.path = "/home/me/words/src/a.cpp", .line = 1}};
  make_relative(profile, root);
  CHECK(profile.edges[0].to_path == "include/b.hpp");
  CHECK(profile.tree.nodes[0].lines[0].path == "src/a.cpp");
  REQUIRE(profile.sources.size() == 2);
  CHECK(profile.sources[0].path == "src/a.cpp");
  CHECK(profile.sources[1].path == "include/b.hpp");
  CHECK(profile.functions[0].path == "include/b.hpp");
  profile.sources.push_back({.path = "own.c", .sha256 = "00"});
  CHECK(root_of_sources(profile) == std::filesystem::current_path());
}

TEST_CASE("a source that hooks name and that is gone is left out, one that is there is annotated") {
  const test::TemporaryFolder folder;
  write_file(folder / "words.c", words);
  RecordedRun run = test::some_recording();
  for (StoredEstimate& row : run.estimates)
    if (!row.path.empty()) row.path = (folder / "words.c").string();
  run.estimates.back().path = (folder / "gone.c").string();
  Profile profile = recorded_profile(run);
  make_relative(profile, root_of_sources(profile));
  const std::vector<AnnotatedFile> written = write_annotated(profile, folder.path(), folder / "out");
  REQUIRE(written.size() == 1);
  CHECK(written[0].file == folder / "out/words.c");
  CHECK(hot_lines(profile, written, 1) ==
        "words.c\n     1 | void put(int word) { // 600 ns ±50 (49.9 %) ×100, 6.0 ns each; own 600 ns ±50 "
        "(49.9 %) "
        "(host, 2026-01-02 03:04 UTC)\n");
}

TEST_CASE("what only recordings have is refused of a run that was measured") {
  const test::TemporaryFolder folder;
  Store store(folder / "profile.jcprof", OpenMode::fresh);
  store.begin_run({.transport = "exec"}, {}, {});
  CHECK_THROWS_WITH(load_recorded_run(store),
                    "the newest run of the profile is a measurement, and gmon needs a recording\n"
                    "hint: `jcprof record` makes a recording; all other formats take both");
}

}  // namespace jcprof::annotator
