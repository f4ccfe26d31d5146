// SPDX-License-Identifier: Apache-2.0
#include "src/engine/grid.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include <boost/math/tools/minima.hpp>

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
constexpr int refined_bits = 20;
// A tenth of a second for a warm-up's readings. Finer grids than these reach show as steps of the clock.
constexpr std::size_t most_steps = 100'000;

double power(const std::vector<double>& z, double frequency) {
  std::complex<double> sum;
  for (const double at : z) sum += std::polar(1.0, 2 * std::numbers::pi * frequency * at);
  return std::norm(sum) / static_cast<double>(z.size());
}

/// Readings as phases of one frequency after the other, each `step` above the one before. A turn by a
/// constant is ten times as quick as sine and cosine; 100,000 of them are off by 1e-11.
class Spectrum {
 public:
  Spectrum(const std::vector<double>& z, double frequency, double step) {
    for (const double at : z) {
      phases_.push_back(std::polar(1.0, 2 * std::numbers::pi * frequency * at));
      turns_.push_back(std::polar(1.0, 2 * std::numbers::pi * step * at));
    }
  }

  /// The sum of the phases at this frequency; goes on to the next.
  std::complex<double> next_sum() {
    std::complex<double> sum;
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      sum += phases_[i];
      phases_[i] *= turns_[i];
    }
    return sum;
  }

 private:
  std::vector<std::complex<double>> phases_;
  std::vector<std::complex<double>> turns_;
};

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

/// By frequency. Pauses are drawn, so that without a grid each phase e(pause + time) is m e(time) on average,
/// with m the mean phase of a pause: what lies beyond that tells of a grid, also where its period is longer
/// than all pauses.
std::vector<Height> heights_of(const Readings& of, const GridSearch& search, double lowest, double step) {
  std::vector<Height> heights;
  Spectrum of_z(of.z, lowest, step);
  Spectrum of_times(of.times, lowest, step);
  const auto count = static_cast<double>(of.z.size());
  for (double frequency = lowest; heights.size() < most_steps && frequency <= 2 / search.finest;
       frequency += step) {
    const std::complex<double> mean = mean_phase(frequency, search.longest_pause);
    const std::complex<double> sum = of_z.next_sum();
    const double beyond = std::norm(sum - mean * of_times.next_sum());
    heights.push_back({.power = beyond / (count * (1 - std::norm(mean))), .coherence = std::norm(sum)});
  }
  return heights;
}

/// The top of the peak round `frequency`, which may lie some steps off. Brent's method wants a number
/// about 1.
double refined(const std::vector<double>& z, double frequency, double step) {
  constexpr int most_moves = 4;
  for (int i = 0; i < most_moves; ++i) {
    const auto height = [&](double steps) { return -power(z, frequency + steps * step); };
    frequency += step * boost::math::tools::brent_find_minima(height, -1.0, 1.0, refined_bits).first;
  }
  return frequency;
}

}  // namespace

double find_grid(std::span<const PausedReading> readings, const GridSearch& search) {
  if (search.longest_pause <= 0 || search.finest <= 0) return 0;
  const Readings of(readings);
  if (of.z.size() < 2) return 0;
  const double spread = quantile(of.z, far_end) - std::ranges::min(of.z);
  const double step = 1 / (steps_per_period * std::max(search.longest_pause, spread));
  const double lowest = std::max(1 / search.longest, step);
  const std::vector<Height> heights = heights_of(of, search, lowest, step);
  if (heights.size() < 3) return 0;
  const double least = std::log(one_in * static_cast<double>(heights.size()) / steps_per_test);
  const auto coherence_at = [&](std::size_t at) {
    return heights[at].power > least ? heights[at].coherence : 0;
  };
  std::size_t highest = 0;
  for (std::size_t at = 1; at < heights.size(); ++at)
    if (coherence_at(at) > coherence_at(highest)) highest = at;
  if (coherence_at(highest) == 0) return 0;
  const double frequency = refined(of.z, lowest + static_cast<double>(highest) * step, step);
  // A grid has harmonics, and chance can lift one of them above the first.
  double first = frequency;
  for (int order = 2; frequency / order >= lowest; ++order) {
    const auto near = static_cast<std::size_t>(std::round((frequency / order - lowest) / step));
    if (coherence_at(near) > 0 && power(of.z, frequency / order) >= most_of_the_peak * power(of.z, frequency))
      first = frequency / order;
  }
  return 1 / refined(of.z, first, step);
}

}  // namespace jcprof::engine
