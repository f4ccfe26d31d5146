// SPDX-License-Identifier: Apache-2.0
// Names the lines and functions that a run leaves less well known than was asked for, with the cost of more.
// Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/core/warning.hpp"
#include "src/engine/settlement.hpp"

namespace jcprof::harness {

/// "40 s", "12 min", "5 h", "3 days"
std::string time_text(std::chrono::duration<double> time);

struct Effort {
  std::uint32_t rounds = 0;                   // so far
  std::uint32_t most_rounds = 0;              // of a call
  std::chrono::duration<double> per_shot{0};  // as it was so far; 0: not known
  bool is_session = false;
};

/// A way to get more rounds, as a clause: "`jcprof run --rounds 30` resumes". `options` begin with a blank.
std::string more_rounds_by(bool is_session, std::string_view options = "");

/// Those with most of the time come first. Nothing where all are settled.
std::optional<Warning> warning_of_unresolved(std::span<const engine::FigureLook> figures,
                                             const engine::Precision& precision, const Effort& effort);

}  // namespace jcprof::harness
