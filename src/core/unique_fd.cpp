// SPDX-License-Identifier: Apache-2.0
#include "src/core/unique_fd.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/core/error.hpp"

namespace jcprof {

void UniqueFd::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw environment_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

UniqueFd open_pidfd(pid_t process) {
  // By number: the declaration in glibc 2.36 lacks extern "C".
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

std::size_t size_of_file(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

}  // namespace jcprof
