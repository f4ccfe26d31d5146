// SPDX-License-Identifier: Apache-2.0
// The cost from one trap to the next, over all paths. Costs of different paths stand beside each other and
// are never added: the median of their rounds is taken. An edge of one path alone is a sum of its blocks.
#pragma once

#include <string>
#include <vector>

#include "annotator/estimate/measured_path.hpp"

namespace jcprof::annotator {

/// The way from one trap straight to the next, wherever on a path.
struct EdgeEstimate {
  TrapId from{};
  TrapId to{};           // 0: the end of the command
  std::string function;  // of `from`, as are path and line
  std::string path;
  std::size_t line = 0;
  std::uint64_t count = 0;  // times on the most frequent path that goes it
  Estimate cost;            // of so many times; without its share
  double rate = 1;          // part of the traced runs that go it
  // These are of the rounds that went it, as measured, in ticks for `count` times; missing where there are
  // none.
  double mean = engine::missing;
  double q05 = engine::missing;
  double q95 = engine::missing;
  std::string to_path = {};  // of `to`, as is its line; empty: the end of the command
  std::size_t to_line = 0;
};

struct EdgeEstimates {
  std::vector<EdgeEstimate> edges;  // by traps
  std::vector<std::string> warnings;
};

/// The edges of all paths. `first`: the run's first path, measured.
EdgeEstimates edge_estimates(const RunView& run, const MeasuredPath& first);

}  // namespace jcprof::annotator
