// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "annotator/compare/difference_texts.hpp"
#include "annotator/compare/line_match.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/statement_device.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

TrapMap straight_map() {
  return statement_map(20);
}

SyntheticDevice straight_device(std::uint64_t seed) {
  return statement_device(20, 500, 300, seed);
}

Profile measured(const SyntheticDevice& device) {
  return estimate(device.run(60));
}

Comparison compared(const SyntheticDevice& before, const SyntheticDevice& after) {
  const Profile old = measured(before);
  const Profile now = measured(after);
  return compare({{old, before.map}}, {{now, after.map}});
}

const Change& of_line(const Comparison& comparison, std::size_t line) {
  for (const Change& change : comparison.lines)
    if (change.line == line) return change;
  FAIL("no line " << line);
  return comparison.lines.front();
}

std::map<Verdict, std::size_t> verdicts(const Comparison& comparison) {
  std::map<Verdict, std::size_t> counts;
  for (const Change& change : comparison.lines) ++counts[change.verdict];
  return counts;
}

/// Lines by hand: each of 100 ticks ± `half`.
Profile by_hand(double half = 1, std::size_t lines = 10) {
  Profile profile;
  for (std::size_t i = 0; i < lines; ++i)
    profile.lines.push_back({.path = "A.java",
                             .line = 10 + i,
                             .function = "p",
                             .cost = {.ticks = {100, 100 - half, 100 + half}, .resolved = true}});
  profile.functions.push_back({.function = "p",
                               .path = "A.java",
                               .line = 1,
                               .exclusive = {.ticks = {1000, 990, 1010}, .resolved = true}});
  return profile;
}

void set(Profile& profile, std::size_t index, double value) {
  Interval& ticks = profile.lines[index].cost.ticks;
  ticks = {value, ticks.low + value - ticks.value, ticks.high + value - ticks.value};
}

std::string refusal(const Profile& before, const Profile& after) {
  const TrapMap map = straight_map();
  try {
    compare({{before, map}}, {{after, map}});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("two profiles of the same device differ in nothing, whatever the seed") {
  std::size_t resolved = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Comparison comparison = compared(straight_device(2 * seed), straight_device(2 * seed + 1));
    std::map<Verdict, std::size_t> counts = verdicts(comparison);
    INFO("seed " << seed);
    CHECK(counts[Verdict::slower] == 0);
    CHECK(counts[Verdict::faster] == 0);
    CHECK(counts[Verdict::appeared] + counts[Verdict::gone] == 0);
    CHECK(comparison.functions.size() == 1);
    CHECK(comparison.functions[0].verdict != Verdict::slower);
    CHECK(comparison.functions[0].verdict != Verdict::faster);
    CHECK(comparison.speed == Approx(1).margin(0.01));
    resolved += counts[Verdict::same];
  }
  CHECK(resolved >= 40 * 10);
}

TEST_CASE("a tenth more in a large block is found, by its size, and nothing else is") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SyntheticDevice after = straight_device(2 * seed + 1);
    after.costs[17] *= 1.1;  // of line 25: 5000 ticks
    const Comparison comparison = compared(straight_device(2 * seed), after);
    INFO("seed " << seed);
    const Change& change = of_line(comparison, 25);
    CHECK(change.verdict == Verdict::slower);
    CHECK(change.relative.value == Approx(0.1).margin(0.03));
    CHECK(change.difference.low > 0);
    std::map<Verdict, std::size_t> counts = verdicts(comparison);
    CHECK(counts[Verdict::slower] == 1);
    CHECK(counts[Verdict::faster] == 0);
  }
}

TEST_CASE("a session that is slower as a whole is no change of any line") {
  SyntheticDevice after = straight_device(5);
  for (double& cost : after.costs) cost *= 1.06;
  const Comparison comparison = compared(straight_device(4), after);
  CHECK(comparison.speed == Approx(1.06).margin(0.01));
  std::map<Verdict, std::size_t> counts = verdicts(comparison);
  CHECK(counts[Verdict::slower] + counts[Verdict::faster] == 0);
}

TEST_CASE("what makes everything twice as slow is a change and no session's gain") {
  const Profile before = by_hand();
  Profile after = by_hand();
  for (std::size_t i = 0; i < 10; ++i) set(after, i, 200);
  const Comparison comparison = compare({{before, straight_map()}}, {{after, straight_map()}});
  CHECK(comparison.speed == Approx(1).margin(0.001));
  CHECK(comparison.ratio.value == Approx(2));
  CHECK(verdicts(comparison)[Verdict::slower] == 10);
}

TEST_CASE("a difference has an interval of both intervals, and of what sessions differ by") {
  const Profile before = by_hand(3);
  Profile after = by_hand(4);
  set(after, 0, 150);
  set(after, 1, 106);
  const Comparison comparison = compare({{before, straight_map()}}, {{after, straight_map()}});
  const Change& large = of_line(comparison, 10);
  CHECK(large.difference.value == Approx(50).margin(1));
  CHECK(large.difference.low < 45);  // 3 and 4 wide: 5
  CHECK(large.difference.low > 30);
  CHECK(large.difference.high > 55);
  CHECK(large.relative.value == Approx(0.5).margin(0.01));
  CHECK(large.verdict == Verdict::slower);
  const Change& small = of_line(comparison, 11);
  CHECK(small.verdict == Verdict::unresolved);
  CHECK(small.shots_factor == 0.0);  // one of ten lines needs more proof than one session a side gives
  const Profile noisy = by_hand(10);
  Profile slower = by_hand(10);
  set(slower, 1, 110);
  const Comparison unclear = compare({{noisy, straight_map()}}, {{slower, straight_map()}});
  CHECK(of_line(unclear, 11).verdict == Verdict::unresolved);
  REQUIRE(of_line(unclear, 11).shots_factor);
  CHECK(*of_line(unclear, 11).shots_factor > 1.5);
  CHECK(comparison.warnings.front().starts_with(
      "one session on a side does not tell how much sessions differ"));
  const Profile sure = by_hand(0.1);
  Profile little = by_hand(0.1);
  set(little, 1, 100.5);
  CHECK(of_line(compare({{sure, straight_map()}}, {{little, straight_map()}}), 11).verdict == Verdict::same);
}

TEST_CASE("the mean of two sessions is known no better than they agree") {
  const Profile one = by_hand();
  Profile two = by_hand();
  set(two, 0, 104);
  const Comparison comparison =
      compare({{one, straight_map()}, {two, straight_map()}}, {{one, straight_map()}, {two, straight_map()}});
  const Estimate& before = *of_line(comparison, 10).before;
  CHECK(before.ticks.value == Approx(102));
  CHECK(before.ticks.high == Approx(102 + 12.706 * 2).margin(0.1));  // Student's t of one degree of freedom
  CHECK(of_line(comparison, 11).before->ticks.high == Approx(100 + std::sqrt(0.5)));
}

TEST_CASE("lines that take no time on either side, however noisy, have not changed") {
  Profile before = by_hand();
  before.lines[0].cost.ticks = {0, 0, 500};
  const Comparison comparison = compare({{before, straight_map()}}, {{before, straight_map()}});
  CHECK(of_line(comparison, 10).verdict == Verdict::unresolved);
}

TEST_CASE("the interval of a whole command holds the change that sessions may explain") {
  const auto with_total = [](double factor) {
    Profile profile = by_hand();
    for (std::size_t i = 0; i < profile.lines.size(); ++i) set(profile, i, 100 * factor);
    profile.total = {.ticks = {1000 * factor, 995 * factor, 1005 * factor}, .resolved = true};
    return profile;
  };
  const Profile before = with_total(1);
  const Profile after = with_total(1.03);
  const Change whole = compare({{before, straight_map()}}, {{after, straight_map()}}).whole;
  CHECK(whole.verdict == Verdict::unresolved);
  CHECK(whole.relative.low < 0);
  CHECK(whole.relative.high > 0.03);
}

TEST_CASE("GitHub gets the total first, then what is slower with its place") {
  Profile before = by_hand();
  before.run.project = "pin";
  before.lines[0].function = "p\x1b::q";
  before.total = {.ticks = {1000, 990, 1010}, .resolved = true};
  Profile after = before;
  set(after, 0, 150);
  const std::string text = to_github(compare({{before, straight_map()}}, {{after, straight_map()}}));
  INFO(text);
  CHECK_THAT(text, Catch::StartsWith(
                       "::notice title=unresolved::pin on an unknown device: 1 session before, 1 session "
                       "after: total 1.00 µs → 1.00 µs: unresolved, "));
  CHECK_THAT(text, Catch::Contains("\n::error file=A.java,line=10,title=slower::100 ns → 150 ns, +") &&
                       Catch::EndsWith(" in p?::q\n"));
}

TEST_CASE("with few lines one that changed is still found, and the other one did not change") {
  const Profile before = by_hand(1, 2);
  Profile after = by_hand(1, 2);
  set(after, 0, 80);
  const Comparison comparison = compare({{before, straight_map()}}, {{after, straight_map()}});
  CHECK(comparison.speed == Approx(1).margin(0.02));
  CHECK(of_line(comparison, 10).verdict == Verdict::faster);
  CHECK(of_line(comparison, 11).verdict == Verdict::unresolved);
}

TEST_CASE("lines that take nothing have not changed, and hide no other one's change") {
  Profile before = by_hand(1, 16);
  for (std::size_t i = 11; i < 16; ++i) before.lines[i].cost = {.ticks = {0, 0, 0.5}};
  Profile after = before;
  set(after, 0, 150);
  after.lines[15].cost = {.ticks = {0, 0, 0}};
  before.lines[15].cost = after.lines[15].cost;
  const Comparison comparison = compare({{before, straight_map()}}, {{after, straight_map()}});
  CHECK(of_line(comparison, 10).verdict == Verdict::slower);
  for (const std::size_t line : {21U, 24U, 25U}) CHECK(of_line(comparison, line).verdict == Verdict::same);
}

TEST_CASE("counts of instructions are compared as they are") {
  Profile before = by_hand(0);
  before.run.unit = ClockUnit::instructions;
  Profile after = before;
  set(after, 0, 101);
  const Comparison comparison = compare({{before, straight_map()}}, {{after, straight_map()}});
  CHECK(comparison.speed == 1);
  CHECK(of_line(comparison, 10).verdict == Verdict::slower);
  CHECK(of_line(comparison, 10).difference.value == 1);
  CHECK(of_line(comparison, 11).verdict == Verdict::same);
  CHECK(comparison.warnings.empty());
}

TEST_CASE("sessions of one side are of one build, and their means are compared") {
  const TrapMap map = straight_map();
  const Profile quick = by_hand();
  Profile slow = by_hand();
  set(slow, 0, 104);
  const Comparison comparison = compare({{quick, map}, {slow, map}}, {{slow, map}, {slow, map}});
  CHECK(comparison.sessions_before == 2);
  CHECK(of_line(comparison, 10).before->ticks.value == Approx(102));
  CHECK(of_line(comparison, 10).after->ticks.value == Approx(104));
  Profile other = by_hand();
  other.run.trap_digest = "other";
  CHECK_THROWS_WITH(compare({{quick, map}, {other, map}}, {{slow, map}}),
                    Catch::StartsWith("the sessions of one side are of two builds"));
}

TEST_CASE("an interval that is not known decides nothing") {
  Profile before = by_hand();
  before.lines[0].cost.ticks = {100, -INFINITY, INFINITY};
  Profile after = by_hand();
  set(after, 0, 900);
  CHECK(of_line(compare({{before, straight_map()}}, {{after, straight_map()}}), 10).verdict ==
        Verdict::unresolved);
}

TEST_CASE("lines are known by their keys after others were put above them") {
  const Profile before = by_hand();
  Profile after = by_hand();
  TrapMap map = straight_map();
  for (Trap& trap : map.traps) trap.line += 5;
  for (LineEstimate& line : after.lines) line.line += 5;
  const Comparison comparison = compare({{before, straight_map()}}, {{after, map}});
  CHECK(comparison.lines.size() == 10);
  CHECK(verdicts(comparison)[Verdict::same] == 10);
  CHECK(of_line(comparison, 15).line_before == 10);
}

TEST_CASE("behind a line that was put into a function the others are found by what they look like") {
  // Keys tell the place among the function's traps: from the new one on all differ.
  const auto map_of = [](const std::vector<std::size_t>& lengths, const std::string& build) {
    TrapMap map{.language = "java"};
    for (std::size_t i = 0; i < lengths.size(); ++i)
      map.traps.push_back({.id = TrapId{static_cast<std::uint32_t>(i + 1)},
                           .key = (i < 2 ? "same" : build) + std::to_string(i),
                           .function = "p",
                           .path = "A.java",
                           .line = 10 + i,
                           .column = 3,
                           .offset = 100 * i,
                           .end_offset = 100 * i + lengths[i]});
    return map;
  };
  const TrapMap old = map_of({10, 20, 30, 40, 50}, "old");
  const TrapMap now = map_of({10, 20, 77, 30, 40, 51}, "now");
  const Profile before = by_hand(1, 5);
  const Profile after = by_hand(1, 6);
  using Index = std::optional<std::size_t>;
  CHECK(match_lines({before.lines, old}, {after.lines, now}) == std::vector<Index>{0, 1, Index(), 2, 3, 4});
  const Comparison comparison = compare({{before, old}}, {{after, now}});
  CHECK(of_line(comparison, 12).verdict == Verdict::appeared);
  const Comparison undone = compare({{after, now}}, {{before, old}});
  REQUIRE(verdicts(undone)[Verdict::gone] == 1);
  for (const Change& change : undone.lines) {
    if (change.verdict != Verdict::gone) continue;
    CHECK(change.line_before == 12);
    CHECK_FALSE(change.after);
    CHECK(change.difference.value == -100);
  }
}

TEST_CASE("functions are known by their names, and several of one name by their order") {
  Profile before;
  before.functions = {{.function = "put", .path = "a.cc", .line = 10, .exclusive = {.ticks = {5, 5, 5}}},
                      {.function = "put", .path = "a.cc", .line = 1, .exclusive = {.ticks = {7, 7, 7}}},
                      {.function = "old", .path = "a.cc", .line = 20, .exclusive = {.ticks = {1, 1, 1}}}};
  Profile after = before;
  after.functions[2].function = "new";
  const Comparison comparison = compare({{before, {}}}, {{after, {}}});
  REQUIRE(comparison.functions.size() == 4);
  for (const Change& change : comparison.functions) {
    if (change.function == "put") CHECK(change.difference.value == 0);
    if (change.function == "old") CHECK(change.verdict == Verdict::gone);
    if (change.function == "new") CHECK(change.verdict == Verdict::appeared);
  }
}

TEST_CASE("functions of one name in several files are told apart by their files first") {
  Profile before;
  before.functions = {{.function = "init", .path = "a.cc", .line = 1, .exclusive = {.ticks = {9, 9, 9}}},
                      {.function = "init", .path = "b.cc", .line = 1, .exclusive = {.ticks = {5, 5, 5}}},
                      {.function = "moved", .path = "a.cc", .line = 30, .exclusive = {.ticks = {3, 3, 3}}}};
  Profile after;  // a.cc's was not called
  after.functions = {before.functions[1], before.functions[2]};
  after.functions[1].path = "c.cc";
  const Comparison comparison = compare({{before, {}}}, {{after, {}}});
  REQUIRE(comparison.functions.size() == 3);
  for (const Change& change : comparison.functions) {
    if (change.path == "a.cc") CHECK(change.verdict == Verdict::gone);
    if (change.path != "a.cc") CHECK(change.difference.value == 0);
  }
}

TEST_CASE("commands of several paths are compared with a warning") {
  Profile several = by_hand();
  several.paths.resize(2);
  const TrapMap map = straight_map();
  const Comparison comparison = compare({{by_hand(), map}}, {{several, map}});
  CHECK(std::ranges::any_of(comparison.warnings, [](const std::string& text) {
    return text.starts_with("the command takes several");
  }));
}

TEST_CASE("of two recordings it is said that runs may differ as much") {
  const auto is_said = [](const Profile& profile) {
    const TrapMap map = straight_map();
    const std::vector<std::string> warnings = compare({{profile, map}}, {{profile, map}}).warnings;
    return std::ranges::any_of(
        warnings, [](const std::string& text) { return text.starts_with("each recording is one run"); });
  };
  Profile recording = by_hand();
  recording.recorded = Recorded{};
  CHECK(is_said(recording));
  CHECK_FALSE(is_said(by_hand()));
}

TEST_CASE("profiles that do not fit are refused") {
  Profile one = by_hand();
  one.run.project = "pin";
  Profile other = one;
  CHECK(refusal(one, other).empty());
  other.run.project = "bignum";
  CHECK(refusal(one, other) ==
        "the profiles belong to different projects: \"pin\" and \"bignum\"\n"
        "hint: compare profiles of the same project");
  other = one;
  other.run.unit = ClockUnit::instructions;
  CHECK(refusal(one, other).starts_with("the profiles have different units: ns and instructions\nhint: "));
  other = one;
  other.recorded = Recorded{};
  CHECK(refusal(one, other).starts_with("one profile is a measurement, the other one a recording\nhint: "));
}

TEST_CASE("what was not measured in one of two sessions is unresolved, and no difference is told") {
  const Profile before = by_hand();
  Profile after = by_hand();
  after.lines[3].cost = {.rounds = 6};
  const TrapMap map = straight_map();
  const Comparison comparison = compare({{before, map}}, {{after, map}});
  CHECK(of_line(comparison, 13).verdict == Verdict::unresolved);
  CHECK(of_line(comparison, 13).difference == Interval{});
  CHECK(verdicts(comparison)[Verdict::same] == 9);
}

TEST_CASE("a session that contradicts itself everywhere is left out, and said to be, if there are others") {
  const Profile before = by_hand();
  const Profile after = by_hand();
  Profile contradicts_itself = by_hand();
  for (LineEstimate& line : contradicts_itself.lines) line.cost = {.rounds = 6, .unreliable = true};
  contradicts_itself.functions[0].exclusive = {.rounds = 6, .unreliable = true};
  const TrapMap map = straight_map();
  const Comparison comparison =
      compare({{before, map}, {before, map}}, {{contradicts_itself, map}, {after, map}});
  CHECK(verdicts(comparison)[Verdict::same] == 10);
  CHECK(comparison.sessions_after == 1);
  CHECK(std::ranges::count(
            comparison.warnings,
            "1 of 2 sessions after is left out: the measurements in it contradict each other") == 1);
  CHECK(verdicts(compare({{before, map}}, {{contradicts_itself, map}}))[Verdict::unresolved] == 10);
}

}  // namespace jcprof::annotator
