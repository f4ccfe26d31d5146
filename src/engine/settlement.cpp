// SPDX-License-Identifier: Apache-2.0
#include "src/engine/settlement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace jcprof::engine {
namespace {

// A mean without outliers has four fifths of a median's half width, where noise is normal. What is narrower
// than this is so by luck: few rounds that happen to agree.
constexpr double narrowest = 0.75;

double usual_half_width(const Look& look) {
  std::vector<double> halves;
  for (const BlockLook& block : look.blocks)
    if (!is_missing(block.ticks.value)) halves.push_back(half_width(block.ticks));
  return median(std::move(halves));
}

/// From the half widths of single blocks. A range is the difference of two stops, as each of its blocks is.
double half_by_blocks(const Figure& figure, const Look& look, double usual) {
  double squares = 0;
  for (const BlockRange& range : figure.ranges) {
    const double ends =
        std::max(half_width(look.blocks[range.begin].ticks), half_width(look.blocks[range.end - 1].ticks));
    const double half = range.share * std::max(usual, ends);
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

/// How a shot at each stop is made: how often it was, and the ticks that it takes.
struct Shots {
  std::vector<double> made;
  std::vector<double> take;
};

Shots shots_of(const Times& times, double beside) {
  Shots shots;
  for (const std::vector<double>& column : times.columns()) {
    std::vector<double> readings = present(column);
    shots.made.push_back(std::max(1.0, static_cast<double>(readings.size())));
    shots.take.push_back(beside + (readings.empty() ? 0 : std::max(0.0, median(std::move(readings)))));
  }
  return shots;
}

/// One more shot takes 1 / n of its stop's variance away. The best choice for a given time has all stops
/// alike in what that is for the time of a shot (Neyman 1934): those far behind the best one wait.
std::vector<std::size_t> most_telling(const std::vector<std::size_t>& blocks,
                                      const std::vector<double>& of_stops, const Shots& shots) {
  constexpr double far_behind = 0.25;
  const auto gain = [&](std::size_t stop) {
    return of_stops[stop] / (shots.made[stop] * std::max(shots.take[stop], 1.0));
  };
  const auto gain_of_block = [&](std::size_t block) { return std::max(gain(block), gain(block + 1)); };
  double best = 0;
  for (const std::size_t block : blocks) best = std::max(best, gain_of_block(block));
  std::vector<std::size_t> result;
  std::ranges::copy_if(blocks, std::back_inserter(result),
                       [&](std::size_t block) { return gain_of_block(block) >= far_behind * best; });
  return result;
}

double fewest_made(const std::vector<std::size_t>& blocks, const Shots& shots) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const std::size_t block : blocks)
    fewest = std::min({fewest, shots.made[block], shots.made[block + 1]});
  return fewest;
}

}  // namespace

std::vector<FigureLook> settle(std::vector<Figure> figures, const Times& times, const Clock& clock,
                               const Look& look, const Precision& precision, double beside) {
  const Fit fit(differences(times, clock), clock);
  const double usual = usual_half_width(look);
  const Shots shots = shots_of(times, beside);
  std::vector<FigureLook> result;
  for (Figure& figure : figures) {
    if (figure.ranges.empty()) continue;
    Swayed sum = fit.sum_of(figure.ranges);
    sum.changed = 0;  // more rounds do not help
    sum.apart_of_units.clear();
    const double by_blocks = half_by_blocks(figure, look, usual);
    const double by_fit = half_width(fit.interval_of(sum, precision.alpha));
    // An infinite half width is none that is known.
    const double by_times = std::min(by_blocks, std::max(by_fit, narrowest * by_blocks));
    const double noise = is_missing(figure.noise) ? by_times : figure.noise;
    FigureLook& one = result.emplace_back();
    one.share = std::max(0.0, sum.value) / look.whole;
    const double shrinking = std::hypot(noise, figure.doubt) / look.whole;
    one.lasting = figure.lasting / look.whole;
    one.half = std::hypot(shrinking, one.lasting);
    const double wanted = std::max(precision.absolute, precision.relative * one.share);
    one.settled = one.half <= wanted;
    one.open = !one.settled && (one.lasting < wanted || shrinking > one.lasting);
    one.blocks = blocks_of(figure);
    one.wanted = figure.of_stops.empty() ? one.blocks : most_telling(one.blocks, figure.of_stops, shots);
    one.name = std::move(figure.name);
    const double ratio = shrinking / std::sqrt(std::max(0.0, wanted * wanted - one.lasting * one.lasting));
    const double made = figure.of_stops.empty() ? sum.rounds : fewest_made(one.wanted, shots);
    one.rounds_left = one.settled ? 0 : std::max(1.0, made * (ratio * ratio - 1));
    one.shots_left = one.rounds_left * static_cast<double>(stops_of(one.wanted, times.stops()));
  }
  return result;
}

void leave_out_of_reach(std::span<FigureLook> figures, const Look& look, double most_rounds) {
  const auto is_unsettled = [&](std::size_t block) { return !look.blocks[block].settled; };
  for (FigureLook& one : figures)
    one.open = one.open && (one.rounds_left <= most_rounds || std::ranges::any_of(one.blocks, is_unsettled));
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
