// SPDX-License-Identifier: Apache-2.0
// The command that is recorded. Unlike other children of ours it keeps the terminal, our standard streams,
// our process group, and outlives us.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "src/core/unique_fd.hpp"

namespace jcprof::harness {

/// Signals while a command runs: Ctrl-C and Ctrl-\ at the terminal are the command's, and what somebody sends
/// to us comes out of next(). Made before any thread.
class SignalsTaken {
 public:
  SignalsTaken();
  /// All is as it was, but for SIGUSR1 and SIGUSR2: who sends one too late must not end us.
  ~SignalsTaken();
  SignalsTaken(const SignalsTaken&) = delete;
  SignalsTaken& operator=(const SignalsTaken&) = delete;

  int fd() const { return fd_.get(); }
  /// SIGINT, SIGTERM, SIGHUP, SIGUSR1 or SIGUSR2 that was sent to us alone.
  std::optional<int> next() const;

 private:
  friend class RecordedProgram;
  sigset_t mask_before_{};
  std::vector<int> were_default_;  // of those that are ignored now
  UniqueFd fd_;
};

class RecordedProgram {
 public:
  /// UserError (environment) where it cannot be started. `variables` are "NAME=value" and replace what we
  /// have.
  RecordedProgram(const std::vector<std::string>& argv, const std::vector<std::string>& variables,
                  const SignalsTaken& signals);

  pid_t pid() const { return pid_; }
  /// Becomes readable when it ends.
  int fd() const { return pidfd_.get(); }
  void send(int signal) const { ::kill(pid_, signal); }
  /// Once it has ended: lets go of it. 128 + signal where one ended it.
  int reap() const;

 private:
  pid_t pid_ = -1;
  UniqueFd pidfd_;
};

}  // namespace jcprof::harness
