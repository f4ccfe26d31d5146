// SPDX-License-Identifier: Apache-2.0
// What is found of devices that break what measuring takes for granted, and of those that do not.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "src/engine/assumptions.hpp"
#include "src/engine/memory.hpp"
#include "src/engine/schedule.hpp"
#include "src/engine/trend.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"
#include "tests/support/workload.hpp"

namespace jcprof::test {
namespace {

// bench/statistics calibrates with others.
constexpr std::uint64_t first_seed = 9001;
constexpr std::uint64_t seeds = 10;
constexpr double ns_per_ms = 1e6;

std::vector<Trial> trials(const Experiment& experiment, std::uint64_t count = seeds) {
  std::vector<Experiment> all(count, experiment);
  for (std::uint64_t s = 0; s < count; ++s) all[s].seed = first_seed + s;
  return parallel_map(all, run_trial);
}

/// Rounds of stops that come after these distances, with so much noise. Ticks are nanoseconds.
engine::Times times_of(const std::vector<double>& distances, double noise, std::uint64_t seed = 1) {
  engine::Times times(distances.size() + 1);
  constexpr std::uint64_t rounds = 20;
  for (std::uint64_t r = 0; r < rounds; ++r) {
    std::vector<double> row;
    double reached = 9.4 * ns_per_ms;
    for (std::size_t s = 0; s <= distances.size(); ++s) {
      row.push_back(reached + noise * normal(seed, r, 2 * s));
      if (s < distances.size()) reached += distances[s];
    }
    times.add_round(row);
  }
  return times;
}

/// The period that is found, in milliseconds. Without `edges` each block is one of its own.
double grid_of(const engine::Times& times, std::vector<std::uint32_t> edges = {}) {
  if (edges.empty()) {
    edges.resize(times.blocks());
    std::iota(edges.begin(), edges.end(), 1U);
  }
  engine::AssumptionScope scope{.edges = std::move(edges), .whole = engine::look(times, {}, {}).whole};
  return engine::check_assumptions(times, {}, scope).locked_grid / ns_per_ms;
}

/// Until the engine is done. `ticks_of`: what each shot takes.
void run(engine::Engine& engine, const std::function<double(const engine::PlannedShot&)>& ticks_of) {
  while (engine.next().phase != engine::Phase::done) {
    std::vector<engine::Reading> readings;
    for (const engine::PlannedShot& shot : engine.next().shots)
      readings.push_back({.kind = engine::Reading::Kind::timed, .ticks = ticks_of(shot)});
    engine.take(readings);
  }
}

/// So many blocks of 1 to 9 ms that have nothing in common, as whole steps of `grid` where there is one.
std::vector<double> blocks_on(double grid, std::size_t count = 24) {
  std::vector<double> distances;
  double reached = 0;
  double last = 0;
  for (std::size_t b = 0; b < count; ++b) {
    reached += 1 + 8 * uniform(3, b, 1);
    const double seen = grid > 0 ? grid * std::ceil(reached / grid) : reached;
    distances.push_back((seen - last) * ns_per_ms);
    last = seen;
  }
  return distances;
}

}  // namespace

TEST_CASE("a grid that begins with each command is noticed, and its period is told") {
  struct Case {
    std::string situation;
    double period;
  };
  for (const auto& [situation, period] : {Case{"sleep-1ms", 1.004}, Case{"timer-1ms", 1},
                                          Case{"back-off", 16}, Case{"capped-back-off", 1.608}}) {
    INFO(situation);
    for (const Trial& trial : trials({.model = situation_named(situation).value(), .blocks = 37}))
      CHECK(trial.assumptions.locked_grid / ns_per_ms == Approx(period).epsilon(0.01));
  }
}

TEST_CASE("devices and noises that break no assumption are not accused of it") {
  std::vector<DeviceModel> models;
  for (const std::string_view name : device_names()) models.push_back(device_named(name).value());
  for (const std::string_view name : noise_names())
    models.push_back(with_noise(device_named("card").value(), name).value());
  std::size_t trends = 0;
  for (const DeviceModel& model : models)
    for (const Trial& trial : trials({.model = model})) {
      CHECK(trial.assumptions.locked_grid == 0);
      CHECK_FALSE(trial.is_prepared);
      // A simulator that compiles what is hot does get faster.
      trends += model.cold < 1 && trial.assumptions.trend != 0 ? 1 : 0;
    }
  CHECK(100 * trends <= models.size() * seeds);
}

TEST_CASE("costs that fall or rise during the run are noticed") {
  for (const std::string situation : {"hot-warm-up", "leak"}) {
    const std::vector<Trial> all = trials({.model = situation_named(situation).value(), .blocks = 37}, 60);
    INFO(situation);
    const auto seen = [](const Trial& trial) { return trial.assumptions.trend != 0; };
    CHECK(std::ranges::count_if(all, seen) >= 54);
    for (const Trial& trial : all)
      if (seen(trial)) CHECK((trial.assumptions.trend < 0) == (situation == "hot-warm-up"));
  }
}

TEST_CASE("a trend is a change of 2 % or more from the first rounds to the last, beyond chance") {
  std::vector<double> rising;
  std::vector<double> scattered;
  for (std::uint64_t r = 0; r < 12; ++r) {
    rising.push_back(1000 + 10 * static_cast<double>(r));
    scattered.push_back(1000 + 300 * normal(5, r, 0) + 10 * static_cast<double>(r));
  }
  CHECK(engine::trend_of(rising) == Approx(80.0 / 1015));
  std::ranges::reverse(rising);
  CHECK(engine::trend_of(rising) == Approx(-80.0 / 1095));
  CHECK(engine::trend_of(scattered) == 0);
  rising.at(3) = engine::missing;
  CHECK(engine::trend_of(rising) < 0);
  CHECK(engine::trend_of(std::span(rising).first(9)) == 0);  // too few
  for (double& value : rising) value = 1000 + value / 10;
  CHECK(engine::trend_of(rising) == 0);  // less than 2 %
  CHECK(engine::trend_of(std::vector<double>(20, 7.0)) == 0);
  for (const std::uint64_t rounds : {20, 31, 60}) {
    std::vector<double> step;
    for (std::uint64_t r = 0; r < rounds; ++r)
      step.push_back((2 * r < rounds ? 1000 : 1050) + 5 * normal(6, r, 0));
    CHECK(engine::trend_of(step) == 0);
  }
}

TEST_CASE("chance has a trend in no more than one run of some hundreds, and nine rounds have none") {
  std::vector<double> nine;
  for (int r = 0; r < 9; ++r) nine.push_back(1000 + 20 * r);
  CHECK(engine::trend_of(nine) == 0);
  nine.push_back(1180);
  CHECK(engine::trend_of(nine) > 0.1);
  std::size_t trends = 0;
  constexpr std::uint64_t runs = 1000;
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::vector<double> noise;
    for (std::uint64_t r = 0; r < 14; ++r) noise.push_back(1000 + 100 * normal(run, r, 3));
    trends += engine::trend_of(noise) != 0 ? 1 : 0;
  }
  CHECK(trends <= 6);
  // Spearman's correlation is 0.855, which chance has in 1.6 of 1000 tables of ten.
  std::vector<double> mixed;
  for (const int rank : {2, 1, 0, 5, 4, 3, 8, 7, 6, 9}) mixed.push_back(1000 + 20 * rank);
  CHECK(engine::trend_of(mixed) == 0);
}

TEST_CASE("where commands leave something behind, a whole one comes before each stop, and intervals hold") {
  for (const std::string situation : {"left-over-8%", "warm-caches", "after-stop", "roll-back", "evict"}) {
    INFO(situation);
    const Experiment experiment{.model = situation_named(situation).value(), .blocks = 37};
    Tally all;
    for (const Trial& trial : trials(experiment)) {
      CHECK(trial.is_prepared);
      CHECK(trial.assumptions.memory.moves == 0);
      all.add(tally(trial, experiment.precision));
    }
    CHECK(all.coverage() >= 0.93);
  }
}

TEST_CASE("a call of few rounds has all of them with a whole command before each stop") {
  const Workload work(situation_named("roll-back").value(), 20, Shape::skew, 1);
  for (const std::uint32_t rounds : {11U, 16U, 24U}) {
    engine::Engine engine({.stops = work.stops(), .precision = {.absolute = 1e-6}, .most_rounds = rounds});
    SyntheticDevice device(situation_named("roll-back").value(), first_seed);
    run(engine, [&](const engine::PlannedShot& shot) {
      return std::round(1000 *
                        device.execute(work.work_to(shot.stop, 0), shot.stop + 1 == work.stops()).value());
    });
    CHECK(engine.is_prepared());
    CHECK(engine.first_round() % 2 == 1);  // its twin is the next one
    CHECK(engine.assumptions().memory.moves == 0);
    CHECK(engine.times().rounds() == rounds);
  }
}

TEST_CASE("both ends of the path come after a neighbour, so that a command far off moves neither") {
  constexpr std::size_t stops = 40;
  constexpr double block = 1000;
  for (const auto& [cold, noise] : {std::pair{160.0, 0.01}, std::pair{320.0, 0.01}, std::pair{320.0, 1e-4}}) {
    INFO(cold << " in noise of " << noise);
    engine::Engine engine({.stops = stops, .most_rounds = 60, .fixed = true});
    double before = 0;
    std::uint64_t shots = 0;
    run(engine, [&](const engine::PlannedShot& shot) {
      const auto reached = static_cast<double>(shot.stop);
      const double own = block * (1 + reached) * (1 + noise * normal(4, ++shots, 0));
      return own + cold * std::exchange(before, reached) / stops;
    });
    CHECK(engine.first_round() == 1);
    CHECK(engine.assumptions().memory.moves == 0);
    // A command leaves a part of its time behind: shares stay as they are, but for a step or two at the ends.
    const std::vector<engine::BlockLook>& blocks = engine.look()->blocks;
    for (const std::size_t end : {std::size_t{0}, blocks.size() - 1}) {
      const engine::Interval& found = blocks[end].ticks;
      const double step = cold / stops;
      CHECK(std::abs(found.value - (block + step)) <= 2 * step + found.high - found.value);
    }
  }
}

TEST_CASE("noise of one block, and no noise at all, is no memory") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    for (const double quiet : {0.0, 100.0}) {
      engine::Times times(12);
      for (std::uint64_t r = 0; r < 10; ++r) {
        std::vector<double> row;
        for (std::uint64_t s = 0; s < 12; ++s)
          row.push_back(std::round(1e6 * static_cast<double>(s + 1) + quiet * normal(seed, r, 4 * s) +
                                   (s > 2 ? 50'000 * normal(seed, r, 1000) : 0)));
        times.add_round(row);
      }
      CHECK(engine::moved_by_the_one_before(times) == 0);
    }
}

TEST_CASE("noise that grows along the path is memory in no more than one run of a hundred") {
  constexpr std::size_t stops = 120;
  constexpr std::uint64_t runs = 200;
  std::uint64_t with_memory = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    engine::Times times(stops);
    std::uint32_t next_look = engine::first_look;
    bool has_memory = false;
    for (std::uint32_t r = 0; r < 60; ++r) {
      std::vector<double> row;
      for (std::size_t s = 0; s < stops; ++s) {
        const double reached = 1e5 + 2e4 * static_cast<double>(s);
        row.push_back(std::round(reached * (1 + 0.05 * normal(seed, r * stops + s, 0))));
      }
      times.add_round(row);
      const bool is_look = times.rounds() == next_look;
      if (is_look) next_look = engine::look_after(next_look);
      has_memory = has_memory || (is_look && engine::moved_by_the_one_before(times) > 0);
    }
    with_memory += has_memory ? 1 : 0;
  }
  CHECK(with_memory <= runs / 100);
}

TEST_CASE("what recurs each second command is no memory, in however many rounds") {
  constexpr std::size_t stops = 21;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    engine::Times times(stops);
    std::uint64_t executions = 0;
    for (std::uint32_t r = 0; r < 300; ++r) {
      std::vector<double> row(stops);
      for (const std::size_t s : engine::round_order(stops, seed, r)) {
        row[s] = std::round(1e6 * static_cast<double>(s + 1) + 100 * normal(seed, executions, 0) +
                            (executions % 2 == 0 ? 5000 : 0));
        ++executions;
      }
      times.add_round(row);
    }
    CHECK(engine::moved_by_the_one_before(times) == 0);
  }
}

TEST_CASE("a first twin that is slower as a whole is no memory") {
  engine::Times times(24);
  for (std::uint64_t r = 0; r < 40; ++r) {
    std::vector<double> row;
    for (std::uint64_t s = 0; s < 24; ++s)
      row.push_back((r % 2 == 0 ? 1.03 : 1) * 1e6 * static_cast<double>(s + 1) + 500 * normal(8, r, s));
    times.add_round(row);
  }
  CHECK(engine::moved_by_the_one_before(times) == 0);
}

TEST_CASE("memory shows where there is no other noise") {
  for (const std::size_t stops : {5U, 7U, 38U}) {
    engine::Times times(stops);
    for (std::size_t r = 0; r < 10; ++r) {
      std::vector<double> row;
      // The stop behind the second one leaves half of the work done: the second one comes next on the way
      // back.
      for (std::size_t s = 0; s < stops; ++s)
        row.push_back(1e6 * static_cast<double>(s + 1) * (s == 1 && r % 2 == 1 ? 0.5 : 1));
      times.add_round(row);
    }
    CHECK(engine::moved_by_the_one_before(times) == Approx(500'000));
  }
}

TEST_CASE("blocks are steps of a grid, or they are not") {
  CHECK(grid_of(times_of(blocks_on(0), 50'000)) == 0);
  CHECK(grid_of(times_of(blocks_on(2), 50'000)) == Approx(2).epsilon(0.01));
  // The noise hides the steps, and differences are right then.
  CHECK(grid_of(times_of(blocks_on(0.2), 400'000)) == 0);
  // So long waits are the code's.
  CHECK(grid_of(times_of(blocks_on(50, 60), 50'000)) == 0);
}

TEST_CASE("blocks that cancel are no grid, and take no time to tell") {
  CHECK(grid_of(times_of({ns_per_ms, -ns_per_ms, 1e-5}, 0)) == 0);
}

TEST_CASE("multiples of one cost are no grid where they are of one edge, or few") {
  const double pass = 3 * ns_per_ms;
  std::vector<double> loop(20, pass);
  CHECK(grid_of(times_of(loop, 50'000)) == 0);
  // Stretches of a long loop.
  std::vector<std::uint32_t> edges(20, 1);
  for (const std::size_t stretch : {4U, 9U, 14U, 17U}) {
    loop[stretch] = pass * static_cast<double>(stretch + 2);
    edges[stretch] = 0;
  }
  CHECK(grid_of(times_of(loop, 50'000), edges) == 0);
  CHECK(grid_of(times_of({pass, 2 * pass}, 50'000)) == 0);
  // Shorter than any sleep, or than timers where no reading lies far out.
  for (const double unit : {0.006 * ns_per_ms, 0.1 * ns_per_ms})
    CHECK(grid_of(times_of({unit, 2 * unit, 3 * unit, 4 * unit, 5 * unit, 12 * unit, 16 * unit},
                           unit / 1000)) == 0);
}

}  // namespace jcprof::test
