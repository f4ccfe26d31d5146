// SPDX-License-Identifier: Apache-2.0
// Takes from the log's memory what a program has written, to the disk, and gives the memory back. No thread,
// no clock: who calls decides when.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <unordered_map>
#include <vector>

#include "harness/record/memory.hpp"
#include "harness/record/threads.hpp"
#include "harness/record/writer.hpp"

namespace jcprof::harness {

class Drainer {
 public:
  /// `proc` is /proc.
  Drainer(const LogMemory& memory, LogWriter& writer, std::filesystem::path proc);

  struct Round {
    std::uint32_t drained = 0;  // chunks
    std::uint32_t free = 0;     // that were so before
  };
  /// Chunks that are full, those of each thread in their order, behind the names that they need.
  Round round();
  /// Functions since the last time, which it returns; what is new of threads, and of modules.
  std::vector<jcprof_log_function> functions();
  void threads();
  /// The target records these no more, and the log says so.
  void leave_out(std::vector<jcprof_log_function> functions);
  /// Makes full what threads left that are gone without a word: killed, or out of _exit.
  void reclaim();
  /// All there is, of chunks under way too; nothing is given back. Records that somebody writes from now on
  /// are left out. Returns what functions() does.
  std::vector<jcprof_log_function> finish();

  /// Processes but for this one of which threads hold chunks and are alive.
  std::set<std::uint32_t> others_alive(std::uint32_t process) const;

 private:
  struct Waiting {
    std::uint32_t thread;
    std::uint32_t number;
    std::uint32_t index;
    auto operator<=>(const Waiting&) const = default;
  };
  enum class Which : std::uint8_t { full, all };

  std::vector<Waiting> waiting(Which which, Round& round);
  bool entries();
  void build_id(std::span<const std::byte> module);
  void take(const Waiting& chunk);
  void give_back(std::uint32_t index);

  const LogMemory& memory_;
  LogWriter& writer_;
  std::filesystem::path proc_;
  ThreadWatch watch_;
  std::unordered_map<std::uint32_t, std::uint32_t> taken_;  // the last number, by thread
  std::vector<bool> was_put_off_;                           // by chunk
  std::vector<bool> is_noted_;                              // by chunk: its thread is known
  std::vector<bool> is_done_;                               // by chunk: nobody may use it again
  std::vector<bool> is_written_;                            // by slot of the table of functions
  std::size_t entries_done_ = 0;                            // bytes
  std::uint32_t rounds_without_entry_ = 0;
  bool has_attached_ = false;  // the head that is on the disk says by whom
};

}  // namespace jcprof::harness
