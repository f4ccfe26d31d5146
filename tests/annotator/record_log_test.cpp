// SPDX-License-Identifier: Apache-2.0
// Logs that are cut off, damaged or none; and a large one in little memory.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "annotator/record/log.hpp"
#include "src/core/error.hpp"
#include "tests/annotator/log_builder.hpp"

namespace jcprof::annotator {
namespace {

std::string error_of(const std::filesystem::path& file) {
  try {
    (void)analyze_log({.file = file});
  } catch (const UserError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return "no error";
}

std::string error_of(const std::string& bytes) {
  return error_of(LogFile(bytes).path());
}

LogBuilder two_chunks() {
  LogBuilder log;
  log.enter(1, 0, 1).enter(1, 10, 2).next_chunk(1).leave(1, 30, 2).leave(1, 100, 1).next_chunk(1);
  return log;
}

}  // namespace

TEST_CASE("what is no log of ours is refused, each kind with its own words") {
  const std::string none = "not a log of record mode\nhint: `jcprof record` writes them, as record.jcplog";
  CHECK(error_of(std::string()) == none);
  CHECK(error_of(std::string(5000, 'x')) == none);
  LogBuilder newer;
  newer.head.version = 2;
  const std::string head(reinterpret_cast<const char*>(&newer.head), sizeof newer.head);
  std::string bytes = newer.bytes(std::nullopt);
  CHECK(error_of(bytes.replace(sizeof(jcprof_log_block), head.size(), head)) ==
        "written by a newer jcprof (log 2; this one reads 1)\nhint: use that jcprof, or record again");
  CHECK(error_of(std::filesystem::path("/no/such/file")) ==
        "cannot be read: No such file or directory\nhint: `jcprof record` writes logs");
  CHECK(error_of(std::filesystem::path("/tmp")) ==
        "not a plain file\nhint: a log is read twice: save it first");
  CHECK(error_of(std::filesystem::path("/dev/zero")) ==
        "not a plain file\nhint: a log is read twice: save it first");
}

TEST_CASE("a log that is cut off anywhere is good up to there") {
  const std::string whole = two_chunks().bytes(std::nullopt);
  const std::size_t block = sizeof(jcprof_log_block);
  const std::size_t head = block + sizeof(jcprof_log_head);
  const std::size_t chunk = block + sizeof(jcprof_log_chunk) + 16;
  REQUIRE(whole.size() == head + 2 * chunk);
  for (std::size_t size = head; size <= whole.size(); size += 4) {
    const LogFile file(whole.substr(0, size));
    const RecordedRun run = analyze_log({.file = file.path()});
    CHECK(run.events == 2 * ((size - head) / chunk));
    REQUIRE(run.warnings.size() == 1);
    CHECK((run.warnings[0].text.find(": there is no end") != std::string::npos) ==
          ((size - head) % chunk == 0));
  }
  const LogFile file(whole.substr(0, head + chunk + 9));
  const RecordedRun run = analyze_log({.file = file.path()});
  REQUIRE(run.warnings.size() == 1);
  CHECK(run.warnings[0].text ==
        fmt::format("{}: its last block is cut off, at byte {} of {}; jcprof leaves out the rest",
                    file.path().filename().string(), head + chunk, head + chunk + 9));
}

TEST_CASE("sizes and kinds that make no sense end the log there, with a warning and without their memory") {
  const auto warned = [](std::uint32_t kind, std::uint32_t bytes, std::size_t room) {
    std::string log = two_chunks().bytes(std::nullopt);
    const jcprof_log_block block{.kind = kind, .bytes = bytes};
    log.append(reinterpret_cast<const char*>(&block), sizeof block).append(room, '\0');
    const LogFile file(log);
    const RecordedRun run = analyze_log({.file = file.path()});
    CHECK(run.events == 4);
    REQUIRE(run.warnings.size() == 1);
    const std::string& text = run.warnings[0].text;
    return text.substr(text.find(": ") + 2, text.find(", at") - text.find(": ") - 2);
  };
  CHECK(warned(JCPROF_LOG_BLOCK_CHUNK, 0xFFFFFFF8, 100) == "its last block is cut off");
  CHECK(warned(JCPROF_LOG_BLOCK_CHUNK, 13, 100) == "a block's size makes no sense");
  CHECK(warned(JCPROF_LOG_BLOCK_CHUNK, 8, 100) == "a chunk without a head");
  CHECK(warned(JCPROF_LOG_BLOCK_HEAD, 8, 100) == "a block makes no sense");
  CHECK(warned(JCPROF_LOG_BLOCK_PAIR, 8, 100) == "a block makes no sense");
  CHECK(warned(JCPROF_LOG_BLOCK_FUNCTIONS, 16, 100) == "a block makes no sense");  // id 0
  CHECK(warned(JCPROF_LOG_BLOCK_ENTRY, 40, 100) == "a block makes no sense");      // kind 0
  CHECK(warned(99, 8, 100) == "a block makes no sense");
  CHECK(warned(0, 0, 100) == "a block makes no sense");
}

TEST_CASE("a chunk that says it holds more than it does is read as far as it goes") {
  std::string log = two_chunks().bytes(std::nullopt);
  const std::size_t used = sizeof(jcprof_log_block) + sizeof(jcprof_log_head) + sizeof(jcprof_log_block) +
                           offsetof(jcprof_log_chunk, used);
  log.replace(used, 4, "\xFF\xFF\xFF\xFF");
  const LogFile file(log);
  CHECK(analyze_log({.file = file.path()}).events == 4);
}

TEST_CASE("a log of 256 MiB is analysed in less than a quarter of it") {
  // Calls three deep of 500 functions, in one chunk that the file holds again and again.
  constexpr std::uint64_t chunk_ticks = 1U << 20U;
  constexpr std::uint32_t words = 8000;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("jcprof_large_{}.jcplog", ::getpid());
  std::uint64_t events = 0;
  {
    std::ofstream file(path, std::ios::binary);
    file << LogBuilder().bytes(std::nullopt);
    std::vector<std::uint64_t> records;
    for (std::uint64_t i = 0; i < words; ++i) {
      const std::uint64_t id = 1 + (i / 8 % 125) * 4 + std::min(i % 8, 7 - i % 8);
      records.push_back(i * 100 << 24U | id << 2U | (i % 8 < 4 ? JCPROF_LOG_ENTER : JCPROF_LOG_LEAVE));
    }
    const jcprof_log_block block{.kind = JCPROF_LOG_BLOCK_CHUNK,
                                 .bytes = sizeof(jcprof_log_chunk) + 8 * words};
    jcprof_log_chunk chunk{.used = words};
    for (std::uint32_t i = 0; events < (256U << 20U) / 8; ++i, events += words) {
      chunk.thread = 1 + i % 4;
      chunk.number = 1 + i / 4;
      chunk.base = chunk.number * chunk_ticks;
      file.write(reinterpret_cast<const char*>(&block), sizeof block);
      file.write(reinterpret_cast<const char*>(&chunk), sizeof chunk);
      file.write(reinterpret_cast<const char*>(records.data()), 8 * words);
    }
    REQUIRE(file.flush());
  }
  // In a process of its own: its peak is no other test's.
  const pid_t child = ::fork();
  if (child == 0) {
    rusage before{};
    ::getrusage(RUSAGE_SELF, &before);
    const RecordedRun run = analyze_log({.file = path});
    rusage after{};
    ::getrusage(RUSAGE_SELF, &after);
    const bool is_small = after.ru_maxrss - before.ru_maxrss < 48 * 1024;  // KiB
    const bool is_right = run.events == events && run.recording.calls.size() == 4 * 500;
    ::_exit(is_right ? (is_small ? 0 : 2) : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::filesystem::remove(path);
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace jcprof::annotator
