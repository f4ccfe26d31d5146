// SPDX-License-Identifier: Apache-2.0
#include "src/engine/grid.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include <boost/math/tools/minima.hpp>

#include "src/engine/phases.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::engine {
namespace {

constexpr double steps_per_period = 8;  // of the longest span of readings: no peak falls between two
constexpr double one_in = 1000;         // runs without a grid, for one in which noise looks like it
// Frequencies one step apart are correlated; this many of them are about one independent test (Baluev 2008
// gives a factor of the same order).
constexpr double steps_per_test = 4;
constexpr double most_of_the_peak = 0.9;
constexpr double far_end = 0.95;
constexpr double slack = 1.02;  // noise makes the longest period look longer
constexpr int refined_bits = 20;
// Pauses alone spread answers wider than this part of the longest; twelve do not fall together by chance.
constexpr double one_step_part = 0.25;
constexpr double one_step_end = 0.9;
constexpr std::size_t fewest_of_step = 12;
// A tenth of a second for a warm-up's readings. Finer grids than these reach show as steps of the clock.
constexpr std::size_t most_steps = 100'000;

double power(const std::vector<double>& z, double frequency) {
  Direction sum;
  for (const double at : z) sum += phase_of(frequency * at, 1);
  return std::norm(sum) / static_cast<double>(z.size());
}

struct Readings {
  explicit Readings(std::span<const PausedReading> readings) {
    for (const PausedReading& reading : readings) {
      if (!(reading.pause > 0)) continue;  // nothing was drawn
      z.push_back(reading.pause + reading.time);
      times.push_back(reading.time);
    }
  }
  std::vector<double> z;
  std::vector<double> times;
};

struct Height {
  double power = 0;      // exponentially distributed with mean 1 where pauses move nothing
  double coherence = 0;  // squared, greatest where all lie on the grid
};

/// The mean phase of a pause that is uniform in [0, longest).
std::complex<double> mean_phase(double frequency, double longest) {
  const double half_turn = std::numbers::pi * frequency * longest;
  return std::polar(std::sin(half_turn) / half_turn, half_turn);
}

/// Frequencies at equal steps.
struct Frequencies {
  double lowest = 0;
  double highest = 0;
  double step = 0;
  double at(std::size_t index) const { return lowest + static_cast<double>(index) * step; }
};

/// The first one lies below all that are looked for, so that the rise towards 0, where all phases agree, is
/// no peak.
Frequencies frequencies_of(const Readings& of, const GridSearch& search) {
  constexpr double least_steps = 0.05;
  const double spread = quantile(of.z, far_end) - std::ranges::min(of.z);
  const double step = 1 / (steps_per_period * std::max(search.longest_pause, spread));
  return {.lowest = std::max(1 / search.longest - step, least_steps * step),
          .highest = 2 / search.finest,
          .step = step};
}

/// By frequency. Pauses are drawn, so that without a grid each phase e(pause + time) is m e(time) on average,
/// with m the mean phase of a pause: what lies beyond that tells of a grid, also where its period is longer
/// than all pauses.
std::vector<Height> heights_of(const Readings& of, const GridSearch& search, const Frequencies& looked_at) {
  std::vector<Height> heights;
  TurningPhases of_z(of.z, looked_at.lowest, looked_at.step);
  TurningPhases of_times(of.times, looked_at.lowest, looked_at.step);
  const auto count = static_cast<double>(of.z.size());
  while (heights.size() < most_steps && looked_at.at(heights.size()) <= looked_at.highest) {
    const std::complex<double> mean = mean_phase(looked_at.at(heights.size()), search.longest_pause);
    const std::complex<double> sum = of_z.sum();
    const double beyond = std::norm(sum - mean * of_times.sum());
    heights.push_back({.power = beyond / (count * (1 - std::norm(mean))), .coherence = std::norm(sum)});
    of_z.turn();
    of_times.turn();
  }
  return heights;
}

/// The peaks of a periodogram.
class Peaks {
 public:
  explicit Peaks(std::vector<Height> heights)
      : heights_(std::move(heights)),
        least_(std::log(one_in * static_cast<double>(heights_.size()) / steps_per_test)) {}

  /// No noise lifts it so. The test may tell some steps beside the top.
  bool is_told(std::size_t at) const {
    constexpr std::size_t beside = 2;
    const std::size_t end = std::min(heights_.size(), at + beside + 1);
    for (std::size_t near = at - std::min(at, beside); near < end; ++near)
      if (heights_[near].power > least_) return true;
    return false;
  }

  /// 0 for none.
  std::size_t highest() const {
    std::size_t highest = 0;
    for (std::size_t at = 1; at + 1 < heights_.size(); ++at) {
      const double height = heights_[at].coherence;
      const bool is_top = height >= heights_[at - 1].coherence && height >= heights_[at + 1].coherence;
      const bool is_higher = highest == 0 || height > heights_[highest].coherence;
      if (is_top && is_higher && is_told(at)) highest = at;
    }
    return highest;
  }

 private:
  std::vector<Height> heights_;
  double least_;
};

/// The top of the peak round `frequency`, at most one step off. Brent's method wants a number about 1.
double refined(const std::vector<double>& z, double frequency, const Frequencies& looked_at) {
  const double step = looked_at.step;
  const double low = std::max(-1.0, (looked_at.lowest - frequency) / step);
  const double high = std::min(1.0, (looked_at.highest - frequency) / step);
  if (!(low < high)) return frequency;
  const auto height = [&](double steps) { return -power(z, frequency + steps * step); };
  return frequency + step * boost::math::tools::brent_find_minima(height, low, high, refined_bits).first;
}

/// A grid has harmonics, and chance can lift one of them above the first.
double first_harmonic(const std::vector<double>& z, double frequency, const Peaks& peaks,
                      const Frequencies& looked_at) {
  constexpr double same_peak = 3;  // steps
  const double least = most_of_the_peak * power(z, frequency);
  double first = frequency;
  double highest = 0;
  for (int order = 2; frequency / order > looked_at.lowest; ++order) {
    const double at = frequency / order;
    const double near = std::round((at - looked_at.lowest) / looked_at.step);
    if (near < 1 || !peaks.is_told(static_cast<std::size_t>(near))) continue;
    const double found = power(z, at);
    const bool is_same = highest > 0 && first - at < same_peak * looked_at.step;
    if (found < least || (is_same && found <= highest)) continue;
    first = at;
    highest = found;
  }
  return first;
}

/// The period where nothing else is one: noise alone may make it longer than is looked for.
double valid_period(double period, const GridSearch& search) {
  const bool is_valid = std::isfinite(period) && period > 0 && period <= slack * search.longest;
  return is_valid ? std::min(period, search.longest) : 0;
}

bool is_one_step(const std::vector<double>& z, double longest_pause) {
  return z.size() >= fewest_of_step &&
         quantile(z, one_step_end) - quantile(z, 1 - one_step_end) <= one_step_part * longest_pause;
}

}  // namespace

double step_of_all(std::span<const PausedReading> readings, double longest_pause) {
  const Readings of(readings);
  return longest_pause > 0 && is_one_step(of.z, longest_pause) ? median(of.z) : 0;
}

double find_grid(std::span<const PausedReading> readings, const GridSearch& search) {
  if (search.longest_pause <= 0 || search.finest <= 0 || search.longest <= 0) return 0;
  const Readings of(readings);
  if (of.z.size() < 2) return 0;
  if (is_one_step(of.z, search.longest_pause)) return valid_period(median(of.z), search);
  const Frequencies looked_at = frequencies_of(of, search);
  const Peaks peaks(heights_of(of, search, looked_at));
  const std::size_t highest = peaks.highest();
  if (highest == 0) return 0;
  const double frequency = refined(of.z, looked_at.at(highest), looked_at);
  const double first = first_harmonic(of.z, frequency, peaks, looked_at);
  return valid_period(1 / refined(of.z, first, looked_at), search);
}

}  // namespace jcprof::engine
