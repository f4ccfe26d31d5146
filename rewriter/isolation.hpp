// SPDX-License-Identifier: Apache-2.0
// generate() in a process of its own: sources that crash a parser, keep it busy for ever or want all memory
// cost that file its traps, and jcprof nothing. Knows no language.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "rewriter/generate.hpp"

namespace jcprof::rewriter {

/// Each compiler that judges has the memory, and a time-out of its own.
struct ReadingLimits {
  std::chrono::milliseconds patience{60'000};  // with one file
  std::uint64_t memory = 0;                    // bytes; 0: what suits the machine
  std::size_t most_left_out = 10;              // files, until it is given up
};

/// Does what generate() does; nothing of it runs on when this process ends. UserError naming the files when
/// more than `most_left_out` cannot be read.
Generated generate_apart(const Project& project, const std::filesystem::path& out,
                         const ReadingLimits& limits = {});

}  // namespace jcprof::rewriter
