// SPDX-License-Identifier: Apache-2.0
#include "src/engine/settlement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "src/engine/chain_noise.hpp"
#include "src/engine/schedule.hpp"

namespace jcprof::engine {
namespace {

// A mean without outliers has four fifths of a median's half width, where noise is normal. What is narrower
// than this is so by luck: few rounds that happen to agree.
constexpr double narrowest = 0.75;
// A figure closes once noise is this part of what no round shrinks. It is a ninth wider than without noise.
constexpr double small_part = 0.5;

/// Returns the middle half width of all blocks, scaled to one round.
double usual_half_width(const Look& look, const Fit& fit) {
  std::vector<double> halves;
  for (std::size_t b = 0; b < look.blocks.size(); ++b)
    if (!is_missing(look.blocks[b].ticks.value))
      halves.push_back(half_width(look.blocks[b].ticks) * std::sqrt(fit.rounds(b)));
  return median(std::move(halves));
}

/// From the half widths of single blocks. A range is the difference of two stops, as each of its blocks is.
double half_by_blocks(const Figure& figure, const Look& look, const Fit& fit, double usual) {
  double squares = 0;
  for (const BlockRange& range : figure.ranges) {
    const std::size_t last = range.end - 1;
    const double ends =
        std::max(half_width(look.blocks[range.begin].ticks), half_width(look.blocks[last].ticks));
    const double rounds = std::max(1U, std::min(fit.rounds(range.begin), fit.rounds(last)));
    const double half = range.share * std::max(usual / std::sqrt(rounds), ends);
    squares += half * half;
  }
  return std::sqrt(squares);
}

std::vector<std::size_t> blocks_of(const Figure& figure) {
  std::vector<std::size_t> blocks = figure.told_by;
  for (const BlockRange& range : figure.ranges)
    for (std::size_t b = range.begin; b < range.end; ++b) blocks.push_back(b);
  std::ranges::sort(blocks);
  const auto twice = std::ranges::unique(blocks);
  blocks.erase(twice.begin(), twice.end());
  return blocks;
}

/// Each round has the first stop and the end, and as many stops as a gain needs.
std::size_t stops_of(const std::vector<std::size_t>& blocks, std::size_t stops) {
  std::size_t count = 2;
  std::size_t next = 1;
  for (const std::size_t block : blocks)
    for (const std::size_t stop : {block, block + 1})
      if (stop >= next && stop + 1 < stops) {
        ++count;
        next = stop + 1;
      }
  return std::min(std::max(count, fewest_stops_for_gain), stops);
}

/// Ticks that a shot at each stop takes.
std::vector<double> times_of_shots(const Times& times, double overhead) {
  std::vector<double> result;
  for (const std::vector<double>& column : times.columns()) {
    const double reached = median(present(column));
    result.push_back(overhead + (is_missing(reached) ? 0 : std::max(0.0, reached)));
  }
  return result;
}

/// One more reading of a stop lessens the variance of the sum by so much for each tick of its shot.
std::vector<double> gains_of_stops(std::span<const double> factors, const ChainNoise& noise,
                                   std::span<const double> ticks) {
  std::vector<double> gains;
  for (std::size_t s = 0; s < ticks.size(); ++s) {
    const double before = s > 0 ? factors[s - 1] : 0;
    const double behind = s < factors.size() ? factors[s] : 0;
    const double readings = noise.readings(s);
    gains.push_back((before - behind) * (before - behind) * noise.of_reading(s) /
                    (readings * readings * std::max(ticks[s], 1.0)));
  }
  return gains;
}

/// A part of a row of blocks tells nothing of the row: blocks of about this factor that follow each other are
/// wanted together.
void want_row(std::size_t block, std::span<const double> factors, std::vector<bool>& wanted) {
  constexpr double alike = 0.3;
  const auto is_in_row = [&](std::size_t b) {
    return std::abs(factors[b] - factors[block]) <= alike * std::abs(factors[block]);
  };
  for (std::size_t b = block; is_in_row(b); --b) {
    wanted[b] = true;
    if (b == 0) break;
  }
  for (std::size_t b = block; b < factors.size() && is_in_row(b); ++b) wanted[b] = true;
}

/// The best rounds for a given time have all stops alike in gain (Neyman 1934): blocks whose stops are far
/// behind the best one wait until that has been measured more often.
std::vector<std::size_t> most_telling(const std::vector<std::size_t>& blocks, std::span<const double> factors,
                                      const ChainNoise& noise, std::span<const double> ticks) {
  constexpr double far_behind = 0.25;
  const std::vector<double> gains = gains_of_stops(factors, noise, ticks);
  const auto gain = [&](std::size_t block) { return std::max(gains[block], gains[block + 1]); };
  double best = 0;
  for (const std::size_t block : blocks) best = std::max(best, gain(block));
  std::vector<bool> wanted(factors.size());
  for (const std::size_t block : blocks)
    if (gain(block) >= far_behind * best) want_row(block, factors, wanted);
  std::vector<std::size_t> result;
  std::ranges::copy_if(blocks, std::back_inserter(result), [&](std::size_t block) { return wanted[block]; });
  return result;
}

/// The most often measured one rules: all of them have to be measured more often by the same factor.
double most_rounds_of(const std::vector<std::size_t>& blocks, const ChainNoise& noise) {
  double most = 0;
  for (const std::size_t block : blocks) most = std::max(most, noise.rounds()[block]);
  return most;
}

/// How well a figure is known, and can be. Half widths are parts of the whole.
struct Reach {
  double shrinking = 0;  // as the root of the rounds does
  double passes = 0;     // by which those differ that are measured in part
  double lasting = 0;
  double least_lasting = 0;
  bool has_more_passes = false;
};

double square(double a) {
  return a * a;
}

/// Half widths add up by their squares.
bool takes_most_of(double allowed, double part) {
  return 2 * square(part) > square(allowed);
}

/// Says whether a half width of `allowed` is reached, or can be. If more passes can be measured, their
/// differences may take half of its square. Returns the part by which the rounds have to grow.
double judge(FigureLook& one, const Reach& reach, double allowed) {
  const bool is_spread_known = reach.shrinking <= reach.passes;  // or else noise hides how passes differ
  const bool do_passes_last = !reach.has_more_passes && is_spread_known;
  const double room = std::max(0.0, square(allowed) - square(reach.lasting));
  double of_passes = do_passes_last ? square(reach.passes) : std::min(square(reach.passes), room / 2);
  if (reach.has_more_passes && is_spread_known)
    of_passes = std::max(of_passes, square(reach.passes) / most_samples_of_edge);
  one.half = std::hypot(reach.shrinking, reach.passes, reach.lasting);
  one.lasting = do_passes_last ? std::hypot(reach.lasting, reach.passes) : reach.lasting;
  one.settled = one.half <= allowed;
  one.wants_calibration = !one.settled && reach.shrinking <= reach.lasting &&
                          takes_most_of(allowed, reach.lasting) &&
                          !takes_most_of(allowed, reach.least_lasting);
  one.open = !one.settled && (one.lasting < allowed || reach.shrinking > small_part * one.lasting);
  double times = 1;  // as many passes
  if (reach.has_more_passes && of_passes > 0) times = square(reach.passes) / of_passes;
  // A run may end before they are measured. So they join once noise is less, and no more than are known then.
  if (one.open && reach.passes > reach.shrinking) one.more_passes = std::min(times, 2.0);
  // They take away noise as well.
  return square(reach.shrinking) / (times * std::max(0.0, room - of_passes)) - 1;
}

}  // namespace

std::vector<FigureLook> settle(std::vector<Figure> figures, const Times& times, const Clock& clock,
                               const Look& look, const Goal& goal) {
  const Differences all = differences(times, clock);
  const Fit fit(all, clock);
  const ChainNoise chain(fit);
  const std::vector<double> ticks = times_of_shots(times, goal.overhead);
  const double usual = usual_half_width(look, fit);
  std::vector<FigureLook> result;
  for (Figure& figure : figures) {
    if (figure.ranges.empty()) continue;
    Swayed sum = fit.sum_of(figure.ranges);
    sum.changed = 0;  // more rounds do not help
    sum.apart_of_units.clear();
    const double by_blocks = half_by_blocks(figure, look, fit, usual);
    const double by_fit = half_width(fit.interval_of(sum, goal.precision.alpha));
    // An infinite half width is none that is known.
    const double by_times = std::min(by_blocks, std::max(by_fit, narrowest * by_blocks));
    const double noise = is_missing(figure.noise) ? by_times : figure.noise;
    FigureLook& one = result.emplace_back();
    one.share = std::max(0.0, sum.value) / look.whole;
    const double allowed = std::max(goal.precision.absolute, goal.precision.relative * one.share);
    const double growth = judge(one,
                                {.shrinking = std::hypot(noise, figure.doubt) / look.whole,
                                 .passes = figure.passes / look.whole,
                                 .lasting = figure.lasting / look.whole,
                                 .least_lasting = figure.least_lasting / look.whole,
                                 .has_more_passes = !figure.edges_with_more.empty()},
                                allowed);
    one.hidden_by_stops = figure.lasting > std::max({0.0, sum.value, allowed * look.whole});
    one.wanted = blocks_of(figure);
    one.name = std::move(figure.name);
    one.edges_with_more = std::move(figure.edges_with_more);
    one.rounds_left = one.settled ? 0 : std::max(1.0, sum.rounds * growth);
    // Blocks whose times change during the run, and those that share out others, are all measured alike.
    if (one.open && !figure.factors.empty() && figure.doubt == 0 && all.trend == 0) {
      one.wanted = most_telling(one.wanted, figure.factors, chain, ticks);
      one.rounds_left = std::max(1.0, most_rounds_of(one.wanted, chain) * growth);
    }
    one.shots_left = one.rounds_left * static_cast<double>(stops_of(one.wanted, times.stops()));
  }
  return result;
}

void leave_out_of_reach(std::span<FigureLook> figures, const Look& look, double most_rounds) {
  const auto is_unsettled = [&](std::size_t block) { return !look.blocks[block].settled; };
  for (FigureLook& one : figures)
    one.open = one.open && (one.more_passes > 1 || one.rounds_left <= most_rounds ||
                            std::ranges::any_of(one.wanted, is_unsettled));
}

std::vector<bool> stops_of_open(std::span<const FigureLook> figures, std::size_t stops) {
  std::vector<bool> open(stops, false);
  open.front() = open.back() = true;
  for (const FigureLook& figure : figures)
    if (figure.open)
      for (const std::size_t block : figure.wanted) open[block] = open[block + 1] = true;
  return open;
}

double shots_left(std::span<const FigureLook> figures, std::size_t stops, double most_rounds) {
  std::vector<double> left(stops, 0);
  for (const FigureLook& figure : figures) {
    if (!figure.open) continue;
    const double rounds = std::min(figure.rounds_left, most_rounds);
    const auto want = [&](std::size_t stop) { left[stop] = std::max(left[stop], rounds); };
    want(0);
    want(stops - 1);
    for (const std::size_t block : figure.wanted) {
      want(block);
      want(block + 1);
    }
  }
  return std::accumulate(left.begin(), left.end(), 0.0);
}

}  // namespace jcprof::engine
