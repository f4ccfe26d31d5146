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
constexpr double one_in = 1000;         // how often noise may look like a grid
// Frequencies one step apart are correlated; this many of them are about one independent test (Baluev 2008
// gives a factor of the same order).
constexpr double steps_per_test = 4;
constexpr double most_of_the_peak = 0.75;
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

  /// The power at this frequency; goes on to the next.
  double next_power() {
    std::complex<double> sum;
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      sum += phases_[i];
      phases_[i] *= turns_[i];
    }
    return std::norm(sum) / static_cast<double>(phases_.size());
  }

 private:
  std::vector<std::complex<double>> phases_;
  std::vector<std::complex<double>> turns_;
};

/// The top of the peak round `frequency`.
double refined(const std::vector<double>& z, double frequency, double step) {
  const auto height = [&](double at) { return -power(z, at); };
  return boost::math::tools::brent_find_minima(height, frequency - step, frequency + step, refined_bits)
      .first;
}

}  // namespace

double find_grid(std::span<const PausedReading> readings, const GridSearch& search) {
  if (readings.size() < 2 || search.longest_pause <= 0 || search.finest <= 0) return 0;
  std::vector<double> z;
  z.reserve(readings.size());
  for (const PausedReading& reading : readings) z.push_back(reading.pause + reading.time);
  const double spread = quantile(z, far_end) - std::ranges::min(z);
  const double step = 1 / (steps_per_period * std::max(search.longest_pause, spread));
  std::vector<double> powers;
  const double lowest = 2 / search.longest_pause;
  Spectrum spectrum(z, lowest, step);
  for (double frequency = lowest; powers.size() < most_steps && frequency <= 2 / search.finest;
       frequency += step)
    powers.push_back(spectrum.next_power());
  if (powers.size() < 3) return 0;
  const double highest = std::ranges::max(powers);
  if (highest <= std::log(one_in * static_cast<double>(powers.size()) / steps_per_test)) return 0;
  // A grid has harmonics, and noise can lift one of them above the first.
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const bool is_top =
        (i == 0 || powers[i] >= powers[i - 1]) && (i + 1 == powers.size() || powers[i] >= powers[i + 1]);
    if (is_top && powers[i] >= most_of_the_peak * highest)
      return 1 / refined(z, lowest + static_cast<double>(i) * step, step);
  }
  return 0;
}

}  // namespace jcprof::engine
