// SPDX-License-Identifier: Apache-2.0
// A file descriptor that is closed with its owner, and pipes of them.
#pragma once

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

}  // namespace jcprof
