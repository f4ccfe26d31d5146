// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/quantity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

constexpr std::array<double, 4> steps{1, 1e3, 1e6, 1e9};
constexpr std::array<std::string_view, 4> seconds{"ns", "µs", "ms", "s"};
constexpr std::array<std::string_view, 4> thousands{"", "k ", "M ", "G "};

/// The place of the first digit of `value`: 1 for 40, -1 for 0.3.
int magnitude(double value) {
  return value > 0 ? static_cast<int>(std::floor(std::log10(value))) : 0;
}

std::string digits(double value, int decimals) {
  return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 9));
}

}  // namespace

Scale scale_for(double ticks, ClockUnit unit) {
  std::size_t step = 0;
  // 999.96 would be printed as 1000.0: the next unit begins a little early.
  while (step + 1 < steps.size() && ticks >= 0.9995 * steps[step + 1]) ++step;
  const std::string_view prefix = unit == ClockUnit::ns ? seconds[step] : thousands[step];
  const std::string_view name = unit == ClockUnit::ns ? "" : name_of(unit);
  return {steps[step], fmt::format("{}{}", prefix, name)};
}

Quantity quantity(const Interval& ticks, ClockUnit unit) {
  const Scale scale = scale_for(ticks.value, unit);
  const double value = ticks.value / scale.ticks;
  // The value may lie off the middle of its interval.
  const double wider = std::max(ticks.high - ticks.value, ticks.value - ticks.low);
  const double half = (ticks.high == ticks.low ? 0 : wider) / scale.ticks;
  const int first = magnitude(value);
  if (!std::isfinite(half)) return {digits(value, 2 - first) + " " + scale.name, "?"};
  const int carried = half > 0 ? -magnitude(half) : 3 - first;
  const int decimals = std::max(0, std::clamp(carried, 1 - first, 5 - first));
  const std::string width = half > 0 ? digits(half, std::max(decimals, -magnitude(half))) : "0";
  return {digits(value, decimals) + " " + scale.name, width};
}

std::string upper_bound(double ticks, ClockUnit unit) {
  const Scale scale = scale_for(ticks, unit);
  const double value = ticks / scale.ticks;
  const int decimals = std::max(0, 1 - magnitude(value));
  const double step = std::pow(10, decimals);
  // The small term keeps a value that is exact but for its last bit from being rounded up a whole step.
  return digits(std::max(0.0, std::ceil(value * step - 1e-9)) / step, decimals) + " " + scale.name;
}

std::string each(double ticks, const Scale& scale, ClockUnit unit) {
  const Scale used = ticks / scale.ticks < 0.01 ? scale_for(ticks, unit) : scale;
  const double value = ticks / used.ticks;
  return digits(value, 1 - magnitude(value)) + " " + used.name;
}

std::string each(double ticks, ClockUnit unit) {
  return each(ticks, scale_for(ticks, unit), unit);
}

std::string not_measured(std::uint32_t rounds) {
  if (rounds == 0) return "not measured";
  return fmt::format("not measured ({} round{})", rounds, rounds == 1 ? "" : "s");
}

std::string percent(double share) {
  const double value = 100 * share;
  return fmt::format("{:.{}f} %", value, value > 0 && value < 0.995 ? 2 : 1);
}

}  // namespace jcprof::annotator
