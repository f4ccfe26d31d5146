// SPDX-License-Identifier: Apache-2.0
// Lines of a loop whose passes differ: measured until they are known, and true, also by several calls.
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/figures.hpp"
#include "annotator/estimate/run_data.hpp"
#include "src/engine/schedule.hpp"
#include "tests/harness/measure_bench.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {
namespace {

constexpr double relative = 0.05;

constexpr int passes = 400;
/// Returns the ticks that a pass of line 12 takes.
using CostOfPass = std::function<double(int pass, std::mt19937_64& random)>;

/// Passes differ by chance.
CostOfPass scattered(double differ) {
  return [differ](int, std::mt19937_64& random) {
    return 3000 * std::lognormal_distribution<double>(-differ * differ / 2, differ)(random);
  };
}

/// Each pass takes longer than the one before, like the search of a list that grows.
double growing(int pass, std::mt19937_64& /*random*/) {
  return 3000 * (pass + 0.5) / (0.5 * passes);
}

/// A loop of the lines 12 and 13.
class Loop : public MeasureBench {
 public:
  Loop(const CostOfPass& cost_of_pass, std::uint64_t seed) {
    std::vector<TrapId>& path = target.paths[0] = {TrapId{1}};
    for (int i = 0; i < passes; ++i) path.insert(path.end(), {TrapId{2}, TrapId{3}});
    path.push_back(TrapId{4});
    std::mt19937_64 random(seed);
    double reached = 20'000;
    for (const Event& event : harness::events_of(path)) {
      reached_[event] = reached;
      const bool differs = event.trap == TrapId{2};
      const double cost = differs ? cost_of_pass(static_cast<int>(event.hit) - 1, random) : 1000;
      costs_[10 + number(event.trap)] += cost;
      reached += cost;
    }
    reached_[{}] = reached;
    target.twist = [this, seed](const Shot& shot, std::uint64_t n, Sample& sample) {
      sample.ticks = std::llround(reached_.at(shot.stop) + 200 * normal(seed, n, 0));
    };
    target.window = 1024;
    options.calibrations = 0;  // passing and leaving a trap costs nothing
    options.seed = seed;
    options.rounds.reset();
    options.zoom.reset();
    options.precision = {.absolute = 0, .relative = relative};
    options.figures = [this](const std::vector<Event>& events, std::vector<std::size_t> positions) {
      return annotator::figures_of(map, events, std::move(positions));
    };
  }

  annotator::Profile profile() const {
    const Store store(folder / "profile.jcprof", OpenMode::read_only);
    return annotator::estimate(annotator::load_newest_run(store));
  }
  double cost_of(std::size_t line) const { return costs_.at(line); }
  /// Counts the passes of line 12 that were measured alone.
  std::size_t measured_passes() const {
    std::set<Event> stops;
    for (const StoredSample& sample : samples)
      if (sample.round > 0) stops.insert(sample.asked);
    return static_cast<std::size_t>(std::ranges::count_if(stops, [&](const Event& stop) {
      return stop.trap == TrapId{2} && stops.contains({TrapId{3}, stop.hit});
    }));
  }

 private:
  std::map<Event, double> reached_;
  std::map<std::size_t, double> costs_;  // by line
};

bool is_known(const annotator::LineEstimate& line) {
  // With few rounds Student's factor is a third above that of many.
  return half_width(line.cost.share) <= 1.35 * relative * line.cost.share.value;
}

}  // namespace

TEST_CASE("where passes of a loop differ, so many are measured that its lines are known, and true") {
  for (const CostOfPass& cost : {scattered(0.5), CostOfPass(growing)}) {
    std::size_t lines = 0;
    std::size_t covered = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Loop loop(cost, seed);
      CHECK(loop.run().is_done);
      CHECK(loop.measured_passes() > 3 * engine::most_passes);
      for (const annotator::LineEstimate& line : loop.profile().lines) {
        if (line.line != 12 && line.line != 13) continue;
        INFO("seed " << seed << ", line " << line.line);
        ++lines;
        const engine::Interval& ticks = line.cost.ticks;
        covered += ticks.low <= loop.cost_of(line.line) && loop.cost_of(line.line) <= ticks.high ? 1 : 0;
        CHECK(is_known(line));
      }
    }
    CHECK(lines == 2 * 10);
    CHECK(covered >= 18);
  }
}

TEST_CASE("where passes of a loop are alike, the first ones are enough") {
  Loop loop(scattered(0), 1);
  CHECK(loop.run().is_done);
  CHECK(loop.measured_passes() < 2 * engine::most_passes);
}

TEST_CASE("passes that joined are measured by later calls too") {
  Loop loop(scattered(0.5), 1);
  for (std::uint64_t shots = 800; !loop.run().is_done; shots += 800) {
    REQUIRE(shots < 100'000);
    loop.options.max_shots = 800;
    loop.options.seed += 1;
  }
  CHECK(loop.measured_passes() > 3 * engine::most_passes);
  for (const annotator::LineEstimate& line : loop.profile().lines)
    if (line.line == 12) CHECK(is_known(line));
}

}  // namespace jcprof::test
