// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/averages.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "annotator/estimate/measured_path.hpp"

namespace jcprof::annotator {
namespace {

constexpr double wrong_means_in_a_run = 0.01;
// Nobody acts upon less.
constexpr double least_difference = 0.05;  // of the typical value
constexpr double least_share = 0.001;      // of the command

std::optional<Averages> averages_of(const MeasuredPath& path, const std::vector<double>& of_rounds,
                                    const Doubt& doubt) {
  const engine::Swayed mean = path.stretches().fit().mean_of(of_rounds);
  const Estimate estimate = estimate_from(path.stretches().interval_of(mean), mean.rounds, doubt);
  if (!was_measured(estimate)) return std::nullopt;
  const std::vector<double> values = engine::present(of_rounds);
  const auto quantile = [&](double part) { return std::max(0.0, engine::quantile(values, part)); };
  return Averages{.mean = estimate.ticks,
                  .median = estimate_from(path.stretches().median_of(values), values.size(), doubt).ticks,
                  .q05 = quantile(0.05),
                  .q95 = quantile(0.95)};
}

}  // namespace

std::optional<Averages> averages_of(const MeasuredPath& path, const Sum& sum) {
  std::optional<Averages> averages = averages_of(path, sum.every_round, sum.doubt_of_rounds);
  if (!averages) return averages;
  const engine::Fit& fit = path.stretches().fit();
  const engine::Swayed mean = fit.mean_of(sum.every_round);
  // What was taken off for traps is the same in both.
  engine::Swayed typical = sum.sway;
  typical.apart_of_units.clear();  // the mean itself decides whether values far out are spikes
  const engine::Swayed apart = mean.value > typical.value ? mean - typical : typical - mean;
  averages->chance = std::min(1.0, 2 * fit.chance_above_nothing(apart, 0));
  return averages;
}

std::optional<Averages> averages_of_total(const MeasuredPath& path) {
  std::optional<Averages> averages =
      averages_of(path, path.stretches().every_total(), {.traps = path.total_doubt()});
  if (!averages) return averages;
  // The typical total is a median by itself: two intervals that are apart.
  const Interval typical = path.total().ticks;
  const bool is_apart = averages->mean.low > typical.high || averages->mean.high < typical.low;
  averages->chance = is_apart ? 0 : 1;
  return averages;
}

void judge_mean(Estimate& estimate, std::size_t count, double whole) {
  if (!estimate.averages) return;
  Averages& averages = *estimate.averages;
  const double typical = estimate.ticks.value;
  // Where values far out may be spikes, the interval of the typical time has room for the mean.
  averages.differs =
      averages.chance <= wrong_means_in_a_run / static_cast<double>(std::max<std::size_t>(count, 1)) &&
      std::abs(averages.mean.value - typical) >= std::max(least_difference * typical, least_share * whole);
}

}  // namespace jcprof::annotator
