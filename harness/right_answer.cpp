// SPDX-License-Identifier: Apache-2.0
#include "harness/right_answer.hpp"

#include <fmt/format.h>

namespace jcprof::harness {
namespace {

bool is_of_program(std::uint32_t status) {
  return status <= 0xFF;
}

std::string in_digits(std::uint32_t status, bool is_program) {
  return in_form(is_program ? StatusForm::decimal : StatusForm::word, status);
}

}  // namespace

bool RightAnswer::accepts(std::uint32_t status) const {
  // An agent may stand before a card, whatever the target is called. No card answers 0, and nothing else
  // 9000.
  const bool is_success = status == 0 || status == success_of(StatusForm::word);
  return expect.empty() ? is_success : is_among(status, expect, form);
}

UserError wrong_answer(const RightAnswer& right, const AnsweredCommand& command) {
  const std::string status = in_form(right.form, command.status);
  const std::string wanted =
      right.expect.empty() ? in_form(right.form, success_of(right.form)) : right.expect;
  const std::string_view verb = right.form == StatusForm::decimal ? "ended with status" : "was answered with";
  const std::string meaning = command.meaning.empty() ? "" : fmt::format(" ({})", command.meaning);
  return {Fault{.message = fmt::format("{} {} {}{}, expected was {}{}", command.sent, verb, status, meaning,
                                       wanted, command.account),
                .hint = fmt::format(
                    "{}; if that answer is right, put \"expect\": \"{}\" into \"trigger\" of jcprof.json",
                    command.remedy, status)},
          ExitCode::check_failed};
}

UserError right_at_first(std::uint32_t first, std::uint32_t status, const std::string& how_often) {
  const bool is_program = is_of_program(first | status);
  return {
      Fault{.message = fmt::format("the command is answered right at first, with {}, and then otherwise: {}",
                                   in_digits(first, is_program), how_often),
            .hint = fmt::format(
                "it leaves a state behind: undo that {}; if that answer is right, put \"expect\": \"{}\" "
                "into \"trigger\" of jcprof.json",
                is_program ? "in \"before_each\" of \"session\", where files that it wrote are removed"
                           : "in \"before_each\" of \"session\", or by \"reset\" there",
                in_digits(status, is_program))},
      ExitCode::check_failed};
}

UserError right_before_stops(std::uint32_t status) {
  const bool is_program = is_of_program(status);
  return {
      Fault{.message = fmt::format("the command was answered right at first, and is answered with {} since "
                                   "jcprof stopped it in its midst",
                                   in_digits(status, is_program)),
            .hint =
                is_program
                    ? "runs, or those that are stopped, leave a state behind: undo that in \"before_each\" "
                      "of \"session\", where files that it wrote are removed"
                    : "commands, or those that are stopped, leave a state behind: put what undoes that, such "
                      "as the SELECT of \"after_reset\", into \"before_each\" of \"session\"; or set "
                      "\"reset\" there"},
      ExitCode::check_failed};
}

std::string with_input(const std::string& hex) {
  constexpr std::size_t shown = 32;
  if (hex.empty()) return "";
  return fmt::format(" with the input {}{}", hex.substr(0, shown), hex.size() > shown ? "…" : "");
}

}  // namespace jcprof::harness
