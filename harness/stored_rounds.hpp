// SPDX-License-Identifier: Apache-2.0
// The rounds of a run that was broken off, to be handed in to its engines again. Reads nothing itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "src/core/store.hpp"

namespace jcprof::harness {

/// True when another run can add its rounds to those of an unfinished run. The number of rounds that were
/// asked for does not matter. It matters that both runs fix the number, or neither: the stops of a round
/// follow from it.
bool is_same_measurement(const RunInfo& last, const RunInfo& now);

class StoredRounds {
 public:
  explicit StoredRounds(std::span<const StoredSample> samples);

  /// A round and its twin are both there, and whole.
  bool has_twins(std::uint32_t first) const;
  /// The input of that round.
  std::uint32_t input_of(std::uint32_t round) const;
  /// One for each shot, in that order; nothing where one was not made.
  std::optional<std::vector<StoredSample>> samples_of(std::uint32_t round, std::span<const Shot> shots) const;

 private:
  std::map<std::uint32_t, std::map<Event, StoredSample>> rounds_;
};

}  // namespace jcprof::harness
