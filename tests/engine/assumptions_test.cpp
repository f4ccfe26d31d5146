// SPDX-License-Identifier: Apache-2.0
// What is found of devices that break what measuring takes for granted, and of those that do not.
#include <numeric>
#include <string>

#include <catch2/catch.hpp>

#include "src/engine/assumptions.hpp"
#include "src/engine/columns.hpp"
#include "tests/support/parallel.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::test {
namespace {

// bench/statistics calibrates with others.
constexpr std::uint64_t first_seed = 9001;
constexpr std::uint64_t seeds = 10;
constexpr double ns_per_ms = 1e6;

std::vector<Trial> trials(const Experiment& experiment) {
  std::vector<Experiment> all(seeds, experiment);
  for (std::uint64_t s = 0; s < seeds; ++s) all[s].seed = first_seed + s;
  return parallel_map(all, run_trial);
}

/// Rounds of stops that come after these distances, with so much noise. Ticks are nanoseconds.
engine::Times times_of(const std::vector<double>& distances, double noise, std::uint64_t seed = 1) {
  engine::Times times(distances.size() + 1);
  constexpr std::uint64_t rounds = 20;
  for (std::uint64_t r = 0; r < rounds; ++r) {
    std::vector<double> row;
    double reached = 9 * ns_per_ms;
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

TEST_CASE("devices and noises without such a grid are not accused of one") {
  std::vector<DeviceModel> models;
  for (const std::string_view name : device_names()) models.push_back(device_named(name).value());
  for (const std::string_view name : noise_names())
    models.push_back(with_noise(device_named("card").value(), name).value());
  for (const DeviceModel& model : models)
    for (const Trial& trial : trials({.model = model})) CHECK(trial.assumptions.locked_grid == 0);
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
