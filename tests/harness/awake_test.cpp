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
  std::int64_t asked = -1;  // room for more
  CHECK(::read(request.get(), &asked, sizeof asked) == sizeof(std::int32_t));
  CHECK(static_cast<std::int32_t>(asked) == 0);
}

TEST_CASE("the kernel keeps to it as long as somebody measures") {
  if (kept_latency() < 0 || ::access("/dev/cpu_dma_latency", W_OK) != 0) {
    WARN("SKIPPED: the kernel does not say, or this user may not ask");
    return;
  }
  const AwakeProcessors awake;
  CHECK(kept_latency() == 0);
}

}  // namespace jcprof::harness
