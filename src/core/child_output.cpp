// SPDX-License-Identifier: Apache-2.0
#include "src/core/child_output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof {
namespace {

constexpr std::size_t tail_size = 4096;
// How late a wish to end is noticed.
constexpr std::chrono::milliseconds look{50};
// What wait_for can look back on: a program's greeting, however many lines came before and after it.
constexpr std::size_t recent_size = std::size_t{1} << 16;
// A grandchild that left the group may go on writing for ever.
constexpr std::size_t most_after_the_end = std::size_t{1} << 20;

}  // namespace

ChildOutput::ChildOutput(UniqueFd pipe, const LogPolicy& log)
    : pipe_(std::move(pipe)), wake_(::eventfd(0, EFD_CLOEXEC)), log_room_(log.keep_bytes) {
  if (log.descriptor >= 0) {
    log_ = UniqueFd(::fcntl(log.descriptor, F_DUPFD_CLOEXEC, 0));
  } else if (!log.file.empty()) {
    log_ = open_own_file(log.file, log.start == LogStart::go_on ? OwnStart::go_on : OwnStart::empty);
    log_room_ -= std::min(log_room_, size_of_file(log_.get()));
  }
  ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
  // Signals are for the thread that waits for the child.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { take_all(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ChildOutput::take_all() {
  std::array<char, 16384> buffer{};
  std::size_t left = most_after_the_end;
  bool is_last_pass = false;
  while (left > 0) {
    is_last_pass |= is_ending_.load();
    const ssize_t size = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (size > 0) {
      take({buffer.data(), static_cast<std::size_t>(size)});
      if (is_last_pass) left -= std::min(left, static_cast<std::size_t>(size));
      continue;
    }
    const bool is_empty = size < 0 && (errno == EAGAIN || errno == EINTR);
    if (!is_empty || is_last_pass) break;
    std::array<pollfd, 2> sources{{{pipe_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    ::poll(sources.data(), sources.size(), -1);
  }
  const std::scoped_lock lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void ChildOutput::take(std::string_view chunk) {
  const std::scoped_lock lock(mutex_);
  log(chunk);
  // Searched before the front is cut off, so that nothing is missed however much comes at once.
  const std::size_t searched = recent_.size() - std::min(recent_.size(), wanted_.size());
  recent_ += chunk;
  if (!wanted_.empty() && recent_.find(wanted_, searched) != std::string::npos) was_seen_ = true;
  if (recent_.size() > 2 * recent_size) recent_.erase(0, recent_.size() - recent_size);
  if (was_seen_) changed_.notify_all();
}

void ChildOutput::log(std::string_view chunk) {
  if (log_.get() < 0) return;
  const std::string_view kept = chunk.substr(0, log_room_);
  write_all(log_.get(), kept);  // at once: whoever waits for a slow build reads along
  log_room_ -= kept.size();
  if (kept.size() == chunk.size()) return;
  write_all(log_.get(), "\n[jcprof: the rest of the output was dropped]\n");
  log_ = {};
}

bool ChildOutput::wait_for(const std::string& text, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  wanted_ = text;
  was_seen_ = recent_.find(text) != std::string::npos;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!was_seen_ && !is_over_ && std::chrono::steady_clock::now() < deadline) {
    cancellation().check();
    changed_.wait_for(lock, look);
  }
  wanted_.clear();
  return was_seen_;
}

std::string ChildOutput::tail() const {
  const std::scoped_lock lock(mutex_);
  if (recent_.size() <= tail_size) return recent_;
  const std::string_view end = std::string_view(recent_).substr(recent_.size() - tail_size);
  const std::size_t line_end = end.find('\n');
  const bool has_whole_line = line_end != std::string_view::npos && line_end + 1 < end.size();
  return std::string(has_whole_line ? end.substr(line_end + 1) : end);
}

void ChildOutput::finish() {
  if (!thread_.joinable()) return;
  is_ending_ = true;
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
  log_ = {};
}

}  // namespace jcprof
