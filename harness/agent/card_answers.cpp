// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/card_answers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/card/status_words.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {

void end_if_asked(const AgentError& error) {
  if (!error.exit) return;
  const Fault fault{.message = error.message, .hint = error.hint};
  for (const ExitCode code : {ExitCode::check_failed, ExitCode::user_mistake})
    if (*error.exit == static_cast<std::uint32_t>(code)) throw UserError(fault, code);
  throw UserError(fault, ExitCode::environment);
}

std::string words_of(const AgentError& error) {
  return error.hint.empty() ? error.message : fmt::format("{} ({})", error.message, error.hint);
}

void judge(Event asked, Sample& sample) {
  if (sample.outcome == Outcome::stopped && !sample.reached)
    sample = {.outcome = Outcome::refused, .why = "it stopped, and the agent does not say where"};
  mark_if_elsewhere(asked, sample);
  const bool is_timed = sample.outcome == Outcome::stopped || sample.outcome == Outcome::ended;
  if (!is_timed && sample.why.empty()) sample.why = "the agent gives no reason";
}

TraceWindow window_of(const AgentWindow& answer, std::size_t traps, std::uint64_t count) {
  const auto unknown =
      std::ranges::find_if(answer.events, [traps](TrapId trap) { return number(trap) > traps; });
  if (unknown != answer.events.end())
    throw environment_error(
        fmt::format("the agent traced trap {}, and traps.json has {}", number(*unknown), traps),
        "does the target run what jcprof-gen wrote last?");
  TraceWindow window{.traps = answer.events,
                     .more = answer.more || answer.events.size() > count,
                     .before = {.signature = answer.signature, .mix = answer.mix},
                     .total = answer.total,
                     .end = {.outcome = answer.outcome.value_or(Outcome::ended),
                             .status = answer.status,
                             .reply = answer.reply,
                             .why = answer.why}};
  if (const auto& run = answer.run)
    window.run = WholeRun{.events = run->events, .digest = {.signature = run->signature, .mix = run->mix}};
  if (window.traps.size() > count) window.traps.resize(count);
  return window;
}

void LostTries::judge(const Bytes& input, Outcome outcome, std::optional<std::uint32_t> status) {
  if (outcome == Outcome::lost || outcome == Outcome::timed_out) right_.clear();
  if (outcome != Outcome::ended || !status) return;
  if (*status > UINT16_MAX || is_error(static_cast<StatusWord>(*status)))
    right_.erase(input);
  else
    right_.insert(input);
}

void LostTries::lose(const std::string& why) {
  const std::set<Bytes> right = std::exchange(right_, {});
  if (!right.empty() && std::ranges::includes(right, under_way_)) return;
  throw UserError(
      Fault{.message =
                fmt::format("a command that tries a PIN or key was not answered: {}; it may have used up "
                            "a try, so the run is ended before the next one",
                            why),
            .hint =
                "check how many tries are left; if the command counts no tries, put \"counts_tries\": false "
                "into \"trigger\", or \"expect\" into the step of \"session\""},
      ExitCode::check_failed);
}

}  // namespace jcprof::harness
