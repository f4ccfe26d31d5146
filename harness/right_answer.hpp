// SPDX-License-Identifier: Apache-2.0
// First contact: is the command answered as the project wants it? A command that is refused is not worth
// measuring. Sends nothing; transports ask it about the answers that they get.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/error.hpp"
#include "src/core/status_form.hpp"

namespace jcprof::harness {

struct RightAnswer {
  StatusForm form = StatusForm::word;
  std::string expect = {};  // of the trigger; empty: success

  bool accepts(std::uint32_t status) const;
};

/// A command and how it was answered.
struct AnsweredCommand {
  std::string sent;  // "the trigger b0310000"
  std::uint32_t status = 0;
  std::string meaning = {};  // of that status, in words; empty: nobody knows
  std::string account = {};  // put behind the sentence; empty: nothing
  std::string remedy = {};   // the first half of the hint
};

/// Says what was sent, what came back, and what to do (check_failed).
UserError wrong_answer(const RightAnswer& right, const AnsweredCommand& command);

/// A command that was answered right at first, and then mostly with `status` (check_failed).
UserError right_at_first(std::uint32_t first, std::uint32_t status, const std::string& how_often);

/// A command that was answered right until stops came before it, and then with `status` (check_failed).
UserError right_before_stops(std::uint32_t status);

/// Advice where a state of the target decides what a command does.
inline constexpr std::string_view to_one_state =
    "bring the target back to one state before each run: \"before_each\" or \"reset\" in \"session\"";

/// An input behind a command in a sentence; empty where it is.
std::string with_input(const std::string& hex);

}  // namespace jcprof::harness
