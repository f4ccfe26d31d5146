// SPDX-License-Identifier: Apache-2.0
// The system's knowledge of the threads that are recorded: name, time on a processor, time without one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "templates/jcprof_log.h"

namespace jcprof::harness {

/// A thread of that process that nobody has waited for still exists.
bool thread_exists(const std::filesystem::path& proc, std::uint32_t process, std::uint32_t tid);

class ThreadWatch {
 public:
  /// `proc` is /proc.
  explicit ThreadWatch(std::filesystem::path proc) : proc_(std::move(proc)) {}

  void note(const jcprof_log_chunk& chunk);
  /// Looks at all that are there, and returns what has changed; those that are not are forgotten.
  std::vector<jcprof_log_thread> look();

 private:
  struct Seen {
    std::uint32_t process = 0;
    jcprof_log_thread known{};
  };
  std::filesystem::path proc_;
  std::map<std::uint32_t, Seen> threads_;  // by serial number
};

}  // namespace jcprof::harness
