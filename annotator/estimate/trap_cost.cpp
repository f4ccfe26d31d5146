// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/trap_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

namespace jcprof::annotator {
namespace {

// A pass among the user's code does not cost quite what it does where it is calibrated.
constexpr double pass_differs = 0.15;
// The doubt is asked for four times over: two stops may differ by more than what one of them costs.
constexpr double place_differs = 1.0 / 6;
// Fewer turns of stops at several sites say more of noise than of sites.
constexpr std::size_t fewest_turns = 10;
// A limit holds as it is.
constexpr double limit_counts = 1.0 / 4;

/// By how much a pass of `plus` took longer than one of `minus`, repetition by repetition: kinds that belong
/// together are timed in turn, with as many passes each, if any. Nothing where one of them was not timed.
std::vector<double> differences_of(const std::vector<StoredCalibration>& calibrations,
                                   const std::vector<std::string_view>& plus,
                                   const std::vector<std::string_view>& minus) {
  std::map<std::string_view, std::vector<const StoredCalibration*>> by_kind;
  for (const StoredCalibration& c : calibrations) by_kind[c.kind].push_back(&c);
  std::vector<double> result;
  for (std::size_t i = 0;; ++i) {
    double difference = 0;
    std::uint64_t passes = 0;
    const auto add = [&](std::string_view kind, double sign) {
      if (by_kind[kind].size() <= i) return false;
      difference += sign * static_cast<double>(by_kind[kind][i]->ticks);
      passes = std::max(passes, by_kind[kind][i]->passes);
      return true;
    };
    if (!std::ranges::all_of(plus, [&](auto kind) { return add(kind, 1); })) return result;
    if (!std::ranges::all_of(minus, [&](auto kind) { return add(kind, -1); })) return result;
    result.push_back(difference / static_cast<double>(std::max<std::uint64_t>(passes, 1)));
  }
}

/// The cost of a frame where only the unwinding itself was timed, of none and of many frames in turn.
std::vector<double> slopes_of_unwinding(const std::vector<StoredCalibration>& calibrations) {
  std::vector<const StoredCalibration*> times;
  for (const StoredCalibration& c : calibrations)
    if (c.kind == "unwind") times.push_back(&c);
  std::vector<double> slopes;
  for (std::size_t i = 0; i + 1 < times.size(); i += 2)
    if (times[i]->passes == 0 && times[i + 1]->passes > 0)
      slopes.push_back(static_cast<double>(times[i + 1]->ticks - times[i]->ticks) /
                       static_cast<double>(times[i + 1]->passes));
  return slopes;
}

/// The interval of few repetitions is their range: more cannot be said. Noise may make a cost of next to
/// nothing negative; what is taken off must not be.
Interval cost_interval(const std::vector<double>& values, double alpha) {
  if (values.empty()) return {0, 0, 0};
  Interval interval = engine::sign_interval(values, alpha);
  if (!std::isfinite(interval.low))
    interval = {interval.value, std::ranges::min(values), std::ranges::max(values)};
  interval.value = std::max(0.0, interval.value);
  interval.low = std::max(0.0, interval.low);
  interval.high = std::max(interval.value, interval.high);
  return interval;
}

/// Stops are timed in turns of all sites. A site's cost is the middle one of its distances from the middle of
/// the turn, passes before it taken off. Noise makes sites differ more.
double sites_differ(const std::vector<StoredCalibration>& calibrations, double pass, double alpha) {
  std::map<std::uint64_t, std::vector<double>> by_site;
  for (const StoredCalibration& c : calibrations)
    if (c.kind == "sites")
      by_site[c.passes].push_back(static_cast<double>(c.ticks) - pass * static_cast<double>(c.passes));
  std::vector<double> middles;
  for (std::size_t turn = 0; !by_site.empty() && turn < by_site.begin()->second.size(); ++turn) {
    std::vector<double> times;
    for (const auto& [site, all] : by_site)
      if (turn < all.size()) times.push_back(all[turn]);
    middles.push_back(engine::median(std::move(times)));
  }
  std::vector<double> stops;
  for (auto& [site, times] : by_site) {
    times.resize(std::min(times.size(), middles.size()));
    std::ranges::transform(times, middles, times.begin(), std::minus<>());
    stops.push_back(engine::median(std::move(times)));
  }
  if (stops.size() < 2 || middles.size() < fewest_turns) return std::numeric_limits<double>::infinity();
  // Student's interval of a mean is narrower than that of one value by the root of their number.
  return half_width(engine::mean_interval(stops, alpha, 0)) * std::sqrt(static_cast<double>(stops.size()));
}

}  // namespace

bool stops_leap(std::string_view language) {
  return language == "c" || language == "c++";
}

TrapCost trap_cost(const std::vector<StoredCalibration>& calibrations, double alpha) {
  const auto cost = [&](const auto& plus, const auto& minus) {
    return cost_interval(differences_of(calibrations, plus, minus), alpha);
  };
  const auto has = [&](std::string_view kind) {
    return std::ranges::find(calibrations, kind, &StoredCalibration::kind) != calibrations.end();
  };
  using Kinds = std::vector<std::string_view>;
  TrapCost costs{.pass = cost(Kinds{"unarmed"}, Kinds{"empty"}),
                 // A trap that was not timed is taken to cost nothing.
                 .counting = cost(Kinds{"counting"}, Kinds{has("unarmed") ? "unarmed" : "empty"}),
                 .stop = cost(Kinds{"stop"}, Kinds{"returned"}),
                 .frame = cost(Kinds{"frames", "returned"}, Kinds{"stop", "calls"}),
                 .guard = cost(Kinds{"guards"}, Kinds{"frames"})};
  costs.site = sites_differ(calibrations, costs.pass.value + costs.counting.value, alpha);
  if (!has("frames")) costs.frame = cost_interval(slopes_of_unwinding(calibrations), alpha);
  return costs;
}

void TrapCount::add(const TrapCount& other, double times) {
  passes += times * other.passes;
  counted += times * other.counted;
  stops += times * other.stops;
  frames += times * other.frames;
  guards += times * other.guards;
}

double cost_of(const TrapCount& count, const TrapCost& cost) {
  return count.passes * cost.pass.value + count.counted * cost.counting.value +
         count.stops * cost.stop.value + count.frames * cost.frame.value + count.guards * cost.guard.value;
}

double half_width_of(const TrapCount& count, const TrapCost& cost) {
  const double pass = std::hypot(half_width(cost.pass), pass_differs * cost.pass.value);
  const std::array parts{pass * count.passes, half_width(cost.counting) * count.counted,
                         half_width(cost.stop) * count.stops, half_width(cost.frame) * count.frames,
                         half_width(cost.guard) * count.guards};
  return std::sqrt(std::inner_product(parts.begin(), parts.end(), parts.begin(), 0.0));
}

void CostLimits::take(const TrapCount& count, double ticks) {
  const auto lower = [&](double& limit, double times) {
    if (times > 0) limit = std::min(limit, std::max(0.0, ticks) / times);
  };
  lower(pass, count.passes);
  lower(counted, count.counted);
  lower(stop, count.stops);
  lower(frame, count.frames);
  lower(guard, count.guards);
}

double widest_doubt(const TrapCount& begin, const TrapCount& end, const TrapCost& cost,
                    const CostLimits& limits) {
  TrapCount between = end;
  between.add(begin, -1);
  double doubt = half_width_of(between, cost);
  const auto add = [&](double count, double part, double each) {
    if (count != 0) doubt += std::abs(count) * part * each;
  };
  const auto is_known = [](const Interval& each) { return each.high > 0; };
  const auto add_kind = [&](double count, const Interval& each, double limit) {
    add(count, is_known(each) ? place_differs : limit_counts, is_known(each) ? each.value : limit);
  };
  add(begin.stops + end.stops, place_differs, is_known(cost.stop) ? cost.stop.value : limits.stop);
  if (!is_known(cost.stop)) add(between.stops, limit_counts, limits.stop);
  if (!is_known(cost.pass)) add(between.passes, limit_counts, limits.pass);
  add_kind(between.counted, cost.counting, limits.counted);
  add_kind(between.frames, cost.frame, limits.frame);
  add_kind(between.guards, cost.guard, limits.guard);
  return doubt;
}

}  // namespace jcprof::annotator
