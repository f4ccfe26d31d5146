// SPDX-License-Identifier: Apache-2.0
// Many small calls against one: intervals as wide, and as true. Each call is an engine with a seed of its own
// that takes the rounds of those before, on a device that goes on from where they left it.
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/engine.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::test {
namespace {

constexpr std::size_t blocks = 20;
constexpr std::uint64_t seeds = 26;
constexpr int most_calls = 200;

struct Plan {
  std::string device;
  engine::Precision precision = {};
  std::uint64_t shots = 0;  // of each call, warm-up included
  int calls = most_calls;   // at most
  std::uint64_t seed = 1;
};

struct Outcome {
  Tally tally;
  double half_width = 0;  // of shares, the mean of all blocks
  int calls = 0;
  bool is_done = false;
};

/// One call. Twins that its budget cuts are thrown away.
class Call {
 public:
  Call(SyntheticDevice& device, const std::vector<double>& work) : device_(device), work_(work) {}

  void run(engine::Engine& engine, std::uint64_t budget, engine::EarlierRounds& earlier) {
    for (std::uint64_t made = 0; engine.next().phase != engine::Phase::done;) {
      const engine::Batch batch = engine.next();
      made += batch.shots.size();
      if (made > budget) break;
      std::vector<engine::Reading> readings;
      engine::RoundReadings round;
      for (const engine::PlannedShot& shot : batch.shots) {
        readings.push_back(reading_of(shot));
        round.push_back({shot.stop, readings.back()});
      }
      if (batch.phase != engine::Phase::warm_up) earlier.rounds.push_back(round);
      engine.take(readings);
    }
    if (engine.next().phase != engine::Phase::done) earlier.rounds.resize(earlier.rounds.size() / 2 * 2);
    if (engine.pilot()) earlier.pilot = *engine.pilot();
    earlier.clock = engine.clock();
  }

 private:
  engine::Reading reading_of(const engine::PlannedShot& shot) {
    device_.pause(static_cast<double>(shot.pause_ns) / 1000);
    const std::optional<double> time = device_.execute(work_.at(shot.stop));
    if (!time) return {.kind = engine::Reading::Kind::lost};
    return {.kind = engine::Reading::Kind::timed, .ticks = std::round(*time * 1000)};
  }

  SyntheticDevice& device_;
  const std::vector<double>& work_;
};

Outcome outcome_of(const Plan& plan) {
  const DeviceModel model = device_named(plan.device).value();
  const std::vector<double> work = work_at_stops(model, blocks, Shape::skew);
  SyntheticDevice device(model, plan.seed);
  Call call(device, work);
  engine::EarlierRounds earlier;
  Outcome outcome;
  std::optional<engine::Engine> engine;
  while (outcome.calls < plan.calls && !outcome.is_done) {
    const std::uint64_t seed = plan.seed * 1000 + static_cast<std::uint64_t>(outcome.calls++);
    engine.emplace(engine::Settings{.stops = work.size(), .precision = plan.precision, .seed = seed});
    if (!earlier.rounds.empty()) {
      engine->resume_from(earlier);
      engine->warm_up_again();
    }
    call.run(*engine, plan.shots, earlier);
    outcome.is_done = engine->next().phase == engine::Phase::done;
  }
  const engine::Look look = engine::look(engine->times(), engine->clock(), plan.precision);
  Trial trial{.look = look};
  for (std::size_t b = 0; b < blocks; ++b) {
    trial.truth.push_back((work[b + 1] - work[b]) / (work.back() - work.front()));
    outcome.half_width += half_width(look.blocks[b].share) / blocks;
  }
  outcome.tally = tally(trial, plan.precision);
  return outcome;
}

struct Summary {
  Tally tally;
  double half_width = 0;
  std::uint64_t done = 0;
  int calls = 0;
};

Summary summary(const Plan& plan) {
  std::vector<Plan> all(seeds, plan);
  for (std::uint64_t s = 0; s < seeds; ++s) all[s].seed = s + 1;
  Summary summary;
  for (const Outcome& one : parallel_map(all, outcome_of)) {
    summary.tally.add(one.tally);
    summary.half_width += one.half_width / seeds;
    summary.calls += one.calls;
    if (one.is_done) ++summary.done;
  }
  return summary;
}

TEST_CASE("ten instalments of a tenth of the budget are as good as one run", "[statistics]") {
  constexpr std::uint64_t budget = 10'000;
  const engine::Precision out_of_reach{.absolute = 1e-6, .relative = 1e-6};
  for (const std::string device : {"card", "ecall", "therm"}) {
    const Summary one = summary({.device = device, .precision = out_of_reach, .shots = budget, .calls = 1});
    const Summary ten =
        summary({.device = device, .precision = out_of_reach, .shots = budget / 10, .calls = 10});
    INFO(device << ": half widths " << one.half_width << " and " << ten.half_width << ", coverage "
                << one.tally.coverage() << " and " << ten.tally.coverage());
    CHECK(ten.half_width <= 1.1 * one.half_width);
    CHECK(ten.half_width >= 0.9 * one.half_width);
    CHECK(ten.tally.coverage() >= 0.94);
  }
}

TEST_CASE("many small calls until the goal is met are as true as one run", "[statistics]") {
  // The warm-up leaves each call one pair of twins, so that calls end between looks and at each of them.
  const engine::Precision fine{.absolute = 0.0007, .relative = 0.007};
  for (const std::string device : {"card", "ecall", "therm"}) {
    const Summary many = summary({.device = device, .precision = fine, .shots = 120});
    INFO(device << ": coverage " << many.tally.coverage() << ", calls " << many.calls);
    CHECK(many.done == seeds);
    CHECK(many.calls > 5 * static_cast<int>(seeds));
    CHECK(many.tally.coverage() >= 0.94);
  }
}

}  // namespace
}  // namespace jcprof::test
