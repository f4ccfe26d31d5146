// SPDX-License-Identifier: Apache-2.0
// The ways that the command was seen to take, whatever its input, and how often. Traced paths in, ways out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/core/store.hpp"

namespace jcprof::annotator {

/// One path with what it is found by. The position behind its last event is the end of the command.
class Way {
 public:
  /// Hits must be counted: the n-th event with a trap is its hit n.
  explicit Way(std::vector<Event> events = {});

  const std::vector<Event>& events() const { return events_; }
  std::size_t end() const { return events_.size(); }
  /// Of trap 0 it is the end; nothing where the way does not pass that event.
  std::optional<std::size_t> position(const Event& event) const;
  /// Of the events before that position.
  std::uint32_t signature_before(std::size_t position) const { return signatures_[position]; }
  /// How many events it begins with that `other` begins with too.
  std::size_t common_with(const Way& other) const;

  double rate = 0;                    // part of the traced runs that took it; each input counts the same
  std::vector<std::uint32_t> inputs;  // that were seen to take it

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

/// The most frequent one first; of equals, that of the earliest input. Never empty: where nothing was traced
/// it is one without events, of input 0.
std::vector<Way> ways_of(std::span<const StoredPath> paths);

}  // namespace jcprof::annotator
