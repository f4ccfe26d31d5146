// SPDX-License-Identifier: Apache-2.0
#include "src/core/cancellation.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "src/core/process.hpp"

namespace jcprof {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// All grace times together; then what is left is killed.
constexpr milliseconds most_grace{600};
// An end in order takes less; two seconds are promised (docs/safety.md).
constexpr suseconds_t most_until_the_end_us = 600'000;  // and a second
// One Ctrl-C may come twice: by the terminal, and from who waits for us.
constexpr milliseconds same_key{200};

std::int64_t now() noexcept {
  return Cancellation::Clock::now().time_since_epoch().count();
}

static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

// A signal handler reaches nothing but statics.
Cancellation* caught = nullptr;

extern "C" void end_at_once(int /*signal*/) {
  ::_exit(128 + caught->signal());
}

extern "C" void note_signal(int signal) {
  const int error = errno;
  if (signal == SIGINT && caught->signal() != 0 && caught->asked_for() > same_key) end_at_once(signal);
  if (caught->signal() == 0) {
    caught->ask(signal);
    const itimerval once{.it_interval = {}, .it_value = {.tv_sec = 1, .tv_usec = most_until_the_end_us}};
    ::setitimer(ITIMER_REAL, &once, nullptr);
  }
  errno = error;
}

}  // namespace

Cancellation::Cancellation() : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {
  if (timer_.get() < 0) throw environment_error("cannot make a timer", "too many files are open");
}

void Cancellation::arm(std::int64_t ns) const noexcept {
  constexpr std::int64_t second = 1'000'000'000;
  itimerspec when{};  // all zero: never
  if (ns != never) {
    when.it_value.tv_sec = static_cast<time_t>(std::max<std::int64_t>(ns, 1) / second);
    when.it_value.tv_nsec = static_cast<long>(std::max<std::int64_t>(ns, 1) % second);
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void Cancellation::ask(int signal) noexcept {
  int nobody = 0;
  std::int64_t not_yet = never;
  asked_.compare_exchange_strong(not_yet, now());
  signal_.compare_exchange_strong(nobody, signal);
  arm(0);
}

void Cancellation::end_by(Clock::time_point deadline) noexcept {
  deadline_ = deadline.time_since_epoch().count();
  arm(deadline_);
  if (signal() != 0) arm(0);  // it may have come in between
}

void Cancellation::forget() noexcept {
  signal_ = 0;
  asked_ = deadline_ = never;
  arm(never);
}

nanoseconds Cancellation::asked_for() const noexcept {
  return nanoseconds(now() - std::min(asked_.load(), deadline_.load()));
}

void Cancellation::check() const {
  if (is_asked()) throw Cancelled(signal());
}

void Cancellation::sleep_for(nanoseconds time) const {
  const std::int64_t end = now() + time.count();
  for (std::int64_t left = time.count(); left > 0; left = end - now()) {
    check();
    pollfd asked{.fd = fd(), .events = POLLIN, .revents = 0};
    const timespec slice{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    ::ppoll(&asked, 1, &slice, nullptr);
  }
  check();
}

milliseconds Cancellation::grace(milliseconds wished) const noexcept {
  if (signal() == 0) return wished;
  const auto left = std::chrono::duration_cast<milliseconds>(most_grace - asked_for());
  return std::clamp(left, milliseconds{0}, wished);
}

Cancellation& cancellation() {
  static Cancellation ours;
  return ours;
}

void catch_signals() {
  caught = &cancellation();
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = end_at_once;
  sigaction(SIGALRM, &action, nullptr);
  // Not two at a time, so that the first is the one that counts.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&action.sa_mask, signal);
  action.sa_handler = note_signal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // Under nohup the end of the terminal is not for us.
    if (before.sa_handler != SIG_IGN || signal != SIGHUP) sigaction(signal, &action, nullptr);
  }
}

std::string signal_in_words(int signal) {
  return fmt::format("signal {} ({})", signal, ::strsignal(signal));
}

ExitCode exit_code_of(int signal) {
  return static_cast<ExitCode>(128 + signal);
}

}  // namespace jcprof
