// SPDX-License-Identifier: Apache-2.0
#include "src/core/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/core/cancellation.hpp"
#include "src/core/child_output.hpp"
#include "src/core/descendants.hpp"
#include "src/core/error.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof {
namespace {

using Clock = std::chrono::steady_clock;

// Killing takes no longer, but for a process that the kernel holds in a call.
constexpr std::chrono::milliseconds guard_patience{500};
constexpr std::chrono::milliseconds grace_of_tools{300};

/// What the child tells us through a pipe that a successful exec closes.
struct StartFailure {
  enum class Stage : int { enter_folder, execute } stage = Stage::execute;
  int error = 0;
};

/// Everything that the child needs, made before fork: afterwards it must not allocate.
struct Prepared {
  std::vector<std::string> strings;
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::string cwd;
};

Prepared prepare(const Command& command) {
  Prepared prepared;
  prepared.cwd = command.cwd.string();
  prepared.strings = command.argv;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced =
        std::ranges::any_of(command.environment, [&](const auto& added) { return added.first == name; });
    if (!is_replaced) prepared.strings.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment)
    prepared.strings.push_back(fmt::format("{}={}", name, value));
  for (std::string& text : prepared.strings) {
    const bool is_argument = prepared.argv.size() < command.argv.size();
    (is_argument ? prepared.argv : prepared.environment).push_back(text.data());
  }
  prepared.argv.push_back(nullptr);
  prepared.environment.push_back(nullptr);
  return prepared;
}

// From here to start(): code that runs between fork and exec. Only async-signal-safe calls.

[[noreturn]] void report_and_exit(const StartFailure& failure, int failure_pipe) {
  const ssize_t written = ::write(failure_pipe, &failure, sizeof failure);
  ::_exit(written == sizeof failure ? 127 : 126);
}

/// What the program gets as its standard streams; input -1: nothing.
struct Descriptors {
  int input;
  int output;
  int errors;
};

[[noreturn]] void become_program(const Prepared& prepared, const Descriptors& streams, int failure_pipe,
                                 pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before prctl
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR2, SIGXFSZ}) ::signal(signal, SIG_DFL);
  const int input = streams.input >= 0 ? streams.input : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input >= 0) ::dup2(input, STDIN_FILENO);
  ::dup2(streams.output, STDOUT_FILENO);
  ::dup2(streams.errors, STDERR_FILENO);
  StartFailure failure;
  if (::chdir(prepared.cwd.c_str()) != 0) {
    failure.stage = StartFailure::Stage::enter_folder;
  } else {
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execvpe(prepared.argv.front(), prepared.argv.data(), prepared.environment.data());
  }
  failure.error = errno;
  report_and_exit(failure, failure_pipe);
}

// Of the guard's own process: a signal handler reaches nothing but statics.
volatile pid_t guarded = -1;
volatile int guarded_status = 128 + SIGKILL;

void end_guarded(int /*signal*/) {
  end_descendants(guarded, guarded_status);
  // Where /proc does not tell who our children are, the group is what we know.
  if (::waitpid(-1, nullptr, WNOHANG) == 0) ::kill(0, SIGKILL);
  ::_exit(guarded_status);
}

/// The child of ours: leads the group, starts the program in it and ends as that did, with all that is left
/// of what it started: orphans become the guard's children, whatever session they are in. SIGUSR2, which the
/// kernel sends when jcprof dies, even by SIGKILL, makes it end all that at once.
[[noreturn]] void guard_program(const Prepared& prepared, const Descriptors& streams, int failure_pipe,
                                pid_t parent) {
  ::setpgid(0, 0);
  adopt_orphans();
  sigset_t none;
  ::sigemptyset(&none);
  ::signal(SIGUSR2, end_guarded);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGUSR2);
  if (::getppid() != parent) ::_exit(127);
  // The group's SIGTERM is for the program.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  const pid_t self = ::getpid();
  guarded = ::fork();
  if (guarded == 0) become_program(prepared, streams, failure_pipe, self);
  if (guarded < 0) report_and_exit({.error = errno}, failure_pipe);
  ::close_range(0, ~0U, 0);
  int status = 0;
  for (pid_t ended = 0; ended != guarded;) ended = ::waitpid(-1, &status, 0);
  guarded_status = shell_status(status);
  end_guarded(0);
  ::_exit(guarded_status);
}

UserError start_error(const StartFailure& failure, const Command& command) {
  const char* reason = std::strerror(failure.error);
  if (failure.stage == StartFailure::Stage::enter_folder)
    return environment_error(fmt::format("cannot enter \"{}\": {}", command.cwd.string(), reason),
                             fmt::format("jcprof wanted to run \"{}\" there", command.argv.front()));
  return environment_error(fmt::format("cannot start \"{}\": {}", command.argv.front(), reason),
                           failure.error == ENOENT ? "is it installed, and in PATH?" : "");
}

/// A started child with the thread that takes its output.
class Child {
 public:
  Child(const Command& command, const LogPolicy& log, ChildStreams streams = {});
  ~Child() { kill_and_reap(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// True once it has ended; waits for that no longer than until `deadline`, and no longer than until
  /// `asked` is readable where that is a descriptor.
  bool ends_by(Clock::time_point deadline, int asked = -1) const;
  /// SIGTERM to the group, and so long to end.
  void ask_to_end(std::chrono::milliseconds grace) const;
  /// Ends whatever is left of all that it started, and takes the output that is there.
  void kill_and_reap();
  int exit_status() const { return exit_status_; }
  ChildOutput& output() { return *output_; }

 private:
  pid_t pid_ = -1;
  UniqueFd pidfd_;
  int exit_status_ = 0;
  bool reaped_ = false;
  std::unique_ptr<ChildOutput> output_;
};

Child::Child(const Command& command, const LogPolicy& log, ChildStreams streams) {
  check(!command.argv.empty(), "a command names its program");
  const Prepared prepared = prepare(command);
  Pipe output = make_pipe();
  Pipe failure_pipe = make_pipe();
  output_ = std::make_unique<ChildOutput>(std::move(output.read), log);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  const int errors = output.write.get();
  const int answers = streams.output.get() >= 0 ? streams.output.get() : errors;
  if (pid_ == 0)
    guard_program(prepared, {streams.input.get(), answers, errors}, failure_pipe.write.get(), parent);
  if (pid_ < 0) throw environment_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  ::setpgid(pid_, pid_);  // whoever comes first; the group must be there before anything is sent to it
  pidfd_ = open_pidfd(pid_);
  output.write = UniqueFd();
  streams = {};
  failure_pipe.write = UniqueFd();
  StartFailure failure;
  ssize_t size = 0;
  while ((size = ::read(failure_pipe.read.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  if (size != sizeof failure && pidfd_.get() >= 0) return;
  kill_and_reap();
  if (size == sizeof failure) throw start_error(failure, command);
  throw environment_error("this kernel has no pidfd_open", "Linux 5.3 or newer is needed");
}

bool Child::ends_by(Clock::time_point deadline, int asked) const {
  if (reaped_) return true;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    std::array<pollfd, 2> ends{{{pidfd_.get(), POLLIN, 0}, {asked, POLLIN, 0}}};
    const int ready =
        ::poll(ends.data(), ends.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    if (ready > 0) return ends[0].revents != 0;
    if (ready == 0 && left <= 60'000) return false;
  }
}

void Child::ask_to_end(std::chrono::milliseconds grace) const {
  ::kill(-pid_, SIGTERM);
  ends_by(Clock::now() + cancellation().grace(grace));
}

void Child::kill_and_reap() {
  if (reaped_) return;
  ::kill(pid_, SIGUSR2);
  ends_by(Clock::now() + guard_patience);
  // Before the leader is waited for: until then nobody else can get the number of the group. There is nothing
  // left in it, unless somebody has killed or stopped the guard.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  exit_status_ = shell_status(status);
  reaped_ = true;
  output_->finish();
}

}  // namespace

std::filesystem::path own_executable() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

std::filesystem::path sibling(const std::string& name) {
  return own_executable().parent_path() / name;
}

ProcessResult run_and_wait(const Command& command, const LogPolicy& log, std::chrono::milliseconds timeout) {
  Child child(command, log);
  const bool has_ended = child.ends_by(Clock::now() + timeout, cancellation().fd());
  // A tool that is told to end removes what it has half written.
  if (!has_ended && cancellation().is_asked()) child.ask_to_end(grace_of_tools);
  child.kill_and_reap();
  if (!has_ended) cancellation().check();
  return {.exit_status = child.exit_status(), .timed_out = !has_ended, .tail = child.output().tail()};
}

struct BackgroundProcess::State {
  Child child;
};

BackgroundProcess::BackgroundProcess(const Command& command, const LogPolicy& log, ChildStreams streams)
    : state_(new State{{command, log, std::move(streams)}}) {}

BackgroundProcess::~BackgroundProcess() {
  stop();
}

bool BackgroundProcess::wait_for_output(const std::string& text, std::chrono::milliseconds timeout) {
  return state_->child.output().wait_for(text, timeout);
}

std::optional<int> BackgroundProcess::ended(std::chrono::milliseconds patience) {
  // Not longer than the end of jcprof may take.
  const auto grace = cancellation().grace(patience);
  if (!state_->child.ends_by(Clock::now() + grace)) return std::nullopt;
  state_->child.kill_and_reap();
  return state_->child.exit_status();
}

std::string BackgroundProcess::tail() const {
  return state_->child.output().tail();
}

void BackgroundProcess::stop(std::chrono::milliseconds grace) {
  if (ended()) return;
  state_->child.ask_to_end(grace);
  state_->child.kill_and_reap();
}

}  // namespace jcprof
