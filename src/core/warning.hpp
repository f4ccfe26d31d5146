// SPDX-License-Identifier: Apache-2.0
// What a person should know beside the numbers of a run: typed, so that programs need not read sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jcprof {

enum class WarningKind : std::uint8_t {
  answer,         // the command is not answered as it should be
  traced_answer,  // the traced run is not: its path is that of another command
  path_varies,    // runs of the command take different paths
  path_cut,       // only the beginning of the command's path is measured
  input,          // an input is left out
  unsteady,       // the target has not settled
  trend,          // the command got faster or slower while it was measured
  grid,           // answers come on a time grid
  locked_grid,    // on one that begins with each command: no time of the run holds
  memory,         // times depend on the command before: none of the run holds
  prepared,       // by less, or with a whole command before each stop, which makes them hold
  coarse_clock,   // the clock's tick hides the noise
  bimodal,        // times come in two heaps
  precision,      // what was asked for is out of reach, or was not reached
  missed,         // shots that did not stop where they were asked to
  lost,           // the target died or was taken away
  threads,        // other threads work that stops do not see
  trap_cost,      // what traps take is not known
  changed,        // traps change what they measure: without them it takes less
  other,
};
std::string_view name_of(WarningKind kind);
std::optional<WarningKind> warning_kind(std::string_view name);

struct Warning {
  WarningKind kind = WarningKind::other;
  std::string text;         // what was seen, with its numbers
  std::string advice = {};  // what can be done; may be empty
  bool operator==(const Warning&) const = default;
};

/// "kind: text; advice"
std::string to_text(const Warning& warning);

}  // namespace jcprof
