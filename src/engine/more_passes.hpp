// SPDX-License-Identifier: Apache-2.0
// Passes of an edge that are not measured from the first round on. They join when a line needs them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace jcprof::engine {

class MorePasses {
 public:
  /// `samples` and `edges` are those of Settings.
  MorePasses(std::size_t stops, std::vector<std::uint32_t> samples, const std::vector<std::uint32_t>& edges);

  /// The stops that are measured from the first round on, ascending.
  const std::vector<std::size_t>& first_stops() const { return first_stops_; }
  /// Those that have joined them.
  const std::set<std::size_t>& joined() const { return joined_; }
  bool waits(std::size_t stop) const { return samples_[stop] > 0 && !joined_.contains(stop); }
  void join(std::size_t stop) { joined_.insert(stop); }
  /// All that have joined wait again.
  void reset() { joined_.clear(); }
  /// Some passes of that edge wait.
  bool has_more(std::uint32_t edge) const;
  /// The waiting stops up to `last`, ascending, of the next whole samples. With these, about `times` as many
  /// passes of that edge are measured up to there, or all are. If all are, stops behind `last` count as well.
  std::vector<std::size_t> next(std::uint32_t edge, double times, std::size_t last) const;

 private:
  bool is_measured(std::size_t block) const { return !waits(block) && !waits(block + 1); }

  std::vector<std::uint32_t> samples_;  // by stop
  std::vector<std::size_t> first_stops_;
  std::set<std::size_t> joined_;
  std::map<std::uint32_t, std::vector<std::size_t>> passes_;  // by edge: blocks, ascending
};

/// The rounds of a table before the first one that asked for the stop of this column.
std::size_t joined_after(const std::vector<double>& column);

/// A stop that joined a table after so many of its rounds counts once there are a quarter more, or once there
/// was a look at it. Until then the whole that it parts is known better.
inline bool counts_late(std::size_t after, std::size_t rounds) {
  return 4 * (rounds - after) >= after;
}

}  // namespace jcprof::engine
