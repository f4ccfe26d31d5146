// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/cost_tree.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/estimate/attribution.hpp"
#include "src/engine/statistics.hpp"

namespace jcprof::annotator {
namespace {

/// The line whose block the call ended, if that is one of the caller's.
std::size_t calling_line(const Attribution& attribution, const Invocation& call, const CostTree& tree,
                         std::uint32_t parent) {
  if (parent == CostNode::none || call.begin == 0) return 0;
  const Block& before = attribution.blocks[call.begin - 1];
  return before.function == tree.nodes[parent].function ? attribution.lines[before.line].line : 0;
}

/// Costs by node and line of the path.
using LineCosts = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

void put_lines(const LineCosts& costs, const Attribution& attribution, CostTree& tree) {
  for (const auto& [key, cost] : costs) {
    CostNode& node = tree.nodes[key.first];
    const OwnedLine& line = attribution.lines[key.second];
    node.exclusive += cost;
    node.lines.push_back({.path = line.path, .line = line.line, .cost = cost});
  }
  for (CostNode& node : tree.nodes)
    std::ranges::sort(node.lines, {}, [](const CostLine& line) { return std::tie(line.path, line.line); });
}

}  // namespace

void sum_up(CostTree& tree) {
  for (CostNode& node : tree.nodes) node.inclusive = node.exclusive;
  for (const CostNode& node : tree.nodes | std::views::reverse)
    if (node.parent != CostNode::none) tree.nodes[node.parent].inclusive += node.inclusive;
}

CostTree cost_tree(const Attribution& attribution, std::span<const double> costs) {
  struct Open {
    std::uint32_t node = 0;
    std::size_t end = 0;
  };
  CostTree tree;
  for (const PassedFunction& function : attribution.functions)
    tree.functions.push_back({.name = function.name, .path = function.path, .line = function.line});
  std::vector<Open> open;  // calls under way, innermost last
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::uint32_t>
      nodes;  // by parent, function, line
  LineCosts lines;
  auto next = attribution.invocations.begin();
  for (std::size_t block = 0; block < costs.size(); ++block) {
    const auto close = [&] {
      while (!open.empty() && open.back().end <= block) open.pop_back();
    };
    // A call whose entry was a command's last event has its caller, which ended with it.
    if (!attribution.blocks[block].is_between()) close();
    for (; next != attribution.invocations.end() && next->begin == block; ++next) {
      const std::uint32_t parent = open.empty() ? CostNode::none : open.back().node;
      const std::size_t from = calling_line(attribution, *next, tree, parent);
      const auto [found, is_new] =
          nodes.try_emplace({parent, next->function, from}, static_cast<std::uint32_t>(tree.nodes.size()));
      if (is_new) tree.nodes.push_back({.function = next->function, .parent = parent, .from_line = from});
      ++tree.nodes[found->second].calls;
      // Only the return may be known of a function without a trap at its entry, and that is the caller's.
      if (next->end > next->begin) open.push_back({.node = found->second, .end = next->end});
    }
    close();
    if (!open.empty() && !engine::is_missing(costs[block]))
      lines[{open.back().node, attribution.blocks[block].line}] += costs[block];
  }
  put_lines(lines, attribution, tree);
  sum_up(tree);
  return tree;
}

CostTree cost_tree(const StoredRecording& recording) {
  CostTree tree;
  for (const StoredSymbol& symbol : recording.symbols)
    tree.functions.push_back(
        {.name = symbol.name, .path = symbol.path, .line = symbol.line, .module = symbol.module});
  std::map<std::uint32_t, std::uint32_t> roots;  // by serial
  for (const StoredThread& thread : recording.threads) {
    roots[thread.serial] = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.push_back({.function = static_cast<std::uint32_t>(tree.functions.size()), .calls = 1});
    tree.functions.push_back(
        {.name = fmt::format("thread {}{}{}", thread.serial, thread.name.empty() ? "" : " ", thread.name),
         .is_thread = true});
  }
  const auto first = static_cast<std::uint32_t>(tree.nodes.size());
  for (const StoredCall& call : recording.calls) {
    const std::uint32_t parent = call.parent == 0 ? roots.at(call.thread) : first + call.parent - 1;
    tree.nodes.push_back({.function = call.symbol,
                          .parent = parent,
                          .calls = call.count,
                          .exclusive = call.exclusive,
                          .inclusive = call.inclusive});
    // Lost time, symbol 0, is none of what was recorded.
    if (call.parent == 0 && call.symbol != 0) tree.nodes[parent].inclusive += call.inclusive;
  }
  for (const StoredCallLine& line : recording.call_lines)
    tree.nodes[first + line.call - 1].lines.push_back(
        {.path = line.path, .line = line.line, .cost = line.ticks});
  for (const StoredArc& arc : recording.arcs)
    tree.arcs.push_back({.caller = arc.caller,
                         .callee = arc.callee,
                         .path = arc.path,
                         .line = arc.line,
                         .calls = arc.count,
                         .inclusive = arc.inclusive});
  // A thread itself has the time outside of all calls that were seen.
  for (const StoredThread& thread : recording.threads) {
    CostNode& root = tree.nodes[roots.at(thread.serial)];
    root.exclusive = std::max(0.0, thread.recorded - root.inclusive);
    root.inclusive += root.exclusive + thread.gap;
  }
  return tree;
}

}  // namespace jcprof::annotator
