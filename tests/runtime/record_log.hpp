// SPDX-License-Identifier: Apache-2.0
// A log of record mode as tests need it: made in a file, drained, read back. The recorder in small.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "templates/jcprof_log.h"
#include "tests/runtime/workshop.hpp"

namespace jcprof::test {

struct LogShape {
  std::uint32_t chunk_bytes = 65536;
  std::uint32_t chunks = 16;
  std::uint32_t functions = 1024;
  std::uint32_t entry_bytes = 65536;
  std::uint32_t clock = JCPROF_LOG_CLOCK_OWN;
  std::uint32_t fast = 0;
};

struct LogEvent {
  std::uint32_t kind = 0;
  std::uint32_t id = 0;
  std::uint64_t tick = 0;
  std::uint64_t payload = 0;  // of a mark
};

/// What one thread wrote.
struct LogThread {
  std::uint32_t process = 0;
  std::uint32_t tid = 0;
  std::vector<LogEvent> events;
  std::uint64_t lost = 0;
  std::vector<std::uint32_t> chunks;        // numbers, as they came
  std::vector<std::uint64_t> processor_ns;  // of late events
};

class RecordLog {
 public:
  RecordLog(const std::string& path, const LogShape& shape);
  ~RecordLog();
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;

  jcprof_log_head& head() const { return *head_; }
  jcprof_log_chunk& chunk(std::uint32_t index) const;
  /// Takes what is in chunks that were left, and frees them.
  void drain();
  /// And what is in the others, once the program has ended. Of each thread, by its serial number.
  const std::map<std::uint32_t, LogThread>& finish();
  std::uint64_t lost() const;

  struct Entry {
    jcprof_log_entry head;
    std::string text;
  };
  std::vector<Entry> entries(std::uint32_t kind) const;
  std::uint64_t address(std::uint32_t function) const;
  /// Ids of lines, of all threads: "1 2 20".
  std::string lines() const;
  /// Calls of a thread, in the names that the program printed as "0x1234 name": "main( words( ) )".
  std::string calls(std::uint32_t thread, const std::string& printed) const;

 private:
  void take(jcprof_log_chunk& chunk);
  std::uint64_t* at(std::uint64_t offset) const;

  jcprof_log_head* head_;
  std::map<std::uint32_t, LogThread> threads_;
};

}  // namespace jcprof::test
