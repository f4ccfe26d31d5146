// SPDX-License-Identifier: Apache-2.0
#include "tests/support/log_file.hpp"

#include <cstring>
#include <string_view>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"

namespace jcprof::test {
namespace {

template <typename Value>
Value taken(std::string_view& from) {
  if (from.size() < sizeof(Value)) FAIL("a block is too short");
  Value value{};
  std::memcpy(&value, from.data(), sizeof value);
  from.remove_prefix(sizeof value);
  return value;
}

void take_chunk(LogFile& log, std::string_view body) {
  const auto chunk = taken<jcprof_log_chunk>(body);
  REQUIRE(body.size() == std::size_t{chunk.used} * sizeof(std::uint64_t));
  LoggedThread& thread = log.threads[chunk.thread];
  thread.numbers.push_back(chunk.number);
  thread.tids.insert(chunk.tid);
  thread.lost += chunk.lost;
  log.lost += chunk.lost;
  while (!body.empty()) {
    const auto word = taken<std::uint64_t>(body);
    thread.words.push_back(word);
    if ((word & 0xFFFFFF) == 0) continue;  // empty, or the time on a processor
    ++thread.events;
    ++log.events;
    if ((word & 3) == JCPROF_LOG_MARK) thread.words.push_back(taken<std::uint64_t>(body));
  }
}

void take(LogFile& log, std::uint32_t kind, std::string_view body) {
  REQUIRE(kind >= JCPROF_LOG_BLOCK_HEAD);
  REQUIRE(kind <= JCPROF_LOG_BLOCK_END);
  log.blocks += "HCEPFT."[kind - 1];
  switch (kind) {
    case JCPROF_LOG_BLOCK_HEAD:
      REQUIRE(body.size() == JCPROF_LOG_HEAD_BYTES);
      log.head = taken<jcprof_log_head>(body);
      break;
    case JCPROF_LOG_BLOCK_CHUNK:
      take_chunk(log, body);
      break;
    case JCPROF_LOG_BLOCK_ENTRY:
      log.entries.push_back(taken<jcprof_log_entry>(body));
      break;
    case JCPROF_LOG_BLOCK_PAIR:
      log.pairs.push_back(taken<jcprof_log_pair>(body));
      break;
    case JCPROF_LOG_BLOCK_FUNCTIONS:
      while (!body.empty()) {
        const auto function = taken<jcprof_log_function>(body);
        const auto [known, is_new] = log.functions.emplace(function.id, function.address);
        // Once more, where it is left out.
        REQUIRE((is_new || function.address == (known->second | JCPROF_LOG_LEFT_OUT)));
        known->second = function.address;
      }
      break;
    case JCPROF_LOG_BLOCK_THREAD: {
      const auto thread = taken<jcprof_log_thread>(body);
      log.looks[thread.thread] = thread;
      break;
    }
    default:
      log.end = taken<jcprof_log_end>(body);
  }
}

}  // namespace

LogFile read_log(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  std::string_view rest = text;
  LogFile log;
  while (rest.size() >= sizeof(jcprof_log_block)) {
    const auto block = taken<jcprof_log_block>(rest);
    if (block.bytes > rest.size()) break;
    REQUIRE(block.bytes % 8 == 0);
    take(log, block.kind, rest.substr(0, block.bytes));
    rest.remove_prefix(block.bytes);
  }
  return log;
}

}  // namespace jcprof::test
