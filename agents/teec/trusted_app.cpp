// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/trusted_app.hpp"

#include <algorithm>
#include <cstring>

#include "agents/known.hpp"
#include "agents/monotonic.hpp"
#include "src/core/error.hpp"
#include "src/core/path_signature.hpp"

namespace jcprof::teec {
namespace {

using agents::Came;
using agents::Order;
using agents::Result;

// Of one report: what a TA keeps unless it was built to keep more.
constexpr std::size_t ids_of_report = 16'384;

// Words; a line of the protocol has 16 MiB, and bytes are hex in it.
constexpr std::uint64_t longest_log = std::uint64_t{1} << 20U;

jcprof_window wish(const Order& order) {
  if (order.is_recorded) return {.magic = {}, .room = 1};
  return {.magic = {'J', 'C', 'P', 'R', 'O', 'F', '1', '\n'},
          .trap = order.trap,
          .hit = order.hit,
          .from = order.from,
          .room = order.room,
          .passes = order.passes};
}

void wait(std::int64_t ns) {
  const std::int64_t awake = agents::monotonic_ns() + ns;
  while (agents::monotonic_ns() < awake) {
  }
}

std::uint64_t in_window(const jcprof_window& head) {
  return std::min(head.room, head.events - std::min(head.from, head.events));
}

std::uint32_t signature_of(const std::vector<std::uint32_t>& ids, std::uint32_t before) {
  std::vector<TrapId> traps;
  for (const std::uint32_t id : ids) traps.push_back(TrapId{id});
  return path_signature(traps, before);
}

}  // namespace

void TrustedApp::load(std::int64_t) {
  try {
    session_.close();
    session_.open();
  } catch (const TaLost& lost) {
    session_.close();
    throw environment_error(lost.what());
  }
}

void TrustedApp::kill() {
  if (session_.is_open()) session_.panic();
}

agents::Run TrustedApp::run(std::span<const Order> orders, const Take& take) {
  agents::Run run;
  replies_.clear();
  try {
    for (const Order& order : orders) {
      Result& result = run.results.emplace_back();
      carry_out(order, result);
      take(run.results.size() - 1, result);
      if (!agents::is_as_expected(order, result)) break;
    }
  } catch (const TaLost& lost) {
    why_ = lost.what();
    run.results.pop_back();
    run.end = agents::ListEnd::died;
    session_.close();
  }
  return run;
}

void TrustedApp::carry_out(const Order& order, Result& result) {
  try {
    if (order.task == agents::Task::call) return call(order, result);
    result.ticks = session_.tell(static_cast<Verb>(order.kind), wish(order)).ticks;
    result.came = Came::back;
  } catch (const UserError& error) {
    why_ = error.faults().front().message;
    result.came = Came::refused;
  }
}

void TrustedApp::call(const Order& order, Result& result) {
  const Shot shot = order.room > 0 ? trace(order) : shoot(order);
  if (shot.answer.code != 0 && shot.answer.origin != Origin::ta) {
    why_ = "the command did not reach the TA: " + in_words(shot.answer);
    return;
  }
  result.came = Came::back;
  result.ticks = shot.answer.ticks;
  result.trap = shot.report.head.trap;
  result.hit = shot.report.head.hit;
  if (result.trap != 0) return;
  const Bytes reply = reply_of(shot.params);
  result.status = shot.answer.code;
  result.reply = static_cast<std::uint32_t>(replies_.size());
  result.reply_size = static_cast<std::uint32_t>(reply.size());
  result.answer = agents::answer_digest(result.status, reply.size(), reply);
  replies_.insert(replies_.end(), reply.begin(), reply.end());
}

/// One run of the trigger, with all that belongs to it. Only the invocation is timed.
TrustedApp::Shot TrustedApp::shoot(const Order& order) {
  const Wishes& wishes = session_.wishes();
  const Bytes& input = inputs_.at(order.input);
  session_.run_script(wishes.before_each, "before_each", input);
  Shot shot{.answer = {}, .params = filled(wishes.trigger.params, input), .report = {}};
  wait(order.delay_ns);
  session_.tell(order.is_recorded ? Verb::record : Verb::arm, wish(order));
  shot.answer = session_.invoke(wishes.trigger.command, shot.params, Timing::timed);
  if (order.is_recorded) session_.tell(Verb::record, {});
  shot.report = order.room > 0 ? read_window() : session_.tell(Verb::report, {});
  session_.run_script(wishes.after_each, "after_each", input);
  return shot;
}

/// As much of the window as the TA has kept, in reports of some ids each.
Report TrustedApp::read_window() {
  Report window = session_.tell(Verb::report, {}, ids_of_report);
  const std::uint64_t held = std::min<std::uint64_t>(in_window(window.head), agents::window_room);
  while (window.ids.size() < held) {
    const auto first = static_cast<std::uint32_t>(window.ids.size());
    const std::vector<std::uint32_t> ids = session_.tell(Verb::report, {}, ids_of_report, first).ids;
    window.ids.insert(window.ids.end(), ids.begin(), ids.end());
  }
  window.ids.resize(held);
  return window;
}

/// Runs it again for each further window. One that does not continue what there is was another way: then the
/// first window is all that is known.
TrustedApp::Shot TrustedApp::trace(const Order& order) {
  Shot shot = shoot(order);
  traced_ = shot.report.head;
  ids_ = shot.report.ids;
  const std::size_t first_size = ids_.size();
  const std::uint64_t behind = traced_.events - std::min(traced_.from, traced_.events);
  std::uint32_t signature = signature_of(ids_, traced_.before);
  while (!shot.report.ids.empty() && ids_.size() < std::min(order.room, behind)) {
    Order next = order;
    next.from += ids_.size();
    next.room -= ids_.size();
    shot = shoot(next);
    const jcprof_window& head = shot.report.head;
    if (head.events != traced_.events || head.all != traced_.all || head.before != signature) {
      ids_.resize(first_size);
      break;
    }
    ids_.insert(ids_.end(), shot.report.ids.begin(), shot.report.ids.end());
    signature = signature_of(shot.report.ids, signature);
  }
  return shot;
}

Bytes TrustedApp::own_log() {
  std::vector<std::uint32_t> words;
  std::uint64_t all = 1;
  while (words.size() < all) {  // the last part has words behind the log
    const Report part = session_.tell(Verb::log, {}, ids_of_report, static_cast<std::uint32_t>(words.size()));
    all = std::min<std::uint64_t>(part.head.events, longest_log);
    words.insert(words.end(), part.ids.begin(), part.ids.end());
  }
  Bytes bytes(all * sizeof(std::uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

agents::Window TrustedApp::window() const {
  return {.events = traced_.events, .before = traced_.before, .all = traced_.all, .ids = ids_};
}

std::span<const std::uint8_t> TrustedApp::reply(const Result& result) const {
  return std::span(replies_).subspan(result.reply, result.reply_size);
}

std::vector<agents::Placed> TrustedApp::place(std::span<const Bytes> inputs) {
  inputs_.assign(inputs.begin(), inputs.end());
  std::vector<agents::Placed> placed;
  for (const Bytes& input : inputs)
    placed.push_back(
        {.at = static_cast<std::uint32_t>(placed.size()), .size = static_cast<std::uint32_t>(input.size())});
  return placed;
}

}  // namespace jcprof::teec
