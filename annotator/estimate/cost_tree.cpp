// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/cost_tree.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/estimate/measured_path.hpp"

namespace jcprof::annotator {
namespace {

class TreeBuilder {
 public:
  TreeBuilder(const MeasuredPath& path, std::size_t known)
      : attribution_(path.attribution()), costs_(path.block_costs()) {
    costs_.resize(std::min(known, costs_.size()));
    for (const PassedFunction& function : attribution_.functions)
      tree_.functions.push_back({.name = function.name, .path = function.path, .line = function.line});
  }

  CostTree build() {
    auto next = attribution_.invocations.begin();
    for (std::size_t block = 0; block < costs_.size(); ++block) {
      while (!open_.empty() && open_.back().end <= block) open_.pop_back();
      for (; next != attribution_.invocations.end() && next->begin == block; ++next) begin(*next);
      if (open_.empty()) continue;
      lines_[{open_.back().node, attribution_.blocks[block].line}] += costs_[block];
    }
    put_lines();
    sum_up(tree_);
    return std::move(tree_);
  }

 private:
  using NodeKey = std::tuple<std::uint32_t, std::uint32_t, std::size_t>;  // parent, function, from_line
  struct Open {
    std::uint32_t node = 0;
    std::size_t end = 0;
  };

  void begin(const Invocation& call) {
    const std::uint32_t parent = open_.empty() ? CostNode::none : open_.back().node;
    const std::size_t from = parent == CostNode::none ? 0 : calling_line(call, tree_.nodes[parent].function);
    const auto [found, is_new] =
        nodes_.try_emplace({parent, call.function, from}, static_cast<std::uint32_t>(tree_.nodes.size()));
    if (is_new) tree_.nodes.push_back({.function = call.function, .parent = parent, .from_line = from});
    ++tree_.nodes[found->second].calls;
    // Of a function without a trap at its entry nothing but the return may be known, which is the caller's.
    if (call.end > call.begin) open_.push_back({.node = found->second, .end = call.end});
  }

  /// The line whose block the call ended, if that is one of the caller's.
  std::size_t calling_line(const Invocation& call, std::uint32_t caller) const {
    if (call.begin == 0) return 0;
    const Block& before = attribution_.blocks[call.begin - 1];
    return before.function == caller ? attribution_.lines[before.line].line : 0;
  }

  void put_lines() {
    for (const auto& [key, cost] : lines_) {
      CostNode& node = tree_.nodes[key.first];
      const OwnedLine& line = attribution_.lines[key.second];
      node.exclusive += cost;
      node.lines.push_back({.path = line.path, .line = line.line, .cost = cost});
    }
    for (CostNode& node : tree_.nodes)
      std::ranges::sort(node.lines, {}, [](const CostLine& line) { return std::tie(line.path, line.line); });
  }

  const Attribution& attribution_;
  std::vector<double> costs_;  // by block
  CostTree tree_;
  std::vector<Open> open_;  // calls under way, innermost last
  std::map<NodeKey, std::uint32_t> nodes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> lines_;  // by node and line
};

}  // namespace

void sum_up(CostTree& tree) {
  for (CostNode& node : tree.nodes) node.inclusive = node.exclusive;
  for (const CostNode& node : tree.nodes | std::views::reverse)
    if (node.parent != CostNode::none) tree.nodes[node.parent].inclusive += node.inclusive;
}

CostTree cost_tree(const MeasuredPath& path, std::size_t known) {
  return TreeBuilder(path, known).build();
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
