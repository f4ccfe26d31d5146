// SPDX-License-Identifier: Apache-2.0
// The harness's side of a target, however it is reached: five verbs, the same as an agent's
// (docs/architecture.md, "Transports"). Knows nothing of rounds, estimates or stores.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/core/free_memory.hpp"
#include "src/core/path_signature.hpp"
#include "src/core/project.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

struct Description {
  std::string transport;  // "vpcd", "pcsc", …
  std::string agent;      // the program that does the timing, with version
  std::string reader;     // that holds the card; empty where there is none, or jcprof is it
  std::string protocol;   // "T=1"
  std::string device;     // from the project, the ATR or the agent
  std::string atr;        // lower-case hex; empty where there is none
  bool simulated = false;
  ClockUnit unit = ClockUnit::ns;
  double hz = 0;          // for cycles
  double resolution = 1;  // of the clock, in ticks
  bool exact = false;     // repeating the run repeats the ticks
  std::string note = {};  // a warning of what is measured; empty: none
};

/// All events of a run, as some targets tell even when they are asked for a part.
struct WholeRun {
  std::uint64_t events = 0;
  PathDigest digest;
  bool operator==(const WholeRun&) const = default;
};

/// A window of the path of one run.
struct TraceWindow {
  std::vector<TrapId> traps;                // from the `from`-th event on, in the order passed
  bool more = false;                        // events were passed behind the window
  PathDigest before;                        // of everything before the window
  std::optional<WholeRun> run = {};         // cards know it, agents do not
  std::optional<std::uint64_t> total = {};  // events of the run, where an agent knows at least that
  Sample end = {};                          // how the run itself ended; of an agent's no time
};

/// A traced run that looked at the free memory at each event.
struct MemoryTrace {
  TraceWindow window;  // from the first event on
  MemoryLog log;
};

/// The work of a calibration command.
enum class CalibrationKind : std::uint8_t {
  empty,     // passes of an empty loop
  unarmed,   // of a trap that is not armed
  counting,  // of one that is, and counts
  returned,  // nothing, and returns
  stop,      // nothing, and is left by a stop
  calls,     // calls through so many frames as passes are asked for, and returns
  frames,    // the same, left by a stop
  guards,    // the same, with a guard in each frame
  unwind,    // calls through so many frames, left by a stop: what agents time in place of the five above
  sites,     // so many traps of one function, left by a stop at the next one
};
std::string_view name_of(CalibrationKind kind);
std::optional<CalibrationKind> calibration_kind(std::string_view name);

struct CalibrationTime {
  CalibrationKind kind = CalibrationKind::empty;
  std::uint64_t passes = 0;  // really made
  Ticks ticks = 0;           // of the whole command
};

/// A target that calibrations lose is not brought back for long.
inline constexpr int calibration_attempts = 2;

/// "trap 3, hit 1", "the end".
std::string in_words(Event event);
/// A stop elsewhere than asked is a sample of neither place: nobody knows how it came there. An agent may say
/// so itself, and why. `reached` must be known of a stop.
void mark_if_elsewhere(Event asked, Sample& sample);

/// Called once a shot, in order, as soon as it is done. Returning false ends the batch after that shot.
using ShotSink = std::function<bool(const Shot&, const Sample&)>;

class Transport {
 public:
  virtual ~Transport() = default;

  virtual Description describe() = 0;
  /// The inputs that `Shot::input` counts into; called once before the first shot.
  virtual void set_inputs(std::vector<Bytes> inputs) = 0;
  /// One timed trigger a shot. A target that dies mid-way makes that shot `lost` and is brought back.
  virtual void measure(std::span<const Shot> shots, const ShotSink& sink) = 0;
  /// Runs the trigger once, recording the `count` traps from the `from`-th on (0-based).
  virtual TraceWindow trace(std::uint32_t input, std::uint64_t from, std::uint32_t count) = 0;
  /// The same from the first event on, with the free memory. Nothing where the target does not tell that.
  virtual std::optional<MemoryTrace> trace_memory(std::uint32_t /*input*/) { return std::nullopt; }
  /// One calibration command with `passes` passes, rounded up to what the target can do. Nothing where the
  /// target does not do that.
  virtual std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) = 0;
  /// The whole path that an input takes, as it was put together from windows.
  virtual void set_path(std::uint32_t /*input*/, std::span<const TrapId> /*path*/) {}
  /// The project wants the command to be answered so. Only the first answer to an input must be right.
  virtual bool is_right(std::uint32_t /*status*/) const { return true; }
  /// For an error that ends the run: what runs the target, and the end of its log. Empty where there is none.
  virtual std::string account() { return {}; }
};

}  // namespace jcprof::harness
