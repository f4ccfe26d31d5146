// SPDX-License-Identifier: Apache-2.0
#include "src/engine/phases.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace jcprof::engine {
namespace {

/// The concentration of von Mises' distribution, from its mean cosine (Best & Fisher 1981).
double concentration(double cosine) {
  if (cosine < 0.53) return 2 * cosine + std::pow(cosine, 3) + 5 * std::pow(cosine, 5) / 6;
  if (cosine < 0.85) return -0.4 + 1.39 * cosine + 0.43 / (1 - cosine);
  return 1 / (std::pow(cosine, 3) - 4 * cosine * cosine + 3 * cosine);
}

}  // namespace

Direction phase_of(double time, double period) {
  return std::polar(1.0, 2 * std::numbers::pi * time / period);
}

TurningPhases::TurningPhases(const std::vector<double>& times, double frequency, double step) {
  for (const double time : times) {
    phases_.push_back(phase_of(time * frequency, 1));
    turns_.push_back(phase_of(time * step, 1));
  }
}

void TurningPhases::turn() {
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    // The product of std::complex looks for infinities as well, which takes twice as long.
    const Direction a = phases_[i];
    const Direction b = turns_[i];
    phases_[i] = {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
}

Direction TurningPhases::sum(std::size_t begin, std::size_t end) const {
  Direction sum;
  for (std::size_t i = begin; i < end; ++i) sum += phases_[i];
  return sum;
}

double evidence(double cosine) {
  constexpr double most = 0.9999;
  constexpr double large = 20;
  if (cosine <= 0) return 0;
  cosine = std::min(cosine, most);
  const double kappa = concentration(cosine);
  const double log_i0 = kappa > large ? kappa - std::log(2 * std::numbers::pi * kappa) / 2 + 1 / (8 * kappa)
                                      : std::log(std::cyl_bessel_i(0.0, kappa));
  return kappa * cosine - log_i0;
}

}  // namespace jcprof::engine
