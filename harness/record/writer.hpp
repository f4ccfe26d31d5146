// SPDX-License-Identifier: Apache-2.0
// record.jcplog: blocks as in templates/jcprof_log.h, one behind the other. The program that
// is recorded goes on, whatever the disk does: a chunk that finds no room is dropped, and its events are
// counted as lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "src/core/unique_fd.hpp"
#include "templates/jcprof_log.h"

namespace jcprof::harness {

/// The content of the file so far.
struct LogWritten {
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
  std::uint64_t lost = 0;       // events, of chunks written or dropped
  std::uint64_t discarded = 0;  // of these: recorded, but their chunk was dropped
  std::uint32_t dropped = 0;    // chunks
  // Processor time of the first thread ahead of its first event, if its chunk tells it.
  std::uint64_t ahead_ns = 0;
  std::string why = {};   // no more chunks are; empty: they are
  bool is_whole = false;  // the end was written
};

/// By how much an event of a trap made the program slower, in picoseconds, and the half width of that; 0:
/// unknown.
struct OwnCost {
  std::uint64_t event_ps = 0;
  std::uint64_t doubt_ps = 0;
};

/// The bytes on the disk that the logs of one recording may take together.
class LogRoom {
 public:
  explicit LogRoom(std::uint64_t most) : most_(most) {}

  std::uint64_t most() const { return most_; }
  /// False: there is not so much left.
  bool take(std::uint64_t bytes) { return (taken_ += bytes) <= most_; }
  void give_back(std::uint64_t bytes) { taken_ -= bytes; }
  /// Another log has room for some events.
  bool is_there() const;

 private:
  std::uint64_t most_;
  std::atomic<std::uint64_t> taken_{0};
};

class LogWriter {
 public:
  /// Opens the file and leaves what is in it alone until begin(). UserError where it cannot be written, or
  /// another recorder is at it.
  LogWriter(std::filesystem::path file, std::shared_ptr<LogRoom> room);
  LogWriter(std::filesystem::path file, std::uint64_t most_bytes)
      : LogWriter(std::move(file), std::make_shared<LogRoom>(most_bytes)) {}
  /// A file that was never begun is removed.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void begin(const jcprof_log_head& head);
  void head(const jcprof_log_head& head);
  void entry(std::span<const std::byte> entry);
  void pair(const jcprof_log_pair& pair);
  void functions(std::span<const jcprof_log_function> functions);
  void thread(const jcprof_log_thread& thread);
  /// Head and words as they stand in memory; `used` is found here.
  void chunk(jcprof_log_chunk head, std::span<const jcprof_log_u64> words);
  /// An empty chunk for each thread whose last events were dropped, the head once more, and the end.
  void end(const jcprof_log_head& head, std::uint32_t status, const OwnCost& cost = {});
  /// Instead of end(): the file goes with the writer, and its room is given back.
  void discard();

  const LogWritten& written() const { return written_; }

 private:
  /// True: they are taken of the room.
  bool has_room(std::uint64_t bytes);
  bool write(std::uint32_t kind, std::span<const std::byte> first, std::span<const std::byte> second = {});

  std::filesystem::path file_;
  std::shared_ptr<LogRoom> room_;
  UniqueFd fd_;
  bool has_begun_ = false;
  bool was_there_ = false;
  std::uint64_t allocated_ = 0;  // on the disk, beyond the end of the file too
  LogWritten written_;
  std::map<std::uint32_t, jcprof_log_chunk>
      dropped_;  // the last one of each thread, `lost` with its own events
};

}  // namespace jcprof::harness
