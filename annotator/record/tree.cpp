// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/tree.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace jcprof::annotator {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// All nodes of the walk that are one call in the store.
struct Merged {
  std::uint32_t parent = none;
  std::uint32_t symbol = 0;
  std::uint32_t node = 0;  // the first of them that count
  std::uint64_t count = 0;
  std::uint64_t inclusive = 0;
  std::uint64_t exclusive = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  double own_cost = 0;
};

/// Of up to two calls there is no sketch: least and most tell all.
void add_calls(const CallTree& tree, std::uint32_t node, QuantileSketch& to) {
  const CallNode& n = tree.nodes()[node];
  if (const QuantileSketch* sketch = tree.sketch_of(node)) {
    to.add(*sketch);
    return;
  }
  const std::uint64_t both[] = {n.least, n.most};
  for (const std::uint64_t ticks : std::span(both).first(std::min<std::size_t>(n.count, 2))) {
    if (!to.holds(ticks)) to.widen(ticks);
    to.add(ticks);
  }
}

class TreeMaker {
 public:
  TreeMaker(const CallTree& tree, const TreeNames& names) : tree_(tree), names_(names) {
    result_.functions.resize(names.symbols);
    result_.call_of.resize(tree.nodes().size());
    same_.resize(tree.nodes().size());
  }

  RecordedTree make(std::span<const ThreadTotals> threads) {
    merge();
    sum_functions();
    id_of_.resize(merged_.size());
    result_.calls.reserve(merged_.size());
    for (const ThreadTotals& thread : threads) {
      write_thread(thread);
      if (thread.gap == 0) continue;
      const double gap = static_cast<double>(thread.gap) * names_.per_tick;
      const double each = gap / static_cast<double>(thread.gaps);
      result_.calls.push_back({.id = static_cast<std::uint32_t>(result_.calls.size() + 1),
                               .thread = thread.serial,
                               .count = thread.gaps,
                               .inclusive = gap,
                               .exclusive = gap,
                               .least = each,
                               .most = each,
                               .q50 = each,
                               .q95 = each,
                               .q99 = each});
    }
    for (std::uint32_t& call : result_.call_of) call = call == none ? 0 : id_of_[call];
    return std::move(result_);
  }

 private:
  // ---- nodes of the walk to calls

  /// Nodes come behind their parents. Those of one symbol by one way are one.
  void merge() {
    const std::span<const CallNode> nodes = tree_.nodes();
    std::unordered_map<std::uint64_t, std::uint32_t> by_way;
    by_way.reserve(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      std::uint32_t& call = result_.call_of[i];
      call = none;
      if (i == 0) continue;
      if (nodes[i].key == 0) {  // a thread
        call = add({.node = i});
        continue;
      }
      const std::uint32_t parent = result_.call_of[nodes[i].parent];
      const std::uint32_t symbol = names_.symbol_of[nodes[i].function];
      if (is_seen_twice(i)) {
        call = parent;
        merged_[call].exclusive += nodes[i].exclusive;
        continue;
      }
      const auto [place, is_new] = by_way.try_emplace(std::uint64_t{parent} << 32U | symbol, 0);
      if (is_new) place->second = add({.parent = parent, .symbol = symbol, .node = i});
      call = place->second;
      count(merged_[call], nodes[i], i);
    }
    share_own_cost();
  }

  /// A trap shows a call that the hook around it has shown.
  bool is_seen_twice(std::uint32_t i) const {
    const CallNode& node = tree_.nodes()[i];
    const CallNode& parent = tree_.nodes()[node.parent];
    return (node.key & of_traps) != 0 && parent.key != 0 && (parent.key & of_traps) == 0 &&
           names_.symbol_of[node.function] == names_.symbol_of[parent.function];
  }

  std::uint32_t add(const Merged& merged) {
    merged_.push_back(merged);
    return static_cast<std::uint32_t>(merged_.size() - 1);
  }

  void count(Merged& call, const CallNode& node, std::uint32_t i) {
    if (call.node != i) same_[i] = std::exchange(same_[call.node], i);
    call.count += node.count;
    call.inclusive += node.inclusive;
    call.exclusive += node.exclusive;
    call.least = std::min(call.least, node.least);
    call.most = std::max(call.most, node.most);
    FunctionSums& function = result_.functions[call.symbol];
    if (const QuantileSketch* sketch = tree_.sketch_of(i); sketch == nullptr || taken_.insert(sketch).second)
      add_calls(tree_, i, function.sketch);
    function.count += node.count;
    function.of_calls += node.inclusive;
    function.least = std::min(function.least, node.least);
    function.most = std::max(function.most, node.most);
  }

  /// A return is taken off the call itself, an entry off its caller; traps off their function.
  void share_own_cost() {
    const std::span<const CallNode> nodes = tree_.nodes();
    for (std::uint32_t i = 1; i < nodes.size(); ++i) {
      if (nodes[i].key == 0 || (nodes[i].key & of_traps) != 0) continue;
      const double cost = names_.hook_cost * static_cast<double>(nodes[i].count);
      merged_[result_.call_of[i]].own_cost += cost;
      merged_[result_.call_of[nodes[i].parent]].own_cost += cost;
    }
    for (Merged& call : merged_) {
      const FunctionSums& function = result_.functions[call.symbol];
      if (function.count > 0 && call.symbol != 0)
        call.own_cost += names_.trap_cost[call.symbol] * static_cast<double>(call.count) /
                         static_cast<double>(function.count);
    }
  }

  // ---- functions

  /// Down each tree with a count of the calls under way, and up again with what was taken off below.
  void sum_functions() {
    std::vector<double> below(merged_.size());
    for (std::size_t i = merged_.size(); i-- > 0;) {
      below[i] += merged_[i].own_cost;
      if (merged_[i].parent != none) below[merged_[i].parent] += below[i];
    }
    link_children();
    std::vector<std::uint32_t> under_way(names_.symbols);
    const auto enter = [&](std::uint32_t i) {
      const Merged& call = merged_[i];
      if (call.parent == none) return;
      FunctionSums& function = result_.functions[call.symbol];
      function.exclusive += call.exclusive;
      function.own_cost += call.own_cost;
      if (under_way[call.symbol]++ != 0) return;
      function.inclusive += call.inclusive;
      function.own_cost_below += below[i];
    };
    const auto leave = [&](std::uint32_t i) {
      if (merged_[i].parent != none) --under_way[merged_[i].symbol];
    };
    for (std::uint32_t i = 0; i < merged_.size(); ++i)
      if (merged_[i].parent == none) walk_from(i, enter, leave);
  }

  /// The hottest child first.
  void link_children() {
    std::vector<std::uint32_t> coolest_first(merged_.size());
    for (std::uint32_t i = 0; i < merged_.size(); ++i) coolest_first[i] = i;
    std::ranges::stable_sort(coolest_first, {}, [&](std::uint32_t i) { return merged_[i].inclusive; });
    child_.assign(merged_.size(), none);
    sibling_.assign(merged_.size(), none);
    for (const std::uint32_t i : coolest_first)
      if (merged_[i].parent != none) sibling_[i] = std::exchange(child_[merged_[i].parent], i);
  }

  /// Without recursion: a tree is as deep as the program's.
  template <class Enter, class Leave>
  void walk_from(std::uint32_t root, Enter enter, Leave leave) const {
    std::uint32_t i = root;
    while (i != none) {
      enter(i);
      std::uint32_t next = child_[i];
      while (next == none) {
        leave(i);
        if (i == root) return;
        next = sibling_[i];
        if (next == none) i = merged_[i].parent;
      }
      i = next;
    }
  }

  // ---- as stored

  void write_thread(const ThreadTotals& thread) {
    const auto enter = [&](std::uint32_t i) {
      const Merged& call = merged_[i];
      if (call.parent == none) return;
      id_of_[i] = static_cast<std::uint32_t>(result_.calls.size() + 1);
      result_.calls.push_back(stored(call, i, thread.serial));
    };
    walk_from(result_.call_of[thread.root], enter, [](std::uint32_t) {});
  }

  StoredCall stored(const Merged& call, std::uint32_t i, std::uint32_t thread) const {
    QuantileSketch both;  // of several nodes, or of too few calls for a sketch
    const QuantileSketch* sketch = same_[call.node] == 0 ? tree_.sketch_of(call.node) : nullptr;
    if (sketch == nullptr) {
      sketch = &both;
      for (std::uint32_t node = call.node; node != 0; node = same_[node]) add_calls(tree_, node, both);
    }
    const auto scaled = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * names_.per_tick; };
    // The sketch may be shared, and its buckets have a width: nothing is outside of what was seen.
    const auto quantile = [&](double part) {
      return scaled(std::clamp(sketch->quantile(part), std::min(call.least, call.most), call.most));
    };
    return {.id = id_of_[i],
            .parent = merged_[call.parent].parent == none ? 0 : id_of_[call.parent],
            .thread = thread,
            .symbol = call.symbol,
            .count = call.count,
            .inclusive = scaled(call.inclusive),
            .exclusive = scaled(call.exclusive),
            .least = call.count == 0 ? 0 : scaled(call.least),
            .most = scaled(call.most),
            .q50 = quantile(0.5),
            .q95 = quantile(0.95),
            .q99 = quantile(0.99)};
  }

  const CallTree& tree_;
  const TreeNames& names_;
  RecordedTree result_;
  std::vector<Merged> merged_;
  std::vector<std::uint32_t> same_;     // by node: the next that is the same call; 0: none
  std::vector<std::uint32_t> child_;    // the first of each
  std::vector<std::uint32_t> sibling_;  // the next of each
  std::vector<std::uint32_t> id_of_;
  std::unordered_set<const QuantileSketch*> taken_;  // by functions: several nodes may share one
};

}  // namespace

RecordedTree recorded_tree(const CallTree& tree, std::span<const ThreadTotals> threads,
                           const TreeNames& names) {
  return TreeMaker(tree, names).make(threads);
}

}  // namespace jcprof::annotator
