// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/record_log.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "src/core/unique_fd.hpp"

namespace jcprof::test {
namespace {

std::uint32_t state_of(jcprof_log_chunk& chunk) {
  return std::atomic_ref(chunk.state).load(std::memory_order_acquire);
}

}  // namespace

RecordLog::RecordLog(const std::string& path, const LogShape& shape) {
  const std::uint64_t functions_at = JCPROF_LOG_HEAD_BYTES;
  const std::uint64_t entries_at = functions_at + 8ULL * shape.functions;
  const std::uint64_t chunks_at = (entries_at + shape.entry_bytes + 4095) / 4096 * 4096;
  const std::uint64_t bytes = chunks_at + std::uint64_t{shape.chunk_bytes} * shape.chunks;
  std::filesystem::remove(path);
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  REQUIRE(memory != MAP_FAILED);
  head_ = static_cast<jcprof_log_head*>(memory);
  std::memcpy(head_->magic, JCPROF_LOG_MAGIC, sizeof head_->magic);
  head_->version = JCPROF_LOG_VERSION;
  head_->chunk_bytes = shape.chunk_bytes;
  head_->chunks = shape.chunks;
  head_->functions = shape.functions;
  head_->clock = shape.clock;
  head_->fast = shape.fast;
  head_->entry_bytes = shape.entry_bytes;
  head_->chunks_at = chunks_at;
  head_->functions_at = functions_at;
  head_->entries_at = entries_at;
  head_->bytes = bytes;
}

RecordLog::~RecordLog() {
  ::munmap(head_, head_->bytes);
}

std::uint64_t* RecordLog::at(std::uint64_t offset) const {
  return reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(head_) + offset);
}

jcprof_log_chunk& RecordLog::chunk(std::uint32_t index) const {
  return *reinterpret_cast<jcprof_log_chunk*>(
      at(head_->chunks_at + std::uint64_t{head_->chunk_bytes} * index));
}

void RecordLog::take(jcprof_log_chunk& chunk) {
  LogThread& thread = threads_[chunk.thread];
  thread.process = chunk.process;
  thread.tid = chunk.tid;
  thread.lost += chunk.lost;
  thread.chunks.push_back(chunk.number);
  const auto* words = reinterpret_cast<const std::uint64_t*>(&chunk + 1);
  const std::size_t count = (head_->chunk_bytes - sizeof chunk) / 8;
  for (std::size_t i = 0; i < count; i++) {
    if (words[i] != 0 && (words[i] & 0xFFFFFF) == 0) thread.processor_ns.push_back(words[i] >> 24);
    if ((words[i] & 0xFFFFFF) == 0) continue;
    const auto kind = static_cast<std::uint32_t>(words[i] & 3);
    const auto id = static_cast<std::uint32_t>(words[i] >> 2) & JCPROF_LOG_ID_MOST;
    const std::uint64_t tick = chunk.base + (words[i] >> 24);
    if (kind == JCPROF_LOG_MARK) i++;
    thread.events.push_back(
        {.kind = kind, .id = id, .tick = tick, .payload = kind == JCPROF_LOG_MARK ? words[i] : 0});
  }
}

void RecordLog::drain() {
  for (std::uint32_t i = 0; i < head_->chunks; i++) {
    if (state_of(chunk(i)) != JCPROF_LOG_FULL) continue;
    // One that was left before it may have been passed by.
    if (chunk(i).number != threads_[chunk(i).thread].chunks.size() + 1) continue;
    take(chunk(i));
    std::memset(&chunk(i) + 1, 0, head_->chunk_bytes - sizeof(jcprof_log_chunk));
    std::atomic_ref(chunk(i).state).store(JCPROF_LOG_FREE, std::memory_order_release);
  }
}

const std::map<std::uint32_t, LogThread>& RecordLog::finish() {
  std::vector<jcprof_log_chunk*> left;
  for (std::uint32_t i = 0; i < head_->chunks; i++) {
    if (state_of(chunk(i)) != JCPROF_LOG_FREE) left.push_back(&chunk(i));
  }
  std::ranges::sort(left, {}, &jcprof_log_chunk::number);
  for (jcprof_log_chunk* each : left) {
    take(*each);
    each->state = JCPROF_LOG_FREE;
  }
  return threads_;
}

std::uint64_t RecordLog::lost() const {
  std::uint64_t lost = head_->unwritten;
  for (const auto& [serial, thread] : threads_) lost += thread.lost;
  return lost;
}

std::vector<RecordLog::Entry> RecordLog::entries(std::uint32_t kind) const {
  std::vector<Entry> found;
  const std::uint32_t used = std::min(head_->entries_used, head_->entry_bytes);
  std::uint32_t offset = 0;
  while (offset + sizeof(jcprof_log_entry) <= used) {
    const auto* entry = reinterpret_cast<const jcprof_log_entry*>(at(head_->entries_at + offset));
    if (entry->bytes == 0) break;
    if (entry->kind == kind) found.push_back({*entry, reinterpret_cast<const char*>(entry + 1)});
    offset += entry->bytes;
  }
  return found;
}

std::uint64_t RecordLog::address(std::uint32_t function) const {
  return *at(head_->functions_at + 8ULL * (function - 1));
}

std::string RecordLog::lines() const {
  std::vector<std::uint32_t> ids;
  for (const auto& [serial, thread] : threads_) {
    for (const LogEvent& event : thread.events) {
      if (event.kind == JCPROF_LOG_LINE) ids.push_back(event.id);
    }
  }
  return in_words(ids);
}

std::string RecordLog::calls(std::uint32_t thread, const std::string& printed) const {
  std::map<std::uint64_t, std::string> names;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0x")) names[std::stoull(line, nullptr, 16)] = line.substr(line.find(' ') + 1);
  }
  const auto name = [&](const LogEvent& event) {
    return event.id == JCPROF_LOG_OTHERS ? "others" : names[address(event.id)];
  };
  std::vector<std::string> open;
  std::string text;
  for (const LogEvent& event : threads_.at(thread).events) {
    if (!text.empty()) text += ' ';
    if (event.kind == JCPROF_LOG_ENTER) text += name(event) + '(';
    if (event.kind == JCPROF_LOG_LEAVE) text += ')' + name(event);
    if (event.kind == JCPROF_LOG_LINE) text += fmt::format("{}", event.id);
    if (event.kind == JCPROF_LOG_MARK) text += fmt::format("mark {}={}", event.id, event.payload);
  }
  return text;
}

}  // namespace jcprof::test
