// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/tree.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "annotator/report/json.hpp"
#include "annotator/tree_walk.hpp"

namespace jcprof::annotator {

ReportTree::ReportTree(const CostTree& tree, ReportFiles& files)
    : tree_(tree), files_(files), costs_(tree.nodes.size()), has_function_(tree.functions.size()) {
  put_in_order();
}

void ReportTree::put_in_order() {
  std::vector<std::uint32_t> depth(tree_.nodes.size());
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) {
    const CostNode& node = tree_.nodes[i];
    // A file that was tampered with may hold anything, and NaN is in no order.
    costs_[i] = std::isnan(node.inclusive) ? 0 : node.inclusive;
    if (node.parent == CostNode::none) {
      whole_ += node.inclusive;
    } else {
      costs_[i] = std::min(costs_[i], costs_[node.parent]);
      depth[i] = depth[node.parent] + 1;
    }
    if (depth[i] < most_depth)
      order_.push_back(i);
    else
      ++too_deep_;
  }
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](std::uint32_t node) { return costs_[node]; });
}

std::size_t ReportTree::take(double least_share, std::size_t most_bytes) {
  std::size_t bytes = 0;
  for (; taken_ < order_.size(); ++taken_) {
    const std::uint32_t node = order_[taken_];
    if (costs_[node] < least_share * whole_) break;
    const std::uint32_t function = tree_.nodes[node].function;
    // In the text numbers are no longer than these.
    std::size_t needed = row(node, function, tree_.nodes[node].parent).size() + 1;
    if (!has_function_[function]) needed += function_row(function).size() + 1;
    if (bytes + needed > most_bytes) break;
    has_function_[function] = true;
    bytes += needed;
  }
  return bytes;
}

std::size_t ReportTree::take_arcs(std::size_t most_bytes) {
  std::vector<const CostArc*> order;
  for (const CostArc& arc : tree_.arcs)
    if (has_function_[arc.caller] && has_function_[arc.callee]) order.push_back(&arc);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const CostArc* arc) { return arc->inclusive.value_or(0); });
  std::size_t bytes = 0;
  for (const CostArc* arc : order) {
    const std::size_t needed = arc_row(*arc, arc->caller, arc->callee).size() + 1;
    if (bytes + needed > most_bytes) break;
    bytes += needed;
    arcs_.push_back(arc);
  }
  return bytes;
}

std::string ReportTree::arc_row(const CostArc& arc, std::uint32_t caller, std::uint32_t callee) const {
  return fmt::format("[{},{},{},{},{},{}]", caller, callee, files_.index(arc.path), arc.line, arc.calls,
                     arc.inclusive ? json_number(*arc.inclusive) : "null");
}

std::string ReportTree::row(std::uint32_t node, std::uint32_t function, std::int64_t parent) const {
  const CostNode& all = tree_.nodes[node];
  std::string lines;
  for (const CostLine& line : all.lines)
    lines += fmt::format("{}[{},{},{}]", lines.empty() ? "" : ",", files_.index(line.path), line.line,
                         json_number(line.cost));
  return fmt::format("[{},{},{},{},{},{},[{}]]", function, parent, all.from_line, all.calls,
                     json_number(all.exclusive), json_number(all.inclusive), lines);
}

std::string ReportTree::function_row(std::uint32_t function) const {
  const CostFunction& all = tree_.functions[function];
  return fmt::format("[{},{},{},{}]", json_name(all.name), files_.index(all.path), all.line, all.is_thread);
}

std::string ReportTree::text() const {
  std::vector<std::uint32_t> kept(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(taken_));
  std::ranges::sort(kept);
  std::string functions;
  std::vector<std::uint32_t> function_place(tree_.functions.size());
  std::uint32_t functions_kept = 0;
  for (std::uint32_t i = 0; i < tree_.functions.size(); ++i) {
    if (!has_function_[i]) continue;
    function_place[i] = functions_kept++;
    functions += (functions.empty() ? "" : ",") + function_row(i);
  }
  std::string nodes;
  std::vector<std::int64_t> place(tree_.nodes.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const CostNode& node = tree_.nodes[kept[i]];
    place[kept[i]] = static_cast<std::int64_t>(i);
    const std::int64_t parent = node.parent == CostNode::none ? -1 : place[node.parent];
    nodes += (nodes.empty() ? "" : ",") + row(kept[i], function_place[node.function], parent);
  }
  std::string arcs;
  for (const CostArc* arc : arcs_)
    arcs +=
        (arcs.empty() ? "" : ",") + arc_row(*arc, function_place[arc->caller], function_place[arc->callee]);
  return fmt::format(R"({{"functions":[{}],"nodes":[{}],"left_out":{}{}}})", functions, nodes,
                     left_out() + too_deep_, tree_.arcs.empty() ? "" : fmt::format(R"(,"arcs":[{}])", arcs));
}

}  // namespace jcprof::annotator
