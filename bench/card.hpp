// SPDX-License-Identifier: Apache-2.0
// What both benchmarks measure on: a project, instrumented and built, and simulators that run it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/measure.hpp"
#include "harness/transport.hpp"
#include "programs/main_guard.hpp"
#include "programs/output.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::bench {

struct Card {
  Project project;
  TrapMap map;
  std::filesystem::path out;
};

/// Instruments and builds the project, as `jcprof profile` does before it measures. UserError when that
/// fails.
Card build_card(const cli::CommonOptions& options);

/// A simulator of its own: started at the first use, ended with the object.
std::unique_ptr<harness::Transport> start_simulator(const Card& card);

using Seconds = std::chrono::duration<double>;

/// One profile, whole as `jcprof run` makes it. The file of the last one is written over.
struct Recording {
  std::filesystem::path file;
  harness::Measured measured;
  Seconds time{0};  // that measure() took
};
Recording record(const Card& card, harness::Transport& simulator, const harness::MeasureOptions& options);

/// The samples of its rounds, in sequence. UserError when one of them is no time: then nothing can be
/// compared.
std::vector<StoredSample> timed_samples(const Recording& recording);

}  // namespace jcprof::bench
