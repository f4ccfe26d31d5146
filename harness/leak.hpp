// SPDX-License-Identifier: Apache-2.0
// Leak mode: do paths or times depend on the class of the input, and from which stop on? The paths of all
// inputs come first. Then a coin draws the class of each shot, and an input of that class is drawn. Every
// sample goes to the store raw.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/measure.hpp"
#include "harness/transport.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/project.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "src/engine/leak_run.hpp"

namespace jcprof::harness {

struct LeakOptions {
  engine::LeakSettings search = {};  // its stops are those of the path
  std::string build = {};            // digest of what was built; empty: unknown
  std::optional<std::uint64_t> max_shots = {};
  std::optional<std::chrono::milliseconds> max_time = {};  // from the first contact on
  ProgressSink progress = {};
  Cancellation* cancellation = nullptr;  // ends the search; nothing: that of the process
};

/// UserError where the inputs of the project are of one class. Asks no target.
void refuse_one_class(const Project& project);

/// UserError where the inputs are of one class. UserErrors of the transport pass through. An interrupted
/// search has what it found so far.
engine::LeakRun find_leak(const Project& project, const TrapMap& map, Transport& transport, Store& store,
                          const LeakOptions& options);

}  // namespace jcprof::harness
