// SPDX-License-Identifier: Apache-2.0
// Work on numbered items by all processors. It keeps no threads between two calls, and gives the work no
// order.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

namespace jcprof {

struct Workers {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t stack = 0;  // bytes for each, of which only what is used costs memory; 0: the system's usual
};

/// Calls `work` with each number below `count`, on as many threads as help. When it throws, no further number
/// is begun, and what the lowest number threw is thrown here, after all threads have ended.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work, Workers workers = {});

}  // namespace jcprof
