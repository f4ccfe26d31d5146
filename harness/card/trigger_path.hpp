// SPDX-License-Identifier: Apache-2.0
// The command of a trigger that passes each event, as traced runs showed. Pure; nothing is known of a path
// that varies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "harness/transport.hpp"

namespace jcprof::harness {

class TriggerPath {
 public:
  /// `ends`: events passed by the end of each command. Empty where nobody knows.
  TriggerPath(const WholeRun& run, std::vector<std::uint64_t> ends) : run_(run), ends_(std::move(ends)) {}

  /// A window of a run, from the `from`-th event on. Windows join where one begins at the end of what is
  /// known.
  void take(std::uint64_t from, const TraceWindow& window);
  /// The path as a whole, in place of the windows so far.
  void take_all(std::span<const TrapId> path);
  /// From 0.
  std::optional<std::size_t> command_of(Event event) const;

 private:
  void take(std::span<const TrapId> traps);

  WholeRun run_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t taken_ = 0;                                // events
  std::unordered_map<std::uint32_t, std::uint32_t> hits_;  // by trap
  std::unordered_map<std::uint64_t, std::uint8_t> commands_;
};

}  // namespace jcprof::harness
