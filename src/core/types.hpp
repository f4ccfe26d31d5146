// SPDX-License-Identifier: Apache-2.0
// The values that all stages share: traps, events, shots, samples. No behaviour beyond comparison and names.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof {

using Bytes = std::vector<std::uint8_t>;

/// Number of a trap, from 1 in file order. 0 is no trap: the command runs to its end.
enum class TrapId : std::uint32_t {};
inline constexpr TrapId run_to_end{0};
constexpr std::uint32_t number(TrapId id) {
  return static_cast<std::uint32_t>(id);
}

/// The n-th time (from 1) that a trap is passed in one trigger.
struct Event {
  TrapId trap = run_to_end;
  std::uint32_t hit = 1;
  auto operator<=>(const Event&) const = default;
};

enum class TrapKind : std::uint8_t {
  entry0,     // first of all in the entry function: a dummy block, floors of the transport end before `entry`
  entry,      // first thing in a function
  before,     // in front of a statement
  after,      // at the end of a block that can complete
  loop_body,  // in front of the first statement of a loop's body
  handler,    // in front of the first statement of a catch or finally block
  returns,    // in front of a `return;`, or once the value of `return f(x);` is known
  exit,       // at the end of a function body that can complete
  marker,     // where the user put one by hand
};
std::string_view name_of(TrapKind kind);
std::optional<TrapKind> trap_kind(std::string_view name);

/// How one shot ended. The list is the same in stores, in agents and in reports.
enum class Outcome : std::uint8_t {
  stopped,    // left at the event asked for
  ended,      // ran to its end; status and answer are the target's own
  refused,    // arming was not accepted
  elsewhere,  // stopped, but at another event, or in another command than the traced run passes it in
  timed_out,  // no answer in time
  lost,       // the target died or was taken away
};
std::string_view name_of(Outcome outcome);
std::optional<Outcome> outcome_named(std::string_view name);

/// Ticks of the target's clock; `unit` of the run says what one is.
using Ticks = std::int64_t;

enum class ClockUnit : std::uint8_t { ns, cycles, instructions };
std::string_view name_of(ClockUnit unit);
std::optional<ClockUnit> clock_unit(std::string_view name);

/// What is asked of the target: run the trigger with an input, stop at an event (or at the end).
struct Shot {
  Event stop;                 // {run_to_end} for the whole command
  std::uint32_t input = 0;    // index into the run's inputs
  std::int64_t delay_ns = 0;  // waited before the timed region
  bool prepares = false;      // for the shot behind it: its sample is of no round
};

/// One timed trigger as it was observed: absolute, never a difference.
struct Sample {
  Outcome outcome = Outcome::lost;
  Ticks ticks = 0;  // start of the trigger to its answer; valid for stopped and ended
  std::optional<std::uint32_t> status = {};  // the target's status word (SW1 SW2, exit status) when it ended
  Bytes reply = {};                          // the answer's data when it ended
  std::string why = {};                      // for all but stopped and ended: what a person should know
  // Of the path up to the stop, or of all of it; where the target reports it. Only equality means something.
  std::optional<std::uint32_t> signature = {};
  // Where it stopped, as the target read it back. A stop that came `elsewhere` has it too.
  std::optional<Event> reached = {};
  // The part of the processor's time that other threads than the first took; 0 where nobody knows.
  double other_threads = 0;
};

/// One depth of the calls that `jcprof layers` times: what it takes to go that deep and back, in each round.
struct Rung {
  std::string name;
  std::vector<Ticks> ticks;
};

/// How differences of times become numbers.
enum class Method : std::uint8_t {
  fine,    // medians: the clock resolves the noise
  coarse,  // means: readings are steps of a clock or a grid, and shots were paused at random to smooth them
  exact,   // the clock repeats itself: the spread of the readings is the interval
};
std::string_view name_of(Method method);
std::optional<Method> method_named(std::string_view name);

/// Whether a block takes at least what was asked about.
enum class Hot : std::uint8_t { undecided, yes, no };

/// How the traps of a Java Card build are armed; empty for other targets.
struct CardArming {
  std::uint8_t cla = 0;
  std::uint8_t ins = 0;
  std::uint16_t stop_status = 0;  // the status word that says "stopped"
  bool operator==(const CardArming&) const = default;
};

}  // namespace jcprof
