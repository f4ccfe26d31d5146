// SPDX-License-Identifier: Apache-2.0
// A program run once against the clock: from just before it is started to its end. Leaner than a
// BackgroundProcess (no thread, no guard, no pipe), because all of it is inside of what is timed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::harness {

/// A program to run, with everything looked up beforehand. It leads a process group of its own.
struct ProgramCall {
  std::string program;  // its path
  std::vector<std::string> argv;
  std::filesystem::path cwd;
  bool tells_threads = false;  // takes some microseconds behind what is timed
};

/// Its standard streams, and how much it may write to them.
struct ProgramStreams {
  int input = -1;
  int output = -1;
  int errors = -1;
  std::size_t most_bytes = std::size_t{256} << 20;
};

enum class ProgramEnd : std::uint8_t {
  exited,
  signalled,
  timed_out,  // and killed
  flooded     // wrote more than `most_bytes`, and was killed
};

struct TimedRun {
  ProgramEnd end = ProgramEnd::exited;
  int code = 0;              // exit status, or the signal
  std::int64_t wall_ns = 0;  // steady clock
  std::int64_t cpu_ns = 0;   // of the program and the children it waited for; steps of 1000
  double other_threads = 0;  // of the program's own, the part of threads beside the first, if asked for
};

/// Variables as "NAME=value".
using Environment = std::vector<std::string>;
Environment own_environment();
void remove_variable(Environment& environment, std::string_view name);

/// Pointers for exec, with a null pointer at the end; good for as long as the texts live.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

/// Kills all that is left of its group in the end. It dies with the thread that called. UserError
/// (environment) when it cannot be started.
TimedRun run_timed(const ProgramCall& call, const Environment& environment, const ProgramStreams& streams,
                   std::chrono::milliseconds timeout);

/// The path of a program as execvp would find it: by PATH, or where it holds a slash from `cwd`. UserError
/// (environment) when there is none.
std::string path_of_program(const std::string& name, const std::filesystem::path& cwd);

/// "SIGSEGV".
std::string name_of_signal(int signal);

/// "model name" of the first processor, or the machine's architecture where /proc has none.
std::string name_of_processor();

}  // namespace jcprof::harness
