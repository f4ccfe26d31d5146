// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/call_tree.hpp"

#include <algorithm>

namespace jcprof::annotator {
namespace {

// With these a tree takes 80 MB at most, whatever the log.
constexpr std::size_t most_nodes = 1U << 19U;
constexpr std::size_t sketches_of_their_own = 16U << 20U;  // bytes up to which each node has one
constexpr std::size_t most_sketch_bytes = 32U << 20U;      // and up to which they grow
constexpr std::size_t most_slow = 10;

}  // namespace

CallTree::CallTree() : nodes_(1), slots_(1024) {
  // Node 0 is nobody's child: guesses that were never made point at it.
  nodes_[0].key = CallNode::none;
}

std::size_t CallTree::slot_of(std::uint32_t parent, FunctionKey key) const {
  const std::uint64_t mixed = (std::uint64_t{parent} << 32U | key) * 0x9E3779B97F4A7C15U;
  std::size_t slot = (mixed >> 32U) & (slots_.size() - 1);
  while (slots_[slot] != 0 && (nodes_[slots_[slot]].key != key || nodes_[slots_[slot]].parent != parent))
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

std::uint32_t CallTree::find_child(std::uint32_t parent, FunctionKey key) {
  std::uint32_t found = slots_[slot_of(parent, key)];
  if (found == 0) {
    if (nodes_.size() >= most_nodes) return full;
    found = add(parent, key);
    slots_[slot_of(parent, key)] = found;
    if (2 * nodes_.size() > slots_.size()) rehash();
  }
  const std::uint32_t before = nodes_[parent].last;
  if (before != 0) nodes_[before].follower = found;
  return nodes_[parent].last = found;
}

void CallTree::rehash() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::uint32_t i = 1; i < nodes_.size(); ++i)
    if (nodes_[i].key != 0) slots_[slot_of(nodes_[i].parent, nodes_[i].key)] = i;
}

std::uint32_t CallTree::add(std::uint32_t parent, FunctionKey key) {
  nodes_.push_back({.parent = parent, .key = key, .function = key == 0 ? 0 : number_of(key)});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t CallTree::number_of(FunctionKey key) {
  std::vector<std::uint32_t>& numbers = numbers_[(key & of_traps) != 0 ? 1 : 0];
  const std::size_t id = key & ~of_traps;
  if (id >= numbers.size()) numbers.resize(id + 1);
  if (numbers[id] == 0) {
    slow_.emplace_back();
    slow_from_.push_back(0);
    shared_sketch_.push_back(CallNode::none);
    numbers[id] = static_cast<std::uint32_t>(slow_.size());
  }
  return numbers[id] - 1;
}

// ---- what calls took

/// A node of up to two calls needs no sketch: its least and most tell all.
void CallTree::count_anew(CallNode& node, std::uint64_t inclusive) {
  if (node.count < 2) return;
  if (node.sketch == CallNode::none) {
    node.sketch = add_sketch(node.function);
    widen(sketches_[node.sketch], node.least);
    widen(sketches_[node.sketch], node.most);
  }
  widen(sketches_[node.sketch], inclusive);
}

std::uint32_t CallTree::add_sketch(std::uint32_t function) {
  const bool shares = sketch_bytes_ > sketches_of_their_own;
  if (shares && shared_sketch_[function] != CallNode::none) return shared_sketch_[function];
  sketches_.emplace_back();
  sketch_bytes_ += sizeof(QuantileSketch);
  const auto sketch = static_cast<std::uint32_t>(sketches_.size() - 1);
  if (shares) shared_sketch_[function] = sketch;
  return sketch;
}

void CallTree::widen(QuantileSketch& sketch, std::uint64_t value) {
  const bool may_grow = sketch.is_empty() || sketch_bytes_ < most_sketch_bytes;
  if (!sketch.holds(value) && may_grow) sketch_bytes_ += sketch.widen(value);
  sketch.add_nearest(value);
}

void CallTree::keep_slow(std::uint32_t function, const SlowCall& call) {
  std::vector<SlowCall>& slow = slow_[function];
  const auto fastest = std::ranges::min_element(slow, {}, &SlowCall::ticks);
  if (slow.size() < most_slow)
    slow.push_back(call);
  else
    *fastest = call;
  if (slow.size() == most_slow) slow_from_[function] = std::ranges::min(slow, {}, &SlowCall::ticks).ticks + 1;
}

}  // namespace jcprof::annotator
