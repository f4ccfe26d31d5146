// SPDX-License-Identifier: Apache-2.0
// Lines in loops: whether they are resolved, and their intervals hold, where traps are passed thousands of
// times and a few passes of each edge are measured. The rival scales up the passes that were measured alone,
// with the same shots.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/bars.hpp"
#include "src/engine/columns.hpp"
#include "src/engine/edge_costs.hpp"
#include "src/engine/engine.hpp"
#include "src/engine/memory.hpp"
#include "src/engine/more_passes.hpp"
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

using Positions = std::vector<std::size_t>;

struct Subject {
  std::vector<std::uint32_t> edges;                         // of each block
  std::vector<double> reached;                              // ns, at each position
  Positions positions;                                      // that can be measured
  std::vector<std::uint32_t> samples;                       // of passes, that each is part of
  std::map<std::uint32_t, std::vector<std::size_t>> lines;  // blocks of each: those behind one trap
};

/// Passes cost a lognormal time, whose deviation is the part `differ` of its mean.
Subject make_subject(const Nesting& nesting, double differ, std::uint64_t seed, std::mt19937_64& random) {
  const std::vector<std::uint32_t> traps = nesting.traps(random);
  std::vector<Event> path;
  for (const std::uint32_t trap : traps) path.push_back({TrapId{trap}, 1});
  Subject subject;
  for (const auto& [at, sample] :
       engine::sample_positions(path, seed, engine::most_passes, engine::most_samples(path))) {
    subject.positions.push_back(at);
    subject.samples.push_back(sample);
  }
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

/// Those that are measured from the first round on.
Positions first_sample(const Subject& subject) {
  Positions first;
  for (std::size_t s = 0; s < subject.positions.size(); ++s)
    if (subject.samples[s] == 0) first.push_back(subject.positions[s]);
  return first;
}

class Gun {
 public:
  Gun(const Subject& subject, const Noise& noise, std::mt19937_64& random)
      : subject_(subject), noise_(noise), random_(random) {}

  double shoot(std::size_t position) {
    return subject_.reached[position] * (1 + noise_.of_time * normal_(random_)) +
           noise_.of_shot * tailed_(random_);
  }

 private:
  const Subject& subject_;
  const Noise& noise_;
  std::mt19937_64& random_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> tailed_{3};
};

struct Shots {
  Positions stops;
  engine::Times times{0};
};

/// All stops of the first sample in each round.
Shots shoot_evenly(const Subject& subject, std::size_t rounds, Gun& gun) {
  Shots shots{.stops = first_sample(subject)};
  shots.times = engine::Times(shots.stops.size());
  for (std::size_t r = 0; r < rounds; ++r) {
    std::vector<double> round;
    for (const std::size_t stop : shots.stops) round.push_back(gun.shoot(stop));
    shots.times.add_round(round);
  }
  return shots;
}

std::vector<EdgeCounts> counts_of(const Subject& subject, const Positions& stops) {
  std::vector<EdgeCounts> held;
  for (std::size_t s = 0; s + 1 < stops.size(); ++s) {
    EdgeCounts& one = held.emplace_back();
    for (std::size_t b = stops[s]; b < stops[s + 1]; ++b) engine::add_pass(one, subject.edges[b]);
  }
  return held;
}

struct Score {
  std::size_t lines = 0;
  std::size_t covered = 0;
  std::size_t large = 0;  // over 5 % of the total
  std::size_t resolved = 0;
  std::size_t shots = 0;
  std::size_t with_memory = 0;      // profiles that seem to depend on the command before
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
std::vector<engine::StretchPart> parts_of(const Subject& subject, const Positions& stops,
                                          const std::vector<std::size_t>& blocks,
                                          const engine::EdgeCosts& costs) {
  std::vector<engine::StretchPart> parts;
  for (const std::size_t block : blocks) {
    const auto behind = std::ranges::upper_bound(stops, block);
    const auto s = static_cast<std::size_t>(behind - stops.begin()) - 1;
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
double scaled_up(const Subject& subject, const Positions& stops, const std::vector<std::size_t>& blocks,
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
    const auto at = std::ranges::lower_bound(stops, block);
    if (*at != block || at[1] != block + 1) continue;
    ++edge.alone;
    edge.sum += stretches[static_cast<std::size_t>(at - stops.begin())];
  }
  double sum = 0;
  for (const auto& [number, edge] : passes) sum += edge.sum / edge.alone * edge.all;
  return sum;
}

struct Line {
  std::vector<engine::StretchPart> parts;
  std::vector<engine::BlockRange> ranges;
  engine::EdgeCosts::Doubt doubt;
  engine::Swayed sum;
};

Line measured(const Subject& subject, const Positions& stops, const std::vector<std::size_t>& blocks,
              const engine::Fit& fit, const engine::EdgeCosts& costs) {
  Line line{.parts = parts_of(subject, stops, blocks, costs)};
  for (const auto& part : line.parts) line.ranges.push_back({part.stretch, part.stretch + 1, part.share});
  line.sum = fit.sum_of(line.ranges);
  line.doubt = costs.doubt_of(line.parts);
  engine::EdgeCosts::add(line.doubt, line.sum);
  return line;
}

/// Lines as figures, which steer a run. Passes of its edges that were measured alone tell each line.
std::vector<engine::Figure> figures_of(const Subject& subject, const Shots& shots) {
  engine::Fit fit(engine::differences(shots.times, {}), {});
  const engine::EdgeCosts costs(fit, counts_of(subject, shots.stops));
  std::map<std::uint32_t, std::size_t> alone;  // by edge: a pass
  for (std::size_t s = 0; s + 1 < shots.stops.size(); ++s)
    if (shots.stops[s + 1] == shots.stops[s] + 1) alone.try_emplace(subject.edges[shots.stops[s]], s);
  std::vector<engine::Figure> figures;
  for (const auto& [number, blocks] : subject.lines) {
    const Line line = measured(subject, shots.stops, blocks, fit, costs);
    engine::Figure& figure = figures.emplace_back(engine::Figure{.name = fmt::format("{}", number)});
    figure.ranges = line.ranges;
    figure.noise = half_width(fit.interval_of(line.sum, engine::Precision{}.alpha));
    figure.factors = line.doubt.factors;
    figure.passes = line.doubt.half_width;
    std::set<std::uint32_t> edges;
    for (const std::size_t block : blocks)
      if (edges.insert(subject.edges[block]).second)
        figure.passes_of.push_back(alone.at(subject.edges[block]));
    for (const engine::StretchPart& part : line.parts)
      if (costs.held(part.stretch).size() == 1) figure.told_by.push_back(part.stretch);
  }
  return figures;
}

/// Without stops that joined too late to count, as jcprof annotate leaves them out.
Shots counted(const Shots& shots) {
  const std::size_t rounds = shots.times.rounds();
  Shots result;
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < shots.stops.size(); ++c) {
    const std::vector<double>& column = shots.times.at(c);
    const bool counts = engine::counts_late(engine::joined_after(column), rounds);
    if (!counts || engine::present(column).size() < engine::fewest_rounds(Method::fine, false)) continue;
    result.stops.push_back(shots.stops[c]);
    columns.push_back(column);
  }
  result.times = engine::Times(std::move(columns));
  return result;
}

/// For as much time as even rounds would take, where the engine wants shots.
Shots shoot_as_wanted(const Subject& subject, std::size_t rounds, Gun& gun) {
  const auto at = [&](std::span<const std::size_t> stops) {
    Positions positions;
    for (const std::size_t stop : stops) positions.push_back(subject.positions[stop]);
    return positions;
  };
  std::vector<std::uint32_t> edges = subject.edges;
  for (std::uint32_t& edge : edges) ++edge;  // the engine's 0 stands for several
  engine::Engine engine({.stops = subject.positions.size(),
                         .edges = engine::edges_of(subject.positions, edges),
                         .samples = subject.samples,
                         .precision = {.absolute = 0.002, .relative = 0.1},
                         .most_rounds = std::numeric_limits<std::uint32_t>::max(),
                         .figures = [&](const engine::Times& times, std::span<const std::size_t> stops,
                                        const auto&) { return figures_of(subject, {at(stops), times}); }});
  engine.resume_from({.pilot = {.whole = subject.reached.back(), .shot = subject.reached.back()}});
  double left = 0;
  for (const std::size_t stop : first_sample(subject))
    left += static_cast<double>(rounds) * subject.reached[stop];
  while (left > 0 && engine.next().phase != engine::Phase::done) {
    std::vector<engine::Reading> readings;
    for (const engine::PlannedShot& shot : engine.next().shots) {
      const std::size_t position = subject.positions[shot.stop];
      readings.push_back({.kind = engine::Reading::Kind::timed, .ticks = gun.shoot(position)});
      left -= subject.reached[position];
    }
    engine.take(readings);
  }
  return counted({at(engine.stops()), engine.times()});
}

void score(const Subject& subject, const Shots& shots, Score& result) {
  const auto& [stops, times] = shots;
  engine::Fit fit(engine::differences(times, {}), {});
  std::vector<double> stretches;
  for (std::size_t s = 0; s + 1 < stops.size(); ++s) stretches.push_back(fit.reached(s + 1) - fit.reached(s));
  const engine::EdgeCosts costs(fit, counts_of(subject, stops));
  for (const std::vector<double>& column : times.columns()) result.shots += engine::present(column).size();
  result.with_memory += engine::moved_by_the_one_before(times) > 0 ? 1 : 0;
  const double whole = subject.reached.back() - subject.reached.front();
  const double fitted = fit.risen(stretches.size());
  for (const auto& [number, blocks] : subject.lines) {
    double truth = 0;
    for (const std::size_t block : blocks) truth += subject.reached[block + 1] - subject.reached[block];
    const Line line = measured(subject, stops, blocks, fit, costs);
    const double half =
        std::hypot(half_width(fit.interval_of(line.sum, 0.05)), line.doubt.half_width) / fitted;
    const double value = std::max(0.0, line.sum.value) / fitted;
    const double raw = line.sum.value / fitted;
    result.add(truth / whole, value, {value, std::max(0.0, raw - half), std::max({value, raw + half, half})},
               scaled_up(subject, stops, blocks, stretches) / fitted);
  }
}

int run(std::uint64_t seeds, std::size_t rounds) {
  Bars bars;
  std::vector<std::string> table;
  double logarithms = 0;
  std::size_t with_memory = 0;
  for (const Nesting& nesting : nestings())
    for (const double differ : {0.0, 0.1, 0.3})
      for (const Noise& noise : {Noise{30e3, 0.002}, Noise{100e3, 0.005}}) {
        Score all;
        Score steered;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
          std::mt19937_64 random(seed);
          const Subject subject = make_subject(nesting, differ, seed, random);
          Gun gun(subject, noise, random);
          score(subject, shoot_evenly(subject, rounds, gun), all);
          score(subject, shoot_as_wanted(subject, rounds, gun), steered);
        }
        const std::string name =
            fmt::format("{}, passes differ by {:.0f} %, noise {:.0f} us + {:.1f} %", nesting.name,
                        100 * differ, noise.of_shot / 1e3, 100 * noise.of_time);
        table.push_back(fmt::format(
            "{:66} | {:5.1f} % | {:5.1f} % | {:5.2f} points | {:6.2f} points | {:5.1f} x | {:7} | "
            "{:5.1f} % | {:5.1f} % | {:5.2f} points | {:7}",
            name, all.coverage(), all.resolution(), 100 * std::sqrt(Score::mean(all.errors)),
            100 * std::sqrt(Score::mean(all.rivals)), all.ratio(), all.shots / seeds, steered.coverage(),
            steered.resolution(), 100 * std::sqrt(Score::mean(steered.errors)), steered.shots / seeds));
        logarithms += std::log(Score::mean(steered.errors) / Score::mean(all.errors)) / 2;
        with_memory += all.with_memory + steered.with_memory;
        bars.at_least(name + ": coverage, %", all.coverage(), 93);
        bars.at_least(name + ": coverage of a steered run, %", steered.coverage(), 93);
        bars.at_least(name + ": shots of the rival", all.ratio(), 5);
      }
  fmt::print(
      "\n{:66} | covered | resolved | error of lines over 5 % | scaled up | shots of it | shots | "
      "steered: covered | resolved | error | shots\n",
      "");
  for (const std::string& row : table) fmt::print("{}\n", row);
  const auto rows = static_cast<double>(table.size());
  bars.at_most("error of steered runs beside even rounds, geometric mean", std::exp(logarithms / rows), 0.8);
  bars.at_most("profiles that seem to depend on the command before, %",
               100 * static_cast<double>(with_memory) / (2 * rows * static_cast<double>(seeds)), 1);
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
