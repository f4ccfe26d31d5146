// SPDX-License-Identifier: Apache-2.0
// The samples of one path as a table of rounds by stops, less the cost of traps and stops. Nothing is
// subtracted from each other here and nothing averaged.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/taken_paths.hpp"
#include "annotator/estimate/trap_cost.hpp"
#include "src/core/store.hpp"
#include "src/engine/times.hpp"

namespace jcprof::annotator {

/// Finds the samples of an input. Keeps a reference to them.
class Samples {
 public:
  explicit Samples(const std::vector<StoredSample>& samples);

  /// The samples of rounds from `first_round` on, in the order in which they were taken, without those of the
  /// warm-up and the like (round 0).
  std::vector<const StoredSample*> of(std::span<const std::uint32_t> inputs, std::uint32_t first_round) const;

 private:
  const std::vector<StoredSample>& all_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_input_;
};

/// The samples to read, and their path.
struct ReadingScope {
  const std::vector<TakenPath>& paths;    // that were traced
  const TakenPath& path;                  // one of them
  std::span<const std::uint32_t> inputs;  // some of its inputs
  std::uint32_t first_round = 1;
  std::uint32_t looked_at = 0;           // rounds, from the first one on, when the engine last looked
  std::uint32_t fewest_rounds = 1;       // that a block needs for an interval
  std::span<const Unwinding> unwinding;  // of its events
  const TrapCost& cost;
};

struct Readings {
  // Positions on the path, ascending. The end is always there, measured or not.
  std::vector<std::size_t> stops;
  engine::Times times{0};                        // T' at these; rounds 2n and 2n+1 are twins
  std::vector<std::vector<std::uint32_t>> lost;  // by stop: the rounds in which it was asked for in vain
  std::vector<bool> is_vague;  // by position: not measured, since shots do not say on which path they came
  std::vector<bool> is_elsewhere;  // by position: stops there come at another event or in another command
  std::uint32_t rounds = 0;        // in which anything was measured
  std::uint32_t status = 0;        // of most commands that ended
  std::size_t other_status = 0;    // of how many it was another
  std::size_t untraced = 0;        // shots on a path that nobody knows
};

/// The last shot counts where a round has several at a stop: the harness measures a round again that was
/// broken off.
Readings read(const Samples& samples, const ReadingScope& reader);

/// The traps and stops that are part of T at that position of the path.
TrapCount traps_at(std::size_t position, const TakenPath& path, std::span<const Unwinding> unwinding);

}  // namespace jcprof::annotator
