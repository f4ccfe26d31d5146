// SPDX-License-Identifier: Apache-2.0
// Commands that depend on those before them, in ways that are smooth along the path.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/engine.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {
namespace {

constexpr std::size_t blocks = 42;
constexpr double work = 60e6;  // ticks
constexpr double noise = 130e3;

/// The commands so far, as the target remembers them.
struct Past {
  double work = 0;  // of the one before
  double load = 0;  // of the last ten
  std::uint64_t commands = 0;
};

/// So much longer a command takes that does `work`.
using Memory = std::function<double(double work, const Past& past)>;

std::vector<double> reached_by_stop() {
  std::vector<double> reached{0};
  for (const double cost : block_costs(blocks, work, Shape::skew)) reached.push_back(reached.back() + cost);
  return reached;
}

engine::Engine measured(const Memory& memory, std::uint64_t seed, engine::Settings settings = {}) {
  constexpr double entry = 9e6;
  constexpr double load_of_one = 0.1;
  const std::vector<double> reached = reached_by_stop();
  settings.stops = reached.size();
  settings.seed = seed;
  engine::Engine engine(settings);
  Past past;
  while (engine.next().phase != engine::Phase::done) {
    std::vector<engine::Reading> readings;
    for (const engine::PlannedShot& shot : engine.next().shots) {
      const double own = reached.at(shot.stop);
      const double scattered = settings.exact ? 0 : noise * normal(seed, past.commands, 0);
      readings.push_back({.kind = engine::Reading::Kind::timed,
                          .ticks = std::round(entry + own + memory(own, past) + scattered)});
      past = {.work = own,
              .load = past.load + load_of_one * (own / work - past.load),
              .commands = past.commands + 1};
    }
    engine.take(readings);
  }
  return engine;
}

Memory leaves(double part) {
  return [part](double, const Past& past) { return part * past.work; };
}

/// The share of blocks of which the interval holds the true cost.
double covered(const engine::Engine& engine, const std::vector<double>& reached) {
  double held = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const engine::Interval& found = engine.look()->blocks.at(b).ticks;
    const double cost = reached[b + 1] - reached[b];
    held += found.low - 1 <= cost && cost <= found.high + 1 ? 1 : 0;
  }
  return held / blocks;
}

constexpr std::uint64_t seeds = 10;

}  // namespace

TEST_CASE("a few percent of a command that are left for the next one are seen, and stops are prepared") {
  for (const double part : {0.03, 0.05, -0.05})
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const engine::Engine engine = measured(leaves(part), seed);
      CHECK(engine.is_prepared());
      CHECK(engine.assumptions().memory.moves == 0);
      CHECK(covered(engine, reached_by_stop()) >= 0.85);
    }
}

TEST_CASE("where the speed follows the load of the last commands, stops are prepared") {
  const Memory slower = [](double own, const Past& past) { return 0.3 * own * (1 - past.load); };
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) CHECK(measured(slower, seed).is_prepared());
}

TEST_CASE("an exact clock sees what the command before leaves as well") {
  const engine::Engine engine = measured(leaves(0.05), 1, {.exact = true});
  CHECK(engine.is_prepared());
  CHECK(covered(engine, reached_by_stop()) == 1);
  CHECK_FALSE(measured(leaves(0), 1, {.exact = true}).is_prepared());
}

TEST_CASE("caches that only a command far off leaves cold move no difference of neighbours") {
  const Memory cold = [](double own, const Past& past) {
    return std::abs(own - past.work) > 0.6 * work ? 0.05 * work : 0;
  };
  std::uint64_t prepared = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    prepared +=
        measured(cold, seed, {.precision = {.absolute = 0.002, .relative = 0.1}}).is_prepared() ? 1 : 0;
  CHECK(prepared <= 1);
}

TEST_CASE("a target that remembers nothing is not prepared, and neither is one that leaves next to nothing") {
  for (std::uint64_t seed = 1; seed <= 20 * seeds; ++seed) {
    CHECK_FALSE(measured(leaves(0), seed).is_prepared());
    if (seed <= seeds) CHECK_FALSE(measured(leaves(0.003), seed).is_prepared());
  }
}

TEST_CASE("prepared stops meet both states of a target that alternates") {
  constexpr double more = 6e6;
  constexpr std::size_t dear = 20;
  std::vector<double> reached = reached_by_stop();
  const double from = (reached[dear] + reached[dear + 1]) / 2;
  const Memory alternating = [&](double own, const Past& past) {
    return 0.08 * past.work + (past.commands % 2 == 1 && own > from ? more : 0);
  };
  for (std::size_t s = dear + 1; s < reached.size(); ++s) reached[s] += more / 2;
  std::uint64_t held = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const engine::Engine engine = measured(alternating, seed);
    CHECK(engine.is_prepared());
    const engine::Interval& found = engine.look()->blocks.at(dear).ticks;
    const double cost = reached[dear + 1] - reached[dear];
    held += found.low <= cost && cost <= found.high ? 1 : 0;
  }
  CHECK(held >= seeds - 1);
}

}  // namespace jcprof::test
