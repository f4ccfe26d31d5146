// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/sessions.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "annotator/compare/comparison.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

/// A program of 30 lines, of which one takes 12 % and others 0.1 to 9 %, on a device whose sessions differ.
struct Bench {
  double speed = 0.02;    // deviation of a session's speed
  double layout = 0.015;  // of a line's time in a session
  double noise = 0.004;   // of a measured line within a session, beside 2 ticks
  std::mt19937_64 random{1};
  std::vector<double> truths = [] {
    std::vector<double> values{1200};
    for (int i = 1; i < 30; ++i) values.push_back(10 * std::pow(1.17, i));
    return values;
  }();

  double normal(double deviation) { return std::normal_distribution<double>(0, deviation)(random); }

  Profile session(const std::vector<double>& times) {
    Profile profile;
    const double gain = std::exp(normal(speed));
    double whole = 0;
    double squares = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double time = times[i] * gain * std::exp(normal(layout));
      const double deviation = noise * time + 2;
      const double read = std::max(0.0, time + normal(deviation));
      const double half = 1.96 * deviation;
      const Interval ticks{read, std::max(0.0, read - half), read + half};
      profile.lines.push_back({.path = "A.java",
                               .line = 10 + i,
                               .function = "p",
                               .hits = 1,
                               .cost = {.ticks = ticks, .resolved = ticks.low > 0}});
      whole += read;
      squares += deviation * deviation;
    }
    const double half = 1.96 * std::sqrt(squares);
    const Estimate all{.ticks = {whole, whole - half, whole + half}, .resolved = true};
    profile.functions.push_back({.function = "p", .path = "A.java", .line = 1, .calls = 1, .exclusive = all});
    profile.total = all;
    return profile;
  }

  Comparison compared(const std::vector<double>& before, const std::vector<double>& after,
                      std::size_t sessions) {
    std::vector<Profile> old;
    std::vector<Profile> young;
    for (std::size_t s = 0; s < sessions; ++s) {
      old.push_back(session(before));
      young.push_back(session(after));
    }
    TrapMap map;
    for (std::size_t i = 0; i < truths.size(); ++i)
      map.traps.push_back({.id = TrapId{static_cast<std::uint32_t>(i + 1)},
                           .key = std::to_string(i),
                           .function = "p",
                           .path = "A.java",
                           .line = 10 + i});
    std::vector<Compared> side_before;
    std::vector<Compared> side_after;
    for (const Profile& profile : old) side_before.push_back({profile, map});
    for (const Profile& profile : young) side_after.push_back({profile, map});
    return compare(side_before, side_after);
  }
};

bool is_change(Verdict verdict) {
  return verdict == Verdict::slower || verdict == Verdict::faster;
}

std::size_t changes_in(const Comparison& comparison) {
  std::size_t count = is_change(comparison.whole.verdict) ? 1 : 0;
  for (const auto* changes : {&comparison.lines, &comparison.functions})
    count += static_cast<std::size_t>(std::ranges::count_if(*changes, is_change, &Change::verdict));
  return count;
}

const Change& line_at(const Comparison& comparison, std::size_t line) {
  return *std::ranges::find(comparison.lines, line, &Change::line);
}

constexpr int trials = 400;

}  // namespace

TEST_CASE("of one build no more than one comparison in twenty names a change, whatever sessions do") {
  for (const std::size_t sessions : {1U, 2U, 3U, 6U})
    for (const double layout : {0.0, 0.005, 0.015, 0.03}) {
      Bench bench{.layout = layout};
      int false_ones = 0;
      for (int trial = 0; trial < trials; ++trial)
        false_ones += changes_in(bench.compared(bench.truths, bench.truths, sessions)) > 0 ? 1 : 0;
      INFO(sessions << " sessions, layout " << layout);
      CHECK(false_ones <= trials * 0.05 + 2 * std::sqrt(trials * 0.05 * 0.95));
    }
}

TEST_CASE(
    "a change of 3 % in a line of 12 % is found by three sessions a side, four times in five, and by six "
    "nearly always") {
  Bench bench{.layout = 0.0075};
  std::vector<double> slower = bench.truths;
  slower[0] *= 1.03;
  const auto found = [&](std::size_t sessions) {
    int count = 0;
    for (int trial = 0; trial < trials; ++trial)
      count += line_at(bench.compared(bench.truths, slower, sessions), 10).verdict == Verdict::slower ? 1 : 0;
    return count;
  };
  CHECK(found(3) >= 0.7 * trials);
  CHECK(found(6) >= 0.97 * trials);
}

TEST_CASE("intervals of differences hold the truth in 95 of 100 comparisons") {
  for (const std::size_t sessions : {1U, 3U}) {
    Bench bench;
    std::vector<double> other = bench.truths;
    for (std::size_t i = 0; i < other.size(); i += 7) other[i] *= 1.2;
    int held = 0;
    int all = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const Comparison comparison = bench.compared(bench.truths, other, sessions);
      for (std::size_t i = 0; i < other.size(); ++i, ++all) {
        const Interval& difference = line_at(comparison, 10 + i).difference;
        const double truth = other[i] - bench.truths[i];
        held += difference.low <= truth && truth <= difference.high ? 1 : 0;
      }
    }
    INFO(sessions << " sessions");
    CHECK(held >= 0.94 * all);
  }
}

TEST_CASE("a session's speed is taken out, a change of everything is not, and nothing flips in between") {
  std::vector<Item> items;
  const auto effects_at = [&](double factor) {
    items.clear();
    for (const double ticks : {100.0, 120.0, 140.0, 160.0, 200.0, 240.0, 300.0, 400.0, 500.0, 700.0})
      items.push_back({.before = {{ticks, 0.1}}, .after = {{factor * ticks, 0.1}}});
    return effects_of(items, {});
  };
  CHECK(effects_at(1.02).speed == Approx(1.02).margin(0.004));
  CHECK(effects_at(2).speed == Approx(1).margin(0.01));
  CHECK(effects_at(2).ratio.value == Approx(2));
  for (const double factor : {1e-3, 0.01, 0.1, 0.5, 3.0, 10.0, 74.0, 1000.0})
    CHECK(effects_at(factor).speed == Approx(1).margin(0.02));
  Difference last = difference_of({{{300, 0.1}}, {{300, 0.1}}}, effects_at(1));
  for (double factor = 1.002; factor < 1.6; factor += 0.002) {
    const Difference next = difference_of({{{300, 0.1}}, {{factor * 300, 0.1}}}, effects_at(factor));
    INFO(factor);
    CHECK(std::abs(next.ticks.value - last.ticks.value) < 0.01 * 300);
    CHECK(std::abs(next.deviation - last.deviation) < 0.01 * 300);
    last = next;
  }
}

TEST_CASE("a line that scatters more than others from session to session has not changed for that") {
  std::mt19937_64 random(3);
  for (const std::size_t sessions : {2U, 3U, 6U}) {
    int proven = 0;
    constexpr int tries = 300;
    for (int trial = 0; trial < tries; ++trial) {
      const auto side = [&](double ticks, double deviation) {
        std::vector<Reading> readings;
        for (std::size_t s = 0; s < sessions; ++s)
          readings.push_back({ticks * std::exp(std::normal_distribution<double>(0, deviation)(random)), 0.1});
        return readings;
      };
      std::vector<Item> items;
      for (int i = 0; i < 20; ++i) items.push_back({side(100 + 10 * i, 0.01), side(100 + 10 * i, 0.01)});
      items.push_back({side(300, 0.05), side(300, 0.05)});
      const SessionEffects effects = effects_of(items, {.before = sessions, .after = sessions});
      proven += difference_of(items.back(), effects).chance < 0.05 ? 1 : 0;
    }
    INFO(sessions << " sessions");
    CHECK(proven <= 0.1 * tries);
  }
}

TEST_CASE("counts have no sessions: each difference is one") {
  const Item item{.before = {{1000, 0}}, .after = {{1001, 0}}};
  const SessionEffects effects = effects_of({item}, {.agree = true});
  CHECK(effects.speed == 1);
  const Difference difference = difference_of(item, effects);
  CHECK(difference.ticks == Interval{1, 1, 1});
  CHECK(difference.chance == 0);
}

TEST_CASE("more sessions of a line that scatters by itself widen its interval, and no other one's") {
  std::vector<Item> items;
  for (const double ticks : {100.0, 120.0, 140.0, 160.0, 200.0, 240.0})
    items.push_back({.before = {{ticks, 0.1}, {ticks, 0.1}, {ticks, 0.1}},
                     .after = {{ticks, 0.1}, {ticks, 0.1}, {ticks, 0.1}}});
  const Item steady = items.back();
  const Item restless{.before = {{240, 0.1}, {300, 0.1}, {180, 0.1}},
                      .after = {{240, 0.1}, {290, 0.1}, {190, 0.1}}};
  items.push_back(restless);
  const SessionEffects effects = effects_of(items, {.before = 3, .after = 3});
  CHECK(difference_of(restless, effects).deviation > 1.3 * difference_of(steady, effects).deviation);
  CHECK(difference_of(restless, effects).lasting > 10);
}

}  // namespace jcprof::annotator
