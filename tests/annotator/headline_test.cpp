// SPDX-License-Identifier: Apache-2.0
// What a profile says in a word or two, held against devices whose truth is known: which line is the hottest,
// what a run takes on average, and how far times of this session may be off.
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/trap_maps.hpp"
#include "tests/support/parallel.hpp"

namespace jcprof::annotator {
namespace {

/// A command of plain lines 1, 2, … of one function, a trap before each, and what stops there read.
struct Device {
  std::vector<double> costs = {};  // of the lines
  double noise = 300;              // median of a lognormal, on each reading
  double sometimes = 0;            // part of the passes in which line 2
  double dearer = 1;               // takes so many times as much
  std::function<double(double time)> gain = [](double) { return 1; };  // `time`: 0 to 1 over the run

  /// Of each line, in a round: two readings subtracted, whose noise and dear passes are in them.
  std::vector<double> medians() const {
    constexpr int draws = 200'000;
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> skewed(0, 0.6);
    std::uniform_real_distribution<double> chance(0, 1);
    const auto extra = [&] { return chance(random) < sometimes ? costs[1] * (dearer - 1) : 0; };
    std::vector<double> result;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      std::vector<double> values;
      for (int n = 0; n < draws; ++n) {
        const double dear = (i >= 1 ? extra() : 0) - (i >= 2 ? extra() : 0);
        values.push_back(costs[i] + dear + noise * (skewed(random) - skewed(random)));
      }
      result.push_back(engine::median(values));
    }
    return result;
  }

  /// `average`: of the gain, over all shots.
  RunData run(std::uint32_t rounds, std::uint64_t seed, double* average = nullptr) const {
    MapMaker map;
    std::vector<std::uint32_t> traps;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      map.trap(TrapKind::before, "p", i + 1);
      traps.push_back(static_cast<std::uint32_t>(i + 1));
    }
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> skewed(0, 0.6);
    std::uniform_real_distribution<double> chance(0, 1);
    const double stops = static_cast<double>(costs.size()) + 1;
    double gains = 0;
    const auto read = [&](std::uint32_t round, std::size_t at) {
      // A round goes one way, its twin the other.
      const double place = round % 2 == 1 ? static_cast<double>(at) : stops - 1 - static_cast<double>(at);
      const double gain_now = gain((round - 1 + place / stops) / rounds);
      gains += gain_now;
      double work = 0;
      for (std::size_t i = 0; i < at; ++i)
        work += costs[i] * (i == 1 && chance(random) < sometimes ? dearer : 1);
      return 9000 + gain_now * work + noise * skewed(random);
    };
    RunData data = scripted_run(map.map(), path_of(traps), rounds, read);
    if (average != nullptr) *average = gains / (rounds * stops);
    return data;
  }
};

std::vector<std::uint64_t> seeds(std::size_t count) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t seed = 1; seed <= count; ++seed) result.push_back(seed);
  return result;
}

std::vector<Hottest> rankings(const Device& device, std::uint32_t rounds) {
  return test::parallel_map(
      seeds(200), [&](std::uint64_t seed) { return estimate(device.run(rounds, seed)).hottest_lines; });
}

std::size_t holding(const std::vector<Hottest>& all, std::size_t line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const Hottest& one) { return std::ranges::count(one.among, line, &HotPlace::line) == 1; }));
}

std::size_t alone(const std::vector<Hottest>& all) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const Hottest& one) { return one.among.size() == 1; }));
}

}  // namespace

TEST_CASE("the hottest line is among those that are named, however close others come", "[statistics]") {
  for (const double ahead : {1.0, 40.0, 120.0}) {
    INFO(ahead);
    const Device device{.costs = {900, 3000, 800, 3000 - ahead, 3000 - ahead, 700, 3000 - ahead, 500}};
    const std::vector<Hottest> all = rankings(device, 30);
    CHECK(holding(all, 2) >= 190);
    for (const Hottest& one : all) CHECK(one.confidence >= 0.95);
  }
}

TEST_CASE("a line that is well ahead is named alone", "[statistics]") {
  const std::vector<Hottest> all = rankings({.costs = {900, 3000, 800, 2000, 1500, 700, 2000, 500}}, 30);
  CHECK(holding(all, 2) >= 190);
  CHECK(alone(all) >= 180);
}

TEST_CASE("of lines that take the same, one alone is named in no more than five profiles of a hundred",
          "[statistics]") {
  const std::vector<Hottest> all = rankings({.costs = std::vector<double>(8, 1000)}, 30);
  CHECK(alone(all) <= 10);
}

TEST_CASE("on devices that drift, times hold what the device took on average over the run", "[statistics]") {
  using std::numbers::pi;
  const std::vector<std::function<double(double)>> drifts{
      [](double t) { return 1 + 0.04 * t; },
      [](double t) { return 1 + 0.02 * std::sin(2 * pi * t); },
      [](double t) { return 1 + 0.02 * std::sin(pi * t); },
      [](double t) { return 1 + 0.03 * std::sin(2 * pi * 3.3 * t); },
      [](double t) { return 1 + 0.05 * std::exp(-6 * t); },
      [](double t) { return t < 0.3 ? 1.05 : 1; },
  };
  for (std::size_t d = 0; d < drifts.size(); ++d) {
    INFO(d);
    const Device device{.costs = {900, 30000, 8000, 20000, 1500, 7000, 2000, 5000}, .gain = drifts[d]};
    const auto covered = test::parallel_map(seeds(40), [&](std::uint64_t seed) {
      double average = 0;
      const Profile profile = estimate(device.run(60, seed, &average));
      int lines = 0;
      for (std::size_t i = 0; i < device.costs.size(); ++i) {
        const Interval& ticks = line_of(profile, i + 1)->cost.ticks;
        lines += ticks.low <= average * device.costs[i] && average * device.costs[i] <= ticks.high ? 1 : 0;
      }
      return lines;
    });
    int lines = 0;
    for (const int of_one : covered) lines += of_one;
    CHECK(lines >= 0.93 * 40 * 8);
  }
}

TEST_CASE("a steady device has intervals that are no wider than noise makes them", "[statistics]") {
  const Device device{.costs = {900, 30000, 8000, 20000, 1500, 7000, 2000, 5000}};
  std::vector<double> drifts;
  for (const std::uint64_t seed : seeds(20)) drifts.push_back(estimate(device.run(60, seed)).drift);
  CHECK(engine::median(drifts) < 0.003);
}

TEST_CASE("where a quarter of the passes is four times dearer, mean and typical time are told apart",
          "[statistics]") {
  const Device device{.costs = {900, 8000, 3000, 700, 2000, 500}, .sometimes = 0.25, .dearer = 4};
  struct Said {
    bool holds_mean = false;
    bool is_marked = false;
    bool is_warned_of = false;
    std::size_t others_marked = 0;
  };
  const auto all = test::parallel_map(seeds(100), [&](std::uint64_t seed) {
    const Profile profile = estimate(device.run(80, seed));
    const Averages& averages = line_of(profile, 2)->cost.averages.value();
    Said said{.holds_mean = averages.mean.low <= 14000 && 14000 <= averages.mean.high,
              .is_marked = averages.differs};
    for (const std::string& warning : profile.warnings)
      if (warning.find("A.java:2 takes ") == 0 && warning.find(" on average") != std::string::npos)
        said.is_warned_of = true;
    for (const LineEstimate& line : profile.lines)
      if (line.line != 2 && line.cost.averages->differs) ++said.others_marked;
    return said;
  });
  std::size_t holds = 0;
  std::size_t marked = 0;
  std::size_t others = 0;
  for (const Said& said : all) {
    holds += said.holds_mean ? 1 : 0;
    marked += said.is_marked ? 1 : 0;
    others += said.others_marked;
    CHECK(said.is_marked == said.is_warned_of);
  }
  CHECK(holds >= 93);
  CHECK(marked >= 95);
  CHECK(others <= 2);
}

TEST_CASE("where a quarter of the passes is four times dearer, intervals of mean and median hold",
          "[statistics]") {
  const Device device{.costs = {900, 8000, 3000, 700, 2000, 500}, .sometimes = 0.25, .dearer = 4};
  const std::vector<double> medians = device.medians();
  struct Held {
    std::size_t means = 0;
    std::size_t medians = 0;
  };
  const auto all = test::parallel_map(seeds(200), [&](std::uint64_t seed) {
    const Profile profile = estimate(device.run(80, seed));
    Held held;
    for (std::size_t i = 0; i < device.costs.size(); ++i) {
      const Averages& averages = line_of(profile, i + 1)->cost.averages.value();
      const double mean = i == 1 ? 14000 : device.costs[i];
      held.means += averages.mean.low <= mean && mean <= averages.mean.high ? 1 : 0;
      held.medians += averages.median.low <= medians[i] && medians[i] <= averages.median.high ? 1 : 0;
    }
    return held;
  });
  std::size_t means = 0;
  std::size_t middles = 0;
  for (const Held& held : all) {
    means += held.means;
    middles += held.medians;
  }
  CHECK(means >= 1128);  // 94 % of 200 profiles of 6 lines
  CHECK(middles >= 1128);
}

TEST_CASE("noise alone, however skewed, contradicts no typical time", "[statistics]") {
  const Device device{.costs = {900, 8000, 3000, 700, 2000, 500}, .noise = 800};
  std::size_t marked = 0;
  for (const Profile& profile :
       test::parallel_map(seeds(200), [&](std::uint64_t seed) { return estimate(device.run(40, seed)); }))
    for (const LineEstimate& line : profile.lines)
      if (line.cost.averages && line.cost.averages->differs) ++marked;
  CHECK(marked <= 2);
}

TEST_CASE("a mean that differs by next to nothing of the command contradicts no typical time") {
  Estimate estimate;
  estimate.averages = Averages{.mean = {0.9, 0.8, 1}, .chance = 0};
  judge_mean(estimate, 1, 1000);
  CHECK_FALSE(estimate.averages->differs);
  judge_mean(estimate, 1, 100);
  CHECK(estimate.averages->differs);
}

TEST_CASE("the mean is that of the rounds, and so are the quantiles") {
  const Profile profile = estimate(Device{.costs = {900, 8000, 3000, 700}}.run(40, 1));
  const LineEstimate& line = *line_of(profile, 2);
  const std::vector<double> rounds = engine::present(line.rounds);
  double sum = 0;
  for (const double round : rounds) sum += round;
  CHECK(line.cost.averages->mean.value == Approx(sum / static_cast<double>(rounds.size())));
  CHECK(line.cost.averages->median.value == Approx(engine::median(rounds)));
  CHECK(line.cost.averages->q05 == engine::quantile(rounds, 0.05));
  CHECK(line.cost.averages->q95 == engine::quantile(rounds, 0.95));
}

}  // namespace jcprof::annotator
