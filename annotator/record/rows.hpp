// SPDX-License-Identifier: Apache-2.0
// The rows of a profile that a walk through a log gives: ticks become the run's unit, ids become names.
#pragma once

#include <span>

#include "annotator/record/recording.hpp"
#include "annotator/record/symbols.hpp"
#include "annotator/record/thread_walk.hpp"

namespace jcprof::annotator {

struct WalkedLog {
  const LogFacts& facts;
  const Walk& walk;
  std::span<const ThreadTotals> threads;
  double per_tick = 1;  // of the run's unit
};

/// The body of an entry, which jcprof-gen has wrapped, is called what the entry was.
StoredSymbol symbol_of_hook(const LogFacts& facts, FunctionKey key, Symbols& symbols);

/// Fills in the run's recording and estimates.
void put_rows(const WalkedLog& log, Symbols& symbols, RecordedRun& run);

}  // namespace jcprof::annotator
