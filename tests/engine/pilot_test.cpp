// SPDX-License-Identifier: Apache-2.0
#include "src/engine/pilot.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/random.hpp"

using namespace jcprof::engine;

namespace {

Reading timed(double ticks) {
  return {.kind = Reading::Kind::timed, .ticks = ticks};
}

/// A window of three pairs that answer at these times.
void add_window(PilotRun& run, double first, double end) {
  const std::vector<PlannedShot> shots(6);
  run.take(shots,
           std::vector<Reading>{timed(first), timed(end), timed(first), timed(end), timed(first), timed(end)},
           1);
}

}  // namespace

TEST_CASE("a pilot tells of the last thirty pairs, from the first stop to the end and of the whole command") {
  PilotRun run;
  for (int window = 0; window < 20; ++window) add_window(run, 100, 5100);
  // Both answers of a pair move together: what lies between them does not.
  for (int window = 0; window < 10; ++window)
    add_window(run, 100 + 10 * (window % 3), 1100 + 10 * (window % 3));
  const Pilot pilot = run.pilot();
  CHECK(pilot.whole == 1000);
  CHECK(pilot.sigma == 0);
  CHECK(pilot.shot == 1110);
}

TEST_CASE("the spread of a pilot is that of the whole command") {
  PilotRun run;
  // The first stop always answers at 100; two thirds of the ends lie 10 beside the middle.
  for (int window = 0; window < 9; ++window) add_window(run, 100, 1100 + 10 * (window % 3 - 1));
  CHECK(run.pilot().sigma == Approx(14.826));
}

TEST_CASE("after a loss the warm-up begins again") {
  PilotRun run;
  for (int window = 0; window < 9; ++window) add_window(run, 100, 1100);
  std::vector<Reading> readings(6, timed(100));
  readings[0].kind = Reading::Kind::lost;
  for (const std::size_t end : {1U, 3U, 5U}) readings[end] = timed(1100);
  run.take(std::vector<PlannedShot>(6), readings, 1);
  for (int window = 0; window < 9; ++window) {
    CHECK_FALSE(run.is_over());
    add_window(run, 100, 1100);
  }
  add_window(run, 100, 1100);
  CHECK(run.is_over());
  CHECK(run.pilot().steady);
}

TEST_CASE("a grid of ten ticks is found behind pauses that are told in nanoseconds") {
  constexpr double ns_per_tick = 1000;
  PilotRun run;
  for (std::uint64_t window = 0; window < 10; ++window) {
    std::vector<PlannedShot> shots;
    std::vector<Reading> readings;
    for (std::uint64_t i = 0; i < 6; ++i) {
      shots.push_back({.pause_ns = static_cast<std::int64_t>(draw(1, 1, 6 * window + i, 400'000))});
      const double waited = static_cast<double>(shots.back().pause_ns) / ns_per_tick;
      const double work = i % 2 == 0 ? 90 : 700 + 0.1 * static_cast<double>(draw(1, 2, 6 * window + i, 10));
      readings.push_back(timed(std::ceil((waited + work) / 10) * 10 - waited));
    }
    run.take(shots, readings, ns_per_tick);
  }
  CHECK(run.grid(400, {}) == Approx(10).epsilon(0.01));
}

TEST_CASE("the rounds that a measurement will need are foretold from the noise, or from the grid") {
  // A median of n values has 1.2533 sigma / sqrt(n), two standard errors of which are to be 0.005 of 10,000:
  // (1.96 x 1.2533 x 100 / 50)^2. On a grid of 100: (2.17 x 0.41 x 100 / 50)^2.
  CHECK(rounds_needed({.whole = 10'000, .sigma = 100}, {.absolute = 0.005}) == Approx(24.137).epsilon(1e-4));
  CHECK(rounds_needed({.grid = 100, .whole = 10'000, .sigma = 100}, {.absolute = 0.005}) ==
        Approx(3.1663).epsilon(1e-4));
  CHECK(is_missing(rounds_needed({}, {})));
}

TEST_CASE("where the first stop takes longer than the command, a grid is as coarse as parts of the command") {
  const auto grid_found = [](double grid) {
    PilotRun run;
    for (std::uint64_t window = 0; window < 10; ++window) {
      std::vector<PlannedShot> shots;
      std::vector<Reading> readings;
      for (std::uint64_t i = 0; i < 6; ++i) {
        shots.push_back({.pause_ns = static_cast<std::int64_t>(draw(1, 1, 6 * window + i, 4000))});
        const auto waited = static_cast<double>(shots.back().pause_ns);
        const double work =
            (i % 2 == 0 ? 12'000 : 10'000) + static_cast<double>(draw(1, 2, 6 * window + i, 10));
        readings.push_back(timed(std::ceil((waited + work) / grid) * grid - waited));
      }
      run.take(shots, readings, 1);
    }
    CHECK(run.pilot().whole < 0);
    return run.grid(4000, {.absolute = 0.005});
  };
  CHECK(grid_found(17) == 0);
  CHECK(grid_found(1000) == Approx(1000).epsilon(0.01));
}

TEST_CASE("pauses are whole nanoseconds, which is no grid of the transport") {
  // A clock of 2.6 GHz that ticks every 26 cycles, which is close to 10 ns.
  constexpr double ns_per_tick = 1 / 2.596126;
  constexpr std::uint64_t longest_pause_ns = 1000;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PilotRun run;
    for (std::uint32_t window = 0; window < 10; ++window) {
      std::vector<PlannedShot> shots(6);
      std::vector<Reading> readings;
      for (std::uint32_t i = 0; i < shots.size(); ++i) {
        shots[i].pause_ns = static_cast<std::int64_t>(draw(seed, window, i, longest_pause_ns));
        const double later = static_cast<double>(draw(seed, window, 100 + i, 3));
        readings.push_back(timed(26 * ((i % 2 == 0 ? 5 : 15) + later)));
      }
      run.take(shots, readings, ns_per_tick);
    }
    CHECK(run.grid(longest_pause_ns / ns_per_tick, {.absolute = 0.01}) == 0);
  }
}
