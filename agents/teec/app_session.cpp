// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/app_session.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::teec {
namespace {

constexpr std::uint32_t item_not_found = 0xFFFF0008;
constexpr std::uint32_t security = 0xFFFF000F;

UserError cannot_open(const Answer& answer, const std::string& ta) {
  const std::string message = fmt::format("no session with the TA {}: {}", ta, in_words(answer));
  if (answer.code == item_not_found)
    return environment_error(
        message, fmt::format("is {}.ta in the folder of tee-supplicant (/lib/optee_armtz), that one running, "
                             "and \"ta\" in \"trigger\" the BINARY of the makefile?",
                             ta));
  if (answer.code == security)
    return environment_error(
        message, "its signature is not accepted: sign it with the key that this OP-TEE was built with");
  if (answer.code == target_dead) return environment_error(message, "it panics when it is opened");
  return environment_error(message);
}

bool is_calibration(Verb verb) {
  switch (verb) {
    case Verb::empty:
    case Verb::unarmed:
    case Verb::counting:
    case Verb::returned:
    case Verb::stop:
      return true;
    case Verb::arm:
    case Verb::report:
    case Verb::panic:
    case Verb::record:
    case Verb::log:
      return false;
  }
  return false;
}

Params window_params(Verb verb, const jcprof_window& head, std::size_t ids_size, std::uint32_t first) {
  Memory window{.direction = Direction::inout,
                .bytes = Bytes(sizeof(head) + ids_size),
                .block = ids_size > 0 ? ids_block : window_block};
  std::memcpy(window.bytes.data(), &head, sizeof(head));
  return {std::move(window),
          Value{.direction = Direction::in, .a = static_cast<std::uint32_t>(verb), .b = first}};
}

}  // namespace

// ---- opening and closing

void AppSession::open() {
  open_alone();
  if (is_instance_used()) {
    panic();
    open_alone();
  }
  run_script(wishes_.once, "once", {});
  run_script(wishes_.after_reset, "after_reset", {});
}

void AppSession::open_alone() {
  Params params = filled(wishes_.open, {});
  const Answer answer = tee_->open(wishes_.identity, params);
  if (answer.code != 0) throw cannot_open(answer, wishes_.name);
  is_open_ = true;
}

/// By us, as it keeps its memory when no session is left, however that one ended, or by another session that
/// is open: whatever is armed says so from then on.
bool AppSession::is_instance_used() {
  const jcprof_window head = tell(Verb::report, {}).head;
  if (head.build != wishes_.build)
    throw environment_error(fmt::format("the TA {} is of build {:08x}, traps.json of {:08x}", wishes_.name,
                                        head.build, wishes_.build),
                            "build it from the tree that jcprof gen wrote last, and install that");
  return head.magic[0] != 0;
}

void AppSession::close() {
  if (!is_open_) return;
  // Its answer does not matter: a dead instance outlives nothing.
  Params params = window_params(Verb::arm, {.magic = {}, .room = 1}, 0, 0);
  tee_->invoke(wishes_.our_command, params, Timing::untimed);
  is_open_ = false;
  tee_->close();
}

void AppSession::panic() {
  try {
    tell(Verb::panic, {});
  } catch (const TaLost&) {
    is_open_ = false;
    tee_->close();
    return;
  }
  throw environment_error("the TA does not panic when it is told to");
}

void AppSession::reset(agents::Reset how) {
  if (how == agents::Reset::target && is_open_) panic();
  close();
  open();
}

// ---- invocations

Answer AppSession::invoke(std::uint32_t command, Params& params, Timing timing) {
  const Answer answer = tee_->invoke(command, params, timing);
  if (answer.code == target_dead && answer.origin != Origin::ta)
    throw TaLost(fmt::format("the TA has died: {}", in_words(answer)));
  return answer;
}

Report AppSession::tell(Verb verb, const jcprof_window& head, std::size_t room, std::uint32_t first) {
  Report report;
  report.ids.resize(room);
  const std::size_t ids_size = room * sizeof(std::uint32_t);
  Params params = window_params(verb, head, ids_size, first);
  const Timing timing = is_calibration(verb) ? Timing::timed : Timing::untimed;
  const Answer answer = invoke(wishes_.our_command, params, timing);
  const Bytes& told = std::get<Memory>(params[0]).bytes;
  if (answer.code != 0 || told.size() != sizeof(head) + ids_size)
    throw environment_error(
        fmt::format("the TA does not serve the command 0x{:x}, by which it is armed: {}", wishes_.our_command,
                    in_words(answer)),
        fmt::format("is the {}.ta that is installed the one of jcprof's tree?", wishes_.name));
  std::memcpy(&report.head, told.data(), sizeof(head));
  if (room > 0) std::memcpy(report.ids.data(), told.data() + sizeof(head), ids_size);
  report.ticks = answer.ticks;
  return report;
}

// ---- scripts

void AppSession::run_script(const Script& script, const char* name, const Bytes& input) {
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (const auto* time = std::get_if<std::chrono::milliseconds>(&script[i]))
      std::this_thread::sleep_for(*time);
    else if (const auto* how = std::get_if<agents::Reset>(&script[i]))
      reset(*how);
    else
      run_step(std::get<CommandStep>(script[i]), fmt::format("\"{}\"[{}]", name, i), input);
  }
}

void AppSession::run_step(const CommandStep& step, const std::string& where, const Bytes& input) {
  Params params = filled(step.invocation.params, input);
  const Answer answer = invoke(step.invocation.command, params);
  if (matches(step.expect, answer.code)) return;
  throw environment_error(fmt::format("{} of the session: the command {} returned {}, not {}", where,
                                      step.invocation.command, in_words(answer), step.expect));
}

}  // namespace jcprof::teec
