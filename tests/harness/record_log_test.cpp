// SPDX-License-Identifier: Apache-2.0
// The log of record mode: its memory, what is taken from there, and the file that it goes to.
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <mutex>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "harness/record/choice.hpp"
#include "harness/record/drain.hpp"
#include "harness/record/memory.hpp"
#include "harness/record/writer.hpp"
#include "src/core/file.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/log_file.hpp"

namespace jcprof::harness {
namespace {

using test::fault_text;
using test::LogFile;
using test::read_log;
using test::TemporaryFolder;
namespace fs = std::filesystem;

constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t plenty = 64 * mib;
using Words = std::vector<std::uint64_t>;

std::uint64_t record(std::uint64_t tick, std::uint32_t kind) {
  return tick << (64 - JCPROF_LOG_TICK_BITS) | 1U << 2 | kind;
}
std::uint64_t enter(std::uint64_t tick) {
  return record(tick, JCPROF_LOG_ENTER);
}
std::uint64_t mark(std::uint64_t tick) {
  return record(tick, JCPROF_LOG_MARK);
}
Words events(std::size_t count) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = enter(i);
  return words;
}

/// Drained into a file, with chunks that the test fills as a target would.
struct Bench {
  TemporaryFolder folder;
  LogMemory memory{mib, RecordClock::own};
  fs::path file = folder / "record.jcplog";
  LogWriter writer{file, plenty};
  Drainer drainer{memory, writer, folder / "proc"};

  Bench() { writer.begin(memory.head()); }

  struct Filled {
    std::uint32_t state = JCPROF_LOG_FULL;
    std::uint32_t thread = 1;
    std::uint32_t number = 1;
    std::uint64_t lost = 0;
  };
  void fill(std::uint32_t index, const Filled& how, const Words& words) const {
    const LogChunk chunk = memory.chunk(index);
    chunk.head = {
        .state = how.state, .thread = how.thread, .number = how.number, .process = 40, .lost = how.lost};
    chunk.head.tid = 40 + how.thread;
    std::ranges::copy(words, chunk.words.begin());
  }
  std::uint32_t state(std::uint32_t index) const { return memory.chunk(index).head.state; }
  void append(std::uint32_t kind) const {
    jcprof_log_entry entry{.kind = kind, .bytes = sizeof(jcprof_log_entry) + 8, .a = 1, .b = 2, .c = 3};
    std::byte* at = const_cast<std::byte*>(memory.entries().data()) + memory.head().entries_used;
    std::memcpy(at, &entry, sizeof entry);
    memory.head().entries_used += entry.bytes;
  }
  LogFile ended() {
    drainer.finish();
    writer.end(memory.head(), 0);
    return read_log(file);
  }
};

TEST_CASE("memory for a log is shared out so that all of it fits, from 1 MiB on") {
  for (const std::uint64_t bytes : {mib, 3 * mib, 64 * mib, 100 * mib}) {
    INFO(bytes);
    const LogSizes sizes = sizes_of_log(bytes);
    const std::uint64_t used = JCPROF_LOG_HEAD_BYTES + std::uint64_t{sizes.functions} * 8 +
                               sizes.entry_bytes + std::uint64_t{sizes.chunks} * sizes.chunk_bytes;
    CHECK(used <= bytes);
    CHECK(used > bytes - sizes.chunk_bytes);
    CHECK(sizes.chunks > 50);
    CHECK(sizes.chunk_bytes % 64 == 0);
  }
  CHECK(sizes_of_log(64 * mib).chunk_bytes == 64 * 1024);
}

TEST_CASE("too little memory for a log, and too much, is refused in words") {
  CHECK(fault_text([] { sizes_of_log(mib - 1); }) ==
        "the memory of a log cannot be 1048575 bytes\nhint: from 1M to 1T; the default is --memory 64M");
  CHECK(
      fault_text([] { sizes_of_log(mib * mib * 2); }) ==
      "the memory of a log cannot be 2199023255552 bytes\nhint: from 1M to 1T; the default is --memory 64M");
  CHECK_THAT(fault_text([] { sizes_of_log(mib * mib); }),
             Catch::StartsWith("1048576 MiB of memory are asked for, and "));
}

TEST_CASE("a log's memory is found by its path, whatever the folder, and is laid out") {
  const LogMemory memory(mib, RecordClock::counted);
  const fs::path before = fs::current_path();
  fs::current_path("/");
  std::ifstream file(memory.file(), std::ios::binary);
  fs::current_path(before);
  jcprof_log_head head{};
  REQUIRE(file.read(reinterpret_cast<char*>(&head), sizeof head));
  CHECK(std::string_view(head.magic, 8) == JCPROF_LOG_MAGIC);
  CHECK(head.version == JCPROF_LOG_VERSION);
  CHECK(head.clock == JCPROF_LOG_CLOCK_COUNTED);
  CHECK(head.chunks == memory.chunks());
  CHECK(head.bytes == head.chunks_at + std::uint64_t{head.chunks} * head.chunk_bytes);
  const auto offset =
      reinterpret_cast<const char*>(&memory.chunk(1).head) - reinterpret_cast<const char*>(&memory.head());
  CHECK(static_cast<std::uint64_t>(offset) == head.chunks_at + head.chunk_bytes);
}

TEST_CASE("what a chunk holds is told by its records, holes and payloads of 0 included") {
  const auto content = [](const Words& words) {
    const ChunkContent found = content_of(words);
    return std::array<std::uint64_t, 3>{found.used, found.events, found.last};
  };
  using Content = std::array<std::uint64_t, 3>;
  CHECK(content({0, 0, 0}) == Content{0, 0, 0});
  CHECK(content({enter(5), enter(7), 0}) == Content{2, 2, 7});
  CHECK(content({mark(5), 0, 0}) == Content{2, 1, 5});
  CHECK(content({mark(5), enter(9), enter(6), 0}) == Content{3, 2, 6});
  CHECK(content({0, enter(7), 0, enter(8), 0}) == Content{4, 2, 8});
}

TEST_CASE("full chunks go to the disk in each thread's order, and are free and empty again") {
  Bench bench;
  bench.fill(5, {.thread = 1, .number = 1}, events(2));
  bench.fill(3, {.thread = 1, .number = 2}, events(3));
  bench.fill(0, {.thread = 2, .number = 1, .lost = 7}, {mark(1), 0});
  bench.fill(1, {.state = JCPROF_LOG_TAKEN, .thread = 2, .number = 2}, events(1));
  CHECK(bench.drainer.round().drained == 3);
  for (const std::uint32_t index : {0U, 3U, 5U}) {
    CHECK(bench.state(index) == JCPROF_LOG_FREE);
    CHECK(bench.memory.chunk(index).head.lost == 0);
    CHECK(content_of(bench.memory.chunk(index).words).used == 0);
  }
  CHECK(bench.state(1) == JCPROF_LOG_TAKEN);
  const LogFile log = bench.ended();
  CHECK(log.threads.at(1).numbers == std::vector<std::uint32_t>{1, 2});
  CHECK(log.threads.at(1).events == 5);
  CHECK(log.threads.at(2).numbers == std::vector<std::uint32_t>{1, 2});
  CHECK(log.threads.at(2).words == Words{mark(1), 0, enter(0)});
  CHECK(log.threads.at(2).lost == 7);
  CHECK(log.end->lost == 7);
  CHECK(bench.writer.written().events == log.events);
}

TEST_CASE("first chunks tell the processor time ahead of them") {
  Bench bench;
  const auto fill = [&](std::uint32_t index, std::uint32_t number, std::uint64_t left_ns,
                        std::uint64_t base_ns, std::uint32_t thread = 1) {
    bench.fill(index, {.thread = thread, .number = number}, events(2));
    jcprof_log_chunk& head = bench.memory.chunk(index).head;
    head.left_ns = left_ns;
    head.base_ns = base_ns;
  };
  fill(0, 1, 0, 700);
  fill(1, 2, 1000, 1030);  // the analysis takes changes of chunks off
  fill(2, 1, 0, 50, 2);    // plain runs record the first thread alone
  bench.drainer.round();
  CHECK(bench.writer.written().ahead_ns == 700);
}

TEST_CASE("a chunk that was seen before the one in front of it waits for a round") {
  Bench bench;
  bench.fill(2, {.number = 2}, events(1));
  CHECK(bench.drainer.round().drained == 0);
  bench.fill(7, {.number = 1}, events(1));
  CHECK(bench.drainer.round().drained == 2);
  CHECK(bench.ended().threads.at(1).numbers == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("a chunk whose predecessor never comes does not wait for ever") {
  Bench bench;
  bench.fill(2, {.number = 9}, events(1));
  CHECK(bench.drainer.round().drained == 0);
  CHECK(bench.drainer.round().drained == 1);
}

TEST_CASE("a chunk that was left with an event under way is drained once and not used again") {
  Bench bench;
  bench.fill(4, {.state = JCPROF_LOG_LEFT}, events(2));
  CHECK(bench.drainer.round().drained == 1);
  CHECK(bench.state(4) == JCPROF_LOG_LEFT);
  CHECK(bench.drainer.round().drained == 0);
  CHECK(bench.ended().events == 2);
}

TEST_CASE("names stand before the chunks that need them") {
  Bench bench;
  bench.append(JCPROF_LOG_NAME);
  bench.fill(0, {}, events(1));
  bench.drainer.round();
  CHECK(bench.ended().blocks == "HEHCH.");
}

TEST_CASE("chunks wait while a name is being written, but not for one that never is") {
  Bench bench;
  bench.append(0);
  bench.fill(0, {}, events(1));
  CHECK(bench.drainer.round().drained == 0);
  const_cast<std::byte&>(bench.memory.entries().front()) = std::byte{JCPROF_LOG_NAME};
  CHECK(bench.drainer.round().drained == 1);
  bench.append(0);
  bench.fill(0, {.number = 2}, events(1));
  std::uint32_t drained = 0;
  for (int i = 0; i < 200; ++i) drained += bench.drainer.round().drained;
  CHECK(drained == 1);
}

TEST_CASE("room for names that is full keeps no chunk") {
  Bench bench;
  bench.append(JCPROF_LOG_NAME);
  bench.memory.head().entries_used = static_cast<std::uint32_t>(bench.memory.entries().size()) + 40;
  bench.fill(0, {}, events(1));
  CHECK(bench.drainer.round().drained == 1);
  CHECK(bench.ended().entries.size() == 1);
}

TEST_CASE("entries that claim to be of an impossible size end the entries and nothing else") {
  Bench bench;
  bench.append(JCPROF_LOG_NAME);
  bench.memory.head().entries_used = UINT32_MAX;
  reinterpret_cast<jcprof_log_entry&>(const_cast<std::byte&>(bench.memory.entries().front())).bytes =
      0xFFFFFFF8;
  bench.fill(0, {}, events(1));
  CHECK(bench.drainer.round().drained == 1);
  CHECK(bench.ended().entries.empty());
}

TEST_CASE("each function is written once, new ones behind the others") {
  Bench bench;
  jcprof_log_u64& table = bench.memory.functions().front();
  (&table)[4] = 0x1000;
  bench.drainer.functions();
  bench.drainer.functions();
  (&table)[2] = 0x2000;
  const LogFile log = bench.ended();
  CHECK(log.functions == std::map<std::uint64_t, std::uint64_t>{{5, 0x1000}, {3, 0x2000}});
  CHECK(log.blocks == "HFFH.");
}

TEST_CASE("functions that are left out are marked for the target and in the log") {
  Bench bench;
  const std::span<jcprof_log_u64> table = bench.memory.functions();
  table[4] = 0x1000;
  table[2] = 0x2000;
  const std::vector<jcprof_log_function> found = bench.drainer.functions();
  REQUIRE(found.size() == 2);
  bench.drainer.leave_out({found.front()});
  CHECK(table[2] == 0x2000);  // an older target does not know the bit
  bench.memory.head().leaves_out = 1;
  bench.drainer.leave_out({found.front()});
  CHECK(table[2] == (0x2000 | JCPROF_LOG_LEFT_OUT));
  CHECK(table[4] == 0x1000);
  const LogFile log = bench.ended();
  CHECK(log.functions ==
        std::map<std::uint64_t, std::uint64_t>{{5, 0x1000}, {3, 0x2000 | JCPROF_LOG_LEFT_OUT}});
}

TEST_CASE("functions are chosen on a thread of its own, and all by the end") {
  std::mutex busy;
  FunctionChoice choice([&](std::span<const jcprof_log_function> functions) {
    const std::scoped_lock lock(busy);
    std::vector<jcprof_log_function> odd;
    for (const jcprof_log_function& function : functions)
      if (function.id % 2 == 1) odd.push_back(function);
    return odd;
  });
  {
    const std::scoped_lock lock(busy);
    for (std::uint64_t id = 1; id <= 5; ++id)
      choice.add(std::vector{jcprof_log_function{.id = id, .address = 16 * id}});
    CHECK(choice.take_left_out().empty());
  }
  choice.finish();
  std::vector<std::uint64_t> ids;
  for (const jcprof_log_function& function : choice.take_left_out()) ids.push_back(function.id);
  CHECK(ids == std::vector<std::uint64_t>{1, 3, 5});
  CHECK(choice.take_left_out().empty());
}

TEST_CASE(
    "of a thread its name and times are told, for as long as it lives, and its chunk is reclaimed when it is "
    "gone") {
  Bench bench;
  const fs::path thread = bench.folder / "proc/40/task/41";
  write_file(thread / "comm", "a thread of great names\n");
  write_file(thread / "schedstat", "1200 34 5\n");
  bench.fill(0, {.state = JCPROF_LOG_TAKEN}, events(2));
  bench.drainer.round();
  bench.drainer.threads();
  bench.drainer.reclaim();
  CHECK(bench.state(0) == JCPROF_LOG_TAKEN);
  CHECK(bench.drainer.others_alive(40).size() == 0);
  CHECK(bench.drainer.others_alive(39).size() == 1);
  write_file(thread / "schedstat", "1300 36 6\n");
  bench.drainer.threads();
  bench.drainer.threads();
  fs::remove_all(thread);
  CHECK(bench.drainer.others_alive(39).size() == 0);
  bench.drainer.reclaim();
  CHECK(bench.state(0) == JCPROF_LOG_FULL);
  CHECK(bench.drainer.round().drained == 1);
  const LogFile log = bench.ended();
  CHECK(log.blocks == "HTTHCH.");
  CHECK(log.looks.at(1).tid == 41);
  CHECK(log.looks.at(1).running_ns == 1300);
  CHECK(log.looks.at(1).waiting_ns == 36);
  CHECK(std::string(log.looks.at(1).name) == "a thread of gre");
}

TEST_CASE("beyond --max-log chunks are dropped, and each event is written or counted as lost") {
  const TemporaryFolder folder;
  const LogMemory memory(mib, RecordClock::own);
  const fs::path file = folder / "record.jcplog";
  constexpr std::uint64_t most = 256 * 1024;
  LogWriter writer(file, most);
  writer.begin(memory.head());
  const Words words = events(1000);
  for (std::uint32_t number = 1; number <= 100; ++number)
    writer.chunk({.thread = 1 + number % 2, .number = number, .lost = 3}, words);
  writer.end(memory.head(), 5);
  const LogFile log = read_log(file);
  CHECK(fs::file_size(file) <= most);
  CHECK(log.events > 10'000);
  CHECK(log.events + log.lost == 100 * 1003);
  CHECK(log.lost == log.end->lost);
  CHECK(log.end->status == 5);
  CHECK(log.end->dropped == 100 - log.events / 1000);
  CHECK(log.threads.at(1).numbers.back() == 100);
  CHECK(log.threads.at(2).numbers.back() == 99);
  CHECK(writer.written().why == "--max-log is 262144 bytes");
  CHECK(writer.written().events == log.events);
  CHECK(writer.written().lost == log.lost);
  CHECK(writer.written().discarded == 1000 * log.end->dropped);
  CHECK(writer.written().bytes == fs::file_size(file));
}

/// The most that a file may have, as a disk that is full.
class FileLimit {
 public:
  explicit FileLimit(std::uint64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_CASE("a disk that takes no more leaves a log that is good up to there") {
  const TemporaryFolder folder;
  const LogMemory memory(mib, RecordClock::own);
  const fs::path file = folder / "record.jcplog";
  LogWriter writer(file, plenty);
  writer.begin(memory.head());
  {
    const FileLimit limit(100'000);
    for (std::uint32_t number = 1; number <= 20; ++number)
      writer.chunk({.thread = 1, .number = number}, events(1000));
    // Which would go on for as long as the program does, into what is kept for the end.
    const std::uint64_t bytes = writer.written().bytes;
    writer.thread({.thread = 1});
    writer.pair({});
    CHECK(writer.written().bytes == bytes);
  }
  writer.end(memory.head(), 0);
  const LogFile log = read_log(file);
  CHECK(log.events == 11'000);
  CHECK(log.events + log.lost == 20'000);
  CHECK(log.end->dropped == 9);
  CHECK(writer.written().why == "File too large");
  CHECK(writer.written().is_whole);
}

TEST_CASE("a log that is never begun leaves what was there, and nothing where nothing was") {
  const TemporaryFolder folder;
  {
    const LogWriter writer(folder / "new/record.jcplog", plenty);
  }
  CHECK_FALSE(fs::exists(folder / "new/record.jcplog"));
  write_file(folder / "old.jcplog", "of yesterday");
  {
    const LogWriter writer(folder / "old.jcplog", plenty);
  }
  CHECK(read_file(folder / "old.jcplog") == "of yesterday");
}

TEST_CASE("a log that cannot be written is refused in words") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  write_file(folder / "file", "");
  CHECK(fault_text([&] { LogWriter(folder / "file/record.jcplog", plenty); }) ==
        path + "/file: cannot open the folder: Not a directory");
  CHECK(fault_text([&] { LogWriter(folder / "log", 1000); }) ==
        "a log of 1000 bytes is too small\nhint: --max-log must be 128K at least");
  const LogWriter first(folder / "log", plenty);
  CHECK(fault_text([&] { LogWriter(folder / "log", plenty); }) ==
        "cannot write \"" + path +
            "/log\": another jcprof record writes to it\n"
            "hint: name another folder with -o");
}

}  // namespace
}  // namespace jcprof::harness
