// SPDX-License-Identifier: Apache-2.0
// Lines in loops: whether they are resolved, and their intervals hold, where traps are passed thousands of
// times and a few passes of each edge are measured. The rival scales up the passes that were measured alone,
// with the same shots.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/bars.hpp"
#include "src/engine/edge_costs.hpp"
#include "src/engine/schedule.hpp"

namespace jcprof::bench {
namespace {

using engine::EdgeCounts;

struct Nesting {
  std::string name;
  std::function<std::vector<std::uint32_t>(std::mt19937_64&)> traps;  // as they are passed
};

const std::vector<Nesting>& nestings() {
  static const std::vector<Nesting> all{
      {"a loop of three lines",
       [](auto&) {
         std::vector<std::uint32_t> path{1};
         for (int i = 0; i < 3000; ++i) path.insert(path.end(), {2, 3, 4});
         path.push_back(5);
         return path;
       }},
      {"a loop in a loop",
       [](auto&) {
         std::vector<std::uint32_t> path{1};
         for (int i = 0; i < 60; ++i) {
           path.insert(path.end(), {2, 3});
           for (int k = 0; k < 60; ++k) path.insert(path.end(), {4, 5});
           path.push_back(6);
         }
         path.push_back(7);
         return path;
       }},
      {"calls with branches",
       [](auto& random) {
         std::vector<std::uint32_t> path{1};
         for (int i = 0; i < 800; ++i) {
           path.insert(path.end(), {i % 2 == 0 ? 2U : 3U, 4});
           for (auto k = random() % 4; k > 0; --k) path.push_back(5);
           path.insert(path.end(), {random() % 3 == 0 ? 6U : 7U, 8});
         }
         path.push_back(9);
         return path;
       }},
  };
  return all;
}

struct Subject {
  std::vector<std::uint32_t> edges;  // of each block
  std::vector<double> reached;       // ns, at each position
  std::vector<std::size_t> stops;
  std::map<std::uint32_t, std::vector<std::size_t>> lines;  // blocks of each: those behind one trap
};

/// Passes cost a lognormal time, whose deviation is the part `differ` of its mean.
Subject make_subject(const Nesting& nesting, double differ, std::uint64_t seed, std::mt19937_64& random) {
  const std::vector<std::uint32_t> traps = nesting.traps(random);
  std::vector<Event> path;
  for (const std::uint32_t trap : traps) path.push_back({TrapId{trap}, 1});
  Subject subject{.stops = engine::choose_positions(path, seed)};
  std::lognormal_distribution<double> cost(std::log(30e3), 1);
  std::lognormal_distribution<double> pass(-differ * differ / 2, differ);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  std::vector<double> costs;
  subject.reached.push_back(300e3);
  for (std::size_t i = 0; i < traps.size(); ++i) {
    const std::pair ends{traps[i], i + 1 < traps.size() ? traps[i + 1] : 0};
    const auto [edge, is_new] = numbers.try_emplace(ends, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) costs.push_back(cost(random));
    const double factor = differ > 0 ? pass(random) : 1;
    subject.edges.push_back(edge->second);
    subject.reached.push_back(subject.reached.back() + costs[edge->second] * factor);
    subject.lines[traps[i]].push_back(i);
  }
  return subject;
}

struct Noise {
  double of_shot = 0;  // ns, with heavy tails
  double of_time = 0;  // part of the time since the start
};

engine::Times shoot(const Subject& subject, std::size_t rounds, const Noise& noise, std::mt19937_64& random) {
  engine::Times times(subject.stops.size());
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> tailed(3);
  for (std::size_t r = 0; r < rounds; ++r) {
    std::vector<double> round;
    for (const std::size_t stop : subject.stops)
      round.push_back(subject.reached[stop] * (1 + noise.of_time * normal(random)) +
                      noise.of_shot * tailed(random));
    times.add_round(round);
  }
  return times;
}

std::vector<EdgeCounts> counts_of(const Subject& subject) {
  std::vector<EdgeCounts> held;
  for (std::size_t s = 0; s + 1 < subject.stops.size(); ++s) {
    EdgeCounts& one = held.emplace_back();
    for (std::size_t b = subject.stops[s]; b < subject.stops[s + 1]; ++b)
      engine::add_pass(one, subject.edges[b]);
  }
  return held;
}

struct Score {
  std::size_t lines = 0;
  std::size_t covered = 0;
  std::size_t large = 0;  // over 5 % of the total
  std::size_t resolved = 0;
  std::size_t shots = 0;
  std::vector<double> errors = {};  // of large lines, squared: parts of the total
  std::vector<double> rivals = {};

  void add(double truth, double value, const engine::Interval& interval, double rival) {
    ++lines;
    covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
    if (truth <= 0.05) return;
    ++large;
    resolved += half_width(interval) <= 0.2 * value ? 1 : 0;
    errors.push_back((value - truth) * (value - truth));
    rivals.push_back((rival - truth) * (rival - truth));
  }
  double coverage() const { return 100 * static_cast<double>(covered) / static_cast<double>(lines); }
  double resolution() const { return 100 * static_cast<double>(resolved) / static_cast<double>(large); }
  /// Times as many shots would make the rival as good: errors shrink with the root of the shots.
  double ratio() const { return mean(rivals) / mean(errors); }
  static double mean(const std::vector<double>& squares) {
    double sum = 0;
    for (const double one : squares) sum += one;
    return sum / static_cast<double>(squares.size());
  }
};

/// The passes of some blocks, by stretch.
std::vector<engine::StretchPart> parts_of(const Subject& subject, const std::vector<std::size_t>& blocks,
                                          const engine::EdgeCosts& costs) {
  std::vector<engine::StretchPart> parts;
  for (const std::size_t block : blocks) {
    const auto behind = std::ranges::upper_bound(subject.stops, block);
    const auto s = static_cast<std::size_t>(behind - subject.stops.begin()) - 1;
    if (parts.empty() || parts.back().stretch != s) parts.push_back({.stretch = s});
    engine::add_pass(parts.back().edges, subject.edges[block]);
  }
  const auto cost_of = [&](const EdgeCounts& edges) {
    double sum = 0;
    for (const engine::EdgeCount& one : edges) sum += one.times * costs.cost(one.edge);
    return sum;
  };
  for (engine::StretchPart& part : parts)
    if (const double whole = cost_of(costs.held(part.stretch)); whole > 0)
      part.share = cost_of(part.edges) / whole;
  return parts;
}

/// The mean of the passes that were measured alone, for all passes.
double scaled_up(const Subject& subject, const std::vector<std::size_t>& blocks,
                 const std::vector<double>& stretches) {
  struct Passes {
    double alone = 0;
    double sum = 0;
    double all = 0;
  };
  std::map<std::uint32_t, Passes> passes;
  for (const std::size_t block : blocks) {
    Passes& edge = passes[subject.edges[block]];
    ++edge.all;
    const auto at = std::ranges::lower_bound(subject.stops, block);
    if (*at != block || at[1] != block + 1) continue;
    ++edge.alone;
    edge.sum += stretches[static_cast<std::size_t>(at - subject.stops.begin())];
  }
  double sum = 0;
  for (const auto& [number, edge] : passes) sum += edge.sum / edge.alone * edge.all;
  return sum;
}

void score(const Subject& subject, const engine::Times& times, Score& result) {
  engine::Fit fit(engine::differences(times, {}), {});
  std::vector<double> stretches;
  for (std::size_t s = 0; s + 1 < subject.stops.size(); ++s)
    stretches.push_back(fit.reached(s + 1) - fit.reached(s));
  const engine::EdgeCosts costs(fit, counts_of(subject));
  result.shots += times.rounds() * times.stops();
  const double whole = subject.reached.back() - subject.reached.front();
  const double fitted = fit.risen(stretches.size());
  for (const auto& [line, blocks] : subject.lines) {
    double truth = 0;
    for (const std::size_t block : blocks) truth += subject.reached[block + 1] - subject.reached[block];
    const std::vector<engine::StretchPart> parts = parts_of(subject, blocks, costs);
    std::vector<engine::BlockRange> ranges;
    for (const auto& part : parts) ranges.push_back({part.stretch, part.stretch + 1, part.share});
    engine::Swayed sum = fit.sum_of(ranges);
    const engine::EdgeCosts::Doubt doubt = costs.doubt_of(parts);
    for (std::size_t u = 0; u < sum.of_units.size(); ++u) sum.of_units[u] += doubt.of_units[u];
    const double half = std::hypot(half_width(fit.interval_of(sum, 0.05)), doubt.half_width) / fitted;
    const double value = std::max(0.0, sum.value) / fitted;
    const double raw = sum.value / fitted;
    result.add(truth / whole, value, {value, std::max(0.0, raw - half), std::max({value, raw + half, half})},
               scaled_up(subject, blocks, stretches) / fitted);
  }
}

int run(std::uint64_t seeds, std::size_t rounds) {
  Bars bars;
  std::vector<std::string> table;
  for (const Nesting& nesting : nestings())
    for (const double differ : {0.0, 0.1, 0.3})
      for (const Noise& noise : {Noise{30e3, 0.002}, Noise{100e3, 0.005}}) {
        Score all;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
          std::mt19937_64 random(seed);
          const Subject subject = make_subject(nesting, differ, seed, random);
          score(subject, shoot(subject, rounds, noise, random), all);
        }
        const std::string name =
            fmt::format("{}, passes differ by {:.0f} %, noise {:.0f} us + {:.1f} %", nesting.name,
                        100 * differ, noise.of_shot / 1e3, 100 * noise.of_time);
        table.push_back(
            fmt::format("{:66} | {:5.1f} % | {:5.1f} % | {:5.2f} points | {:6.2f} points | {:5.1f} x | {:7}",
                        name, all.coverage(), all.resolution(), 100 * std::sqrt(Score::mean(all.errors)),
                        100 * std::sqrt(Score::mean(all.rivals)), all.ratio(), all.shots / seeds));
        bars.at_least(name + ": coverage, %", all.coverage(), 93);
        bars.at_least(name + ": shots of the rival", all.ratio(), 5);
      }
  fmt::print("\n{:66} | covered | resolved | error of lines over 5 % | scaled up | shots of it | shots\n",
             "");
  for (const std::string& row : table) fmt::print("{}\n", row);
  return bars.missed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace jcprof::bench

int main(int argc, char** argv) {
  std::uint64_t seeds = 26;
  std::size_t rounds = 1000;
  CLI::App app(
      "Lines in loops: coverage and resolution on synthetic devices, beside passes that are scaled up");
  app.add_option("--seeds", seeds, "profiles of each row")->capture_default_str();
  app.add_option("--rounds", rounds, "over all stops")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return jcprof::bench::run(seeds, rounds);
}
