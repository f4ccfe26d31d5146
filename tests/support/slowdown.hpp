// SPDX-License-Identifier: Apache-2.0
// How busy the machine is, for tests of how soon something happens.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace jcprof::test {

/// How much longer a bare loop takes than it computes: 1 on an idle machine, 4 where four programs share a
/// processor.
inline double slowdown() {
  constexpr double computed = 0.05;  // s
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(computed * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return std::max(1.0, took.count() / computed);
}

}  // namespace jcprof::test
