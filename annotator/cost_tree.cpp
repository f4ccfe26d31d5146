// SPDX-License-Identifier: Apache-2.0
#include "annotator/cost_tree.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

/// Where lines are known, what a call took is theirs.
void add_own(CostNode& node, double cost, const CostFunction& function) {
  node.exclusive += cost;
  if (node.lines.empty() || cost <= 0) return;
  const auto begin = std::ranges::find_if(node.lines, [&](const CostLine& line) {
    return line.line == function.line && line.path == function.path;
  });
  if (begin == node.lines.end())
    node.lines.push_back({.path = function.path, .line = function.line, .cost = cost});
  else
    begin->cost += cost;
}

}  // namespace

CostTree in_most_depth(const CostTree& tree) {
  CostTree result{.functions = tree.functions, .nodes = {}};
  std::vector<std::size_t> depth(tree.nodes.size());
  std::vector<std::uint32_t> place(tree.nodes.size());  // of it, or of what stands for it
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const CostNode& node = tree.nodes[i];
    const bool is_root = node.parent == CostNode::none;
    depth[i] = is_root ? 0 : depth[node.parent] + 1;
    if (depth[i] >= most_depth) {
      place[i] = place[node.parent];
      CostNode& last = result.nodes[place[i]];
      add_own(last, node.exclusive, tree.functions[last.function]);
      continue;
    }
    place[i] = static_cast<std::uint32_t>(result.nodes.size());
    result.nodes.push_back(node);
    if (!is_root) result.nodes.back().parent = place[node.parent];
  }
  return result;
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
    if (call.parent == 0) tree.nodes[parent].inclusive += call.inclusive;
  }
  // Of a thread itself is what it did outside of all calls that were seen.
  for (const StoredThread& thread : recording.threads) {
    CostNode& root = tree.nodes[roots.at(thread.serial)];
    root.exclusive = std::max(0.0, thread.recorded - root.inclusive);
    root.inclusive += root.exclusive;
  }
  return tree;
}

}  // namespace jcprof::annotator
