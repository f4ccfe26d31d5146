// SPDX-License-Identifier: Apache-2.0
// The path of a command: which traps it passes in which order, put together from trace windows. Windows are
// joined only where it is known that they continue each other: stitching the windows of a varying path gives
// paths that never happened.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/path_prediction.hpp"
#include "harness/transport.hpp"
#include "src/core/types.hpp"

namespace jcprof::harness {

/// Hits counted: the n-th time that a trap is there is its hit n.
std::vector<Event> events_of(std::span<const TrapId> traps);
std::vector<TrapId> traps_of(std::span<const Event> events);

enum class PathState : std::uint8_t {
  steady,   // all runs took the same path
  varying,  // they did not; `events` is the path of one of them
  cut       // the path could not be had whole: `events` is its beginning
};

/// A path that was seen from end to end.
struct Variant {
  std::vector<Event> events = {};
  std::uint32_t signature = 0;
  std::uint64_t runs = 1;  // that took it
};

struct TracedPath {
  /// Of the run, as far as is known.
  std::uint64_t length() const { return total.value_or(events.size()); }

  std::vector<Event> events = {};
  std::uint32_t signature = 0;
  PathState state = PathState::steady;
  std::optional<std::uint64_t> total =
      {};                              // events of the run; nothing: it was cut, and the target does not say
  Sample end = {};                     // how the traced run ended
  std::uint32_t runs = 0;              // that it took
  std::vector<Variant> variants = {};  // of a varying path, most often taken first; `events` is the first
};

struct TraceLimits {
  // Longer paths are cut: at a thousand events a run this is 256 runs, and no schedule gets through more.
  std::uint64_t events = 262'144;
  std::uint32_t window = 262'144;  // asked for at a time: whoever can gives all at once
  int attempts = 5;                // to join windows, and to get over a lost target
  int agreements = 16;             // of first and last window, where a signature is only equal or not
  int agreements_of_runs = 1;      // that go the way of the first one, before a path counts as steady
  int runs_of_varying = 30;        // to see how often it takes which path
  bool is_suspected = false;       // of taking several: as many runs are traced, though two agree
};

/// UserError (environment) when no run can be traced.
TracedPath trace_path(Transport& transport, std::uint32_t input, const TraceLimits& limits = {});
/// `memory` keeps what this path teaches, for others.
TracedPath trace_path(Transport& transport, std::uint32_t input, const TraceLimits& limits,
                      PathMemory& memory);

}  // namespace jcprof::harness
