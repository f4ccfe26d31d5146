// SPDX-License-Identifier: Apache-2.0
// The warnings after a recording, from numbers to words. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/clock.hpp"
#include "harness/record/memory.hpp"
#include "harness/record/writer.hpp"
#include "src/core/warning.hpp"

namespace jcprof::harness {

struct RecordFacts {
  RecordClock clock = RecordClock::own;
  ClockHealth health = {};
  LogWritten log = {};
  std::uint32_t attached = 0;  // process that the log belongs to; 0: none came
  bool is_unfit = false;       // somebody came who cannot read the clock
  bool is_misplaced = false;   // an enclave came whose thread-local storage is the host's
  std::size_t others = 0;      // processes that the command left running
};

std::vector<Warning> record_warnings(const RecordFacts& facts);

}  // namespace jcprof::harness
