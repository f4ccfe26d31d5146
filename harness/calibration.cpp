// SPDX-License-Identifier: Apache-2.0
#include "harness/calibration.hpp"

#include <algorithm>

#include "harness/median.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t first_passes = 1000;
constexpr int pilot_pairs = 7;
// A JIT compiles the loops after some hundred commands; the slope of the interpreter is not the one that is
// wanted. So much of the target's time is enough for that, and on a card without one it is a single command.
constexpr Ticks warm_up_ns = 60'000'000;
constexpr int warm_up_commands = 2000;
constexpr double clear_in_sigmas = 3;

/// Kinds that are timed in turn, with as many passes each: those that tell `dear` from `cheap`.
struct Group {
  std::vector<CalibrationKind> kinds;
  CalibrationKind cheap;
  CalibrationKind dear;
};

class Calibrator {
 public:
  Calibrator(Transport& transport, const CalibrationSettings& settings, const std::function<bool()>& goes_on)
      : transport_(transport), settings_(settings), goes_on_(goes_on) {}

  std::vector<CalibrationTime> times(const Group& group) {
    for (const CalibrationKind kind : group.kinds)
      if (!warm_up(kind)) return {};
    const std::uint64_t passes = clear_passes(group);
    std::vector<CalibrationTime> times;
    for (std::uint32_t i = 0; i < settings_.repetitions; ++i)
      for (const CalibrationKind kind : group.kinds)
        if (!goes_on_() || !add(times, kind, passes)) return times;
    return times;
  }

 private:
  /// False where the target does not do that kind, or nothing more is wanted.
  bool warm_up(CalibrationKind kind) {
    Ticks spent = 0;
    for (int i = 0; i < warm_up_commands && spent < warm_up_ns && goes_on_(); ++i) {
      const std::optional<CalibrationTime> time = transport_.calibrate(kind, first_passes);
      if (!time) return false;
      spent += time->ticks;
    }
    return goes_on_();
  }

  std::uint64_t clear_passes(const Group& group) {
    std::uint64_t passes = first_passes;
    Ticks longest = 0;
    while (goes_on_() && !is_clear(group, passes, longest) && 2 * passes <= settings_.most_passes &&
           2 * longest <= settings_.longest.count())
      passes *= 2;
    return passes;
  }

  /// Whether so many passes of one kind can be told from those of the other.
  bool is_clear(const Group& group, std::uint64_t passes, Ticks& longest) {
    std::vector<double> differences;
    for (int i = 0; i < pilot_pairs; ++i) {
      std::vector<CalibrationTime> pair;
      if (!add(pair, group.cheap, passes) || !add(pair, group.dear, passes)) return true;
      differences.push_back(static_cast<double>(pair[1].ticks - pair[0].ticks));
      longest = std::max(longest, pair[1].ticks);
    }
    return median(differences) > 0 && median(differences) >= clear_in_sigmas * robust_sigma(differences);
  }

  bool add(std::vector<CalibrationTime>& times, CalibrationKind kind, std::uint64_t passes) {
    const std::optional<CalibrationTime> time = transport_.calibrate(kind, passes);
    if (time) times.push_back(*time);
    return time.has_value();
  }

  Transport& transport_;
  const CalibrationSettings& settings_;
  const std::function<bool()>& goes_on_;
};

}  // namespace

std::vector<CalibrationTime> calibrate(Transport& transport, const CalibrationSettings& settings,
                                       const std::function<bool()>& goes_on) {
  using enum CalibrationKind;
  Calibrator calibrator(transport, settings, goes_on);
  std::vector<CalibrationTime> times =
      calibrator.times({.kinds = {empty, unarmed, counting}, .cheap = empty, .dear = unarmed});
  const std::vector<CalibrationTime> unwinding = calibrator.times(
      {.kinds = {returned, calls, thrown, frames, guards, stop}, .cheap = thrown, .dear = frames});
  times.insert(times.end(), unwinding.begin(), unwinding.end());
  return times;
}

}  // namespace jcprof::harness
