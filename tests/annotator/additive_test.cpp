// SPDX-License-Identifier: Apache-2.0
// Parts add up to the whole, in every table and every export, whatever the noise.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "annotator/estimate/estimates.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/support/export_agreement.hpp"

namespace jcprof::annotator {
namespace {

/// 1 p() { 10 for (9 times) { 11 f(); 12 } 20 x; 21 }     f: 30 entry 31 work 32 return; skewed noise as
/// large as blocks.
Profile noisy(std::uint64_t seed, std::uint32_t rounds) {
  SyntheticDevice device{.map = MapMaker()
                                    .trap(TrapKind::entry0, "p", 1)
                                    .trap(TrapKind::entry, "p", 1)
                                    .trap(TrapKind::before, "p", 10, 12)
                                    .trap(TrapKind::loop_body, "p", 11)
                                    .trap(TrapKind::after, "p", 12)
                                    .trap(TrapKind::before, "p", 20)
                                    .trap(TrapKind::exit, "p", 21)
                                    .trap(TrapKind::entry, "f", 30)
                                    .trap(TrapKind::before, "f", 31)
                                    .trap(TrapKind::returns, "f", 32)
                                    .map(),
                         .pass = 10,
                         .stop = 100,
                         .seed = seed};
  std::vector<std::uint32_t> traps{1, 2, 3};
  device.costs = {10, 20, 30};
  for (int i = 0; i < 9; ++i) {
    traps.insert(traps.end(), {4, 8, 9, 10, 5});
    device.costs.insert(device.costs.end(), {7, 12, 90, 6, 15});
  }
  traps.insert(traps.end(), {6, 7});
  device.costs.insert(device.costs.end(), {500, 8});
  device.path = path_of(traps);
  return estimate(device.run(rounds));
}

/// Two lines of one function. Their noise is skewed, to the right in one round and to the left in the other,
/// and no round is bad in both: a median of sums is far from the sum of medians.
Profile skewed() {
  const TrapMap map = MapMaker().trap(TrapKind::before, "p", 1).trap(TrapKind::before, "p", 2).map();
  return estimate(scripted_run(map, path_of({1, 2}), 12, [](std::uint32_t round, std::size_t at) {
    const double first = round % 3 == 0 ? 15 : 75 + round;
    const double second = round % 3 == 1 ? 15 : 75 + round;
    return 10'000 + (at > 0 ? first : 0) + (at > 1 ? second : 0);
  }));
}

void check_exports_agree(const Profile& profile) {
  CHECK(test::disagreements(test::exported(profile)) == std::vector<std::string>{});
}

/// In its first line, its function and the tree.
Profile with_more(Profile profile, double ticks) {
  LineEstimate& line = profile.lines.front();
  FunctionEstimate& function = profile.functions.front();
  CostNode& node = profile.tree.nodes.front();
  REQUIRE(line.function == function.function);
  REQUIRE(profile.tree.functions[node.function].name == line.function);
  std::ranges::find(node.lines, line.line, &CostLine::line)->cost += ticks;
  for (double* cost : {&line.cost.ticks.value, &function.exclusive.ticks.value,
                       &function.inclusive.ticks.value, &node.exclusive, &node.inclusive})
    *cost += ticks;
  return profile;
}

double sum_of_lines(const Profile& profile, const std::string& function) {
  double sum = 0;
  for (const LineEstimate& line : profile.lines)
    if (line.function == function) sum += line.cost.ticks.value;
  return sum;
}

}  // namespace

TEST_CASE("lines add up to their function where noise is skewed") {
  const Profile profile = skewed();
  REQUIRE(profile.lines.size() == 2);
  REQUIRE(profile.functions.size() == 1);
  CHECK(sum_of_lines(profile, "p") == Approx(profile.functions[0].exclusive.ticks.value).epsilon(1e-12));
  CHECK(profile.functions[0].exclusive.ticks == profile.functions[0].inclusive.ticks);
}

TEST_CASE("however large the noise, all that is published of a path is a sum of its blocks") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    const Profile profile = noisy(seed, 16);
    double blocks = 0;
    std::map<std::pair<TrapId, TrapId>, double> edges;
    for (const BlockEstimate& block : profile.blocks) {
      blocks += block.cost.ticks.value;
      edges[{block.from.trap, block.to.trap}] += block.cost.ticks.value;
    }
    double shares = 0;
    for (const LineEstimate& line : profile.lines) shares += line.cost.share.value;
    CHECK(shares == Approx(1).epsilon(1e-12));
    for (const FunctionEstimate& function : profile.functions)
      CHECK(sum_of_lines(profile, function.function) ==
            Approx(function.exclusive.ticks.value).epsilon(1e-12).margin(1e-9));
    REQUIRE(profile.functions.size() == 2);
    const bool is_first = profile.functions[0].function == "p";
    const FunctionEstimate& p = profile.functions[is_first ? 0 : 1];
    const FunctionEstimate& f = profile.functions[is_first ? 1 : 0];
    CHECK(p.inclusive.ticks.value == Approx(blocks).epsilon(1e-12));
    CHECK(f.inclusive.ticks.value == Approx(f.exclusive.ticks.value).epsilon(1e-12));
    CHECK(profile.tree.nodes.front().inclusive == Approx(blocks).epsilon(1e-12));
    for (const EdgeEstimate& edge : profile.edges)
      CHECK(edge.cost.ticks.value == Approx(edges[{edge.from, edge.to}]).epsilon(1e-12).margin(1e-9));
    for (const LoopEstimate& loop : profile.loops) CHECK(loop.cost.ticks.value <= p.inclusive.ticks.value);
    for (const LineEstimate& line : profile.lines) {
      CHECK(line.cost.ticks.low <= line.cost.ticks.value);
      CHECK(line.cost.ticks.value <= line.cost.ticks.high);
    }
  }
}

TEST_CASE("every format says the same of each line and each function") {
  check_exports_agree(test::some_measured());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) check_exports_agree(noisy(seed, 16));
  check_exports_agree(skewed());
}

TEST_CASE("one tick more in a single format is a disagreement, and one digit more in a table") {
  using test::Exported;
  constexpr double digits = 20;  // in the tables' last one
  const Exported right = test::exported(test::some_measured());
  const auto check_seen = [&](std::string Exported::* format, double ticks) {
    Exported mixed = right;
    mixed.*format = test::exported(with_more(test::some_measured(), ticks)).*format;
    REQUIRE(mixed.*format != right.*format);
    CHECK_FALSE(test::disagreements(mixed).empty());
  };
  for (const auto& format : {&Exported::json, &Exported::csv, &Exported::folded, &Exported::speedscope,
                             &Exported::callgrind, &Exported::pprof})
    check_seen(format, 1);
  check_seen(&Exported::lines, digits);
  check_seen(&Exported::functions, digits);
}

TEST_CASE("a total that is not the sum of its parts is a disagreement") {
  Profile profile = test::some_measured();
  profile.unattributed.value += 0.01;
  CHECK_FALSE(test::disagreements(test::exported(profile)).empty());
}

TEST_CASE("what lies between two commands is the same in every format") {
  SyntheticDevice device{.map = two_calls("java"), .pass = 10};
  device.path = path_of({1, 2, 3, 5, 1, 2, 3, 5});
  device.costs = {100, 200, 500, 4e6, 100, 200, 500, 80};
  check_exports_agree(estimate(device.run(12)));
}

TEST_CASE("without an interval there is no number, in any format") {
  const Profile profile = noisy(1, 6);
  for (const LineEstimate& line : profile.lines) CHECK_FALSE(was_measured(line.cost));
  check_exports_agree(profile);
  CHECK(to_folded(profile).empty());
  CHECK(line_table(profile).find("not measured (6 rounds)") != std::string::npos);
  CHECK(tables(profile).find("±?") == std::string::npos);
}

TEST_CASE("what is known stands above what has an upper end, and that above what was not measured") {
  const Profile profile = noisy(2, 16);
  const auto place = [](const Estimate& cost) {
    if (cost.resolved) return std::pair(0, -cost.ticks.value);
    return std::pair(was_measured(cost) ? 1 : 2, -cost.ticks.high);
  };
  std::set<int> kinds;
  for (std::size_t i = 0; i < profile.lines.size(); ++i) {
    kinds.insert(place(profile.lines[i].cost).first);
    if (i > 0) CHECK(place(profile.lines[i - 1].cost) <= place(profile.lines[i].cost));
  }
  CHECK(kinds == std::set{0, 1});
}

}  // namespace jcprof::annotator
