// SPDX-License-Identifier: Apache-2.0
#include "harness/record/program.hpp"

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/exec/timed_run.hpp"
#include "src/core/descendants.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

// SIGXFSZ: a limit on files is a full disk to us. SIGTTOU: progress does not stop us. SIGPIPE: nor does who
// has stopped reading.
constexpr std::initializer_list<int> ignored{SIGQUIT, SIGXFSZ, SIGTTOU, SIGPIPE};
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

}  // namespace

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
  for (const int signal : were_default_) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGUSR1, SIGUSR2}) ::signal(signal, SIG_IGN);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
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

}  // namespace jcprof::harness
