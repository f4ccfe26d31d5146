// SPDX-License-Identifier: Apache-2.0
// Times that contradict each other: no part of a command takes less than nothing, and none takes more than
// the whole. Where one does, again and again, a stop has left a state behind in which the next commands do
// less. Pure, and slow to accuse: noise, load, drift and a pause must not make it speak.
#pragma once

#include <vector>

#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

/// A stretch: ticks by round, in the order in which rounds were measured, or missing.
struct StretchRounds {
  std::vector<double> rounds;
  double doubt = 0;  // half width of what was taken off for traps
};

/// The command that they are of.
struct CommandRounds {
  double total = 0;             // as measured, from its first byte to its answer
  std::vector<double> between;  // all stretches together, by round, or missing
  double doubt = 0;             // of `between`: half width of what was taken off for traps
};

/// The `stretches`, along the path, that cannot be: they, or a few neighbours together, take less than
/// nothing, or one takes more than all together. It must be so by a twentieth of the command and by four half
/// widths of an interval for all that is looked at, in both halves of the run, and in at least 85 of 100
/// rounds. Fewer than ten rounds, or ten pairs where twins are folded, prove nothing.
std::vector<bool> contradicted(const std::vector<StretchRounds>& stretches, const CommandRounds& command);

}  // namespace jcprof::annotator
