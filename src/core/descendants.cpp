// SPDX-License-Identifier: Apache-2.0
#include "src/core/descendants.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jcprof {
namespace {

/// What is in a file of /proc, as far as it goes into the buffer.
std::string_view contents(const char* file, std::span<char> buffer) noexcept {
  const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t size = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

/// Whether `did_end` says so of any child; it is called with each.
template <class DidEnd>
bool any_child(const DidEnd& did_end) noexcept {
  std::array<char, 4096> buffer{};
  bool any = false;
  pid_t number = 0;
  // A space stands behind each, so that one that is cut off is left for the next look.
  for (const char c : contents("/proc/thread-self/children", buffer)) {
    if (c >= '0' && c <= '9') {
      number = 10 * number + (c - '0');
      continue;
    }
    any |= number > 0 && did_end(number);
    number = 0;
  }
  return any;
}

}  // namespace

void adopt_orphans() noexcept {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int shell_status(int wait_status) noexcept {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void end_descendants(pid_t known, volatile int& status) noexcept {
  // False for one of another user.
  const auto kill_one = [](pid_t child) noexcept { return ::kill(child, SIGKILL) == 0; };
  // Children of what was killed come to us when it dies, hence again and again.
  while (any_child(kill_one)) {
    int ended = 0;
    pid_t child = ::waitpid(-1, &ended, 0);
    for (; child > 0; child = ::waitpid(-1, &ended, WNOHANG))
      if (child == known) status = shell_status(ended);
  }
}

void end_strays() noexcept {
  const auto end_if_stray = [](pid_t child) noexcept {
    std::array<char, 32> name{};  // a zombie has one too, but no program any more
    std::array<char, 16> ours{};
    ::prctl(PR_GET_NAME, ours.data());
    std::array<char, 32> file{};
    *fmt::format_to_n(file.data(), file.size() - 1, "/proc/{}/comm", child).out = '\0';
    const std::string_view theirs = contents(file.data(), name);
    return !theirs.empty() && theirs.substr(0, theirs.size() - 1) != ours.data() &&
           ::kill(child, SIGKILL) == 0 && ::waitpid(child, nullptr, 0) == child;
  };
  // What a stray had started comes to us when it has ended.
  while (any_child(end_if_stray)) {
  }
}

}  // namespace jcprof
