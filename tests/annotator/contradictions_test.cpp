// SPDX-License-Identifier: Apache-2.0
// Times that contradict each other have no value, wherever they are shown.
#include <random>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/export/exports.hpp"
#include "annotator/report/json.hpp"
#include "annotator/show/show.hpp"
#include "annotator/source_comments.hpp"
#include "annotator/tables.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::json;

/// p() calls g, then f: `of_f` is what the body of f takes.
Profile two_calls_of(double of_f, const std::vector<Warning>& warnings = {}) {
  SyntheticDevice device{.map = two_calls(), .pass = 10, .stop = 2000, .noise = 1};
  device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  device.costs = {1000, 2000, 3000, 700, 1200, 9000, of_f, 1500, 800};
  RunData data = device.run(20);
  data.warnings = warnings;
  for (const Warning& warning : warnings) data.is_void = warning.kind == WarningKind::traced_answer;
  return estimate(data);
}

const FunctionEstimate& function_of(const Profile& profile, const std::string& name) {
  return *std::ranges::find(profile.functions, name, &FunctionEstimate::function);
}

const Json& of_line(const Json& document, std::size_t line) {
  return *std::ranges::find_if(document["lines"], [&](const Json& one) { return one["line"] == line; });
}

}  // namespace

TEST_CASE("lines and functions that own what is less than nothing are unreliable, and no others") {
  const Profile profile = two_calls_of(-6000);
  CHECK(is_unreliable(profile));
  CHECK(function_of(profile, "f").exclusive.unreliable);
  CHECK(function_of(profile, "f").inclusive.unreliable);
  CHECK(function_of(profile, "p").inclusive.unreliable);
  CHECK_FALSE(function_of(profile, "p").exclusive.unreliable);
  CHECK_FALSE(function_of(profile, "g").inclusive.unreliable);
  CHECK(function_of(profile, "g").exclusive.resolved);
  for (const LineEstimate& line : profile.lines) CHECK(line.cost.unreliable == (line.line == 40));
  for (const BlockEstimate& block : profile.blocks) CHECK(block.cost.unreliable == (block.line == 40));
  CHECK(edge_of(profile, 6, 7)->cost.unreliable);
  CHECK_FALSE(edge_of(profile, 8, 9)->cost.unreliable);
  CHECK_FALSE(is_unreliable(two_calls_of(600)));
}

TEST_CASE("a warning names the time between two commands, where that alone is less than nothing") {
  SyntheticDevice device{.map = two_calls("java"), .pass = 10, .stop = 2000, .noise = 1};
  device.path = path_of({1, 2, 3, 5, 1, 2, 3, 5});
  device.costs = {1000, 9000, 5000, -6000, 1000, 2000, 5000, 800};
  const Profile profile = estimate(device.run(20));
  CHECK(profile.between->unreliable);
  for (const LineEstimate& line : profile.lines) CHECK_FALSE(line.cost.unreliable);
  CHECK(is_unreliable(profile));
  REQUIRE(profile.warnings.size() == 1);
  CHECK(profile.warnings.front().find("after the last trap") != std::string::npos);
}

TEST_CASE(
    "a time below nothing on another path than the most frequent one is unreliable, and a warning names it") {
  SyntheticDevice usual{.map = two_calls(), .pass = 10, .stop = 2000, .noise = 1};
  usual.path = path_of({1, 2, 3, 5});
  usual.costs = {1000, 9000, 5000, 6000};
  SyntheticDevice other = usual;
  other.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  other.costs = {1000, 2000, 3000, 700, 1200, 9000, -6000, 1500, 800};
  RunData data = usual.run(20);
  const RunData of_other = other.run(20);
  data.inputs = {{.index = 0}, {.index = 1}, {.index = 2}};
  data.paths.push_back({.input = 1, .events = usual.path});
  data.paths.push_back({.input = 2, .events = other.path});
  for (StoredSample sample : of_other.samples) {
    sample.input = 2;
    data.samples.push_back(sample);
  }
  const Profile profile = estimate(data);
  for (const LineEstimate& line : profile.lines) CHECK_FALSE(line.cost.unreliable);
  CHECK(edge_of(profile, 6, 7)->cost.unreliable);
  CHECK(is_unreliable(profile));
  CHECK(std::ranges::any_of(profile.warnings, [](const std::string& text) {
    return text.find("A.java:40 (on another path)") != std::string::npos;
  }));
}

/// In so many of 20 rounds the stop at the body of f comes elsewhere.
Profile stopped_elsewhere(std::uint32_t rounds) {
  SyntheticDevice device{.map = two_calls(), .pass = 10, .stop = 2000, .noise = 1};
  device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  device.costs = {1000, 2000, 3000, 700, 1200, 9000, 600, 1500, 800};
  RunData data = device.run(20);
  for (StoredSample& sample : data.samples)
    if (sample.asked.trap == TrapId{6} && sample.round > 0 && sample.round <= rounds)
      sample.outcome = Outcome::elsewhere;
  return estimate(data);
}

TEST_CASE(
    "where stops come elsewhere again and again the lines beside that place are unreliable, and named") {
  for (const std::uint32_t rounds : {3U, 20U}) {
    const Profile profile = stopped_elsewhere(rounds);
    CHECK(is_unreliable(profile));
    CHECK(std::ranges::any_of(profile.warnings, [](const std::string& text) {
      return text.starts_with("stops at A.java:40 keep coming in another command or at another trap");
    }));
    CHECK_FALSE(line_of(profile, 10)->cost.unreliable);
  }
  CHECK(line_of(stopped_elsewhere(3), 40)->cost.unreliable);
}

TEST_CASE("a stop or two that come elsewhere by chance accuse nothing") {
  CHECK_FALSE(is_unreliable(stopped_elsewhere(0)));
  CHECK_FALSE(is_unreliable(stopped_elsewhere(2)));
}

TEST_CASE("one warning names the lines that contradict each other") {
  const Profile profile = two_calls_of(-6000);
  REQUIRE(profile.warnings.size() == 1);
  CHECK(profile.warnings.front() ==
        "the times of 1 places contradict each other in each round, so jcprof shows none there: A.java:40. A "
        "stop there seems to change the next commands, and times behind it may be wrong too; undo that with "
        "\"before_each\" or \"reset\" in \"session\"");
}

TEST_CASE("what is unreliable has no value in tables, comments and exports") {
  const Profile profile = two_calls_of(-6000);
  const LineEstimate& line = *line_of(profile, 40);
  const CostCells cells = cost_cells(line.cost, ClockUnit::ns);
  CHECK(cells.value == "unreliable");
  CHECK(cells.half_width.empty());
  CHECK(cells.share == "?");
  CHECK(line_table(profile).find("unreliable") != std::string::npos);

  const Json document = Json::parse(to_json(profile));
  const Json nothing = Json::parse(R"({"value": null, "low": null, "high": null})");
  CHECK(of_line(document, 40)["ticks"] == nothing);
  CHECK(of_line(document, 40)["share"] == nothing);
  CHECK(of_line(document, 40)["resolved"] == false);
  CHECK(of_line(document, 40)["unreliable"] == true);
  CHECK_FALSE(of_line(document, 50).contains("unreliable"));
  CHECK(of_line(document, 50)["ticks"]["value"] > 0);

  CHECK(line.rounds.empty());
  CHECK_FALSE(line_of(profile, 50)->rounds.empty());
  CHECK(to_csv(profile).find("\"A.java\",40,\"f\",1,20,,,,,,,0,,,,,,,,,typical\r\n") != std::string::npos);
  CHECK(json(line.cost) ==
        R"({"ticks":[null,null,null],"share":[null,null,null],"resolved":false,"unreliable":true})");
  const Json shown = Json::parse(line_json(profile, {.file = "A.java", .line = 40}));
  CHECK(shown["ticks"] == nothing);
  CHECK(shown["unreliable"] == true);
}

TEST_CASE("an unreliable line is called that in its source, and the comment is taken out again") {
  const Profile profile = two_calls_of(-6000);
  std::string source;
  for (int i = 1; i <= 60; ++i) source += "x();\n";
  const std::string once = annotate_text(source, "java", comments_for(profile, "A.java")).text;
  CHECK(once.find("x(); // unreliable ×1 (synthetic simulated, no date)") != std::string::npos);
  CHECK(annotate_text(once, "java", comments_for(profile, "A.java")).text == once);
}

TEST_CASE("of a command whose traced run answered otherwise every line is unreliable") {
  const Profile profile =
      two_calls_of(600, {{.kind = WarningKind::traced_answer, .text = "the traced run answers 6985"}});
  CHECK(is_unreliable(profile));
  for (const LineEstimate& line : profile.lines) CHECK(line.cost.unreliable);
  CHECK(profile.total.resolved);
  CHECK(profile.warnings == std::vector<std::string>{"traced answer: the traced run answers 6985"});
}

TEST_CASE("healthy devices are not accused whose stops cost more at one place than at another") {
  for (const double noise : {0.0, 1.0}) {
    SyntheticDevice device{.map = two_calls(), .stop = 8500, .noise = noise};
    device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
    device.costs = {500, 500, 600, 700, 500, 6000, 500, 1500, 800};
    device.stop_differs = 0.18;
    CHECK_FALSE(is_unreliable(estimate(device.run(20))));
  }
}

TEST_CASE("healthy devices are not accused whose traps or stops were not calibrated") {
  for (const std::string& refused : std::vector<std::string>{"unarmed", "counting", "stop", "frames", ""}) {
    SyntheticDevice device{.map = two_calls(), .pass = 10, .noise = 1};
    device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
    device.costs = {100, 2000, 300, 700, 100, 9000, 600, 150, 80};
    RunData data = device.run(20);
    std::erase_if(data.calibrations, [&](const auto& c) { return refused.empty() || c.kind == refused; });
    INFO(refused);
    CHECK_FALSE(is_unreliable(estimate(data)));
  }
}

namespace {

/// Every stop from the entry of g to the return of f leaves a state behind in which the next command skips
/// nine tenths of its work. Nothing was calibrated.
RunData half_open(const TrapMap& map) {
  const std::vector<Event> path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  const std::vector<double> reached{500, 1500, 3500, 6500, 7200, 8400, 17400, 18000, 19500, 20300};
  bool is_open = false;
  RunData data = scripted_run(map, path, 20, [&](std::uint32_t round, std::size_t at) {
    const double work = is_open ? reached[at] / 10 : reached[at];
    const double stop = at == path.size() ? 0 : 700;
    is_open = at >= 4 && at < 8;
    return std::optional(2000 + work + stop + round % 3);
  });
  data.run.simulated = true;
  return data;
}

}  // namespace

TEST_CASE("a run without calibrations whose times contradict each other plainly is unreliable") {
  for (const char* language : {"java", "c", "c++"}) {
    TrapMap map = two_calls();
    map.language = language;
    INFO(language);
    CHECK(is_unreliable(estimate(half_open(map))));

    SyntheticDevice device{.map = map, .pass = 0, .counting = 0, .stop = 300, .frame = 0, .guard = 0};
    device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
    device.costs = {1000, 2000, 30000, 7000, 12000, 90000, -80000, 15000, 8000};
    RunData data = device.run(20);
    data.calibrations.clear();
    const Profile profile = estimate(data);
    CHECK(line_of(profile, 40)->cost.unreliable);
    CHECK_FALSE(line_of(profile, 50)->cost.unreliable);
  }
}

TEST_CASE("healthy runs without calibrations are not accused, however dear their traps and stops are") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](double most) { return std::uniform_real_distribution<double>(0, most)(random); };
    SyntheticDevice device{.map = two_calls(),
                           .pass = up_to(300),
                           .counting = up_to(300),
                           .stop = up_to(50000),
                           .frame = up_to(20000),
                           .guard = up_to(20000),
                           .stop_differs = up_to(0.2)};
    device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 6, 7, 5, 3, 4, 8, 9, 5});
    for (std::size_t i = 0; i < device.path.size(); ++i)
      device.costs.push_back(up_to(i % 2 == 0 ? 100 : 9000));
    device.seed = seed;
    device.noise = seed % 2 == 0 ? 1 : 0;
    RunData data = device.run(seed % 3 == 0 ? 40 : 12);
    data.calibrations.clear();
    INFO("seed " << seed);
    CHECK_FALSE(is_unreliable(estimate(data)));
  }
}

TEST_CASE("healthy devices have no line that is unreliable, with few rounds and with many") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SyntheticDevice device{.map = two_calls(), .seed = seed};
    device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
    device.costs = {10, 2000, 0, 700, 0, 9000, 60, 0, 800};
    device.noise = seed % 2 == 0 ? 1 : 20;
    device.lost = seed % 3 == 0 ? 0.1 : 0;
    CHECK_FALSE(is_unreliable(estimate(device.run(seed % 5 == 0 ? 40 : 10))));
  }
}

}  // namespace jcprof::annotator
