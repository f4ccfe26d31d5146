// SPDX-License-Identifier: Apache-2.0
#include "agents/ecall/enclave.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::ecall {
namespace {

using agents::Came;
using agents::Placed;
using agents::Task;

std::string with_last_trap(std::string text, std::uint32_t last) {
  return last == 0 ? text + ", before the first trap"
                   : fmt::format("{}; the trap passed last was {}", text, last);
}

}  // namespace

bool Enclave::load_in_place(Order load) {
  is_second_ = false;
  if (!process_ || needs_process_ || (exchange_->flags & JCPROF_PLUGIN_NEW_PROCESS) != 0) return false;
  load.limit_ns /= 4;  // where it hangs there is time for another process
  const Run done = run(std::span(&load, 1), [](std::size_t, const Result&) {});
  is_second_ = done.end == ListEnd::finished && done.results.front().came == Came::back;
  needs_process_ = !is_second_;
  return is_second_;
}

void Enclave::load(std::int64_t limit_ns) {
  const Order order{.task = Task::load, .limit_ns = limit_ns};
  if (load_in_place(order)) return;
  process_.reset();
  process_.emplace(*exchange_, settings_);
  exchange_->window.head.last = 0;
  const Run done = run(std::span(&order, 1), [](std::size_t, const Result&) {});
  if (done.end == ListEnd::finished && done.results.front().came == Came::back) return;
  const bool is_asked = done.end == ListEnd::finished && done.results.front().came == Came::refused;
  const std::string words = text_in(exchange_->why);
  const std::string how = done.end == ListEnd::finished ? words
                          : done.end == ListEnd::died
                              ? "its process " + ending_
                              : fmt::format("no answer in {:.1f} s", static_cast<double>(limit_ns) / 1e9);
  process_.reset();
  // What is refused is the bridge, and it says itself what is wrong with it.
  if (is_asked) throw environment_error(words, text_in(exchange_->hint));
  throw environment_error("the enclave cannot be created: " + how);
}

Run Enclave::run(std::span<const Order> orders, const Take& take) {
  check(process_.has_value(), "there is an enclave to give orders to");
  Run done;
  done.end = process_->run(orders, [&](std::size_t i, const Result& result) {
    done.results.push_back(result);
    take(i, result);
  });
  if (done.end == ListEnd::finished) return done;
  ending_ = process_->ending();
  process_.reset();
  return done;
}

std::string Enclave::why(const Run& run) const {
  const std::uint32_t last = exchange_->window.head.last;
  switch (run.end) {
    case ListEnd::finished:
      return run.results.back().came == Came::failed ? with_last_trap(text_in(exchange_->why), last)
                                                     : text_in(exchange_->why);
    case ListEnd::died:
      return with_last_trap("the enclave's process " + ending_, last);
    case ListEnd::hung:
      return with_last_trap("the ecall does not return", last);
  }
  return "";
}

agents::Window Enclave::window() const {
  const Exchange::Window& window = exchange_->window;
  return {.events = window.head.events,
          .before = window.head.before,
          .all = window.head.all,
          .ids = std::span(window.ids)};
}

std::span<const std::uint8_t> Enclave::reply(const Result& result) const {
  const std::size_t at = std::min<std::size_t>(result.reply, replies_room);
  return std::span(exchange_->replies)
      .subspan(at, std::min<std::size_t>(result.reply_size, replies_room - at));
}

std::vector<Placed> Enclave::place(std::span<const Bytes> inputs) {
  std::vector<Placed> placed;
  std::size_t at = 0;
  for (const Bytes& input : inputs) {
    if (input.size() > inputs_room - at)
      throw UserError(
          Fault{.message = fmt::format("the inputs of a request have more than {} MiB", inputs_room >> 20U)});
    std::ranges::copy(input, exchange_->inputs.begin() + static_cast<std::ptrdiff_t>(at));
    placed.push_back(
        {.at = static_cast<std::uint32_t>(at), .size = static_cast<std::uint32_t>(input.size())});
    at += input.size();
  }
  return placed;
}

}  // namespace jcprof::ecall
