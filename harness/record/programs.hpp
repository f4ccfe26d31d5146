// SPDX-License-Identifier: Apache-2.0
// The programs that a command executes besides the first one: each takes the log that is offered, and the
// next one is made.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/record/drain_thread.hpp"
#include "harness/record/memory.hpp"
#include "harness/record/writer.hpp"
#include "src/core/warning.hpp"

namespace jcprof::harness {

/// Facts that a program told about itself. With an older jcprof.h it tells its number alone.
struct ProgramFacts {
  std::uint32_t process = 0;  // by its own count, in a PID namespace of its own
  std::uint32_t parent = 0;   // 0: unknown
  std::string program = {};   // the command's first word, which may have blanks; empty: unknown
  std::string command = {};   // empty: unknown
};
ProgramFacts facts_of(const LogMemory& memory);

struct ProgramLog {
  std::uint32_t number = 1;  // in the order in which programs took their logs
  ProgramFacts facts = {};
  std::filesystem::path file;
  LogWritten log = {};
  std::uint32_t threads = 0;
  std::chrono::nanoseconds time{0};
  std::vector<Warning> warnings = {};
};

struct ProgramsOptions {
  std::filesystem::path folder;  // FOLDER/2/record.jcplog and so on
  std::uint64_t memory = 0;      // bytes, for each
  RecordClock clock = RecordClock::own;
  std::function<LeftOut(const std::filesystem::path& log)> left_out = {};
};

class Programs {
 public:
  /// `first` is the log that all programs find. It offers itself from the beginning: who comes second finds
  /// it taken, and waits.
  Programs(const LogMemory& first, std::shared_ptr<LogRoom> room, ProgramsOptions options);
  ~Programs();
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  void pause(bool is_wanted);
  /// Adds theirs to that of the first.
  RecordProgress with_theirs(RecordProgress first) const;
  /// Offers no log any more, and takes what there is.
  void finish();
  // After that:
  const std::vector<ProgramLog>& logs() const { return ended_; }
  /// Processes that were still there.
  const std::set<std::uint32_t>& left() const { return left_; }
  /// The cause, if a log could not be written. The program that took it records nothing.
  const std::optional<Warning>& failure() const { return failure_; }

 private:
  struct Log;

  void run();
  bool look();
  void offer();
  void withdraw();
  void start(std::unique_ptr<Log> log);
  void refuse(Log& log, std::string why);
  void end_those(bool all);
  void end(Log& log);

  const LogMemory& first_;
  std::shared_ptr<LogRoom> room_;
  ProgramsOptions options_;
  std::unique_ptr<Log> spare_;                    // offered
  std::vector<std::unique_ptr<LogMemory>> used_;  // to be offered again
  std::uint32_t count_ = 1;                       // numbers given
  std::set<std::uint32_t> left_;
  std::vector<ProgramLog> ended_;
  std::optional<Warning> failure_;
  mutable std::mutex mutex_;                // of what follows, and of `spare_`
  std::vector<std::unique_ptr<Log>> logs_;  // under way
  RecordProgress theirs_;                   // of those that have ended
  bool is_paused_ = false;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace jcprof::harness
