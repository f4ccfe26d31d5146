// SPDX-License-Identifier: Apache-2.0
#include "src/core/parallel.hpp"

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace jcprof {
namespace {

TEST_CASE("each number is worked on once") {
  std::vector<int> calls(1000);
  in_parallel(calls.size(), [&](std::size_t i) { ++calls[i]; });
  CHECK(calls == std::vector<int>(1000, 1));
  in_parallel(0, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("one thread works in the numbers' order") {
  std::vector<std::size_t> order;
  in_parallel(100, [&](std::size_t i) { order.push_back(i); }, {.most = 1});
  std::vector<std::size_t> expected(100);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  CHECK(order == expected);
}

TEST_CASE("what several threads throw reaches the caller as the lowest number's alone") {
  for (int round = 0; round < 50; ++round) {
    std::vector<int> calls(1000);
    CHECK_THROWS_WITH(in_parallel(calls.size(),
                                  [&](std::size_t i) {
                                    ++calls[i];
                                    if (i >= 300) throw std::runtime_error("number " + std::to_string(i));
                                  }),
                      "number 300");
    CHECK(std::accumulate(calls.begin(), calls.begin() + 301, 0) == 301);
    CHECK(calls.back() == 0);
  }
}

/// Uses a kilobyte of stack for each.
std::size_t deep(std::size_t calls) {
  volatile char frame[1024];
  frame[0] = 1;
  return calls == 0 ? 0 : deep(calls - 1) + static_cast<std::size_t>(frame[0]);
}

TEST_CASE("threads have the stack that is asked for") {
  std::size_t depth = 0;
  in_parallel(1, [&](std::size_t) { depth = deep(32'000); }, {.stack = std::size_t{256} << 20});
  CHECK(depth == 32'000);
}

}  // namespace
}  // namespace jcprof
