// SPDX-License-Identifier: Apache-2.0
#include "harness/calibration.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
constexpr std::int64_t longest_stops_ns = 2'000'000'000;  // an agent may be started anew for each

// Stops at so many sites of one function show how far sites differ. That takes many turns, so it is done
// where commands are quick.
constexpr std::uint64_t sites = 8;
constexpr int most_turns_of_sites = 1000;
constexpr std::int64_t longest_sites_ns = 1'000'000'000;
// What fewer turns say, the annotator does not take.
constexpr std::uint64_t fewest_turns_of_sites = 10;
constexpr int pilot_sites = 3;

// Where the clock is exact, a command in many may still do something that the others do not.
constexpr std::uint32_t exact_stops = 5;

// A warm-up may take a 20th of the time; there are up to nine. Each stage may take an eighth.
constexpr int parts_for_warm_up = 20;
constexpr int parts_for_stage = 8;

/// Lasts one part of the time for all kinds, and `longest_ns` at most. It begins when it is made.
class Stage {
 public:
  Stage(std::chrono::nanoseconds all, int parts,
        std::int64_t longest_ns = std::numeric_limits<std::int64_t>::max())
      : length_ns_(std::min<std::int64_t>(all.count() / parts, longest_ns)) {}
  bool is_over() const { return now_ns() - began_ns_ >= length_ns_; }
  std::int64_t length_ns() const { return length_ns_; }

 private:
  std::int64_t began_ns_ = now_ns();
  std::int64_t length_ns_;
};

/// A kind to be timed, and with how many passes.
struct Wanted {
  CalibrationKind kind;
  std::uint64_t passes = 1;
};
using Turn = std::vector<Wanted>;

class Calibrator {
 public:
  Calibrator(Transport& transport, const CalibrationSettings& settings, const std::function<bool()>& goes_on)
      : transport_(transport), settings_(settings), goes_on_(goes_on) {}

  void time_traps() {
    using enum CalibrationKind;
    for (const CalibrationKind kind : {empty, unarmed, counting}) warm_up({kind, first_passes});
    const std::uint64_t passes = clear_passes();
    repeat({{empty, passes}, {unarmed, passes}, {counting, passes}});
  }

  /// A call with few frames shows whether the target times the unwinding at all.
  void time_exactly() {
    using enum CalibrationKind;
    for (std::uint32_t i = 0; i < settings_.repetitions; ++i)
      add_each({{empty, exact_passes}, {unarmed, exact_passes}, {counting, exact_passes}});
    for (std::uint32_t i = 0; i < exact_stops; ++i) add_each({{returned}, {stop}});
    if (goes_on_() && transport_.calibrate(unwind, depths.back())) time_unwinding();
  }

  void time_stops() { time_stops(stops()); }
  /// Not from a depth, which may be another one than at first.
  void time_stops_alone() { time_stops({{CalibrationKind::returned}, {CalibrationKind::stop}}); }

  /// In turn and back, as stops are.
  void time_sites() {
    Turn turn;
    for (std::uint64_t site = 1; site <= sites; ++site) turn.push_back({CalibrationKind::sites, site});
    warm_up(turn.back());
    const Stage stage(settings_.most_time, parts_for_stage, longest_sites_ns);
    std::int64_t quickest = stage.length_ns();  // of some commands: one may be kept up
    for (int i = 0; i < pilot_sites; ++i) {
      const std::int64_t asked = now_ns();
      if (!time(turn.back()) || stage.is_over()) return;
      quickest = std::min(quickest, now_ns() - asked);
    }
    if (quickest * static_cast<std::int64_t>(fewest_turns_of_sites * sites) > stage.length_ns()) return;
    for (int i = 0; i < most_turns_of_sites && !stage.is_over(); ++i) {
      add_each(turn);
      std::ranges::reverse(turn);
    }
  }

  std::vector<CalibrationTime> times() { return std::move(times_); }

 private:
  void time_stops(const Turn& turn) {
    for (const Wanted& one : turn) warm_up(one);
    const Stage stage(settings_.most_time, parts_for_stage, longest_stops_ns);
    Ticks spent = repeat(turn);
    for (std::uint32_t i = settings_.repetitions;
         i < most_repetitions * settings_.repetitions && spent < plenty_ns && !stage.is_over(); ++i)
      spent += add_each(turn);
  }

  /// A stack that has no room for guards may have room for frames without. A target that times no frames
  /// may time the unwinding by itself.
  Turn stops() {
    using enum CalibrationKind;
    Turn turn{{returned}, {stop}};
    const std::uint64_t guarded = deepest({calls, guards});
    const std::uint64_t depth = guarded > 0 ? guarded : deepest({calls});
    if (depth == 0) {
      time_unwinding();
      return turn;
    }
    turn.insert(turn.end(), {{calls, depth}, {frames, depth}});
    if (guarded > 0) turn.push_back({guards, depth});
    return turn;
  }

  /// How many frames the target has room for; 0: none.
  std::uint64_t deepest(const std::vector<CalibrationKind>& kinds) {
    for (const std::uint64_t depth : depths)
      if (std::ranges::all_of(
              kinds, [&](auto kind) { return goes_on_() && transport_.calibrate(kind, depth).has_value(); }))
        return depth;
    return 0;
  }

  /// The slope of one kind from its ends: nothing in between tells more.
  void time_unwinding() {
    constexpr CalibrationKind unwind = CalibrationKind::unwind;
    const std::uint64_t depth = deepest({unwind});
    if (depth == 0) return;
    warm_up({unwind, depth});
    repeat({{unwind, 0}, {unwind, depth}});
  }

  void warm_up(const Wanted& wanted) {
    if (settings_.is_exact) return;
    Ticks spent = 0;
    // Looked at by our own clock too: a tick may be anything, and starting a command may take most of the
    // time.
    const Stage stage(settings_.most_time, parts_for_warm_up, longest_warm_up_ns);
    for (int i = 0; i < warm_up_commands && spent < warm_up_ns && !stage.is_over(); ++i) {
      const std::optional<CalibrationTime> one = time(wanted);
      if (!one) return;
      spent += one->ticks;
    }
  }

  /// Nothing where no more is wanted, and where the target does not do that: it is not asked again, so that
  /// times of one turn stay beside each other.
  std::optional<CalibrationTime> time(const Wanted& wanted) {
    if (refused_.contains(wanted.kind) || !goes_on_()) return std::nullopt;
    const std::optional<CalibrationTime> one = transport_.calibrate(wanted.kind, wanted.passes);
    if (!one) refused_.insert(wanted.kind);
    return one;
  }

  /// Makes as many turns as were asked for, and fewer once the stage's time is over. Returns the ticks of all
  /// commands together.
  Ticks repeat(const Turn& turn) {
    const Stage stage(settings_.most_time, parts_for_stage);
    Ticks spent = 0;
    for (std::uint32_t i = 0;
         i < settings_.repetitions && (i < engine::fewest_for_interval || !stage.is_over()); ++i)
      spent += add_each(turn);
    return spent;
  }

  /// One time of each kind that the target does. Returns how long they took together.
  Ticks add_each(const Turn& turn) {
    Ticks spent = 0;
    for (const Wanted& wanted : turn) {
      const std::optional<CalibrationTime> one = time(wanted);
      if (!one) continue;
      spent += one->ticks;
      times_.push_back(*one);
    }
    return spent;
  }

  std::uint64_t clear_passes() {
    std::uint64_t passes = first_passes;
    Ticks longest = 0;
    const Stage stage(settings_.most_time, parts_for_stage);
    while (goes_on_() && !is_clear(passes, stage, longest) && !stage.is_over() &&
           2 * passes <= settings_.most_passes && 2 * longest <= settings_.longest.count())
      passes *= 2;
    return passes;
  }

  /// True when so many passes of a trap can be told from none.
  bool is_clear(std::uint64_t passes, const Stage& stage, Ticks& longest) {
    std::vector<double> differences;
    for (int i = 0; i < pilot_pairs; ++i) {
      if (stage.is_over()) return false;
      const std::int64_t began = now_ns();
      const auto empty = time({CalibrationKind::empty, passes});
      auto passed = time({CalibrationKind::unarmed, passes});
      if (!passed) passed = time({CalibrationKind::counting, passes});
      if (!empty || !passed) return true;
      differences.push_back(static_cast<double>(passed->ticks - empty->ticks));
      longest = std::max({longest, passed->ticks, (now_ns() - began) / 2});
    }
    return engine::median(differences) > 0 &&
           engine::median(differences) >= clear_in_sigmas * engine::mad_sigma(differences);
  }

  Transport& transport_;
  const CalibrationSettings& settings_;
  const std::function<bool()>& goes_on_;
  std::set<CalibrationKind> refused_;
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
    calibrator.time_sites();
  }
  return calibrator.times();
}

std::vector<CalibrationTime> calibrate_stops(Transport& transport, const CalibrationSettings& settings,
                                             const std::function<bool()>& goes_on) {
  Calibrator calibrator(transport, settings, goes_on);
  calibrator.time_stops_alone();
  calibrator.time_sites();
  return calibrator.times();
}

std::optional<Warning> warning_of(const std::vector<CalibrationTime>& times) {
  using enum CalibrationKind;
  const auto has = [&](CalibrationKind kind) {
    return std::ranges::find(times, kind, &CalibrationTime::kind) != times.end();
  };
  std::vector<std::string> unknown;
  if (!has(empty) || !has(unarmed)) unknown.emplace_back("a trap on the way");
  if (!has(counting)) unknown.emplace_back("a counted pass");
  // Where a target does nothing of a kind a stop may cost nothing: a program leaves by _exit.
  if (has(returned) != has(stop)) unknown.emplace_back("a stop");
  const bool has_frame = has(calls) && has(frames) && has(returned) && has(stop);
  if (!has_frame && (has(calls) || has(frames))) unknown.emplace_back("a frame that a stop leaves");
  if (has(frames) && !has(guards)) unknown.emplace_back("a guard");
  if (unknown.empty()) return std::nullopt;
  return Warning{
      .kind = WarningKind::trap_cost,
      .text = fmt::format("calibration failed, so times include the cost of {}", fmt::join(unknown, ", "))};
}

}  // namespace jcprof::harness
