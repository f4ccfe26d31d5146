// SPDX-License-Identifier: Apache-2.0
// A search for leaks as a value: the harness makes it, the annotator puts it into words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/core/store.hpp"
#include "src/core/types.hpp"
#include "src/core/warning.hpp"
#include "src/engine/class_paths.hpp"
#include "src/engine/leak_search.hpp"

namespace jcprof::engine {

/// The first class of the project against another one.
struct LeakPair {
  std::size_t second = 1;
  LeakFindings findings;
};

/// Stop n of the findings (from 1) is event n - 1 of the path, and behind these the end of the command.
struct LeakRun {
  RunInfo run;
  std::vector<std::string> classes;  // in the order of the inputs
  std::vector<std::size_t> inputs;   // of each class
  std::vector<Event> path;           // with which the paths of all inputs begin
  bool is_whole = true;              // it is all of them
  std::vector<Parting> partings;
  std::vector<LeakPair> pairs;  // one for each class but the first; fewer where the time was over before
  std::vector<Warning> warnings;
};

}  // namespace jcprof::engine
