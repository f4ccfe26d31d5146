// SPDX-License-Identifier: Apache-2.0
// Times and shares as text for people: one unit for a value and its interval, no digit that the interval does
// not carry.
#pragma once

#include <cstdint>
#include <string>

#include "src/core/types.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

using engine::Interval;

/// A unit to print in: "ms" is 1e6 ticks where a tick is a nanosecond.
struct Scale {
  double ticks = 1;
  std::string name;
};

Scale scale_for(double ticks, ClockUnit unit);

/// "40.2 ms" and "0.3": the value has the digits that its half width has, at least two, at most six. Off the
/// middle of its interval it has the wider side's width. That is "?" where the interval is not finite.
struct Quantity {
  std::string value;  // with its unit
  std::string half_width;
};
Quantity quantity(const Interval& ticks, ClockUnit unit);

/// Rounded up to at least two significant digits, in the unit for `ticks`: "271 µs".
std::string upper_bound(double ticks, ClockUnit unit);

/// Two significant digits in `scale`, or in a smaller unit where that would be below 0.01.
std::string each(double ticks, const Scale& scale, ClockUnit unit);
/// In the unit for `ticks`.
std::string each(double ticks, ClockUnit unit);

/// "not measured (6 rounds)": too few rounds for an interval, so there is no number.
std::string not_measured(std::uint32_t rounds);

/// "31.4 %", "0.62 %".
std::string percent(double share);

}  // namespace jcprof::annotator
