// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/tick_scale.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

// A reader that was interrupted between both clocks is off by less; what stood still is off by more.
constexpr double ns_of_noise = 1e6;
constexpr double part_of_noise = 0.02;  // of the time between two pairs

double difference(std::uint64_t later, std::uint64_t earlier) {
  return later >= earlier ? static_cast<double>(later - earlier) : -static_cast<double>(earlier - later);
}

/// The median of the slopes between pairs a second apart (after P. K. Sen, 1968): a stall or a step spoils
/// ten of them, and what a reader was late is little of a second.
std::optional<double> slope_of(std::span<const jcprof_log_pair> pairs) {
  const std::size_t apart = pairs.size() < 2 ? 0 : std::clamp<std::size_t>(pairs.size() / 4, 1, 10);
  std::vector<double> slopes;
  for (std::size_t i = 0; apart > 0 && i + apart < pairs.size(); ++i) {
    const double ticks = difference(pairs[i + apart].tick, pairs[i].tick);
    const double ns = difference(pairs[i + apart].ns, pairs[i].ns);
    if (ticks > 0 && ns > 0) slopes.push_back(ns / ticks);
  }
  if (slopes.empty()) return std::nullopt;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::ranges::nth_element(slopes, middle);
  return *middle;
}

/// Intervals between pairs in which a clock went astray.
struct Astray {
  std::size_t count = 0;
  double sum = 0;  // ns
  double most = 0;

  void add(double ns) {
    ++count;
    sum += ns;
    most = std::max(most, ns);
  }
};

void judge(std::span<const jcprof_log_pair> pairs, TickScale& scale) {
  Astray stalls;
  Astray steps;
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    const double ns = difference(pairs[i].ns, pairs[i - 1].ns);
    const double behind = ns - difference(pairs[i].tick, pairs[i - 1].tick) * scale.per_tick;
    if (std::abs(behind) <= std::max(ns_of_noise, part_of_noise * ns)) continue;
    (behind > 0 ? stalls : steps).add(std::abs(behind));
  }
  const auto warn = [&](const Astray& astray, const char* what) {
    if (astray.count == 0) return;
    scale.warnings.push_back(
        {.kind = WarningKind::unsteady,
         .text = fmt::format("the clock {} in {} of {} intervals: {:.1f} ms in all, {:.1f} ms at most", what,
                             astray.count, pairs.size() - 1, astray.sum / 1e6, astray.most / 1e6),
         .advice = "times there are wrong by that much; keep a processor free for the clock, or use a clock "
                   "of the target"});
  };
  warn(stalls, "stood still");
  warn(steps, "stepped ahead of time");
}

}  // namespace

TickScale scale_of(std::uint64_t hz, std::span<const jcprof_log_pair> pairs, ClockUnit uncalibrated) {
  constexpr std::uint64_t not_told = ~std::uint64_t{0};
  TickScale scale{.unit = uncalibrated};
  if (hz == not_told) {
    scale.unit = ClockUnit::cycles;
    scale.warnings.push_back({.kind = WarningKind::other,
                              .text = "the program has a clock of its own and does not state its rate, so "
                                      "jcprof shows ticks as cycles",
                              .advice = "define JCPROF_CLOCK_HZ, the ticks per second, beside JCPROF_CLOCK"});
    return scale;
  }
  if (hz != 0) {
    scale.unit = ClockUnit::ns;
    scale.per_tick = 1e9 / static_cast<double>(hz);
    return scale;
  }
  const std::optional<double> slope = slope_of(pairs);
  if (!slope) return scale;
  scale.unit = ClockUnit::ns;
  scale.per_tick = *slope;
  judge(pairs, scale);
  return scale;
}

}  // namespace jcprof::annotator
