// SPDX-License-Identifier: Apache-2.0
// Processors that stay awake while commands are timed.
#include "harness/awake.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include <catch2/catch.hpp>

#include "harness/exec/transport.hpp"
#include "src/core/unique_fd.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/harness/card_world.hpp"
#include "tests/harness/measure_bench.hpp"

namespace jcprof::harness {
namespace {

/// Returns the latency that the kernel keeps to for all who asked, in µs; -1 if it does not say.
std::int32_t kept_latency() {
  const UniqueFd file(::open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC));
  std::int32_t latency = -1;
  return ::read(file.get(), &latency, sizeof latency) == sizeof latency ? latency : -1;
}

/// Says if this process holds the kernel's file. Other tests may hold it at the same time.
bool is_asked() {
  return std::ranges::any_of(std::filesystem::directory_iterator("/proc/self/fd"), [](const auto& entry) {
    std::error_code gone;
    return std::filesystem::read_symlink(entry.path(), gone) == "/dev/cpu_dma_latency";
  });
}

TEST_CASE("a latency of 0 is asked for, in the kernel's 32 bits") {
  const UniqueFd request(::memfd_create("request", MFD_CLOEXEC));
  const AwakeProcessors awake("/proc/self/fd/" + std::to_string(request.get()));
  std::int64_t asked = -1;  // room for more
  CHECK(::read(request.get(), &asked, sizeof asked) == sizeof(std::int32_t));
  CHECK(static_cast<std::int32_t>(asked) == 0);
}

bool may_ask() {
  if (kept_latency() >= 0 && ::access("/dev/cpu_dma_latency", W_OK) == 0) return true;
  WARN("SKIPPED: the kernel does not say, or this user may not ask");
  return false;
}

TEST_CASE("processors stay awake as long as there is a card to time") {
  if (!may_ask()) return;
  {
    test::World world;
    const auto transport = test::transport_on(world, test::basic_setup());
    CHECK(is_asked());
    CHECK(kept_latency() == 0);
  }
  CHECK_FALSE(is_asked());
}

TEST_CASE("processors stay awake for programs that the wall clock times, and for no others") {
  if (!may_ask()) return;
  const test::TemporaryFolder folder;
  ExecSetup setup{.logs = folder / "logs"};
  for (const ProgramClock clock : {ProgramClock::wall, ProgramClock::cpu}) {
    setup.trigger.clock = clock;
    const auto transport = make_exec_transport(setup, nullptr);
    CHECK(is_asked() == (clock == ProgramClock::wall));
  }
}

TEST_CASE("a target that times itself finds the processors that it has without jcprof") {
  if (!may_ask()) return;
  test::MeasureBench bench;
  bool asked = true;
  bench.target.after_shot = [&](std::uint64_t) { asked = is_asked(); };
  bench.run();
  CHECK_FALSE(asked);
}

}  // namespace
}  // namespace jcprof::harness
