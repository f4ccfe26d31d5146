// SPDX-License-Identifier: Apache-2.0
#include "src/engine/edge_costs.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

using namespace jcprof::engine;

namespace {

/// A loop of two edges, a and b, in turn. Some passes are measured alone; between them others that are not.
struct Loop {
  double a = 20;
  double b = 60;
  double differ = 0;  // of each pass, part of its cost
  double noise = 0;   // of a shot
  std::size_t rounds = 40;
  std::uint64_t seed = 1;

  std::vector<EdgeCounts> held = {};
  std::vector<double> reached = {1000};
  double of_a = 0;  // in all passes

  void walk() {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (int s = 0; s < 60; ++s) {
      const auto several = static_cast<std::uint32_t>(5 + random() % 40);
      const EdgeCounts counts = s % 3 == 0   ? EdgeCounts{{0, 1}}
                                : s % 3 == 1 ? EdgeCounts{{1, 1}}
                                             : EdgeCounts{{0, several}, {1, several - 1}};
      double cost = 0;
      for (const EdgeCount& one : counts)
        for (std::uint32_t i = 0; i < one.times; ++i) {
          const double pass = (one.edge == 0 ? a : b) * (1 + differ * normal(random));
          cost += pass;
          if (one.edge == 0) of_a += pass;
        }
      reached.push_back(reached.back() + cost);
      held.push_back(counts);
    }
  }

  Fit fit() const {
    std::mt19937_64 random(seed + 1000);
    std::normal_distribution<double> normal;
    Times times(reached.size());
    for (std::size_t r = 0; r < rounds; ++r) {
      std::vector<double> round;
      for (const double t : reached) round.push_back(t + noise * normal(random));
      times.add_round(round);
    }
    Differences all{.gains = std::vector<double>(rounds, 1)};
    for (std::size_t s = 0; s + 1 < reached.size(); ++s) {
      std::vector<double>& block = all.blocks.emplace_back();
      for (std::size_t r = 0; r < rounds; ++r) block.push_back(times.at(s + 1)[r] - times.at(s)[r]);
    }
    all.total = times.at(reached.size() - 1);
    all.sigma = noise;
    return {all, Clock{}};
  }

  /// The parts that are passes of `edge`.
  std::vector<StretchPart> parts_of(std::uint32_t edge, const EdgeCosts& costs) const {
    std::vector<StretchPart> parts;
    for (std::size_t s = 0; s < held.size(); ++s) {
      double whole = 0;
      for (const EdgeCount& one : held[s]) whole += one.times * costs.cost(one.edge);
      for (const EdgeCount& one : held[s])
        if (one.edge == edge)
          parts.push_back({s,
                           held[s].size() == 1 ? 1
                           : whole > 0         ? one.times * costs.cost(edge) / whole
                                               : 0,
                           {one}});
    }
    return parts;
  }
};

std::vector<BlockRange> ranges_of(const std::vector<StretchPart>& parts) {
  std::vector<BlockRange> ranges;
  for (const StretchPart& part : parts) ranges.push_back({part.stretch, part.stretch + 1, part.share});
  return ranges;
}

}  // namespace

TEST_CASE("edges that cost the same in each pass are known from stretches that hold many") {
  Loop loop;
  loop.walk();
  Fit fit = loop.fit();
  const double all = fit.reached(loop.held.size());
  const EdgeCosts costs(fit, loop.held);
  CHECK(costs.cost(0) == Approx(20));
  CHECK(costs.cost(1) == Approx(60));
  CHECK(costs.spread() == 0);
  CHECK(fit.reached(loop.held.size()) == Approx(all));
  CHECK(costs.doubt_of(loop.parts_of(0, costs)).half_width == 0);
}

TEST_CASE("the difference between passes is found where there is no noise, and makes the doubt") {
  Loop loop{.differ = 0.3};
  loop.walk();
  Fit fit = loop.fit();
  const EdgeCosts costs(fit, loop.held);
  CHECK(costs.spread() == Approx(0.3).epsilon(0.3));
  const std::vector<StretchPart> parts = loop.parts_of(0, costs);
  const double half = costs.doubt_of(parts).half_width;
  const double value = fit.sum_of(ranges_of(parts)).value;
  CHECK(half > 0);
  CHECK(half < 0.2 * loop.of_a);
  CHECK(std::abs(value - loop.of_a) < 2 * half);
}

TEST_CASE(
    "a stop that is far out beside an edge that costs nothing tells nothing of how other passes differ") {
  for (const double out : {3e3, 3e4, 3e5}) {
    Loop loop{.a = 0.3, .b = 1e6, .noise = 1000};
    loop.walk();
    loop.reached[31] += out;
    Fit fit = loop.fit();
    const EdgeCosts costs(fit, loop.held);
    const std::vector<StretchPart> parts = loop.parts_of(1, costs);
    INFO(out);
    CHECK(costs.cost(1) == Approx(1e6).epsilon(0.01));
    CHECK(costs.spread() < 0.05);
    // It tells that the edge beside them may cost something.
    CHECK(costs.doubt_of(parts).half_width < 0.02 * fit.sum_of(ranges_of(parts)).value);
  }
}

TEST_CASE(
    "an edge that costs nothing is uncertain too where noise left nothing of the stretch that holds it") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Loop loop{.a = 0, .b = 0.5, .noise = 500, .seed = seed};
    loop.walk();
    Fit fit = loop.fit();
    const EdgeCosts costs(fit, loop.held);
    for (const StretchPart& part : loop.parts_of(0, costs)) {
      if (loop.held[part.stretch].size() == 1) continue;
      const EdgeCosts::Doubt doubt = costs.doubt_of({&part, 1});
      double squares = doubt.half_width * doubt.half_width;
      for (const double unit : doubt.of_units) squares += unit * unit;
      INFO("seed " << seed << ", stretch " << part.stretch);
      CHECK(squares > 1);
    }
  }
}

TEST_CASE("parts of all stretches add up to what they take together") {
  Loop loop{.differ = 0.1, .noise = 30};
  loop.walk();
  Fit fit = loop.fit();
  const EdgeCosts costs(fit, loop.held);
  const double sum = fit.sum_of(ranges_of(loop.parts_of(0, costs))).value +
                     fit.sum_of(ranges_of(loop.parts_of(1, costs))).value;
  CHECK(sum == Approx(fit.reached(loop.held.size())));
}

TEST_CASE("an edge that costs next to nothing is never below 0") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Loop loop{.a = 0.01, .noise = 50, .seed = seed};
    loop.walk();
    Fit fit = loop.fit();
    CHECK(EdgeCosts(fit, loop.held).cost(0) >= 0);
  }
}

TEST_CASE("beside an edge that seems to cost nothing, the other one is not known better than it") {
  Loop loop{.b = 0, .noise = 300};
  loop.walk();
  for (loop.seed = 1; loop.seed <= 20; ++loop.seed) {
    Fit fit = loop.fit();
    const EdgeCosts costs(fit, loop.held);
    if (costs.cost(1) > 0) continue;
    const EdgeCosts::Doubt a = costs.doubt_of(loop.parts_of(0, costs));
    const EdgeCosts::Doubt b = costs.doubt_of(loop.parts_of(1, costs));
    double largest = 0;
    for (std::size_t u = 0; u < a.of_units.size(); ++u) {
      largest = std::max(largest, std::abs(b.of_units[u]));
      CHECK(a.of_units[u] == Approx(-b.of_units[u]).margin(1e-6));
    }
    CHECK(largest > 0);
    return;
  }
  FAIL("noise puts the edge at 0 in no seed");
}

TEST_CASE("nineteen of twenty intervals of an edge's passes hold the truth, whatever passes differ by",
          "[statistics]") {
  for (const double differ : {0.0, 0.1, 0.3}) {
    constexpr int profiles = 300;
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= profiles; ++seed) {
      Loop loop{.differ = differ, .noise = 40, .seed = seed};
      loop.walk();
      Fit fit = loop.fit();
      const EdgeCosts costs(fit, loop.held);
      const std::vector<StretchPart> parts = loop.parts_of(0, costs);
      Swayed sum = fit.sum_of(ranges_of(parts));
      const EdgeCosts::Doubt doubt = costs.doubt_of(parts);
      for (std::size_t u = 0; u < sum.of_units.size(); ++u) sum.of_units[u] += doubt.of_units[u];
      const double half = std::hypot(half_width(fit.interval_of(sum, 0.05)), doubt.half_width);
      covered += std::abs(sum.value - loop.of_a) <= half ? 1 : 0;
      CHECK(half < 0.5 * loop.of_a);
    }
    INFO(differ);
    CHECK(covered >= 0.92 * profiles);
  }
}
