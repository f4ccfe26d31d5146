// SPDX-License-Identifier: Apache-2.0
// Long paths: which parts of them are worth a closer look. Segments of the path are measured, those that can
// hold nothing hot are left whole, the others are split. Pure: intervals in, segments out.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {

/// The blocks [begin, end) of the path.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  enum class State : std::uint8_t {
    open,   // to be looked at
    later,  // not known well enough, and to be looked at once nothing else is open
    hot,    // a single block that may be hot, or one that is wanted alone
    cold,   // holds no hot block
  } state = State::open;
  bool operator==(const Segment&) const = default;
};

struct ZoomSettings {
  double hot = 0.01;                  // share
  std::vector<std::uint32_t> groups;  // of each block: what blocks are summed into (a line); may be empty
  std::vector<bool> alone;            // blocks that are wanted alone in any case; may be empty
};

class Zoom {
 public:
  Zoom(std::size_t blocks, ZoomSettings settings);

  /// Ascending, without gaps.
  const std::vector<Segment>& segments() const { return segments_; }
  bool is_done() const;
  /// True when a segment of this share can be dropped or split without looking at it longer. One that cannot
  /// be measured will not be known better: it is split.
  bool is_known(const Interval& share) const;
  enum class Patience : std::uint8_t { wait, decide };
  /// Takes the shares of the open segments, in their order. Segments that are not known well enough to decide
  /// wait while there is one that is surely hot and can be split. Else the result is false, unless patience
  /// has ended; nothing has changed then.
  bool take(std::span<const Interval> shares, Patience patience = Patience::wait);

 private:
  bool is_cold(const Segment& segment, const Interval& share);
  bool can_split_hot(std::span<const Interval> shares) const;

  ZoomSettings settings_;
  std::vector<Segment> segments_;
  std::map<std::uint32_t, double> dropped_;  // by group: what its cold segments may be at most
};

}  // namespace jcprof::engine
