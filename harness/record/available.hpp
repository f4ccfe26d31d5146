// SPDX-License-Identifier: Apache-2.0
// The memory that is left for logs, by what the system tells.
#pragma once

#include <cstdint>
#include <filesystem>

namespace jcprof::harness {

/// The folders in which the system tells of memory.
struct MemoryTold {
  std::filesystem::path proc = "/proc";
  std::filesystem::path cgroups = "/sys/fs/cgroup";
};

/// Bytes that we could get without swapping, and within the limits of our control groups. UINT64_MAX where
/// the system does not say.
std::uint64_t available_memory(const MemoryTold& told = {});

}  // namespace jcprof::harness
