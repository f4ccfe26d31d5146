// SPDX-License-Identifier: Apache-2.0
#include "harness/record/recorder.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/clock.hpp"
#include "harness/exec/timed_run.hpp"
#include "src/core/descendants.hpp"
#include "src/core/error.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {
namespace {

constexpr int progress_ms = 250;
// Two seconds are promised until all has ended (docs/safety.md), and the recording is written then.
constexpr std::int64_t most_grace_ns = 1'000'000'000;

// SIGXFSZ: a limit on files is a full disk to us. SIGTTOU: progress does not stop us. SIGPIPE: nor does who
// has stopped reading. SIGIO: nor a program that opens a log while LogMemory::is_alone() looks.
constexpr std::initializer_list<int> ignored{SIGQUIT, SIGXFSZ, SIGTTOU, SIGPIPE, SIGIO};
constexpr std::initializer_list<int> taken{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

sigset_t set_of(const auto& signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

/// Attributes of posix_spawn, and their end.
class SpawnAttributes {
 public:
  SpawnAttributes(const sigset_t& mask, const sigset_t& defaults) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::string hint_for(int error) {
  if (error == ENOENT) return "is it installed, and in PATH? One in this folder is ./NAME";
  if (error == ENOEXEC) return "a script begins with #! and its interpreter";
  return "";
}

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

/// The command that is recorded. Unlike other children of ours it keeps the terminal, our standard streams
/// and our process group, and outlives us.
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

SignalsTaken::SignalsTaken() {
  const sigset_t ours = set_of(taken);
  ::pthread_sigmask(SIG_BLOCK, &ours, &mask_before_);
  for (const int signal : ignored)
    if (::signal(signal, SIG_IGN) == SIG_DFL) were_default_.push_back(signal);
  // Nobody learns how a command ended while it is ignored.
  ::signal(SIGCHLD, SIG_DFL);
  fd_ = UniqueFd(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalsTaken::~SignalsTaken() {
  // The command may end by a Ctrl-C before we have read ours. That one must not end us; others must.
  std::vector<int> sent_to_us;
  while (const std::optional<int> signal = next()) sent_to_us.push_back(*signal);
  for (const int signal : were_default_) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGUSR1, SIGUSR2}) ::signal(signal, SIG_IGN);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  for (const int signal : sent_to_us) ::raise(signal);
}

std::optional<int> SignalsTaken::next() const {
  signalfd_siginfo info{};
  while (::read(fd_.get(), &info, sizeof info) == sizeof info)
    // The command has got signals of the terminal as well.
    if (info.ssi_code != SI_KERNEL) return static_cast<int>(info.ssi_signo);
  return std::nullopt;
}

RecordedProgram::RecordedProgram(const std::vector<std::string>& argv,
                                 const std::vector<std::string>& variables, const SignalsTaken& signals) {
  if (open_pidfd(::getpid()).get() < 0)
    throw environment_error("this kernel has no pidfd_open", "Linux 5.3 or newer is needed");
  Environment environment = own_environment();
  for (const std::string& variable : variables) {
    remove_variable(environment, variable.substr(0, variable.find('=')));
    environment.push_back(variable);
  }
  const std::vector<char*> arguments = pointers_to(argv);
  const std::vector<char*> all_variables = pointers_to(environment);
  sigset_t defaults = set_of(signals.were_default_);
  ::sigaddset(&defaults, SIGXFSZ);  // ours is ignored from the beginning on
  const SpawnAttributes attributes(signals.mask_before_, defaults);
  const int error = ::posix_spawnp(&pid_, arguments.front(), nullptr, attributes.get(), arguments.data(),
                                   all_variables.data());
  if (error != 0)
    throw environment_error(fmt::format("cannot start \"{}\": {}", argv.front(), std::strerror(error)),
                            hint_for(error));
  pidfd_ = open_pidfd(pid_);
}

int RecordedProgram::reap() const {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return shell_status(status);
}

std::vector<std::string> variables_of(const RecordCommand& command, const Recording& recording) {
  std::vector<std::string> variables{fmt::format("JCPROF_RECORD={}", recording.memory().string())};
  if (command.preload.empty()) return variables;
  const char* const users = std::getenv("LD_PRELOAD");
  variables.push_back(fmt::format("LD_PRELOAD={}{}{}", command.preload.string(), users == nullptr ? "" : ":",
                                  users == nullptr ? "" : users));
  return variables;
}

void stand_by(const RecordedProgram& program, const SignalsTaken& signals, Recording& recording,
              const RecordCommand& command) {
  std::array<pollfd, 2> events{pollfd{.fd = program.fd(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = signals.fd(), .events = POLLIN, .revents = 0}};
  const int patience = command.progress ? progress_ms : -1;
  std::optional<std::int64_t> told;  // when it was told to end
  for (;;) {
    const int ready = ::poll(events.data(), events.size(), told ? progress_ms : patience);
    if (ready > 0 && events[0].revents != 0) return;
    while (const std::optional<int> signal = signals.next()) {
      if (*signal == SIGUSR1 || *signal == SIGUSR2) {
        recording.pause(*signal == SIGUSR1);
        continue;
      }
      program.send(*signal);
      told = told.value_or(now_ns());
    }
    if (told && now_ns() - *told > most_grace_ns) program.send(SIGKILL);
    if (ready == 0 && command.progress) command.progress(recording.progress());
  }
}

}  // namespace

Recorded record(const LogOptions& log, const RecordCommand& command) {
  const SignalsTaken signals;
  Recording recording(log);
  const RecordedProgram program(command.argv, variables_of(command, recording), signals);
  recording.begin();
  stand_by(program, signals, recording, command);
  recording.stop();
  return recording.end(program.reap(), static_cast<std::uint32_t>(program.pid()));
}

}  // namespace jcprof::harness
