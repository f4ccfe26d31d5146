// SPDX-License-Identifier: Apache-2.0
// The paths that the command was seen to take, and how often, whatever its input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/core/store.hpp"

namespace jcprof::annotator {

/// A path with an index of its events. The position behind its last event is the end of the command.
class TakenPath {
 public:
  /// Hits must be counted: the n-th event with a trap is its hit n.
  explicit TakenPath(std::vector<Event> events = {});

  const std::vector<Event>& events() const { return events_; }
  std::size_t end() const { return events_.size(); }
  /// The end for trap 0; nothing where the path does not pass that event.
  std::optional<std::size_t> position(const Event& event) const;
  /// The signature of the events before that position.
  std::uint32_t signature_before(std::size_t position) const { return signatures_[position]; }
  /// The number of events at their beginning that this path and `other` share.
  std::size_t common_with(const TakenPath& other) const;

  double rate = 0;                    // part of the traced runs that took it; each input counts the same
  std::vector<std::uint32_t> inputs;  // that were seen to take it, ascending

 private:
  struct Hits {
    std::uint32_t first = 0;  // in places_
    std::uint32_t count = 0;
  };
  std::vector<Event> events_;
  std::unordered_map<std::uint32_t, Hits> hits_;  // by trap
  std::vector<std::uint32_t> places_;             // of each trap's hits in turn
  std::vector<std::uint32_t> signatures_;
};

/// The most frequent path comes first; of equally frequent ones the path of the earliest input. Where nothing
/// was traced the result is one path without events, of input 0.
std::vector<TakenPath> taken_paths(std::span<const StoredPath> stored);

}  // namespace jcprof::annotator
