// SPDX-License-Identifier: Apache-2.0
#include "src/core/unique_fd.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
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

}  // namespace jcprof
