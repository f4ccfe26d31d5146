// SPDX-License-Identifier: Apache-2.0
// Logs of record mode for tests, written by hand; and texts of what is made of them.
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "annotator/record/recording.hpp"
#include "templates/jcprof_log.h"

namespace jcprof::annotator {

class LogBuilder {
 public:
  jcprof_log_head head{};
  std::uint64_t event_ps = 0;  // that the recorder found
  std::uint64_t doubt_ps = 0;
  std::map<std::uint32_t, std::uint32_t> processes;  // by thread; all others are of process 100

  LogBuilder() {
    std::memcpy(head.magic, JCPROF_LOG_MAGIC, sizeof head.magic);
    head.version = JCPROF_LOG_VERSION;
    head.chunk_bytes = 65536;
    head.entry_bytes = 65536;
    head.pointer_bytes = 8;
    block(JCPROF_LOG_BLOCK_HEAD, head);
  }

  LogBuilder& enter(std::uint32_t thread, std::uint64_t tick, std::uint32_t id) {
    return record(thread, tick, id, JCPROF_LOG_ENTER);
  }
  LogBuilder& leave(std::uint32_t thread, std::uint64_t tick, std::uint32_t id) {
    return record(thread, tick, id, JCPROF_LOG_LEAVE);
  }
  LogBuilder& line(std::uint32_t thread, std::uint64_t tick, std::uint32_t trap) {
    return record(thread, tick, trap, JCPROF_LOG_LINE);
  }
  LogBuilder& mark(std::uint32_t thread, std::uint64_t tick, std::uint32_t name, std::uint64_t payload) {
    record(thread, tick, name, JCPROF_LOG_MARK);
    open_[thread].words.push_back(payload);
    return *this;
  }
  /// The thread goes on on another stack.
  LogBuilder& stack(std::uint32_t thread, std::uint64_t tick, std::uint64_t number) {
    return mark(thread, tick, JCPROF_LOG_STACK, number);
  }
  /// A record that was begun and never written.
  LogBuilder& hole(std::uint32_t thread) {
    open_[thread].words.push_back(0);
    return *this;
  }
  /// The thread's next event begins a chunk, before which so many were lost.
  LogBuilder& next_chunk(std::uint32_t thread, std::uint64_t lost = 0) {
    Open& open = open_[thread];
    if (!open.words.empty()) write_chunk(thread, open);
    open.lost += lost;
    return *this;
  }

  /// The thread has been on a processor for `ns` when its next event comes.
  LogBuilder& processor(std::uint32_t thread, std::uint64_t ns) {
    open_[thread].words.push_back(ns << 24U);
    return *this;
  }
  /// The thread is at a tick when it has been on a processor for `ns`.
  struct Moment {
    std::uint64_t tick = 0;
    std::uint64_t ns = 0;
  };
  /// The thread's next event begins a chunk, into which it changed between two moments.
  LogBuilder& change_chunk(std::uint32_t thread, Moment from, Moment to) {
    next_chunk(thread);
    Open& open = open_[thread];
    open.left = from;
    open.base_ns = to.ns;
    open.base = to.tick;
    return *this;
  }

  LogBuilder& function(std::uint64_t id, std::uint64_t address) {
    return block(JCPROF_LOG_BLOCK_FUNCTIONS, jcprof_log_function{.id = id, .address = address});
  }
  LogBuilder& module(const std::string& file, std::uint64_t begin, std::uint64_t end, std::uint64_t offset) {
    return entry(JCPROF_LOG_MODULE, begin, end, offset, file);
  }
  LogBuilder& name(std::uint64_t id, const std::string& text) {
    return entry(JCPROF_LOG_NAME, id, 0, 0, text);
  }
  enum Who : std::uint8_t { target, recorder };
  LogBuilder& pause(std::uint64_t tick, Who who = target) {
    return entry(JCPROF_LOG_PAUSE, tick, who, 0, "");
  }
  LogBuilder& resume(std::uint64_t tick, Who who = target) {
    return entry(JCPROF_LOG_RESUME, tick, who, 0, "");
  }
  LogBuilder& pair(std::uint64_t tick, std::uint64_t ns) {
    return block(JCPROF_LOG_BLOCK_PAIR, jcprof_log_pair{.tick = tick, .ns = ns});
  }
  template <class Value>
  LogBuilder& block(std::uint32_t kind, const Value& value) {
    put(jcprof_log_block{.kind = kind, .bytes = sizeof value});
    return put(value);
  }

  /// All that was written, with a second head before the end, as the recorder leaves it.
  std::string bytes(std::optional<std::uint32_t> status = 0) {
    for (auto& [thread, open] : open_)
      if (!open.words.empty()) write_chunk(thread, open);
    if (status) {
      block(JCPROF_LOG_BLOCK_HEAD, head);
      block(JCPROF_LOG_BLOCK_END,
            jcprof_log_end{.status = *status, .event_ps = event_ps, .doubt_ps = doubt_ps});
    }
    return bytes_;
  }

 private:
  struct Open {
    std::uint32_t number = 1;
    std::uint64_t base = 0;
    std::uint64_t lost = 0;
    Moment left = {};
    std::uint64_t base_ns = 0;
    std::vector<std::uint64_t> words = {};
  };

  LogBuilder& record(std::uint32_t thread, std::uint64_t tick, std::uint32_t id, std::uint32_t kind) {
    Open* open = &open_[thread];
    const bool fits = tick >= open->base && tick - open->base < std::uint64_t{1} << JCPROF_LOG_TICK_BITS;
    if (!open->words.empty() && !fits) next_chunk(thread);
    if (open->words.empty() && open->base_ns == 0) open->base = tick;
    open->words.push_back((tick - open->base) << 24U | std::uint64_t{id} << 2U | kind);
    return *this;
  }

  void write_chunk(std::uint32_t thread, Open& open) {
    const auto words = static_cast<std::uint32_t>(open.words.size());
    put(jcprof_log_block{.kind = JCPROF_LOG_BLOCK_CHUNK,
                         .bytes = static_cast<std::uint32_t>(sizeof(jcprof_log_chunk)) + 8 * words});
    put(jcprof_log_chunk{.state = JCPROF_LOG_FULL,
                         .thread = thread,
                         .number = open.number,
                         .process = processes.contains(thread) ? processes.at(thread) : 100,
                         .tid = 100 + thread,
                         .used = words,
                         .base = open.base,
                         .lost = open.lost,
                         .left = open.left.tick,
                         .left_ns = open.left.ns,
                         .base_ns = open.base_ns});
    for (const std::uint64_t word : open.words) put(word);
    open = {.number = open.number + 1};
  }

  LogBuilder& entry(std::uint32_t kind, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                    const std::string& text) {
    const std::string padded = text + std::string(8 - text.size() % 8, '\0');
    const auto bytes = static_cast<std::uint32_t>(sizeof(jcprof_log_entry) + padded.size());
    put(jcprof_log_block{.kind = JCPROF_LOG_BLOCK_ENTRY, .bytes = bytes});
    put(jcprof_log_entry{.kind = kind, .bytes = bytes, .a = a, .b = b, .c = c});
    bytes_ += padded;
    return *this;
  }

  template <class Value>
  LogBuilder& put(const Value& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }

  std::string bytes_;
  std::map<std::uint32_t, Open> open_;
};

/// A file that goes with its owner.
class LogFile {
 public:
  explicit LogFile(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  explicit LogFile(LogBuilder& log) : LogFile(log.bytes()) {}
  ~LogFile() { std::filesystem::remove(path_); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("jcprof_record_{}.jcplog", ::getpid());
};

inline RecordedRun analyzed(LogBuilder& log, std::optional<TrapMap> traps = {}) {
  const LogFile file(log);
  return analyze_log({.file = file.path(), .traps = std::move(traps)});
}

/// "1: f×2 30(10)" a line and call, indented: thread, function, count, inclusive (exclusive).
inline std::string tree(const RecordedRun& run) {
  std::map<std::uint32_t, std::size_t> depths{{0, 0}};
  std::string text;
  for (const StoredCall& call : run.recording.calls) {
    const std::size_t depth = depths[call.id] = depths.at(call.parent) + 1;
    text +=
        fmt::format("{}:{}{}×{} {}({})\n", call.thread, std::string(depth, ' '),
                    run.recording.symbols.at(call.symbol).name, call.count, call.inclusive, call.exclusive);
  }
  return text;
}

/// "f×3 60(10)" for each function or line.
inline std::string estimates(const RecordedRun& run, EstimateScope scope) {
  std::string text;
  for (const StoredEstimate& row : run.estimates)
    if (row.scope == scope)
      text += scope == EstimateScope::line
                  ? fmt::format("{}×{} {} ", row.line, row.hits, row.ticks)
                  : fmt::format("{}×{} {}({}) ", row.function, row.hits, row.inclusive, row.ticks);
  return text;
}

inline const StoredEstimate& estimate_of(const RecordedRun& run, EstimateScope scope,
                                         const std::string& name = "") {
  const auto row = std::ranges::find_if(
      run.estimates, [&](const StoredEstimate& e) { return e.scope == scope && e.function == name; });
  REQUIRE(row != run.estimates.end());
  return *row;
}

}  // namespace jcprof::annotator
