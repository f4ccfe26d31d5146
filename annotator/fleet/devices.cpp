// SPDX-License-Identifier: Apache-2.0
#include "annotator/fleet/devices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace jcprof::annotator {
namespace {

constexpr double finest = 1e-6;  // a relative deviation: clocks are no finer
constexpr double finest_variance = finest * finest;
constexpr double first_layout = 0.01;    // before anything was seen
constexpr std::size_t fewest_lines = 5;  // of fewer none tells whether it is the one that differs
// The logarithm of a ratio scatters as one of so many degrees of freedom for each device but one (simulated
// for 3 to 10 devices).
constexpr double counts_of_logs = 1.1;
constexpr double most_counts = 10;  // of what all lines show, beside what one shows

double power_two(double x) {
  return x * x;
}

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
                       std::max(finest_variance, power_two(times[d].deviation / times[d].ticks))}});
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

VarianceRatio ratio_of(const std::vector<Shift>& values, double between) {
  if (values.size() < 2) return {};
  const double middle = middle_of(values, between).value;
  double squares = 0;
  for (const Shift& one : values) squares += square_that_counts(one, middle, between);
  const auto freedom = static_cast<double>(values.size() - 1);
  return {squares / (mean_square_that_counts * freedom), efficiency_of_squares * freedom};
}

/// The speed of each device, where the lines differ by `layout` from device to device.
std::vector<Location> speeds_of(const std::vector<DeviceValues>& lines, std::vector<Location> speeds,
                                double layout) {
  std::vector<std::vector<Shift>> by_device(speeds.size());
  for (const DeviceValues& line : lines) {
    const double middle = middle_of(shifts_of(without_speeds(line, speeds)), power_two(layout)).value;
    for (const OfDevice& one : line)
      by_device[one.device].push_back({one.shift.value - middle, one.shift.variance});
  }
  std::vector<double> values;
  for (std::size_t d = 0; d < speeds.size(); ++d) {
    speeds[d] = by_device[d].empty() ? Location{0, std::numeric_limits<double>::infinity()}
                                     : middle_of(by_device[d], power_two(layout));
    if (!by_device[d].empty()) values.push_back(speeds[d].value);
  }
  const double middle = values.empty() ? 0 : engine::median(values);
  for (std::size_t d = 0; d < speeds.size(); ++d)
    if (!by_device[d].empty()) speeds[d].value -= middle;
  return speeds;
}

/// A line counts for the layout the more, the less noise hides it.
double weight_of(const DeviceValues& line, double layout) {
  std::vector<double> noises;
  for (const OfDevice& one : line) noises.push_back(one.shift.variance);
  return weight_for_scatter(power_two(layout), engine::median(std::move(noises)));
}

/// The layout with which the lines scatter as they should on average.
double layout_of(const std::vector<DeviceValues>& lines, double near) {
  const auto is_narrow = [&](double layout) {
    double squares = 0;
    double counts = 0;
    for (const DeviceValues& line : lines) {
      const VarianceRatio ratio = ratio_of(shifts_of(line), power_two(layout));
      const double weight = weight_of(line, near);
      squares += weight * ratio.value * ratio.freedom;
      counts += weight * ratio.freedom;
    }
    return squares > counts;
  };
  double low = 0;
  double high = 1;
  constexpr int halvings = 24;
  for (int i = 0; i < halvings; ++i) (is_narrow((low + high) / 2) ? low : high) = (low + high) / 2;
  return low;
}

/// The degrees of freedom of the distribution that the variances of lines are drawn from: by how much their
/// logarithms scatter beyond what few devices make them.
double counts_of_layout(const std::vector<DeviceValues>& lines, double layout) {
  constexpr double least = 0.01;  // no ratio is taken to be less: a logarithm of nothing
  std::vector<engine::Weighted> logs;
  double weights = 0, mean = 0, by_chance = 0, freedom = 0;
  for (const DeviceValues& line : lines) {
    const VarianceRatio ratio = ratio_of(shifts_of(line), power_two(layout));
    logs.push_back({std::log(std::max(least, ratio.value)), weight_of(line, std::max(finest, layout))});
    weights += logs.back().weight;
    mean += logs.back().weight * logs.back().value;
    by_chance +=
        logs.back().weight * boost::math::trigamma(counts_of_logs * static_cast<double>(line.size() - 1) / 2);
    freedom += logs.back().weight * ratio.freedom;
  }
  if (logs.size() < 2) return 0;
  mean /= weights;
  double squares = 0;
  for (const engine::Weighted& one : logs) squares += one.weight * power_two(one.value - mean);
  const auto count = static_cast<double>(logs.size());
  const double beyond = squares / weights * count / (count - 1) - by_chance / weights;
  const double most = std::min(most_counts, freedom / weights * (count - 1));
  if (beyond <= boost::math::trigamma(most / 2)) return most;
  double low = 0;
  double high = most;
  constexpr int halvings = 24;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (boost::math::trigamma(middle / 2) > beyond ? low : high) = middle;
  }
  return low;
}

struct VarianceScale {
  double variance = 1;  // in those that were expected
  double freedom = 0;
};

/// What all lines show and what this one shows.
VarianceScale scale_of(const VarianceRatio& own, double counts) {
  const double freedom = own.freedom + counts;
  return freedom > 0 ? VarianceScale{(own.value * own.freedom + counts) / freedom, freedom} : VarianceScale{};
}

/// The variance between the values with which they scatter as they should.
double between_of(const std::vector<Shift>& values) {
  double low = 0;
  double high = 1;
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i)
    (ratio_of(values, (low + high) / 2).value > 1 ? low : high) = (low + high) / 2;
  return low;
}

/// From the others, which differ by the variance `between`. So many degrees of freedom tell it beside the
/// others themselves.
Distance distance_of(const Shift& one, const std::vector<Shift>& others, double between, double counts) {
  const VarianceScale scale = scale_of(ratio_of(others, between), counts);
  const Location middle = middle_of(others, between);
  const double of_middle = middle.variance * std::max(1.0, scale.variance);
  const double variance = std::max(one.variance, scale.variance * (one.variance + between)) + of_middle;
  // Beside what the device's own noise is.
  const double between_others = scale.variance * (one.variance + between) - one.variance;
  Distance distance{.deviation = std::sqrt(one.variance + of_middle),
                    .others = std::sqrt(std::max(0.0, between_others))};
  const double difference = one.value - middle.value;
  const double seen = power_two(distance.deviation);
  const double half = deviations_of(0.95, freedom_of(seen, of_middle, scale.freedom)) * distance.deviation;
  distance.relative = {difference, difference - half, difference + half};
  const boost::math::students_t_distribution<double> student(scale.freedom);
  distance.chance =
      2 * boost::math::cdf(boost::math::complement(student, std::abs(difference) / std::sqrt(variance)));
  return distance;
}

/// The times at the speed of the middle device, as parts of their median.
struct RelativeTimes {
  double median = 0;
  DeviceValues values;
};

RelativeTimes relative_times(const DeviceTimes& times, const std::vector<Location>& speeds) {
  DeviceValues values;
  std::vector<double> known;
  for (std::size_t d = 0; d < times.size(); ++d) {
    if (!std::isfinite(times[d].deviation)) continue;
    const double speed = std::exp(speeds[d].value);
    known.push_back(times[d].ticks / speed);
    values.push_back({d, {known.back(), power_two(times[d].deviation / speed)}});
  }
  const double median = engine::median(known);
  if (!(median > 0)) return {};
  for (OfDevice& one : values)
    one.shift = {one.shift.value / median, std::max(finest_variance, one.shift.variance / power_two(median))};
  return {median, std::move(values)};
}

}  // namespace

DeviceEffects device_effects(const std::vector<DeviceTimes>& lines, std::size_t devices) {
  DeviceEffects effects{.speeds = std::vector<Location>(devices)};
  std::vector<DeviceValues> known;
  for (const DeviceTimes& line : lines)
    if (DeviceValues values = logs_of_well_known(line); values.size() >= fewest_devices)
      known.push_back(std::move(values));
  effects.have_speeds = known.size() >= fewest_lines;
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
  DeviceValues values = relative_times(line, effects.speeds).values;
  for (OfDevice& one : values)
    if (std::isfinite(effects.speeds[one.device].variance))
      one.shift.variance += effects.speeds[one.device].variance;
  std::vector<Distance> all(line.size());
  if (values.size() < fewest_devices) return all;
  for (const OfDevice& one : values)
    all[one.device] =
        distance_of(one.shift, shifts_of(values, one.device), power_two(effects.layout), effects.freedom);
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
    const double between = between_of(others);
    const Distance distance = distance_of(one.shift, others, between, 0);
    const auto as_part = [](double logarithm) { return std::expm1(logarithm); };
    all[one.device] = distance;
    all[one.device].relative = {as_part(distance.relative.value), as_part(distance.relative.low),
                                as_part(distance.relative.high)};
  }
  return all;
}

DeviceSpread spread_at(const DeviceTimes& line, const DeviceEffects& effects) {
  const RelativeTimes times = relative_times(line, effects.speeds);
  return {times.values.size(), times.median, random_effects(shifts_of(times.values))};
}

RandomEffects spread_of_speeds(const DeviceEffects& effects) {
  std::vector<Shift> known;
  for (const Location& speed : effects.speeds)
    if (effects.have_speeds && std::isfinite(speed.variance)) known.push_back({speed.value, speed.variance});
  return random_effects(known);
}

}  // namespace jcprof::annotator
