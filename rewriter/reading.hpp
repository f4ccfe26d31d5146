// SPDX-License-Identifier: Apache-2.0
// The file that each thread of a worker process reads at the moment, in memory shared with the process that
// watches it (isolation.hpp). Watches nothing itself.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "src/core/parallel.hpp"

namespace jcprof::rewriter {

/// One a worker process. All zero: nobody has read anything yet.
struct ReadingBoard {
  struct Slot {
    std::atomic<std::int64_t> since_ns;  // of the steady clock; 0: free
    std::array<char, 4096> path;
  };
  std::array<Slot, 16> slots;
  std::atomic<std::uint32_t> crashed;        // the slot of the thread that got a deadly signal, from 1
  std::atomic<std::uint32_t> turned_away;    // not 0: it came with no memory left
  std::atomic<std::uint32_t> one_at_a_time;  // set before the worker starts
};

/// In a worker, once, before it starts threads: from now on files are announced on `board`, and a deadly
/// signal leaves there which thread it came to.
void announce_readings_on(ReadingBoard& board);

/// This thread reads that file as long as the object lives. Costs nothing where nobody watches.
class Reading {
 public:
  explicit Reading(std::string_view path);
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  ReadingBoard::Slot* slot_ = nullptr;
};

/// For those who read sources by recursion, as deep as generators of code nest them. One thread alone where
/// several would not tell which file takes all memory.
Workers reading_workers();

/// The most that reading_workers() take of the address space.
std::uint64_t most_reading_stacks();

}  // namespace jcprof::rewriter
