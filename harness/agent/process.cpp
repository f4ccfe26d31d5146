// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 16U;

/// write() to a pipe whose reader may be gone, without the signal that would end us.
ssize_t write_quietly(int fd, std::string_view text) {
  sigset_t broken;
  sigset_t before;
  ::sigemptyset(&broken);
  ::sigaddset(&broken, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken, &before);
  const ssize_t size = ::write(fd, text.data(), text.size());
  const int error = errno;
  if (size < 0 && error == EPIPE) {
    constexpr timespec at_once{};
    ::sigtimedwait(&broken, nullptr, &at_once);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return size;
}

/// Programs of ours put a hint behind their message.
std::string last_line(std::string_view text) {
  std::string hint;
  while (true) {
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    const std::size_t begin = text.find_last_of('\n') + 1;
    const std::string_view line = text.substr(begin);
    if (!line.starts_with("hint: ") || begin == 0)
      return hint.empty() ? std::string(line) : fmt::format("{}; {}", line, hint);
    hint = line;
    text = text.substr(0, begin);
  }
}

}  // namespace

std::string account_of(const Command& command, const LogPolicy& log, const std::string& tail) {
  return fmt::format("{}\nthe last of its log{}:\n{}", fmt::join(command.argv, " "),
                     log.file.empty() ? "" : fmt::format(" ({})", log.file.string()),
                     tail.empty() ? "(nothing)" : tail);
}

AgentProcess::AgentProcess(const Command& command, const LogPolicy& log) {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  process_.emplace(command, log, ChildStreams{.input = std::move(in.read), .output = std::move(out.write)});
  input_ = std::move(in.write);
  output_ = std::move(out.read);
  ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
}

ReadLine AgentProcess::read_line(Clock::time_point deadline) {
  return take_line(deadline, &cancellation());
}

ReadLine AgentProcess::take_line(Clock::time_point deadline, const Cancellation* ends) {
  while (true) {
    if (ends != nullptr) ends->check();
    write_some();
    if (const auto line = next_line()) {
      if (line->size() > longest_agent_line) return {LineState::too_long};
      return {LineState::read, *line};
    }
    if (filled_ - taken_ > longest_agent_line) return {LineState::too_long};
    if (!read_some()) return {LineState::closed};
    if (searched_ < filled_) continue;
    // Asked after reading, so that what had come in time is not lost to a slow machine.
    if (Clock::now() >= deadline) return {LineState::timed_out};
    wait(deadline, ends == nullptr ? -1 : ends->fd());
  }
}

std::optional<std::string_view> AgentProcess::next_line() {
  const std::size_t end = std::string_view(buffer_).substr(0, filled_).find('\n', searched_);
  if (end == std::string_view::npos) {
    searched_ = filled_;
    return std::nullopt;
  }
  const std::string_view line = std::string_view(buffer_).substr(taken_, end - taken_);
  taken_ = searched_ = end + 1;
  return line;
}

void AgentProcess::write_some() {
  while (!outgoing_.empty() && input_.get() >= 0) {
    const ssize_t size = write_quietly(input_.get(), outgoing_);
    if (size < 0 && errno == EAGAIN) return;
    if (size < 0 && errno == EINTR) continue;
    // An agent that does not read is found out by its silence, or by its end.
    if (size < 0)
      input_ = UniqueFd();
    else
      outgoing_.erase(0, static_cast<std::size_t>(size));
  }
  if (is_input_finished_ && outgoing_.empty()) input_ = UniqueFd();
}

/// False when nothing can come any more.
bool AgentProcess::read_some() {
  if (taken_ == filled_) {
    filled_ = taken_ = searched_ = 0;
  } else if (taken_ > longest_agent_line) {
    buffer_.erase(0, taken_);
    filled_ -= taken_;
    searched_ -= taken_;
    taken_ = 0;
  }
  if (buffer_.size() < filled_ + chunk) buffer_.resize(2 * filled_ + chunk);
  const ssize_t size = ::read(output_.get(), buffer_.data() + filled_, buffer_.size() - filled_);
  if (size > 0) filled_ += static_cast<std::size_t>(size);
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

void AgentProcess::wait(Clock::time_point deadline, int asked) const {
  const bool writes = !outgoing_.empty() && input_.get() >= 0;
  std::array<pollfd, 3> ends{
      {{output_.get(), POLLIN, 0}, {writes ? input_.get() : -1, POLLOUT, 0}, {asked, POLLIN, 0}}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  ::poll(ends.data(), ends.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
}

std::string AgentProcess::ending(std::chrono::milliseconds patience) {
  constexpr int of_signals = 128;
  constexpr int last_signal = 64;  // ssh ends with 255 when its connection breaks
  const std::optional<int> status = process_->ended(patience);
  if (!status) return "";
  if (*status > of_signals && *status <= of_signals + last_signal)
    return "ended by " + signal_in_words(*status - of_signals);
  return fmt::format("ended with status {}", *status);
}

std::string AgentProcess::last_words() const {
  return last_line(tail());
}

void AgentProcess::stop(std::chrono::milliseconds patience) {
  // Nobody wants its last lines, but they must not keep it from ending.
  is_input_finished_ = true;
  const Clock::time_point deadline = Clock::now() + cancellation().grace(patience);
  LineState state = LineState::read;
  while (Clock::now() < deadline && state == LineState::read) state = take_line(deadline, nullptr).state;
  input_ = UniqueFd();
  output_ = UniqueFd();
  process_->stop();
}

}  // namespace jcprof::harness
