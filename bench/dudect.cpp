// SPDX-License-Identifier: Apache-2.0
#include "bench/dudect.hpp"

#include <algorithm>
#include <cmath>

#include "src/engine/statistics.hpp"

namespace jcprof::bench {
namespace {

constexpr std::size_t first_batch = 200;
// Below that t has heavy tails, and would be the largest by chance.
constexpr double least_of_class = 50;

}  // namespace

void Dudect::Welch::add(double value, bool is_second) {
  Moments& of = classes_.at(is_second ? 1 : 0);
  ++of.count;
  const double before = value - of.mean;
  of.mean += before / of.count;
  of.squares += before * (value - of.mean);
}

double Dudect::Welch::t() const {
  const auto& [a, b] = classes_;
  if (a.count < least_of_class || b.count < least_of_class) return 0;
  const double variance = a.squares / (a.count - 1) / a.count + b.squares / (b.count - 1) / b.count;
  return variance > 0 ? std::abs(a.mean - b.mean) / std::sqrt(variance) : 0;
}

void Dudect::set_crops() {
  mean_ = engine::mean_of(first_);
  for (std::size_t i = 0; i < crops; ++i)
    crops_.at(i) = engine::quantile(first_, 1 - std::pow(0.5, 10 * static_cast<double>(i + 1) / crops));
}

void Dudect::add(const engine::ClassedTime& time) {
  if (first_.size() < first_batch) {
    first_.push_back(time.ticks);
    if (first_.size() == first_batch) set_crops();
    return;
  }
  raw_.add(time.ticks, time.is_second);
  squared_.add((time.ticks - mean_) * (time.ticks - mean_), time.is_second);
  for (std::size_t i = 0; i < crops; ++i)
    if (time.ticks < crops_.at(i)) cropped_.at(i).add(time.ticks, time.is_second);
}

double Dudect::t() const {
  double most = std::max(raw_.t(), squared_.t());
  for (const Welch& one : cropped_) most = std::max(most, one.t());
  return most;
}

}  // namespace jcprof::bench
