// SPDX-License-Identifier: Apache-2.0
// Lines of a loop whose passes differ: measured until they are known, and true, also by several calls.
#include <cmath>
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

/// A loop of 400 passes of the lines 12 and 13. Those of line 12 take 3000 ticks in the mean, and differ.
class Loop : public MeasureBench {
 public:
  Loop(double differ, std::uint64_t seed) {
    constexpr int passes = 400;
    std::vector<TrapId>& path = target.paths[0] = {TrapId{1}};
    for (int i = 0; i < passes; ++i) path.insert(path.end(), {TrapId{2}, TrapId{3}});
    path.push_back(TrapId{4});
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> pass(-differ * differ / 2, differ);
    double reached = 20'000;
    for (const Event& event : harness::events_of(path)) {
      reached_[event] = reached;
      const double cost = event.trap == TrapId{2} ? 3000 * pass(random) : 1000;
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
  /// Of line 12.
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
  std::size_t lines = 0;
  std::size_t covered = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Loop loop(0.5, seed);
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
  CHECK(lines == 2 * 8);
  CHECK(covered >= 14);
}

TEST_CASE("where passes of a loop are alike, the first ones are enough") {
  Loop loop(0, 1);
  CHECK(loop.run().is_done);
  CHECK(loop.measured_passes() < 2 * engine::most_passes);
}

TEST_CASE("passes that joined are measured by later calls too") {
  Loop loop(0.5, 1);
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
