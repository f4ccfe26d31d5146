// SPDX-License-Identifier: Apache-2.0
#include "annotator/tree_walk.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <ranges>
#include <utility>

#include <fmt/format.h>

namespace jcprof::annotator {
namespace {

/// Whole numbers whose sum is never off by more than a half.
class Rounding {
 public:
  double next(double cost) {
    const double before = std::round(passed_);
    passed_ += cost;
    return std::round(passed_) - before;
  }

 private:
  double passed_ = 0;
};

/// Where lines are known the own cost of a call is theirs.
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

std::vector<TreeStep> depth_first(std::span<const std::uint32_t> parents, std::span<const double> costs) {
  std::vector<std::uint32_t> order(parents.size());
  std::iota(order.begin(), order.end(), 0U);
  if (!costs.empty())
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t node) { return costs[node]; });
  std::uint32_t root = CostNode::none;
  std::vector<std::uint32_t> child(parents.size(), CostNode::none);  // the first of each
  std::vector<std::uint32_t> sibling(parents.size(), CostNode::none);
  for (const std::uint32_t node : order | std::views::reverse)
    sibling[node] = std::exchange(parents[node] == CostNode::none ? root : child[parents[node]], node);
  std::vector<TreeStep> steps;
  steps.reserve(parents.size());
  std::size_t depth = 0;
  for (std::uint32_t node = root; node != CostNode::none; node = sibling[node]) {
    steps.push_back({.node = node, .depth = depth});
    for (; child[node] != CostNode::none; node = child[node])
      steps.push_back({.node = child[node], .depth = ++depth});
    for (; sibling[node] == CostNode::none && depth > 0; --depth) node = parents[node];
  }
  return steps;
}

std::vector<TreeStep> depth_first(const CostTree& tree) {
  std::vector<std::uint32_t> parents;
  for (const CostNode& node : tree.nodes) parents.push_back(node.parent);
  return depth_first(parents);
}

void each_stack(const CostTree& tree, const std::function<void(const StackCost&)>& visit) {
  std::vector<std::uint32_t> nodes;
  for (const TreeStep& step : depth_first(tree)) {
    nodes.resize(step.depth);
    nodes.push_back(step.node);
    const CostNode& node = tree.nodes[step.node];
    if (node.lines.empty()) visit({.nodes = nodes, .cost = node.exclusive});
    for (const CostLine& line : node.lines)
      visit({.nodes = nodes, .line = &line, .cost = line.cost, .is_first = &line == &node.lines.front()});
  }
}

CostTree exported_tree(const Profile& profile) {
  CostTree tree = profile.tree;
  if (!profile.between || !was_measured(*profile.between)) return tree;
  const double cost = profile.between->ticks.value;
  tree.nodes.push_back(
      {.function = static_cast<std::uint32_t>(tree.functions.size()), .exclusive = cost, .inclusive = cost});
  tree.functions.push_back({.name = "after the last trap"});
  return tree;
}

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

CostTree in_whole_ticks(CostTree tree) {
  Rounding rounding;
  for (const TreeStep& step : depth_first(tree)) {
    CostNode& node = tree.nodes[step.node];
    if (node.lines.empty()) {
      node.exclusive = rounding.next(node.exclusive);
    } else {
      node.exclusive = 0;
      for (CostLine& line : node.lines) node.exclusive += line.cost = rounding.next(line.cost);
    }
  }
  sum_up(tree);
  return tree;
}

std::vector<bool> outermost(std::span<const TreeStep> steps, std::span<const std::uint32_t> groups) {
  std::vector<bool> result(groups.size());
  std::vector<std::size_t> under_way(groups.empty() ? 0 : *std::ranges::max_element(groups) + std::size_t{1});
  std::vector<std::uint32_t> calls;  // groups, innermost last
  for (const TreeStep& step : steps) {
    for (; calls.size() > step.depth; calls.pop_back()) --under_way[calls.back()];
    calls.push_back(groups[step.node]);
    result[step.node] = under_way[calls.back()]++ == 0;
  }
  return result;
}

std::string place_text(std::string_view path, std::size_t line) {
  return fmt::format("{}:{}", std::filesystem::path(path).filename().string(), line);
}

}  // namespace jcprof::annotator
