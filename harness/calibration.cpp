// SPDX-License-Identifier: Apache-2.0
#include "harness/calibration.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "harness/clock.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t first_passes = 1000;
constexpr int pilot_pairs = 7;
// Many enough that a step of an exact clock is nothing, a pass of each kind.
constexpr std::uint64_t exact_passes = 131'072;
constexpr double clear_in_sigmas = 3;

// Frames for a stop to unwind: as many as the target's stack holds.
constexpr std::array<std::uint64_t, 4> depths{64, 24, 8, 3};
// A stop is timed one a command, as it happens; where that is quick it is worth more repetitions.
constexpr std::uint32_t most_repetitions = 10;  // times those asked for
constexpr Ticks plenty_ns = 400'000'000;

using Kinds = std::vector<CalibrationKind>;

class Calibrator {
 public:
  Calibrator(Transport& transport, const CalibrationSettings& settings, const std::function<bool()>& goes_on)
      : transport_(transport), settings_(settings), goes_on_(goes_on) {}

  void time_traps() {
    const Kinds kinds{CalibrationKind::empty, CalibrationKind::unarmed, CalibrationKind::counting};
    for (const CalibrationKind kind : kinds)
      if (!warm_up(kind, first_passes)) return;
    const std::uint64_t passes = clear_passes();
    for (std::uint32_t i = 0; i < settings_.repetitions; ++i)
      if (!add_each(kinds, passes)) return;
  }

  /// A call with few frames shows whether the target times the unwinding at all.
  void time_exactly() {
    using enum CalibrationKind;
    for (std::uint32_t i = 0; i < settings_.repetitions; ++i)
      if (!add_each({empty, unarmed, counting}, exact_passes)) return;
    if (goes_on_() && transport_.calibrate(unwind, depths.back())) time_unwinding();
  }

  void time_stops() {
    using enum CalibrationKind;
    const Kinds kinds{returned, stop, calls, frames, guards};
    const auto depth = std::ranges::find_if(depths, [&](std::uint64_t n) {
      return goes_on_() && transport_.calibrate(calls, n) && transport_.calibrate(guards, n);
    });
    if (depth == depths.end()) return time_unwinding();
    for (const CalibrationKind kind : kinds)
      if (!warm_up(kind, *depth)) return;
    Ticks spent = 0;
    for (std::uint32_t i = 0;
         i < settings_.repetitions || (i < most_repetitions * settings_.repetitions && spent < plenty_ns);
         ++i) {
      if (!add_each(kinds, *depth)) return;
      for (const CalibrationTime& time : std::span(times_).last(kinds.size())) spent += time.ticks;
    }
  }

  std::vector<CalibrationTime> times() { return std::move(times_); }

 private:
  /// The slope of one kind from its ends: nothing in between tells more.
  void time_unwinding() {
    constexpr CalibrationKind unwind = CalibrationKind::unwind;
    const auto depth = std::ranges::find_if(
        depths, [&](std::uint64_t n) { return goes_on_() && transport_.calibrate(unwind, n).has_value(); });
    if (depth == depths.end() || !warm_up(unwind, *depth)) return;
    for (std::uint32_t i = 0; i < settings_.repetitions; ++i)
      if (!add_each({unwind}, 0) || !add_each({unwind}, *depth)) return;
  }

  /// False where the target does not do that, or nothing more is wanted.
  bool warm_up(CalibrationKind kind, std::uint64_t passes) {
    if (settings_.is_exact) return goes_on_();
    const std::int64_t began = now_ns();
    Ticks spent = 0;
    // Looked at by our own clock too: a tick may be anything, and starting a command may take most of the
    // time.
    for (int i = 0;
         i < warm_up_commands && spent < warm_up_ns && now_ns() - began < longest_warm_up_ns && goes_on_();
         ++i) {
      const std::optional<CalibrationTime> time = transport_.calibrate(kind, passes);
      if (!time) return false;
      spent += time->ticks;
    }
    return goes_on_();
  }

  bool add_each(const Kinds& kinds, std::uint64_t passes) {
    for (const CalibrationKind kind : kinds) {
      if (!goes_on_()) return false;
      const std::optional<CalibrationTime> time = transport_.calibrate(kind, passes);
      if (!time) return false;
      times_.push_back(*time);
    }
    return true;
  }

  std::uint64_t clear_passes() {
    std::uint64_t passes = first_passes;
    Ticks longest = 0;
    while (goes_on_() && !is_clear(passes, longest) && 2 * passes <= settings_.most_passes &&
           2 * longest <= settings_.longest.count())
      passes *= 2;
    return passes;
  }

  /// True when so many passes of a trap can be told from none.
  bool is_clear(std::uint64_t passes, Ticks& longest) {
    std::vector<double> differences;
    for (int i = 0; i < pilot_pairs; ++i) {
      const std::int64_t began = now_ns();
      const auto empty = transport_.calibrate(CalibrationKind::empty, passes);
      const auto unarmed = transport_.calibrate(CalibrationKind::unarmed, passes);
      if (!empty || !unarmed) return true;
      differences.push_back(static_cast<double>(unarmed->ticks - empty->ticks));
      longest = std::max({longest, unarmed->ticks, (now_ns() - began) / 2});
    }
    return engine::median(differences) > 0 &&
           engine::median(differences) >= clear_in_sigmas * engine::mad_sigma(differences);
  }

  Transport& transport_;
  const CalibrationSettings& settings_;
  const std::function<bool()>& goes_on_;
  std::vector<CalibrationTime> times_;
};

}  // namespace

std::vector<CalibrationTime> calibrate(Transport& transport, const CalibrationSettings& settings,
                                       const std::function<bool()>& goes_on) {
  Calibrator calibrator(transport, settings, goes_on);
  if (settings.is_exact) {
    calibrator.time_exactly();
  } else {
    calibrator.time_traps();
    calibrator.time_stops();
  }
  return calibrator.times();
}

}  // namespace jcprof::harness
