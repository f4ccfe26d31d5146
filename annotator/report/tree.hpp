// SPDX-License-Identifier: Apache-2.0
// The part of a cost tree that a report has room for: the dearest calls, and never one without its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "annotator/estimate/cost_tree.hpp"
#include "annotator/report/files.hpp"

namespace jcprof::annotator {

class ReportTree {
 public:
  /// Keeps references. Calls beyond `most_depth` are left out.
  ReportTree(const CostTree& tree, ReportFiles& files);

  /// Takes the dearest of those that are left, as far as they cost at least that part of the whole and fit
  /// into so many bytes; returns how many bytes they need.
  std::size_t take(double least_share, std::size_t most_bytes);
  /// Takes the dearest calls of a profile without a tree, as far as they fit; returns how many bytes they
  /// need.
  std::size_t take_arcs(std::size_t most_bytes);
  std::size_t left_out_arcs() const { return tree_.arcs.size() - arcs_.size(); }
  /// Without those that are too deep.
  std::size_t left_out() const { return order_.size() - taken_; }
  std::size_t too_deep() const { return too_deep_; }
  std::string text() const;

 private:
  void put_in_order();
  std::string row(std::uint32_t node, std::uint32_t function, std::int64_t parent) const;
  std::string function_row(std::uint32_t function) const;
  std::string arc_row(const CostArc& arc, std::uint32_t caller, std::uint32_t callee) const;

  const CostTree& tree_;
  ReportFiles& files_;
  std::vector<double> costs_;  // inclusive, by node, never above that of the caller
  double whole_ = 0;
  std::vector<std::uint32_t> order_;  // dearest first, callers before those they call
  std::size_t too_deep_ = 0;
  std::size_t taken_ = 0;  // of order_, from its begin
  std::vector<bool> has_function_;
  std::vector<const CostArc*> arcs_;  // that were taken
};

}  // namespace jcprof::annotator
