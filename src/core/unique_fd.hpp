// SPDX-License-Identifier: Apache-2.0
// A file descriptor that is closed with its owner, and what is made or asked by one. Reads and writes
// nothing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <utility>

namespace jcprof {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { close(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this == &other) return *this;
    close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }

  /// -1 when there is none.
  int get() const { return fd_; }

 private:
  void close();
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};
/// Closed in programs that are started. UserError (environment) when there are no descriptors left.
Pipe make_pipe();

/// Becomes readable when that process of ours ends. -1 where the kernel is older than Linux 5.3.
UniqueFd open_pidfd(pid_t process);

/// 0 where it cannot be told.
std::size_t size_of_file(int fd);

}  // namespace jcprof
