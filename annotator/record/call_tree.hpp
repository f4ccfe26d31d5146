// SPDX-License-Identifier: Apache-2.0
// The call trees of all threads with what their calls took, as they grow event by event. Times are ticks.
// Fast: arrays that ids index; and bounded: a tree that is full folds what is new into its callers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "annotator/record/quantile_sketch.hpp"

namespace jcprof::annotator {

/// A function as the log names it: a hook's id, or the number of a trap's function with this bit.
using FunctionKey = std::uint32_t;
inline constexpr FunctionKey of_traps = 1U << 31U;

struct CallNode {
  std::uint32_t parent = 0;
  FunctionKey key = 0;         // 0: a thread's root
  std::uint32_t function = 0;  // number in the order in which they were first called
  std::uint32_t last = 0;      // child that was called last,
  std::uint32_t follower = 0;  // and the sibling that came after this one last: guesses, which are checked
  std::uint32_t sketch = none;
  std::uint64_t count = 0;
  std::uint64_t inclusive = 0;
  std::uint64_t exclusive = 0;
  std::uint64_t doubt = 0;   // of the exclusive time, by own cost, in 1/1024 ticks
  std::uint64_t away = 0;    // off a processor; none of these includes it
  bool hides_calls = false;  // of functions that are left out: its exclusive time holds what their hooks take
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
};

/// A call that has ended.
struct CallTimes {
  std::uint64_t inclusive = 0;
  std::uint64_t exclusive = 0;
  std::uint64_t doubt = 0;
};

struct SlowCall {
  std::uint64_t ticks = 0;
  std::uint64_t tick = 0;  // at which it began
  std::uint32_t thread = 0;
};

class CallTree {
 public:
  static constexpr std::uint32_t full = CallNode::none;

  CallTree();

  std::uint32_t add_root() { return add(0, 0); }
  /// The node of a call from `parent`, made where there is none; `full` where there is no room for it.
  std::uint32_t child(std::uint32_t parent, FunctionKey key) {
    CallNode& up = nodes_[parent];
    if (nodes_[up.last].key == key && nodes_[up.last].parent == parent) return up.last;
    const std::uint32_t guess = nodes_[up.last].follower;
    if (nodes_[guess].key == key && nodes_[guess].parent == parent) return up.last = guess;
    return find_child(parent, key);
  }
  void count(std::uint32_t node, const CallTimes& times, const SlowCall& call) {
    const std::uint64_t inclusive = times.inclusive;
    CallNode& n = nodes_[node];
    if (n.sketch != CallNode::none && sketches_[n.sketch].holds(inclusive))
      sketches_[n.sketch].add(inclusive);
    else
      count_anew(n, inclusive);
    ++n.count;
    n.inclusive += inclusive;
    n.exclusive += times.exclusive;
    n.doubt += times.doubt;
    n.least = inclusive < n.least ? inclusive : n.least;
    n.most = inclusive > n.most ? inclusive : n.most;
    if (inclusive >= slow_from_[n.function]) keep_slow(n.function, call);
  }

  void wait(std::uint32_t node, std::uint64_t ticks) { nodes_[node].away += ticks; }
  void hide_calls(std::uint32_t node) { nodes_[node].hides_calls = true; }

  /// Node 0 is nobody's; parents come first.
  std::span<const CallNode> nodes() const { return nodes_; }
  std::size_t functions() const { return slow_.size(); }
  const std::vector<SlowCall>& slowest(std::uint32_t function) const { return slow_[function]; }
  /// All calls of that node, or of that function where nodes had to share: `sketch_of` of several may be one.
  const QuantileSketch* sketch_of(std::uint32_t node) const {
    return nodes_[node].sketch == CallNode::none ? nullptr : &sketches_[nodes_[node].sketch];
  }

 private:
  std::uint32_t add(std::uint32_t parent, FunctionKey key);
  std::uint32_t find_child(std::uint32_t parent, FunctionKey key);
  std::size_t slot_of(std::uint32_t parent, FunctionKey key) const;
  void rehash();
  std::uint32_t number_of(FunctionKey key);
  void count_anew(CallNode& node, std::uint64_t inclusive);
  std::uint32_t add_sketch(std::uint32_t function);
  void widen(QuantileSketch& sketch, std::uint64_t value);
  void keep_slow(std::uint32_t function, const SlowCall& call);

  std::vector<CallNode> nodes_;
  std::vector<std::uint32_t> slots_;                   // a hash table of nodes by parent and key; 0: free
  std::array<std::vector<std::uint32_t>, 2> numbers_;  // of hooks by id, of traps' functions; 0: none yet
  std::vector<QuantileSketch> sketches_;
  std::size_t sketch_bytes_ = 0;
  std::vector<std::uint32_t> shared_sketch_;  // by function
  std::vector<std::uint64_t> slow_from_;     // by function: a call that takes this long is one of the slowest
  std::vector<std::vector<SlowCall>> slow_;  // by function, no order
};

}  // namespace jcprof::annotator
