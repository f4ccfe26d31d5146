// SPDX-License-Identifier: Apache-2.0
#include "rewriter/reading.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <new>

#include <sys/mman.h>
#include <sys/resource.h>

namespace jcprof::rewriter {
namespace {

/// A unit of a large program takes some hundred MB.
constexpr std::size_t most_readers = 8;
constexpr std::size_t reader_stack = std::size_t{512} << 20;

// A signal handler reaches nothing but statics.
ReadingBoard* watched = nullptr;
thread_local std::uint32_t own_slot = 0;  // from 1

/// A stack that has overflowed cannot run the handler.
class SignalStack {
 public:
  SignalStack() {
    stack_t before = {};
    ::sigaltstack(nullptr, &before);
    if ((before.ss_flags & SS_DISABLE) == 0) return;  // a sanitizer's
    memory_ = std::make_unique<std::byte[]>(size);
    const stack_t own{.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = size};
    ::sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    if (!memory_) return;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ::sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t size = std::size_t{64} << 10;
  std::unique_ptr<std::byte[]> memory_;
};

constexpr std::array deadly{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
std::array<struct sigaction, deadly.size()> before_us;

/// True for the first.
bool note_thread() {
  std::uint32_t nobody = 0;
  return watched->crashed.compare_exchange_strong(nobody, own_slot);
}

extern "C" void note_crash(int signal) {
  if (note_thread()) {
    // A parser that aborts for want of memory does not say so. It asked for a buffer of twice the size of the
    // one before.
    rlimit most{};
    ::getrlimit(RLIMIT_AS, &most);
    if (most.rlim_cur != RLIM_INFINITY &&
        ::mmap(nullptr, most.rlim_cur / 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
      watched->turned_away = 1;
  }
  // The fault comes again, or abort() goes on, with what was there before: the end, or a sanitizer's report.
  for (std::size_t i = 0; i < deadly.size(); ++i)
    if (deadly.at(i) == signal) ::sigaction(signal, &before_us.at(i), nullptr);
}

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

}  // namespace

void announce_readings_on(ReadingBoard& board) {
  watched = &board;
  struct sigaction action = {};
  action.sa_handler = note_crash;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < deadly.size(); ++i) ::sigaction(deadly.at(i), &action, &before_us.at(i));
  std::set_new_handler([] {
    note_thread();
    watched->turned_away = 1;
    throw std::bad_alloc();
  });
}

Reading::Reading(std::string_view path) {
  if (watched == nullptr || own_slot != 0) return;
  thread_local const SignalStack stack;
  for (std::uint32_t i = 0; i < watched->slots.size(); ++i) {
    ReadingBoard::Slot& slot = watched->slots.at(i);
    std::int64_t free = 0;
    // Held, but not yet to be read by who watches.
    if (!slot.since_ns.compare_exchange_strong(free, -1)) continue;
    const std::size_t size = std::min(path.size(), slot.path.size() - 1);
    std::ranges::copy(path.substr(0, size), slot.path.begin());
    slot.path.at(size) = '\0';
    slot.since_ns = now_ns();
    slot_ = &slot;
    own_slot = i + 1;
    return;
  }
}

Reading::~Reading() {
  if (slot_ == nullptr) return;
  own_slot = 0;
  slot_->since_ns = 0;
}

Workers reading_workers() {
  const bool is_alone = watched != nullptr && watched->one_at_a_time != 0;
  return {.most = is_alone ? 1 : most_readers, .stack = reader_stack};
}

std::uint64_t most_reading_stacks() {
  return most_readers * reader_stack;
}

}  // namespace jcprof::rewriter
