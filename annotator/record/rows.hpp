// SPDX-License-Identifier: Apache-2.0
// What was walked as the rows of a profile: ticks become the run's unit, ids become names.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "annotator/record/recording.hpp"
#include "annotator/record/symbols.hpp"
#include "annotator/record/thread_walk.hpp"
#include "annotator/record/tree.hpp"

namespace jcprof::annotator {

class RowMaker {
 public:
  RowMaker(const LogFacts& facts, const Walk& walk, std::span<const ThreadTotals> threads, double per_tick);
  /// Fills in recording and estimates.
  void make(Symbols& symbols, RecordedRun& run);

 private:
  void name_functions(Symbols& symbols, StoredRecording& recording);
  StoredSymbol symbol_of_hook(FunctionKey key, Symbols& symbols) const;
  void put_own_cost(std::size_t symbols);
  std::vector<StoredThread> thread_rows() const;
  std::vector<StoredSlow> slow_rows() const;
  std::vector<StoredMark> mark_rows(const RecordedTree& tree) const;
  std::vector<StoredCallLine> call_line_rows(const RecordedTree& tree,
                                             const std::vector<StoredSymbol>& symbols) const;
  StoredEstimate estimate_row(EstimateScope scope, double ticks, double own_cost) const;
  std::vector<StoredEstimate> function_rows(const RecordedTree& tree, const StoredRecording& recording) const;
  std::vector<StoredEstimate> line_rows() const;
  std::vector<std::uint64_t> hits_of_lines() const;
  std::vector<bool> begun_lines() const;
  double moment(std::uint64_t tick) const;

  const LogFacts& facts_;
  const Walk& walk_;
  std::span<const ThreadTotals> threads_;
  TreeNames names_;
  std::uint64_t first_ = 0;  // tick
  double recorded_ = 0;      // of all threads, in ticks
  double taken_off_ = 0;     // part of what own cost would be if no difference were too short for it
  std::map<std::uint32_t, std::uint32_t> symbol_of_trap_;  // by the trap's function
};

}  // namespace jcprof::annotator
