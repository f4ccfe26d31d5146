// SPDX-License-Identifier: Apache-2.0
#include "agents/ecall/enclave_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/core/error.hpp"
#include "src/core/process.hpp"

namespace jcprof::ecall {
namespace {

// So late may news be that the child did not ring for: it died, or hangs in the order behind them.
constexpr std::int64_t look_ns = 20'000'000;
constexpr std::int64_t ns_per_ms = 1'000'000;

std::string in_words(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  return "was ended by " + signal_in_words(WTERMSIG(status));
}

}  // namespace

EnclaveProcess::EnclaveProcess(Exchange& exchange, const ChildSettings& settings) : exchange_(exchange) {
  Pipe orders = make_pipe();
  Pipe results = make_pipe();
  ::fcntl(results.read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(results.write.get(), F_SETFL, O_NONBLOCK);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become_child(settings, orders, results, parent);
  if (pid_ < 0)
    throw environment_error(fmt::format("cannot start a process for the enclave: {}", std::strerror(errno)));
  pidfd_ = open_pidfd(pid_);
  orders_ = std::move(orders.write);
  results_ = std::move(results.read);
  if (pidfd_.get() >= 0) return;
  kill_and_reap();
  throw environment_error("this kernel has no pidfd_open", "Linux 5.3 or newer is needed");
}

EnclaveProcess::~EnclaveProcess() {
  kill_and_reap();
}

/// The agent's own streams speak its protocol: what a bridge prints goes to the log, and it reads nothing.
/// What a bridge throws ends it here, as an abort: the agent's own frames are below.
void EnclaveProcess::become_child(const ChildSettings& settings, Pipe& orders, Pipe& results,
                                  pid_t parent) noexcept {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before prctl
  orders.write = UniqueFd();
  results.read = UniqueFd();
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing.get() >= 0) ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  // Where it crashes once a shot, a file of all its memory each time is the larger harm.
  constexpr rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
  serve_orders(exchange_, settings, orders.read.get(), results.write.get());
  ::_exit(0);
}

ListEnd EnclaveProcess::run(std::span<const Order> orders,
                            const std::function<void(std::size_t, const Result&)>& take) {
  hand_over(orders);
  std::size_t taken = 0;
  const auto deadline_of_next = [&] {
    const Order& next = orders[std::min(taken, orders.size() - 1)];
    return agents::monotonic_ns() + next.limit_ns + next.delay_ns;
  };
  std::int64_t deadline = deadline_of_next();
  for (bool is_dead = false;; is_dead = has_ended(deadline)) {
    // Asked before its results are looked at: what came in time must not be lost to a slow machine.
    const bool has_finished = is_finished();
    const bool is_late = agents::monotonic_ns() >= deadline;
    const std::size_t done =
        std::min<std::size_t>(exchange_.done.load(std::memory_order_acquire), orders.size());
    const bool has_news = taken < done;
    for (; taken < done; ++taken) take(taken, Result(exchange_.results[taken]));
    // Without a result it did not do its part: who wrote over what we share is not to be trusted.
    if (has_finished && taken > 0) return ListEnd::finished;
    if (has_news) deadline = deadline_of_next();
    const bool is_hung = is_late && !has_news;
    if (!is_dead && !is_hung) continue;
    kill_and_reap();
    return is_dead ? ListEnd::died : ListEnd::hung;
  }
}

void EnclaveProcess::hand_over(std::span<const Order> orders) {
  check(!orders.empty() && orders.size() <= most_orders, "a list has from 1 to 256 orders");
  std::ranges::copy(orders, exchange_.orders.begin());
  exchange_.count = static_cast<std::uint32_t>(orders.size());
  exchange_.done = 0;
  exchange_.finished = 0;
  exchange_.list = ++list_;
  // What the last list rang for has been seen.
  std::array<char, 256> bells{};
  while (::read(results_.get(), bells.data(), bells.size()) > 0) {
  }
  // A child that is gone is found out below; its end of the pipe must not end us.
  ::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(!::write(orders_.get(), "", 1));
  ::signal(SIGPIPE, SIG_DFL);
}

bool EnclaveProcess::is_finished() const {
  return exchange_.finished.load(std::memory_order_acquire) == list_;
}

bool EnclaveProcess::has_ended(std::int64_t deadline) {
  std::array<pollfd, 2> ends{{{results_.get(), POLLIN, 0}, {pidfd_.get(), POLLIN, 0}}};
  const std::int64_t left = std::clamp<std::int64_t>(deadline - agents::monotonic_ns(), 0, look_ns);
  ::poll(ends.data(), ends.size(), static_cast<int>((left + ns_per_ms - 1) / ns_per_ms));
  std::array<char, 256> bells{};
  static_cast<void>(!::read(results_.get(), bells.data(), bells.size()));
  return (ends[1].revents & POLLIN) != 0;
}

void EnclaveProcess::kill_and_reap() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ending_ = in_words(status);
  pid_ = -1;
}

}  // namespace jcprof::ecall
