// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/tree.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "annotator/tree_walk.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::uint32_t none = CostNode::none;

/// All nodes of the walk that are one call in the store.
struct Merged {
  std::uint32_t parent = none;  // none: a thread
  std::uint32_t symbol = 0;
  std::uint32_t node = 0;  // the first of them that count
  std::uint64_t count = 0;
  std::uint64_t inclusive = 0;
  std::uint64_t exclusive = 0;
  std::uint64_t away = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  std::uint64_t doubt = 0;
  std::uint64_t hooks = 0;  // see FunctionSums
};

struct Merging {
  const CallTree& tree;
  const TreeNames& names;
  std::vector<Merged> calls = {};           // parents first
  std::vector<std::uint32_t> call_of = {};  // by node
  std::vector<std::uint32_t> same = {};     // by node: the next one that is the same call; 0: none
  std::vector<FunctionSums> functions = {};
  std::unordered_set<const QuantileSketch*> taken = {};  // by functions: several nodes may share one
};

/// A node of up to two calls has no sketch: its least and most tell all.
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

/// A trap shows a call that the hook around it has shown.
bool is_seen_twice(const Merging& merging, const CallNode& node) {
  const CallNode& parent = merging.tree.nodes()[node.parent];
  const std::vector<std::uint32_t>& symbol_of = merging.names.symbol_of;
  return (node.key & of_traps) != 0 && parent.key != 0 && (parent.key & of_traps) == 0 &&
         symbol_of[node.function] == symbol_of[parent.function];
}

std::uint64_t hooks_of(const CallNode& node) {
  return node.hides_calls ? node.exclusive : 0;
}

void count(Merging& merging, Merged& call, std::uint32_t node_number) {
  const CallNode& node = merging.tree.nodes()[node_number];
  if (call.node != node_number)
    merging.same[node_number] = std::exchange(merging.same[call.node], node_number);
  call.count += node.count;
  call.inclusive += node.inclusive;
  call.exclusive += node.exclusive;
  call.doubt += node.doubt;
  call.hooks += hooks_of(node);
  call.away += node.away;
  call.least = std::min(call.least, node.least);
  call.most = std::max(call.most, node.most);
  FunctionSums& function = merging.functions[call.symbol];
  const QuantileSketch* sketch = merging.tree.sketch_of(node_number);
  if (sketch == nullptr || merging.taken.insert(sketch).second)
    add_calls(merging.tree, node_number, function.sketch);
  function.count += node.count;
  function.of_calls += node.inclusive;
  function.least = std::min(function.least, node.least);
  function.most = std::max(function.most, node.most);
}

/// Nodes come behind their parents. Nodes of one symbol with the same callers become one call.
void merge_nodes(Merging& merging) {
  const std::span<const CallNode> nodes = merging.tree.nodes();
  std::unordered_map<std::uint64_t, std::uint32_t> known;  // call by parent and symbol
  known.reserve(nodes.size());
  const auto add = [&](const Merged& call) {
    merging.calls.push_back(call);
    return static_cast<std::uint32_t>(merging.calls.size() - 1);
  };
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    std::uint32_t& call = merging.call_of[i];
    if (nodes[i].key == 0) {
      call = add({.node = i});
      continue;
    }
    const std::uint32_t parent = merging.call_of[nodes[i].parent];
    if (is_seen_twice(merging, nodes[i])) {
      call = parent;
      merging.calls[call].exclusive += nodes[i].exclusive;
      merging.calls[call].doubt += nodes[i].doubt;
      merging.calls[call].hooks += hooks_of(nodes[i]);
      merging.calls[call].away += nodes[i].away;
      continue;
    }
    const std::uint32_t symbol = merging.names.symbol_of[nodes[i].function];
    const auto [place, is_new] = known.try_emplace(std::uint64_t{parent} << 32U | symbol, 0);
    if (is_new) place->second = add({.parent = parent, .symbol = symbol, .node = i});
    call = place->second;
    count(merging, merging.calls[call], i);
  }
}

std::vector<TreeStep> hottest_first(const std::vector<Merged>& calls) {
  std::vector<std::uint32_t> parents;
  std::vector<double> costs;
  for (const Merged& call : calls) {
    parents.push_back(call.parent);
    costs.push_back(static_cast<double>(call.inclusive));
  }
  return depth_first(parents, costs);
}

void sum_functions(Merging& merging, const std::vector<TreeStep>& steps) {
  const std::vector<Merged>& calls = merging.calls;
  std::vector<std::uint64_t> below(calls.size());
  std::vector<std::uint64_t> hooks_below(calls.size());
  std::vector<std::uint32_t> symbols;
  for (const Merged& call : calls) symbols.push_back(call.symbol);
  for (std::size_t i = calls.size(); i-- > 0;) {
    below[i] += calls[i].doubt;
    hooks_below[i] += calls[i].hooks;
    if (calls[i].parent == none) continue;
    below[calls[i].parent] += below[i];
    hooks_below[calls[i].parent] += hooks_below[i];
  }
  const std::vector<bool> is_outermost = outermost(steps, symbols);
  for (const TreeStep& step : steps) {
    const Merged& call = calls[step.node];
    if (call.parent == none) continue;
    FunctionSums& function = merging.functions[call.symbol];
    function.exclusive += call.exclusive;
    function.doubt += call.doubt;
    function.hooks += call.hooks;
    if (!is_outermost[step.node]) continue;
    function.inclusive += call.inclusive;
    function.doubt_below += below[step.node];
    function.hooks_below += hooks_below[step.node];
  }
}

// ---- as stored

StoredCall stored(const Merging& merging, const Merged& call) {
  QuantileSketch both;  // of several nodes, or of too few calls for a sketch
  const QuantileSketch* sketch = merging.same[call.node] == 0 ? merging.tree.sketch_of(call.node) : nullptr;
  if (sketch == nullptr) {
    sketch = &both;
    for (std::uint32_t node = call.node; node != 0; node = merging.same[node])
      add_calls(merging.tree, node, both);
  }
  const auto scaled = [&](std::uint64_t ticks) {
    return static_cast<double>(ticks) * merging.names.per_tick;
  };
  // The sketch may be shared, and its buckets have a width: nothing is outside of what was seen.
  const auto quantile = [&](double part) {
    return scaled(std::clamp(sketch->quantile(part), std::min(call.least, call.most), call.most));
  };
  return {.symbol = call.symbol,
          .count = call.count,
          .inclusive = scaled(call.inclusive),
          .exclusive = scaled(call.exclusive),
          .away = scaled(call.away),
          .least = call.count == 0 ? 0 : scaled(call.least),
          .most = scaled(call.most),
          .q50 = quantile(0.5),
          .q95 = quantile(0.95),
          .q99 = quantile(0.99)};
}

/// The time in which events were lost, as a call of symbol 0.
StoredCall lost_time(const ThreadTotals& thread, double per_tick) {
  const double gap = static_cast<double>(thread.gap) * per_tick;
  const double each = gap / static_cast<double>(thread.gaps);
  return {.count = thread.gaps,
          .inclusive = gap,
          .exclusive = gap,
          .least = each,
          .most = each,
          .q50 = each,
          .q95 = each,
          .q99 = each};
}

}  // namespace

RecordedTree recorded_tree(const CallTree& tree, std::span<const ThreadTotals> threads,
                           const TreeNames& names) {
  Merging merging{.tree = tree, .names = names};
  merging.functions.resize(names.symbols);
  merging.call_of.resize(tree.nodes().size(), none);
  merging.same.resize(tree.nodes().size());
  merge_nodes(merging);
  const std::vector<TreeStep> steps = hottest_first(merging.calls);
  sum_functions(merging, steps);
  std::vector<std::size_t> step_of(merging.calls.size());
  for (std::size_t s = 0; s < steps.size(); ++s) step_of[steps[s].node] = s;

  RecordedTree result;
  result.calls.reserve(merging.calls.size());
  std::vector<std::uint32_t> id_of(merging.calls.size());  // 0: a thread
  for (const ThreadTotals& thread : threads) {
    const auto add = [&](StoredCall call) {
      call.id = static_cast<std::uint32_t>(result.calls.size() + 1);
      call.thread = thread.serial;
      result.calls.push_back(call);
      return call.id;
    };
    for (std::size_t s = step_of[merging.call_of[thread.root]] + 1; s < steps.size() && steps[s].depth > 0;
         ++s) {
      const Merged& call = merging.calls[steps[s].node];
      StoredCall row = stored(merging, call);
      row.parent = id_of[call.parent];
      id_of[steps[s].node] = add(row);
    }
    if (thread.gap > 0) add(lost_time(thread, names.per_tick));
  }
  for (const std::uint32_t call : merging.call_of) result.call_of.push_back(call == none ? 0 : id_of[call]);
  result.functions = std::move(merging.functions);
  return result;
}

}  // namespace jcprof::annotator
