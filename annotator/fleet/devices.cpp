// SPDX-License-Identifier: Apache-2.0
#include "annotator/fleet/devices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "annotator/compare/bisection.hpp"

namespace jcprof::annotator {
namespace {

constexpr double finest = 1e-6;  // a relative deviation: clocks are no finer
constexpr double finest_variance = finest * finest;
constexpr double first_layout = 0.01;  // before anything was seen
constexpr double fewest_lines = 5;     // of fewer none tells whether it is the one that differs
constexpr double most_freedom = 1000;  // as good as normal
constexpr double most_counts = 10;     // of what all lines show, beside what one shows
// Devices of one type differ about so much in their speed, as if so many degrees of freedom had shown it.
constexpr double usual_speed = 0.02;
constexpr double speed_counts = 4;

/// A value of a device, and which one.
struct OfDevice {
  std::size_t device = 0;
  Shift shift;
};
using DeviceValues = std::vector<OfDevice>;

std::vector<Shift> shifts_of(const DeviceValues& values, std::optional<std::size_t> without = {}) {
  std::vector<Shift> shifts;
  for (const OfDevice& one : values)
    if (one.device != without) shifts.push_back(one.shift);
  return shifts;
}

/// Logarithms, of what is known well.
DeviceValues logs_of_well_known(const DeviceTimes& times) {
  DeviceValues logs;
  for (std::size_t d = 0; d < times.size(); ++d)
    if (is_known_well(times[d]))
      logs.push_back({d,
                      {std::log(times[d].ticks),
                       std::max(finest_variance, square_of(times[d].deviation / times[d].ticks))}});
  return logs;
}

/// Each value without the speed of its device.
DeviceValues without_speeds(DeviceValues values, const std::vector<Location>& speeds) {
  for (OfDevice& one : values) one.shift.value -= speeds[one.device].value;
  return values;
}

/// How the values scatter, in the variance that they should have: 1 if they scatter so.
struct VarianceRatio {
  double value = 1;
  double freedom = 0;
};

/// Each value with so many times the variance that it should have.
std::vector<Shift> widened(std::vector<Shift> values, double between, double times) {
  for (Shift& one : values) one.variance = times * (one.variance + between);
  return values;
}

/// In which values that lie far out count as if they lay less far.
double capped_ratio(const std::vector<Shift>& values) {
  const double middle = middle_of(values, 0).value;
  double squares = 0;
  for (const Shift& one : values) squares += square_that_counts(one, middle, 0);
  return squares / (mean_square_that_counts * static_cast<double>(values.size() - 1));
}

/// The factor on all variances at which the values scatter as they should (Huber's proposal 2).
VarianceRatio ratio_of(const std::vector<Shift>& values, double between) {
  if (values.size() < 2) return {};
  const double freedom = efficiency_of_squares * static_cast<double>(values.size() - 1);
  const double expected = capped_ratio(widened(values, between, 1));
  if (expected <= 1) return {expected, freedom};
  const double largest = std::log(1e12);
  const double logarithm = root_of_falling(
      [&](double log) { return capped_ratio(widened(values, between, std::exp(log))) - 1; }, 0, largest);
  return {std::exp(logarithm), freedom};
}

/// One value that is known better than all others must not outweigh them: no variance is less than the middle
/// one (of two, the larger).
std::vector<Shift> with_equal_say(std::vector<Shift> values) {
  std::vector<double> variances;
  for (const Shift& one : values) variances.push_back(one.variance);
  const auto middle = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
  std::ranges::nth_element(variances, middle);
  for (Shift& one : values) one.variance = std::max(one.variance, *middle);
  return values;
}

/// The speed of each device, where the lines differ by `layout` from device to device.
std::vector<Location> speeds_of(const std::vector<DeviceValues>& lines, std::vector<Location> speeds,
                                double layout) {
  std::vector<std::vector<Shift>> by_device(speeds.size());
  for (const DeviceValues& line : lines) {
    const double middle =
        middle_of(with_equal_say(shifts_of(without_speeds(line, speeds))), square_of(layout)).value;
    for (const OfDevice& one : line)
      by_device[one.device].push_back({one.shift.value - middle, one.shift.variance});
  }
  std::vector<double> values;
  for (std::size_t d = 0; d < speeds.size(); ++d) {
    speeds[d] = by_device[d].empty() ? Location{0, std::numeric_limits<double>::infinity()}
                                     : middle_of(with_equal_say(by_device[d]), square_of(layout));
    if (!by_device[d].empty()) values.push_back(speeds[d].value);
  }
  const double middle = values.empty() ? 0 : engine::median(values);
  for (std::size_t d = 0; d < speeds.size(); ++d)
    if (!by_device[d].empty()) speeds[d].value -= middle;
  return speeds;
}

/// So many lines of equal precision would tell the speed of the middle device as well.
double lines_that_tell_speed(const std::vector<DeviceValues>& lines, std::size_t devices) {
  std::vector<double> sums(devices);
  std::vector<double> squares(devices);
  for (const DeviceValues& line : lines)
    for (const OfDevice& one : line) {
      const double weight = 1 / (one.shift.variance + square_of(first_layout));
      sums[one.device] += weight;
      squares[one.device] += square_of(weight);
    }
  std::vector<double> counts;
  for (std::size_t d = 0; d < devices; ++d)
    counts.push_back(squares[d] > 0 ? square_of(sums[d]) / squares[d] : 0);
  return counts.empty() ? 0 : engine::median(std::move(counts));
}

/// A line counts for the layout the more, the less noise hides it.
double weight_of(const DeviceValues& line, double layout) {
  std::vector<double> noises;
  for (const OfDevice& one : line) noises.push_back(one.shift.variance);
  return weight_for_scatter(square_of(layout), engine::median(std::move(noises)));
}

/// The layout with which the lines scatter as they should on average.
double layout_of(const std::vector<DeviceValues>& lines, double near) {
  return root_of_falling(
      [&](double layout) {
        double squares = 0;
        double counts = 0;
        for (const DeviceValues& line : lines) {
          const double count = weight_of(line, near) * static_cast<double>(line.size() - 1);
          squares += count * capped_ratio(widened(shifts_of(line), square_of(layout), 1));
          counts += count;
        }
        return squares - counts;
      },
      0, 1);
}

/// The degrees of freedom of the distribution that the variances of lines are drawn from: by how much their
/// logarithms scatter beyond what few devices make them.
double counts_of_layout(const std::vector<DeviceValues>& lines, double layout) {
  constexpr double least = 0.01;  // no ratio is taken to be less: a logarithm of nothing
  std::vector<engine::Weighted> logs;
  double weights = 0, mean = 0, by_chance = 0, freedom = 0;
  for (const DeviceValues& line : lines) {
    const VarianceRatio ratio = ratio_of(shifts_of(line), square_of(layout));
    logs.push_back({std::log(std::max(least, ratio.value)), weight_of(line, std::max(finest, layout))});
    weights += logs.back().weight;
    mean += logs.back().weight * logs.back().value;
    by_chance += logs.back().weight * boost::math::trigamma(static_cast<double>(line.size() - 1) / 2);
    freedom += logs.back().weight * ratio.freedom;
  }
  if (logs.size() < 2) return 0;
  mean /= weights;
  double squares = 0;
  for (const engine::Weighted& one : logs) squares += one.weight * square_of(one.value - mean);
  const auto count = static_cast<double>(logs.size());
  const double beyond = squares / weights * count / (count - 1) - by_chance / weights;
  const double most = std::min(most_counts, efficiency_of_squares * freedom / weights * (count - 1));
  constexpr double fewest_counts = 0.01;
  return efficiency_of_squares *
         root_of_falling([&](double counts) { return boost::math::trigamma(counts / 2) - beyond; },
                         fewest_counts, most);
}

struct VarianceScale {
  double variance = 1;  // in those that were expected
  double freedom = 0;
};

/// All lines show it and this one does.
VarianceScale scale_of(const VarianceRatio& own, double counts) {
  const double freedom = own.freedom + counts;
  return freedom > 0 ? VarianceScale{(own.value * own.freedom + counts) / freedom, freedom} : VarianceScale{};
}

/// From the others, which differ by the variance `between`. So many degrees of freedom tell it beside the
/// others themselves.
Distance distance_of(const Shift& one, const std::vector<Shift>& given, double between, double counts) {
  const std::vector<Shift> others = with_equal_say(given);
  const VarianceRatio own = ratio_of(others, between);
  const VarianceScale scale = scale_of(own, counts);
  const Location middle = middle_of(widened(others, between, std::max(1.0, own.value)), 0);
  const double of_middle = middle.variance;
  const double variance = std::max(one.variance, scale.variance * (one.variance + between)) + of_middle;
  // Beside what the device's own noise is.
  const double between_others = scale.variance * (one.variance + between) - one.variance;
  Distance distance{.deviation = std::sqrt(one.variance + of_middle),
                    .others = std::sqrt(std::max(0.0, between_others))};
  const double difference = one.value - middle.value;
  const double seen = square_of(distance.deviation);
  distance.freedom = freedom_of(seen, of_middle, scale.freedom);
  const double half = deviations_of(0.95, distance.freedom) * distance.deviation;
  distance.difference = {difference, difference - half, difference + half};
  distance.middle = middle.value;
  distance.deviation_of_middle = std::sqrt(of_middle);
  const boost::math::students_t_distribution<double> student(scale.freedom);
  distance.chance =
      2 * boost::math::cdf(boost::math::complement(student, std::abs(difference) / std::sqrt(variance)));
  return distance;
}

/// The times in ticks at the speed of the middle device, of the devices whose speed is known.
struct LevelTimes {
  double median = 0;
  DeviceValues values;
};

LevelTimes level_times(const DeviceTimes& times, const DeviceEffects& effects) {
  LevelTimes level;
  std::vector<double> known;
  for (std::size_t d = 0; d < times.size(); ++d) {
    if (!std::isfinite(times[d].deviation) || !std::isfinite(effects.speeds[d].variance)) continue;
    const double speed = std::exp(effects.speeds[d].value);
    known.push_back(times[d].ticks / speed);
    level.values.push_back({d, {known.back(), square_of(times[d].deviation / speed)}});
  }
  if (known.empty()) return level;
  level.median = engine::median(known);
  return level;
}

/// Counts have no noise but their own, and most devices share one.
Distance distance_of_count(const Shift& one, const LevelTimes& all) {
  std::vector<double> variances;
  for (const OfDevice& other : all.values) variances.push_back(other.shift.variance);
  const double of_middle = engine::median(variances) / static_cast<double>(variances.size());
  constexpr double rounding = 1e-9;
  double difference = one.value - all.median;
  if (std::abs(difference) <= rounding * all.median) difference = 0;
  Distance distance{.middle = all.median,
                    .deviation_of_middle = std::sqrt(of_middle),
                    .deviation = std::sqrt(one.variance + of_middle),
                    .freedom = most_freedom};
  const double half = engine::deviations_95 * distance.deviation;
  distance.difference = {difference, difference - half, difference + half};
  if (difference != 0)
    distance.chance = distance.deviation > 0
                          ? std::erfc(std::abs(difference) / distance.deviation / std::numbers::sqrt2)
                          : 0;
  return distance;
}

/// Parts of what the others take, where that is known.
void make_relative(Distance& distance) {
  const double middle = distance.middle;
  if (!(middle > 2 * distance.deviation_of_middle)) return;
  const Interval& ticks = distance.difference;
  distance.relative = {ticks.value / middle, ticks.low / middle, ticks.high / middle};
  distance.others /= middle;
}

}  // namespace

DeviceEffects device_effects(const std::vector<DeviceTimes>& lines, std::size_t devices) {
  DeviceEffects effects{.speeds = std::vector<Location>(devices)};
  std::vector<DeviceValues> known;
  for (const DeviceTimes& line : lines)
    if (DeviceValues values = logs_of_well_known(line); values.size() >= fewest_devices)
      known.push_back(std::move(values));
  effects.have_speeds = lines_that_tell_speed(known, devices) >= fewest_lines;
  double layout = first_layout;
  std::vector<DeviceValues> level = known;
  constexpr int steps = 6;  // speeds, lines and layout follow each other
  for (int step = 0; step < steps; ++step) {
    if (effects.have_speeds) effects.speeds = speeds_of(known, effects.speeds, std::max(finest, layout));
    for (std::size_t i = 0; i < known.size(); ++i) level[i] = without_speeds(known[i], effects.speeds);
    layout = layout_of(level, std::max(finest, layout));
  }
  effects.layout = layout;
  effects.freedom = counts_of_layout(level, layout);
  return effects;
}

std::vector<Distance> distances_at(const DeviceTimes& line, const DeviceEffects& effects) {
  LevelTimes level = level_times(line, effects);
  constexpr double least = 1e-6;  // ticks
  for (OfDevice& one : level.values)
    if (!effects.are_counts)
      one.shift.variance =
          std::max({square_of(least), square_of(finest * level.median), one.shift.variance}) +
          square_of(one.shift.value) * effects.speeds[one.device].variance;
  std::vector<Distance> all(line.size());
  if (level.values.size() < fewest_devices) return all;
  for (const OfDevice& one : level.values) {
    all[one.device] = effects.are_counts
                          ? distance_of_count(one.shift, level)
                          : distance_of(one.shift, shifts_of(level.values, one.device),
                                        square_of(effects.layout * level.median), effects.freedom);
    make_relative(all[one.device]);
  }
  return all;
}

std::vector<Distance> distances_of_speeds(const DeviceEffects& effects) {
  DeviceValues values;
  for (std::size_t d = 0; d < effects.speeds.size(); ++d)
    if (const Location& speed = effects.speeds[d]; std::isfinite(speed.variance))
      values.push_back({d, {speed.value, std::max(finest_variance, speed.variance)}});
  std::vector<Distance> all(effects.speeds.size());
  if (!effects.have_speeds || values.size() < fewest_devices) return all;
  for (const OfDevice& one : values) {
    const std::vector<Shift> others = shifts_of(values, one.device);
    const Distance distance = distance_of(one.shift, others, square_of(usual_speed), speed_counts);
    const auto as_part = [](double logarithm) { return std::expm1(logarithm); };
    all[one.device] = distance;
    const Interval& logarithm = distance.difference;
    all[one.device].relative = {as_part(logarithm.value), as_part(logarithm.low), as_part(logarithm.high)};
  }
  return all;
}

Interval mean_ticks(const DeviceSpread& spread) {
  const double median = spread.median;
  if (spread.devices < 2 || median == 0) return {.value = median};
  const Interval& mean = spread.relative.mean;
  return {median * mean.value, median * mean.low, median * mean.high};
}

DeviceSpread spread_at(const DeviceTimes& line, const DeviceEffects& effects) {
  const LevelTimes level = level_times(line, effects);
  DeviceSpread spread{.devices = level.values.size(), .median = level.median};
  if (level.median == 0) return spread;
  std::vector<Shift> parts;
  for (const OfDevice& one : level.values)
    parts.push_back({one.shift.value / level.median,
                     std::max(finest_variance, one.shift.variance / square_of(level.median))});
  spread.relative = random_effects(parts);
  return spread;
}

RandomEffects spread_of_speeds(const DeviceEffects& effects) {
  std::vector<Shift> known;
  for (const Location& speed : effects.speeds)
    if (effects.have_speeds && std::isfinite(speed.variance)) known.push_back({speed.value, speed.variance});
  return random_effects(known);
}

}  // namespace jcprof::annotator
