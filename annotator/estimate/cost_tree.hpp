// SPDX-License-Identifier: Apache-2.0
// The call tree of a profile with its costs, for flame graphs, callgrind, pprof and the report. A measured
// run has the calls of its most frequent path, a recorded run those of all threads. Costs are in the run's
// unit and never below 0: neighbouring blocks that drown in noise are evened out. They add up: the lines of a
// node to its exclusive cost, its own cost and its children's to the inclusive one, all nodes of a line or a
// function to what tables say of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/core/store.hpp"

namespace jcprof::annotator {

struct CostFunction {
  std::string name;
  std::string path;      // of its source; empty: unknown
  std::size_t line = 0;  // 0: unknown
  std::string module;    // file of the program; empty: unknown
  bool is_thread = false;
};

struct CostLine {
  std::string path;
  std::size_t line = 0;
  double cost = 0;
};

/// All calls of a function with the same callers, or a thread.
struct CostNode {
  static constexpr std::uint32_t none = ~0U;

  std::uint32_t function = 0;   // index
  std::uint32_t parent = none;  // index, smaller than its own
  std::size_t from_line = 0;    // that calls, in the parent; 0: unknown
  std::uint64_t calls = 0;
  double exclusive = 0;
  double inclusive = 0;
  std::vector<CostLine> lines = {};  // of the exclusive cost, in the order of the source; empty: unknown
};

/// All calls out of a line into a function.
struct CostArc {
  std::uint32_t caller = 0;  // index of the function
  std::uint32_t callee = 0;
  std::string path = {};  // of the line; empty: unknown
  std::size_t line = 0;
  std::uint64_t calls = 0;
  std::optional<double> inclusive = {};  // of these calls; where it is known
};

struct CostTree {
  std::vector<CostFunction> functions;
  std::vector<CostNode> nodes;  // parents first
  // The calls, where another tool made the profile and has no tree. The nodes are then functions side by side
  // with their own costs.
  std::vector<CostArc> arcs = {};
};

/// Makes inclusive costs of the exclusive ones.
void sum_up(CostTree& tree);

struct Attribution;

/// The entry is the root. `costs`: of the path's first blocks, missing where nothing is known.
CostTree cost_tree(const Attribution& attribution, std::span<const double> costs);
/// The threads are the roots.
CostTree cost_tree(const StoredRecording& recording);

}  // namespace jcprof::annotator
