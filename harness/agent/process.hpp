// SPDX-License-Identifier: Apache-2.0
// A child process that one talks to in lines: text goes to its standard input, lines come from its standard
// output, its standard error is its log. Knows nothing of what the lines mean.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/core/cancellation.hpp"
#include "src/core/process.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

// From docs/agent-protocol.md. Nobody waits for the rest of a longer one.
inline constexpr std::size_t longest_agent_line = std::size_t{16} << 20U;

// A child may take so long to end by itself.
inline constexpr std::chrono::milliseconds patience_at_the_end{500};

enum class LineState : std::uint8_t { read, timed_out, closed, too_long };

struct ReadLine {
  LineState state = LineState::read;
  std::string_view text = {};  // without its newline; valid until the next read
};

/// For a UserError: the command of a child, and the last lines of its log.
std::string account_of(const Command& command, const LogPolicy& log, const std::string& tail);

class AgentProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// UserError (environment) when the program cannot be started at all.
  AgentProcess(const Command& command, const LogPolicy& log);

  /// Goes out while lines are waited for, so that neither side ever waits for the other to read.
  void send(std::string_view text) { outgoing_ += text; }
  /// Nothing more will be sent: closes its standard input once everything has gone out.
  void finish_input() { is_input_finished_ = true; }
  /// Cancelled when cancellation() is asked.
  ReadLine read_line(Clock::time_point deadline);

  /// How it ended: "ended with status 3"; nothing while it runs on. Its output is closed a moment before its
  /// end can be seen.
  std::string ending(std::chrono::milliseconds patience = std::chrono::milliseconds{200});
  /// The last lines of its log.
  std::string tail() const { return process_->tail(); }
  /// The last of them, with the hint behind it.
  std::string last_words() const;
  /// Gives it so long to end by itself, then ends it with all its children.
  void stop(std::chrono::milliseconds patience);

 private:
  ReadLine take_line(Clock::time_point deadline, const Cancellation* ends);
  std::optional<std::string_view> next_line();
  void write_some();
  bool read_some();
  void wait(Clock::time_point deadline, int asked) const;

  UniqueFd input_;  // our end of its standard input
  UniqueFd output_;
  std::optional<BackgroundProcess> process_;
  std::string outgoing_;
  bool is_input_finished_ = false;
  std::string buffer_;        // what came in is its beginning
  std::size_t filled_ = 0;    // so much of it
  std::size_t taken_ = 0;     // of that: lines that were handed out
  std::size_t searched_ = 0;  // no newline between `taken_` and here
};

}  // namespace jcprof::harness
