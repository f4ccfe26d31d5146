// SPDX-License-Identifier: Apache-2.0
// What lies between two traps that follow each other, over all ways through the command. Costs of different
// ways stand beside each other, they are never added.
#pragma once

#include <map>
#include <string>
#include <utility>
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

class Edges {
 public:
  explicit Edges(const RunView& run) : run_(run) {}

  /// All ways, of which the first one was measured already.
  void take_all(const MeasuredWay& first);

  /// By traps.
  std::vector<EdgeEstimate> estimates() const;
  std::vector<std::string> warnings() const;

 private:
  using Ends = std::pair<TrapId, TrapId>;
  struct Edge {
    double rate = 0;
    std::uint64_t count = 0;
    std::vector<double> values;  // for `count` times
    Doubt doubt = {};            // the largest
    engine::Clock clock = {};
    double sd = 0;
    std::size_t terms = 0;
    bool is_vague = false;
  };

  void count(const Way& way);
  void take(const MeasuredWay& measured, std::size_t first_block);

  const RunView& run_;
  std::map<Ends, Edge> edges_;
};

}  // namespace jcprof::annotator
