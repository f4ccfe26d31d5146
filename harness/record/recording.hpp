// SPDX-License-Identifier: Apache-2.0
// A recording under way: the shared log, the clock that it may need, and a thread that takes it to the disk.
// Whose events they are is not known here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "harness/record/choice.hpp"
#include "harness/record/clock.hpp"
#include "harness/record/memory.hpp"
#include "harness/record/programs.hpp"
#include "harness/record/writer.hpp"
#include "src/core/warning.hpp"

namespace jcprof::harness {

struct LogOptions {
  std::filesystem::path file;             // record.jcplog
  std::uint64_t memory = 64ULL << 20;     // bytes, shared with the target
  std::uint64_t most_bytes = 2ULL << 30;  // on the disk
  RecordClock clock = RecordClock::own;
  // Makes, for each log, what leaves out functions of hooks; empty: all are recorded.
  std::function<LeftOut(const std::filesystem::path& log)> left_out = {};
  // PROGRAMS/2/record.jcplog and so on are the logs of programs that the first one executes, or that come
  // behind it, if the clock is the target's; empty: they have none.
  std::filesystem::path programs = {};
};

struct Recorded {
  int status = 0;  // of the command; 128 + signal
  LogWritten log;
  std::uint32_t threads = 0;
  std::chrono::nanoseconds time{0};
  ClockHealth clock;
  std::vector<Warning> warnings;
  std::vector<ProgramLog> programs = {};  // all, the first too, if there were more
};

class Recording {
 public:
  /// Memory and clock. A file under the name of the log stays until begin(). UserError where there is no
  /// room.
  explicit Recording(const LogOptions& options);
  /// All that is on the disk by then is good.
  ~Recording();

  /// A target finds the shared memory by this path.
  const std::filesystem::path& memory() const;
  void begin();
  void pause(bool is_wanted);
  RecordProgress progress() const;
  /// Takes what there is; nothing is recorded any more. Threads of a process can be looked at until it is
  /// waited for.
  void stop();
  /// After that. `process` is the command. `cost`: by how much each event made it slower.
  Recorded end(int status, std::uint32_t process, const OwnCost& cost = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace jcprof::harness
