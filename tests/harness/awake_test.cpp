// SPDX-License-Identifier: Apache-2.0
// Processors that stay awake while commands are timed.
#include "harness/awake.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

#include "src/core/unique_fd.hpp"

namespace jcprof::harness {
namespace {

/// The latency that the kernel keeps to for all who asked, in µs; -1 if it does not say.
std::int32_t kept_latency() {
  const UniqueFd file(::open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC));
  std::int32_t latency = -1;
  return ::read(file.get(), &latency, sizeof latency) == sizeof latency ? latency : -1;
}

}  // namespace

TEST_CASE("a latency of 0 is asked for, in the kernel's 32 bits") {
  const UniqueFd request(::memfd_create("request", MFD_CLOEXEC));
  const AwakeProcessors awake("/proc/self/fd/" + std::to_string(request.get()));
  std::int32_t asked = -1;
  REQUIRE(::read(request.get(), &asked, sizeof asked) == sizeof asked);
  CHECK(asked == 0);
}

TEST_CASE("the kernel keeps to it as long as somebody measures") {
  const std::int32_t before = kept_latency();
  if (before <= 0) {
    WARN("SKIPPED: the kernel does not say, this user may not ask, or others keep processors awake");
    return;
  }
  {
    const AwakeProcessors awake;
    CHECK(kept_latency() == 0);
  }
  CHECK(kept_latency() == before);
}

TEST_CASE("who may not ask measures all the same") {
  CHECK_NOTHROW(AwakeProcessors("/nonexistent/request"));
}

}  // namespace jcprof::harness
