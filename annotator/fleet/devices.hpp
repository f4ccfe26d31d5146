// SPDX-License-Identifier: Apache-2.0
// How the devices of one type differ from each other: in their speed as a whole, and at each line beside
// that. Each device is held against the others without it. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "annotator/compare/sessions.hpp"
#include "annotator/fleet/random_effects.hpp"

namespace jcprof::annotator {

/// With fewer the others of a device tell nothing.
inline constexpr std::size_t fewest_devices = 3;

/// The time of one line or function on each device; an infinite deviation: not known there.
using DeviceTimes = std::vector<Reading>;

struct DeviceEffects {
  std::vector<Location> speeds;  // of each device: a logarithm, more is slower; the middle one has 0
  // False where too few lines tell a speed from a line; all speeds are 0 then. Else that of a device without
  // lines has an infinite variance.
  bool have_speeds = false;
  double layout = 0;   // relative standard deviation of a line's time from device to device, as of all lines
  double freedom = 0;  // degrees of freedom with which that counts beside what a line's own devices show
  bool are_counts = false;  // of instructions: devices do not differ in speed, and any difference is one
};

/// A device against the others.
struct Distance {
  Interval difference;  // to the middle of the others, 95 %, in ticks, or a logarithm of a speed; infinite
                        // ends: it is not known
  Interval relative;    // a part of that middle; infinite ends: that is not known to be more than nothing
  double middle = 0;
  double deviation_of_middle = 0;
  double chance = 1;     // that a device like the others is as far from them
  double deviation = 0;  // of difference.value, without what devices differ by
  double freedom = 1;    // degrees of freedom of that deviation
  double others = 0;     // a standard deviation: what the others differ by, as a part
};

/// Lines that are known well tell the speeds: medians over lines and devices in turn, both by Tukey's
/// biweight, so that neither a line that differs on one device nor a device with several of these moves
/// them, and no line outweighs all others. The variances of lines scatter about their mean as a scaled F
/// distribution does (Smyth 2004).
DeviceEffects device_effects(const std::vector<DeviceTimes>& lines, std::size_t devices);

/// Each device at one line, its speed taken out. The others' middle and scatter do not heed the ones among
/// them that lie far out.
std::vector<Distance> distances_at(const DeviceTimes& line, const DeviceEffects& effects);

/// The devices' speeds. Beside the others, what is usual tells how much speeds differ: 2 %.
std::vector<Distance> distances_of_speeds(const DeviceEffects& effects);

/// A line on all devices, each at the speed of the middle one.
struct DeviceSpread {
  std::size_t devices = 0;  // that it is known on
  double median = 0;        // ticks
  RandomEffects relative;   // parts of the median
};
/// The median alone where no more is known.
Interval mean_ticks(const DeviceSpread& spread);
DeviceSpread spread_at(const DeviceTimes& line, const DeviceEffects& effects);
RandomEffects spread_of_speeds(const DeviceEffects& effects);

}  // namespace jcprof::annotator
