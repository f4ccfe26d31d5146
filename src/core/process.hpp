// SPDX-License-Identifier: Apache-2.0
// Child processes by argv, in a process group of their own, with time-outs and bounded logs. Not a shell.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/core/unique_fd.hpp"

namespace jcprof {

struct Command {
  std::vector<std::string> argv;                                      // argv[0] is looked up in PATH
  std::filesystem::path cwd;                                          // must exist
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to our own
};

enum class LogStart : std::uint8_t { empty, go_on };

/// Where a child's output goes: the first `keep_bytes` to the file, the last lines kept for messages.
struct LogPolicy {
  std::filesystem::path file;  // in an output folder; empty: none
  std::size_t keep_bytes = 1 << 20;
  LogStart start = LogStart::empty;  // go_on: behind what an earlier child left there, which counts
  int descriptor = -1;               // of a file that is open, in place of `file`
};

/// Our own program, wherever it is installed.
std::filesystem::path own_executable();
/// The file `name` that was installed beside it.
std::filesystem::path sibling(const std::string& name);

/// "signal 11 (Segmentation fault)".
std::string signal_in_words(int signal);

/// The child's ends of pipes that it has in place of an empty input, and of the log for its output.
struct ChildStreams {
  UniqueFd input = {};
  UniqueFd output = {};
};

struct ProcessResult {
  int exit_status = 0;     // 128 + signal when a signal ended it
  bool timed_out = false;  // we killed it
  std::string tail;        // the last lines of its output, at most 4 KiB
};

/// Runs to the end or to the time-out; whatever is left of what it started is killed then. UserError
/// (environment) when the program cannot be started at all; Cancelled when cancellation() is asked.
ProcessResult run_and_wait(const Command& command, const LogPolicy& log, std::chrono::milliseconds timeout);

/// A child that runs beside us. It is killed with all that it started when this object, the thread that made
/// it, or our process dies, by SIGKILL too.
class BackgroundProcess {
 public:
  /// With streams of its own only its standard error goes to the log.
  BackgroundProcess(const Command& command, const LogPolicy& log, ChildStreams streams = {});
  ~BackgroundProcess();
  BackgroundProcess(const BackgroundProcess&) = delete;
  BackgroundProcess& operator=(const BackgroundProcess&) = delete;

  /// True once its output has held `text`; false after the time-out or when it ended before. Cancelled when
  /// cancellation() is asked.
  bool wait_for_output(const std::string& text, std::chrono::milliseconds timeout);
  /// The exit status when it has ended; waits so long for that.
  std::optional<int> ended(std::chrono::milliseconds patience = std::chrono::milliseconds{0});
  std::string tail() const;
  /// SIGTERM to the group, SIGKILL after the grace time.
  void stop(std::chrono::milliseconds grace = std::chrono::milliseconds{500});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace jcprof
