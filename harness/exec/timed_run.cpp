// SPDX-License-Identifier: Apache-2.0
#include "harness/exec/timed_run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/clock.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/descendants.hpp"
#include "src/core/error.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::harness {
namespace {

namespace fs = std::filesystem;

// Between looks at how much a program has written; at memory speed it is a few hundred MB further by then.
constexpr std::int64_t look_ns = 100'000'000;

/// Everything that the child needs, made before it: it runs in our memory until it is the program.
struct Prepared {
  const char* program;
  const char* cwd;
  std::vector<char*> argv;
  std::vector<char*> environment;
  ProgramStreams streams;
  pid_t parent;
};

/// The reason why it could not become the program.
struct StartFailure {
  bool in_folder = false;
  int error = 0;
};

/// Async-signal-safe calls only. The caller is stopped meanwhile.
[[noreturn]] void become_program(const Prepared& prepared, volatile StartFailure& failure) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != prepared.parent) ::_exit(127);  // it died before prctl
  // Programs inherit that a signal is ignored; they do not inherit handlers.
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  ::dup2(prepared.streams.input, STDIN_FILENO);
  ::dup2(prepared.streams.output, STDOUT_FILENO);
  ::dup2(prepared.streams.errors, STDERR_FILENO);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  sigset_t none;
  ::sigemptyset(&none);
  if (::chdir(prepared.cwd) != 0) {
    failure.in_folder = true;
  } else {
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(prepared.program, prepared.argv.data(), prepared.environment.data());
  }
  failure.error = errno;
  ::_exit(127);
}

/// No signal may run a handler of ours in the child, which has our memory.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

bool is_flooded(const ProgramStreams& streams) {
  return std::max(size_of_file(streams.output), size_of_file(streams.errors)) > streams.most_bytes;
}

/// Until it ends, takes too long or writes too much.
ProgramEnd wait_for_end(int pidfd, const ProgramStreams& streams, std::int64_t deadline) {
  pollfd ended{.fd = pidfd, .events = POLLIN, .revents = 0};
  for (;;) {
    const std::int64_t left = deadline - now_ns();
    const std::int64_t slice = std::clamp<std::int64_t>(left, 0, look_ns);
    const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(std::min(slice, look_ns - 1))};
    const int ready = ::ppoll(&ended, 1, &time, nullptr);
    if (ready > 0) return ProgramEnd::exited;
    if ((ready == 0 && left <= 0) || cancellation().is_urgent()) return ProgramEnd::timed_out;
    if (is_flooded(streams)) return ProgramEnd::flooded;
  }
}

std::int64_t nanoseconds(const timeval& time) {
  return (std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
}

/// The part of a program's processor time that threads beside the first took. It is asked before the program
/// is waited for. The first one's time is in /proc/PID/schedstat, in nanoseconds.
double part_of_other_threads(pid_t pid) {
  clockid_t clock{};
  timespec all{};
  std::int64_t first = 0;
  std::ifstream schedule(fmt::format("/proc/{}/schedstat", pid));
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &all) != 0 || !(schedule >> first))
    return 0;
  const double all_ns = static_cast<double>(all.tv_sec) * 1e9 + static_cast<double>(all.tv_nsec);
  return all_ns > 0 && first > 0 ? std::max(0.0, 1 - static_cast<double>(first) / all_ns) : 0;
}

UserError start_error(const StartFailure& failure, const ProgramCall& call) {
  const char* reason = std::strerror(failure.error);
  if (failure.in_folder)
    return environment_error(fmt::format("cannot enter \"{}\": {}", call.cwd.string(), reason),
                             "\"cwd\" in \"trigger\" says where the program runs");
  return environment_error(fmt::format("cannot start \"{}\": {}", call.program, reason),
                           failure.error == ENOEXEC ? "a script begins with #! and its interpreter" : "");
}

}  // namespace

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Environment own_environment() {
  Environment environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  return environment;
}

void remove_variable(Environment& environment, std::string_view name) {
  const std::string head = fmt::format("{}=", name);
  std::erase_if(environment, [&](const std::string& variable) { return variable.starts_with(head); });
}

TimedRun run_timed(const ProgramCall& call, const Environment& environment, const ProgramStreams& streams,
                   std::chrono::milliseconds timeout) {
  const Prepared prepared{.program = call.program.c_str(),
                          .cwd = call.cwd.c_str(),
                          .argv = pointers_to(call.argv),
                          .environment = pointers_to(environment),
                          .streams = streams,
                          .parent = ::getpid()};
  volatile StartFailure failure{};
  TimedRun run;
  adopt_orphans();
  pid_t child = -1;
  std::int64_t begin = 0;
  {
    const SignalsHeld held;
    begin = now_ns();
    // Not fork: copying our page tables would be the larger part of a short program.
    child = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork,bugprone-unsafe-functions)
    if (child == 0)
      become_program(prepared, failure);  // NOLINT(clang-analyzer-unix.Vfork): only system calls
  }
  if (child < 0) throw environment_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  const UniqueFd pidfd = open_pidfd(child);
  if (pidfd.get() >= 0)
    run.end = wait_for_end(pidfd.get(), streams, begin + std::chrono::nanoseconds(timeout).count());
  run.wall_ns = now_ns() - begin;
  if (call.tells_threads) run.other_threads = part_of_other_threads(child);
  // Before the leader is waited for: until then nobody else can get the number of the group.
  ::kill(-child, SIGKILL);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  end_strays();
  if (pidfd.get() < 0)
    throw environment_error("this kernel has no pidfd_open", "Linux 5.3 or newer is needed");
  if (failure.error != 0) throw start_error({failure.in_folder, failure.error}, call);
  run.cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
  if (run.end == ProgramEnd::timed_out) cancellation().check();  // it may have been cut for that
  if (run.end == ProgramEnd::exited && WIFSIGNALED(status)) run.end = ProgramEnd::signalled;
  run.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return run;
}

std::string path_of_program(const std::string& name, const fs::path& cwd) {
  if (name.find('/') != std::string::npos) {
    const fs::path path = (cwd / name).lexically_normal();
    const bool is_there = ::access(path.c_str(), X_OK) == 0;
    const std::string reason = is_there ? "it is a folder" : std::strerror(errno);
    if (is_there && !fs::is_directory(path)) return path.string();
    throw environment_error(fmt::format("cannot start \"{}\": {}", path.string(), reason),
                            "\"run\" in \"trigger\" names what \"build\" makes of {tree}");
  }
  const char* const variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "/usr/bin:/bin" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder.empty() ? cwd : fs::path(folder)) / name;
    if (::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path)) return path.string();
  }
  throw environment_error(fmt::format("cannot start \"{}\": it is not in PATH", name),
                          "a program that \"build\" makes is named with its folder, such as \"{out}/app\"");
}

std::string name_of_signal(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string name_of_processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return ::uname(&system) == 0 ? std::string(std::begin(system.machine)) : "unknown";
}

}  // namespace jcprof::harness
