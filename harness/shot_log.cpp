// SPDX-License-Identifier: Apache-2.0
#include "harness/shot_log.hpp"

#include <fmt/format.h>

#include "harness/right_answer.hpp"
#include "harness/transport.hpp"

namespace jcprof::harness {
namespace {

constexpr int losses_to_give_up = 2;

std::string to_text(std::uint32_t status, std::size_t length) {
  return fmt::format("{:04X} with {} bytes of data", status, length);
}

}  // namespace

std::string describe(const TrapMap& map, Event event) {
  if (event.trap == run_to_end || number(event.trap) > map.traps.size()) return in_words(event);
  const Trap& trap = map.at(event.trap);
  return fmt::format("{} ({}:{}), hit {}", trap.name, trap.path, trap.line, event.hit);
}

void ShotLog::note(Oddity& oddity, const Shot& shot, const std::string& what) {
  if (oddity.count++ == 0) oddity.first = fmt::format("{}: {}", describe(map_, shot.stop), what);
}

void ShotLog::take(const Shot& shot, const Sample& sample) {
  ++shots_;
  switch (sample.outcome) {
    case Outcome::stopped:
      losses_in_a_row_.erase(shot.stop);
      if (shot.stop.trap == run_to_end) note(stopped_unasked_, shot, "stopped");
      return;
    case Outcome::ended:
      losses_in_a_row_.erase(shot.stop);
      take_end(shot, sample);
      return;
    case Outcome::refused:
      note(refused_, shot, sample.why);
      return;
    case Outcome::elsewhere:
      note(elsewhere_, shot, sample.why);
      return;
    case Outcome::timed_out:
    case Outcome::lost:
      take_loss(shot, sample);
      return;
  }
}

void ShotLog::take_end(const Shot& shot, const Sample& sample) {
  GoodAnswer& good = good_.at(shot.input);
  const std::uint32_t status = sample.status.value_or(0);
  if (!good.is_known && shot.stop.trap == run_to_end)
    good = {.status = status, .length = sample.reply.size()};
  const bool other_status = status != good.status;
  const bool other_length = !good.length_varies && sample.reply.size() != good.length;
  if (shot.stop.trap == run_to_end && !other_status && !other_length) {
    trusted_ = true;
    return;
  }
  const std::string answer = to_text(status, sample.reply.size());
  const std::string answers = other_status || other_length
                                  ? fmt::format("{} instead of {}", answer, to_text(good.status, good.length))
                                  : "as usual: " + answer;
  if (shot.stop.trap != run_to_end)
    note(not_stopped_, shot, answers);
  else
    note(other_status ? other_answer_ : other_length_, shot, answers);
}

void ShotLog::take_loss(const Shot& shot, const Sample& sample) {
  ++lost_;
  trusted_ = false;
  note(dead_, shot, sample.why);
  count_loss(shot.stop);
}

void ShotLog::count_loss(Event event) {
  if (++losses_in_a_row_[event] == losses_to_give_up && event.trap != run_to_end) given_up_.insert(event);
}

void ShotLog::recall(const Shot& shot, Outcome outcome, std::optional<std::uint32_t> status) {
  ++shots_;
  if (outcome == Outcome::lost || outcome == Outcome::timed_out) {
    note(dead_, shot, "in an earlier call");
    return count_loss(shot.stop);
  }
  if (outcome == Outcome::refused) return note(refused_, shot, "in an earlier call");
  if (outcome == Outcome::elsewhere) return note(elsewhere_, shot, "in an earlier call");
  losses_in_a_row_.erase(shot.stop);
  if (outcome == Outcome::stopped) {
    if (shot.stop.trap == run_to_end) note(stopped_unasked_, shot, "stopped");
    return;
  }
  const std::string answer = fmt::format("{:04X} in an earlier call", status.value_or(0));
  if (shot.stop.trap != run_to_end)
    note(not_stopped_, shot, answer);
  else if (status.value_or(0) != good_.at(shot.input).status)
    note(other_answer_, shot, answer);
}

std::vector<Warning> ShotLog::warnings() const {
  std::vector<Warning> warnings;
  const auto tell = [&](const Oddity& oddity, WarningKind kind, std::string_view what,
                        std::string advice = {}) {
    if (oddity.count == 0) return;
    warnings.push_back(
        {.kind = kind,
         .text = fmt::format("{} of {} shots {} (first: {})", oddity.count, shots_, what, oddity.first),
         .advice = std::move(advice)});
  };
  tell(not_stopped_, WarningKind::missed, "ran to their end instead of stopping",
       "the command takes another path at times, or a stop leaves something behind: undo that with "
       "\"before_each\"");
  tell(other_answer_, WarningKind::answer, "of the whole command had another answer than the known good run",
       std::string(to_one_state));
  tell(other_length_, WarningKind::answer, "of the whole command had an answer of another length",
       "a signature may be some bytes shorter or longer by chance; else " + std::string(to_one_state));
  tell(stopped_unasked_, WarningKind::missed, "stopped although no trap was armed");
  tell(refused_, WarningKind::missed, "were refused");
  tell(elsewhere_, WarningKind::missed, "stopped at another place than the traced run",
       "a stop seems to leave something behind: undo that with \"before_each\" or \"reset\"");
  tell(dead_, WarningKind::lost, "lost the target");
  for (const Event& event : given_up_)
    warnings.push_back(
        {.kind = WarningKind::lost,
         .text = fmt::format("jcprof leaves out the stop at {}: the target was lost there twice",
                             describe(map_, event))});
  return warnings;
}

}  // namespace jcprof::harness
