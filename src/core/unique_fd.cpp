// SPDX-License-Identifier: Apache-2.0
#include "src/core/unique_fd.hpp"

#include <unistd.h>

namespace jcprof {

void UniqueFd::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace jcprof
