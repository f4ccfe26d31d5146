// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/cost_tree.hpp"

#include <algorithm>
#include <map>
#include <ranges>

#include <fmt/format.h>

namespace jcprof::annotator {

void sum_up(CostTree& tree) {
  for (CostNode& node : tree.nodes) node.inclusive = node.exclusive;
  for (const CostNode& node : tree.nodes | std::views::reverse)
    if (node.parent != CostNode::none) tree.nodes[node.parent].inclusive += node.inclusive;
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
  // Of a thread itself is what it did outside of all calls that were seen.
  for (const StoredThread& thread : recording.threads) {
    CostNode& root = tree.nodes[roots.at(thread.serial)];
    root.exclusive = std::max(0.0, thread.recorded - root.inclusive);
    root.inclusive += root.exclusive + thread.gap;
  }
  return tree;
}

}  // namespace jcprof::annotator
