// SPDX-License-Identifier: Apache-2.0
// Trees of calls in the order of a walk, in whole numbers, and in a depth that readers bear.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// A node, and how many it has above it.
struct TreeStep {
  std::uint32_t node = 0;
  std::size_t depth = 0;
};

/// All nodes, each subtree in one piece behind its root. `parents`: by node, or CostNode::none. Siblings
/// stand in their order, or with `costs` the dearest first.
std::vector<TreeStep> depth_first(std::span<const std::uint32_t> parents, std::span<const double> costs = {});
std::vector<TreeStep> depth_first(const CostTree& tree);

/// An own cost, of a line or of a call that has none.
struct StackCost {
  std::span<const std::uint32_t> nodes;  // outermost first; the cost is the last one's
  const CostLine* line = nullptr;
  double cost = 0;
  bool is_first = true;  // of the last node
};
void each_stack(const CostTree& tree, const std::function<void(const StackCost&)>& visit);

/// So many calls under way, and threads, are shown one below the other. A stack that is written out takes as
/// much as it is deep, and pages that walk trees by recursion do not survive any depth.
inline constexpr std::size_t most_depth = 500;

/// The tree that programs for flame graphs get: what runs between the commands of a trigger is a root of its
/// own.
CostTree exported_tree(const Profile& profile);

/// The same tree in that depth: what deeper calls cost is the last shown one's own. Their number is lost.
CostTree in_most_depth(const CostTree& tree);

/// The same tree in whole ticks, which still add up: all together they are the sum of all, rounded.
CostTree in_whole_ticks(CostTree tree);

/// By node: true where no node further up is of the same group, so that its inclusive cost is no part of
/// another's. `steps`: of all nodes. `groups`: by node, numbered without gaps worth mentioning.
std::vector<bool> outermost(std::span<const TreeStep> steps, std::span<const std::uint32_t> groups);

/// "PinApplet.java:14"
std::string place_text(std::string_view path, std::size_t line);

}  // namespace jcprof::annotator
