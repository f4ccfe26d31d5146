// SPDX-License-Identifier: Apache-2.0
#include "annotator/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/engine/statistics.hpp"

namespace jcprof::annotator {
namespace {

struct Fences {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool hold(double value) const { return low <= value && value <= high; }
  double beyond(double value) const { return std::max(low - value, value - high); }
};

Fences fences_of(const std::vector<double>& values) {
  const double lower = engine::quantile(values, 0.25);
  const double upper = engine::quantile(values, 0.75);
  // Most rounds agree to the tick: any other would be far out, so all are shown in bins.
  if (lower == upper) return {};
  const double reach = 3 * (upper - lower);
  return {lower - reach, upper + reach};
}

void bin(Distribution& result, const std::vector<double>& values, const Fences& fences) {
  result.from = std::numeric_limits<double>::infinity();
  result.to = -result.from;
  for (const double value : values) {
    if (!fences.hold(value)) continue;
    result.from = std::min(result.from, value);
    result.to = std::max(result.to, value);
  }
  const double width = result.to - result.from;
  for (const double value : values) {
    if (!fences.hold(value)) continue;
    const double place =
        width > 0 && std::isfinite(width) ? (value - result.from) / width * Distribution::bin_count : 0;
    ++result.bins[std::min(static_cast<std::size_t>(place), Distribution::bin_count - 1)];
  }
}

void list_outliers(Distribution& result, std::span<const double> rounds, const Fences& fences) {
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (!engine::is_missing(rounds[i]) && !fences.hold(rounds[i]))
      result.outliers.push_back({i + 1, rounds[i]});
  if (result.outliers.size() <= Distribution::most_outliers) return;
  result.more = result.outliers.size() - Distribution::most_outliers;
  std::ranges::stable_sort(result.outliers, std::ranges::greater{},
                           [&](const Outlier& outlier) { return fences.beyond(outlier.value); });
  result.outliers.resize(Distribution::most_outliers);
  std::ranges::sort(result.outliers, {}, &Outlier::round);
}

void group(Distribution& result, std::span<const double> rounds) {
  const std::size_t size = (rounds.size() + Distribution::most_groups - 1) / Distribution::most_groups;
  for (std::size_t begin = 0; begin < rounds.size(); begin += size) {
    const std::size_t end = std::min(begin + size, rounds.size());
    const std::vector<double> values = engine::present(rounds.subspan(begin, end - begin));
    if (values.empty()) continue;
    const auto [least, most] = std::ranges::minmax(values);
    result.groups.push_back({begin + 1, end, least, engine::median(values), most});
  }
}

}  // namespace

std::optional<Distribution> distribution(std::span<const double> rounds) {
  const std::vector<double> values = engine::present(rounds);
  if (values.empty() || std::ranges::min(values) == std::ranges::max(values)) return std::nullopt;
  const Fences fences = fences_of(values);
  Distribution result{.count = values.size()};
  bin(result, values, fences);
  list_outliers(result, rounds, fences);
  group(result, rounds);
  return result;
}

}  // namespace jcprof::annotator
