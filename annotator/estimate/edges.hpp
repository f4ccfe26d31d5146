// SPDX-License-Identifier: Apache-2.0
// What lies between two traps that follow each other, over all ways through the command. Costs of different
// ways stand beside each other, they are never added.
#pragma once

#include <string>
#include <vector>

#include "annotator/estimate/measured_way.hpp"

namespace jcprof::annotator {

/// From one trap straight to the next, wherever on the way.
struct EdgeEstimate {
  TrapId from{};
  TrapId to{};           // 0: the end of the command
  std::string function;  // of `from`, as are path and line
  std::string path;
  std::size_t line = 0;
  std::uint64_t count = 0;  // how often it is gone in the most frequent way that goes it
  Estimate cost;            // of so many times; without its share
  double rate = 1;          // part of the traced runs that go it at all
  // Of the rounds that did, as measured, in ticks for `count` times; missing where there are none.
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

/// Of all ways of the run, of which `first`, its first one, was measured already.
EdgeEstimates edge_estimates(const RunView& run, const MeasuredWay& first);

}  // namespace jcprof::annotator
