// SPDX-License-Identifier: Apache-2.0
// Behind the last trap of an applet's command runs no code of the applet's: its answer is on the way, and the
// next command of a trigger of several.
#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/estimate/estimates.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/report/report.hpp"
#include "annotator/tables.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

/// p twice, 800 each; 4 ms lie between them, and 80 behind the second one.
Profile two_commands() {
  SyntheticDevice device{.map = two_calls("java"), .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 5, 1, 2, 3, 5});
  device.costs = {100, 200, 500, 4e6, 100, 200, 500, 80};
  RunData data = device.run(10);
  data.run.project = "pin";
  return estimate(data);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the time up to the next command's entry is in no line, no call and no loop") {
  const Attribution result = attribute(two_calls("java"), path_of({1, 2, 4, 8, 1, 2, 3, 5}));
  REQUIRE(result.blocks.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(result.blocks[i].is_between() == (i == 3 || i == 7));
  REQUIRE(result.invocations.size() == 3);  // p, the g that an exception left, p
  CHECK(result.invocations[0].end == 3);
  CHECK(result.invocations[1].end == 3);
  CHECK(result.invocations[2].begin == 4);
  CHECK(result.invocations[2].outermost);
}

TEST_CASE("a call whose entry was the last event of a command has its caller in the tree") {
  const Attribution result = attribute(two_calls("java"), path_of({1, 2, 4, 6, 1, 2, 3}));
  const CostTree tree = cost_tree(result, std::vector<double>{1, 1, 1, engine::missing, 1, 1, 1});
  REQUIRE(tree.nodes.size() == 2);
  CHECK(tree.functions[tree.nodes[1].function].name == "f");
  CHECK(tree.nodes[1].parent == 0);
  CHECK(tree.nodes[0].calls == 2);
  CHECK(tree.nodes[0].inclusive == 6);
}

TEST_CASE("a loop that a command's end cuts off ends with it") {
  const TrapMap map = MapMaker()
                          .trap(TrapKind::entry0, "p", 1)
                          .trap(TrapKind::before, "p", 2, 4)
                          .trap(TrapKind::loop_body, "p", 3)
                          .map("java");
  const Attribution result = attribute(map, path_of({1, 2, 3, 1, 2, 3}));
  REQUIRE(result.loop_runs.size() == 2);
  CHECK(result.loop_runs[0].end == 2);
  CHECK(result.loop_runs[1].end == 6);
}

TEST_CASE("what lies between two commands has a row of its own, and shares are of what the target runs") {
  const Profile profile = two_commands();
  REQUIRE(profile.between);
  CHECK(profile.between->ticks.value == Approx(4'000'080));
  CHECK(line_of(profile, 30) == nullptr);
  CHECK(line_of(profile, 10)->cost.share.value == Approx(1000.0 / 1600));
  CHECK(profile.functions.front().inclusive.ticks.value == Approx(1600));
  double lines = 0;
  for (const LineEstimate& line : profile.lines) lines += line.cost.ticks.value;
  CHECK(profile.total.ticks.value ==
        Approx(profile.entry.ticks.value + 4'000'080 + lines + profile.unattributed.value));
  CHECK(std::abs(profile.unattributed.value) < 1e-3);
  CHECK(profile.blocks[3].function.empty());
  CHECK(profile.blocks[3].hot == Hot::undecided);
}

TEST_CASE("time between commands that is not known stands nowhere as a number") {
  Profile profile = two_commands();
  profile.between = unreliable(*profile.between);
  CHECK_FALSE(holds(to_folded(profile), "after the last trap"));
  CHECK_FALSE(holds(to_callgrind(profile), "after the last trap"));
  CHECK(nlohmann::json::parse(to_json(profile)).at("between").at("value").is_null());
  CHECK(holds(report_data({.profile = profile}, 1'000'000), R"("between":null)"));
}

TEST_CASE("no edge leads from a command's end into the next one") {
  const Profile profile = two_commands();
  CHECK(edge_of(profile, 5, 1) == nullptr);
  CHECK(edge_of(profile, 3, 5) != nullptr);
}

TEST_CASE("several gaps between commands are one sum, though rounds lack stops") {
  SyntheticDevice device{.map = two_calls("java"), .pass = 10, .lost = 0.05, .noise = 0};
  device.path = path_of({1, 2, 3, 5, 1, 2, 3, 5, 1, 2, 3, 5});
  device.costs = {100, 200, 500, 4e6, 100, 200, 500, 2e6, 100, 200, 500, 80};
  const Profile profile = estimate(device.run(40));
  REQUIRE(profile.between);
  CHECK(profile.between->ticks.value == Approx(6'000'080).epsilon(1e-4));
  CHECK(line_of(profile, 10)->cost.share.value == Approx(1500.0 / 2400).epsilon(1e-2));
}

TEST_CASE("the answer of a single command is in no line, however long it is, if the entry returned") {
  SyntheticDevice device{.map = two_calls("java"), .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 5});
  device.costs = {100, 200, 500, 11e6};
  const Profile answered = estimate(device.run(10));
  REQUIRE(answered.between);
  CHECK(answered.between->ticks.value == Approx(11e6));
  CHECK(line_of(answered, 30) == nullptr);
  CHECK(edge_of(answered, 5, 0) == nullptr);
  REQUIRE(answered.hottest_lines.among.size() == 1);
  CHECK(answered.hottest_lines.among.front().line == 10);
  // An exception ends the command: the line that throws has all that follows.
  device.path = path_of({1, 2, 3});
  device.costs = {100, 200, 11e6};
  const Profile thrown = estimate(device.run(10));
  CHECK_FALSE(thrown.between);
  CHECK(line_of(thrown, 10)->cost.ticks.value == Approx(11e6));
}

TEST_CASE("behind a finally that ends the entry the answer is in no line, and no edge leads to it") {
  // 1 p() { 2 try { 3 return; } finally { 4 c; } }
  const TrapMap map = MapMaker()
                          .trap(TrapKind::entry0, "p", 1)
                          .trap(TrapKind::entry, "p", 1)
                          .trap(TrapKind::before, "p", 2, 5)
                          .trap(TrapKind::returns, "p", 3)
                          .trap(TrapKind::handler, "p", 4)
                          .trap(TrapKind::after, "p", 5)
                          .map("java");
  SyntheticDevice device{.map = map, .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 4, 5, 6});
  device.costs = {100, 200, 500, 60, 700, 11e6};
  const Profile profile = estimate(device.run(10));
  REQUIRE(profile.between);
  CHECK(profile.between->ticks.value == Approx(11e6));
  CHECK(edge_of(profile, 5, 6) != nullptr);
  CHECK(edge_of(profile, 6, 0) == nullptr);
}

TEST_CASE("a program of one command has no time after its last trap") {
  SyntheticDevice device{.map = two_calls(), .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 5});
  device.costs = {100, 200, 500, 80};
  const Profile profile = estimate(device.run(10));
  CHECK_FALSE(profile.between);
  CHECK(line_of(profile, 30)->cost.ticks.value == Approx(80).margin(1e-6));
  CHECK_FALSE(holds(tables(profile), "after the last trap"));
  CHECK(nlohmann::json::parse(to_json(profile)).at("between").is_null());
  CHECK_FALSE(holds(to_folded(profile), "after the last trap"));
}

TEST_CASE("every output that tells of the time before the first trap tells of the time between commands") {
  const Profile profile = two_commands();
  CHECK_THAT(total_text(profile),
             Catch::Contains(" before the first trap, 4.00008 ms after the last trap and "));
  CHECK(nlohmann::json::parse(to_json(profile)).at("between").at("value").get<double>() == Approx(4'000'080));
  CHECK(holds(report_data({.profile = profile}, 1'000'000), R"("between":[4000080,)"));
  CHECK(holds(to_folded(profile), "\nafter the last trap 4000080\n"));
  CHECK(holds(to_callgrind(profile), "after the last trap\n0 4000080\n"));
  const auto speedscope = nlohmann::json::parse(to_speedscope(profile));
  REQUIRE(speedscope.at("profiles").size() == 1);
  CHECK(speedscope.at("profiles").at(0).at("endValue").get<double>() == Approx(4'000'080 + 1600));
  const std::vector<StoredEstimate> rows = stored(profile);
  const auto row = std::ranges::find(rows, EstimateScope::between, &StoredEstimate::scope);
  REQUIRE(row != rows.end());
  CHECK(row->ticks == Approx(4'000'080));
}

}  // namespace jcprof::annotator
