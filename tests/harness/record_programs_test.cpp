// SPDX-License-Identifier: Apache-2.0
// Logs of several programs: how one is offered, taken, ended and offered again.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "harness/record/available.hpp"
#include "harness/record/recording.hpp"
#include "src/core/file.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/log_file.hpp"

namespace jcprof::harness {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

constexpr std::uint64_t a_mib = std::uint64_t{1} << 20;

/// A program that has the log mapped.
class Target {
 public:
  explicit Target(const fs::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    memory_ = ::mmap(nullptr, a_mib, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~Target() { ::munmap(memory_, a_mib); }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  jcprof_log_head& head() const { return *static_cast<jcprof_log_head*>(memory_); }
  bool attaches(std::uint32_t process) const {
    std::uint32_t nobody = 0;
    return std::atomic_ref(head().attached).compare_exchange_strong(nobody, process);
  }
  /// One event, of one thread.
  void records() const {
    auto* bytes = static_cast<std::byte*>(memory_);
    std::memcpy(bytes + JCPROF_LOG_COMMAND_AT, "./words\0a.txt", 14);
    std::memcpy(bytes + JCPROF_LOG_STAT_AT, "7 (a) b) S 6 5", 15);
    auto& chunk = *reinterpret_cast<jcprof_log_chunk*>(bytes + head().chunks_at);
    auto& word = *reinterpret_cast<jcprof_log_u64*>(&chunk + 1);
    chunk.thread = chunk.number = 1;
    chunk.process = head().attached;
    store(word, jcprof_log_u64{(1U << 24) | (1U << 2) | JCPROF_LOG_ENTER});
    store(chunk.state, JCPROF_LOG_TAKEN);
  }

 private:
  void* memory_;
};

template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 20000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

struct ProgramsBench {
  TemporaryFolder folder;
  Recording recording{
      {.file = folder / "record.jcplog", .memory = a_mib, .left_out = {}, .programs = folder / "programs"}};
  Target first{recording.memory()};

  ProgramsBench() { recording.begin(); }
  fs::path log(int number) const { return folder / "programs" / std::to_string(number) / "record.jcplog"; }
  std::uint32_t own_number() const {
    return static_cast<std::uint32_t>(std::stoul(recording.memory().filename()));
  }
  fs::path offered() const { return offered(own_number()); }
  /// The path of the log that is offered instead of `before`.
  fs::path offered(std::uint32_t before) const {
    REQUIRE(comes_true([&] { return load(first.head().offered) != before; }));
    return recording.memory().parent_path() / std::to_string(load(first.head().offered));
  }
};

std::uint32_t ourselves() {
  return static_cast<std::uint32_t>(::getpid());
}

TEST_CASE("a log is offered when the first one is taken, and then another one") {
  ProgramsBench bench;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(load(bench.first.head().offered) == bench.own_number());  // it is taken next
  REQUIRE(bench.first.attaches(ourselves()));
  const Target second(bench.offered());
  const std::uint32_t number = load(bench.first.head().offered);
  REQUIRE(second.attaches(ourselves()));
  second.records();
  const Target third(bench.offered(number));
  CHECK(load(third.head().attached) == 0);
  bench.recording.stop();
  CHECK(load(bench.first.head().offered) == 0);
  CHECK_FALSE(third.attaches(7));
  const Recorded recorded = bench.recording.end(0, 0);
  REQUIRE(recorded.programs.size() == 2);
  CHECK(recorded.programs[0].facts.process == ourselves());
  CHECK(recorded.programs[0].facts.command.empty());
  CHECK(recorded.programs[1].facts.process == ourselves());
  CHECK(recorded.programs[1].facts.parent == 6);
  CHECK(recorded.programs[1].facts.command == "./words a.txt");
  CHECK(recorded.programs[1].number == 2);
  CHECK(recorded.programs[1].file == bench.log(2));
  CHECK(recorded.programs[1].log.events == 1);
  CHECK(test::read_log(bench.log(2)).events == 1);
  CHECK_FALSE(fs::exists(bench.log(3)));
}

TEST_CASE("a log that nobody has any more is ended, and its memory is offered again, as new") {
  ProgramsBench bench;
  REQUIRE(bench.first.attaches(ourselves()));
  for (int number = 2; number < 40; ++number) {
    INFO(number);
    std::uint32_t taken = 0;
    {
      const Target program(bench.offered());
      taken = load(bench.first.head().offered);
      CHECK(load(program.head().functions) > 0);
      CHECK(load(program.head().entries_used) == 0);
      REQUIRE(program.attaches(ourselves()));
      store(program.head().entries_used, 16U);
      program.records();
    }
    REQUIRE(comes_true([&] { return load(bench.first.head().offered) != taken; }));
    REQUIRE(
        comes_true([&] { return fs::exists(bench.log(number)) && test::read_log(bench.log(number)).end; }));
    CHECK(test::read_log(bench.log(number)).events == 1);
    CHECK(load(bench.first.head().offered) < 100);
  }
  bench.recording.stop();
  CHECK(bench.recording.end(0, 0).programs.size() == 39);
}

TEST_CASE("a pause holds for programs that come during it") {
  ProgramsBench bench;
  REQUIRE(bench.first.attaches(ourselves()));
  const Target second(bench.offered());
  bench.recording.pause(true);
  CHECK(load(second.head().off) == JCPROF_LOG_OFF_OUTSIDE);
  const std::uint32_t number = load(bench.first.head().offered);
  REQUIRE(second.attaches(ourselves()));
  const Target third(bench.offered(number));
  CHECK(load(third.head().off) == JCPROF_LOG_OFF_OUTSIDE);
  bench.recording.pause(false);
  CHECK(load(third.head().off) == 0);
  CHECK(comes_true([&] { return load(second.head().off) == 0; }));
  bench.recording.stop();
}

TEST_CASE("a pause of a log that is taken already is in that log") {
  ProgramsBench bench;
  REQUIRE(bench.first.attaches(ourselves()));
  const Target second(bench.offered());
  REQUIRE(second.attaches(ourselves()));
  bench.recording.pause(true);
  CHECK(comes_true([&] { return load(second.head().off) == JCPROF_LOG_OFF_OUTSIDE; }));
  bench.recording.stop();
  const std::vector<jcprof_log_entry> entries = test::read_log(bench.log(2)).entries;
  REQUIRE(entries.size() == 1);
  CHECK(entries.front().kind == JCPROF_LOG_PAUSE);
}

TEST_CASE("a pause from outside leaves one from inside alone") {
  ProgramsBench bench;
  REQUIRE(bench.first.attaches(ourselves()));
  const Target second(bench.offered());
  std::atomic<bool> ends = false;
  std::thread outside([&] {
    for (bool is_wanted = true; !ends; is_wanted = !is_wanted) bench.recording.pause(is_wanted);
  });
  std::atomic_ref off(second.head().off);
  int lost = 0;
  for (int i = 0; i < 100000; ++i) {
    off |= JCPROF_LOG_OFF_INSIDE;
    for (int j = 0; j < 20; ++j) lost += (off.load() & JCPROF_LOG_OFF_INSIDE) == 0 ? 1 : 0;
    off &= ~JCPROF_LOG_OFF_INSIDE;
  }
  ends = true;
  outside.join();
  CHECK(lost == 0);
  bench.recording.stop();
}

TEST_CASE("a program whose log cannot be written is refused, and the next one has its number") {
  ProgramsBench bench;
  fs::create_directory(bench.folder / "programs");
  write_file(bench.folder / "programs/2", "");
  REQUIRE(bench.first.attaches(ourselves()));
  const Target second(bench.offered());
  const std::uint32_t number = load(bench.first.head().offered);
  REQUIRE(second.attaches(ourselves()));
  CHECK(comes_true([&] { return load(bench.first.head().refused) == 1; }));
  CHECK(load(second.head().off) == JCPROF_LOG_OFF_OUTSIDE);
  const Target third(bench.offered(number));
  fs::remove(bench.folder / "programs/2");
  REQUIRE(third.attaches(ourselves()));
  third.records();
  bench.recording.stop();
  const Recorded recorded = bench.recording.end(0, 0);
  REQUIRE(recorded.programs.size() == 2);
  CHECK(recorded.programs[1].file == bench.log(2));
  CHECK(std::ranges::any_of(recorded.warnings, [](const Warning& warning) {
    return warning.text.find("programs could not be recorded: ") == 0;
  }));
}

TEST_CASE("what a program is called may have blanks") {
  LogMemory memory(a_mib, RecordClock::own, Pages::later);
  const Target target(memory.file());
  std::memcpy(reinterpret_cast<std::byte*>(&target.head()) + JCPROF_LOG_COMMAND_AT, "My Tools/words\0a b.txt",
              22);
  CHECK(facts_of(memory).program == "My Tools/words");
  CHECK(facts_of(memory).command == "My Tools/words a b.txt");
}

TEST_CASE("programs of an earlier recording go, and those that a killed recorder left") {
  const TemporaryFolder folder;
  for (const char* file : {"programs/2/record.jcplog", "programs.old/3/record.jcplog"}) {
    fs::create_directories((folder / file).parent_path());
    write_file(folder / file, "");
  }
  {
    Recording recording(
        {.file = folder / "record.jcplog", .memory = a_mib, .left_out = {}, .programs = folder / "programs"});
    recording.begin();
    CHECK_FALSE(fs::exists(folder / "programs"));
    recording.stop();
  }
  CHECK_FALSE(fs::exists(folder / "programs.old"));
}

TEST_CASE("memory is what the system has, within the limits of our control groups") {
  const TemporaryFolder folder;
  const auto tell = [&](const fs::path& file, const std::string& text) {
    fs::create_directories((folder / file).parent_path());
    write_file(folder / file, text);
  };
  const MemoryTold told{.proc = folder / "proc", .cgroups = folder / "groups"};
  CHECK(available_memory(told) == UINT64_MAX);
  tell("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:  1000 kB\n");
  CHECK(available_memory(told) == 1024000);
  tell("proc/self/cgroup", "4:memory:/outside/a\n0::/b/c\n");
  CHECK(available_memory(told) == 1024000);
  tell("groups/b/c/memory.max", "max\n");
  tell("groups/b/c/memory.current", "5000\n");
  CHECK(available_memory(told) == 1024000);
  tell("groups/b/memory.max", "900000\n");
  tell("groups/b/memory.current", "500000\n");
  CHECK(available_memory(told) == 400000);
  // The system takes files out of memory where it needs some.
  tell("groups/b/memory.stat", "anon 7\nactive_file 10000\ninactive_file 20000\n");
  CHECK(available_memory(told) == 430000);
  tell("groups/memory/memory.limit_in_bytes", "300000\n");
  tell("groups/memory/memory.usage_in_bytes", "100000\n");
  tell("groups/memory/memory.stat", "active_file 5\ntotal_active_file 1000\n");
  CHECK(available_memory(told) == 201000);
  tell("groups/memory/memory.usage_in_bytes", "400000\n");
  CHECK(available_memory(told) == 0);
}

TEST_CASE("a program that takes the log in the last moment is recorded") {
  ProgramsBench bench;
  REQUIRE(bench.first.attaches(ourselves()));
  {
    const Target second(bench.offered());
    REQUIRE(second.attaches(ourselves()));
    second.records();
    bench.recording.stop();
  }
  const Recorded recorded = bench.recording.end(0, 0);
  REQUIRE(recorded.programs.size() == 2);
  CHECK(recorded.programs[1].log.events == 1);
}

TEST_CASE("memory is alone when nobody else has it open or mapped, and is cleared") {
  LogMemory memory(a_mib, RecordClock::own, Pages::later);
  CHECK(memory.is_alone());
  {
    const Target target(memory.file());
    CHECK_FALSE(memory.is_alone());
    REQUIRE(target.attaches(7));
    target.records();
    store(memory.functions().front(), jcprof_log_u64{7});
    store(target.head().entries_used, 0U);
    target.head().clock = 77;
    target.head().chunks_at = 7;
    const_cast<std::byte&>(memory.entries().front()) = std::byte{1};
  }
  CHECK(memory.is_alone());
  memory.clear();
  CHECK(memory.head().attached == UINT32_MAX);
  memory.head().attached = 0;
  const LogMemory fresh(a_mib, RecordClock::own);
  CHECK(std::memcmp(&memory.head(), &fresh.head(), fresh.head().bytes) == 0);
}

}  // namespace
}  // namespace jcprof::harness
