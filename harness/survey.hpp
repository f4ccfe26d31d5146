// SPDX-License-Identifier: Apache-2.0
// First contact: what the command answers when left alone, which way it takes for each input, and which
// inputs can be measured together. Stores nothing.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "harness/path.hpp"
#include "harness/shot_log.hpp"
#include "harness/transport.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::harness {

struct Survey {
  std::vector<GoodAnswer> good;       // one for each input
  std::vector<std::uint32_t> inputs;  // those that take the path of the first
  TracedPath path;                    // of the first input
  std::vector<std::string> warnings;
};

/// One full run of the first input before anything else. UserError (check_failed) when the command passes no
/// trap, (environment) when it cannot be run. Ends early, after the first input, once `interrupted`.
Survey survey(const TrapMap& map, Transport& transport, const std::vector<StoredInput>& inputs,
              const std::atomic<bool>& interrupted);

}  // namespace jcprof::harness
