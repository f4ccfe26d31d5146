// SPDX-License-Identifier: Apache-2.0
// Keeps idle processors from falling asleep while commands are timed. A processor that must wake up first
// answers tens of microseconds later, and never twice alike.
#pragma once

#include <filesystem>

#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

/// Asks the kernel for a latency of 0 µs as long as it lives. It changes nothing for users who may not ask:
/// on most systems only root may.
class AwakeProcessors {
 public:
  explicit AwakeProcessors(const std::filesystem::path& request = "/dev/cpu_dma_latency");

 private:
  UniqueFd request_;  // stands until it is closed
};

}  // namespace jcprof::harness
