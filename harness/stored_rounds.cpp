// SPDX-License-Identifier: Apache-2.0
#include "harness/stored_rounds.hpp"

#include <algorithm>
#include <tuple>

#include "harness/shooter.hpp"

namespace jcprof::harness {

bool is_same_measurement(const RunInfo& last, const RunInfo& now) {
  const auto identity = [](const RunInfo& of) {
    return std::tie(of.tool, of.transport, of.reader, of.protocol, of.device, of.atr, of.project_digest,
                    of.trap_digest, of.seed, of.absolute, of.relative, of.zoom, of.hot);
  };
  const bool is_fixed_alike = (last.rounds > 0) == (now.rounds > 0);
  return last.state != RunState::complete && is_fixed_alike && identity(last) == identity(now);
}

StoredRounds::StoredRounds(std::span<const StoredSample> samples) {
  // A round that was measured again counts as it was the last time.
  for (const StoredSample& sample : samples)
    if (sample.round != warm_up_round) rounds_[sample.round].insert_or_assign(sample.asked, sample);
}

bool StoredRounds::has_twins(std::uint32_t first) const {
  const auto one = rounds_.find(first);
  const auto other = rounds_.find(first + 1);
  if (one == rounds_.end() || other == rounds_.end()) return false;
  // What was followed by another round was whole, even if a stop was given up in it.
  if (rounds_.contains(first + 2)) return true;
  return std::ranges::equal(
      one->second, other->second, {}, [](const auto& entry) { return entry.first; },
      [](const auto& entry) { return entry.first; });
}

std::uint32_t StoredRounds::input_of(std::uint32_t round) const {
  return rounds_.at(round).begin()->second.input;
}

std::optional<std::vector<StoredSample>> StoredRounds::samples_of(std::uint32_t round,
                                                                  std::span<const Shot> shots) const {
  std::vector<StoredSample> result;
  const auto& samples = rounds_.at(round);
  for (const Shot& shot : shots) {
    const auto found = samples.find(shot.stop);
    if (found == samples.end()) return std::nullopt;
    result.push_back(found->second);
  }
  return result;
}

}  // namespace jcprof::harness
