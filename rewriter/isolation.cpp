// SPDX-License-Identifier: Apache-2.0
#include "rewriter/isolation.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "rewriter/reading.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/error_json.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/unique_fd.hpp"

// The worker answers at its end in CBOR, because names of files need not be UTF-8.

namespace jcprof::rewriter {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LeftAlonePlace, path, line, reason, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Coverage, statements, with_trap, excluded, unread, level)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Generated, traps, functions, instrumented_files, notes, left_alone,
                                   coverage, tight)

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;  // they need terabytes of addresses
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

/// A compiler's JVM wants a few GiB of addresses, most of which it never uses.
std::uint64_t usual_memory() {
  const auto physical = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::max(6 * gib, physical / 4 * 3) + most_reading_stacks();
}

/// Shared with the child that is forked next.
class SharedBoard {
 public:
  SharedBoard() {
    void* const memory =
        ::mmap(nullptr, sizeof(ReadingBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw environment_error(fmt::format("out of memory: {}", std::strerror(errno)));
    board_ = new (memory) ReadingBoard{};
  }
  ~SharedBoard() { ::munmap(board_, sizeof(ReadingBoard)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  ReadingBoard& operator*() const { return *board_; }
  ReadingBoard* operator->() const { return board_; }

 private:
  ReadingBoard* board_ = nullptr;
};

struct Task {
  const Project& project;
  const fs::path& out;
  const ReadingLimits& limits;
  std::vector<UnreadSource> unread = {};
  bool one_at_a_time = false;
};

json answer_to(const Task& task) {
  try {
    return generate(task.project, task.out, task.unread);
  } catch (const UserError& error) {
    return in_json(error);
  } catch (const std::system_error& error) {
    return in_json(environment_error(error.what()));
  }
}

[[noreturn]] void work(const Task& task, ReadingBoard& board, int answers, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  // libclang's own threads have small stacks, and are not on the board; what it recovers from is damaged.
  for (const char* const name : {"LIBCLANG_NOTHREADS", "LIBCLANG_DISABLE_CRASH_RECOVERY"})
    ::setenv(name, "1", 1);
  const std::uint64_t memory = task.limits.memory == 0 ? usual_memory() : task.limits.memory;
  const rlimit most{.rlim_cur = memory, .rlim_max = memory};
  if (!is_sanitized) ::setrlimit(RLIMIT_AS, &most);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  announce_readings_on(board);
  json said;
  try {
    said = answer_to(task);
  } catch (const std::bad_alloc&) {
    std::abort();  // as libclang does
  }
  std::string bytes;
  json::to_cbor(said, bytes);
  if (!write_all(answers, bytes)) ::_exit(1);
  std::fflush(nullptr);
  ::_exit(0);
}

/// The file that a thread has read for too long; nothing while there is none.
std::optional<std::string> overdue(const ReadingBoard& board, milliseconds patience) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  for (const ReadingBoard::Slot& slot : board.slots) {
    const std::int64_t since = slot.since_ns;
    if (since > 0 && now - std::chrono::nanoseconds{since} > patience) return slot.path.data();
  }
  return std::nullopt;
}

std::vector<std::string> files_being_read(const ReadingBoard& board) {
  std::vector<std::string> files;
  for (const ReadingBoard::Slot& slot : board.slots)
    if (slot.since_ns > 0) files.emplace_back(slot.path.data());
  return files;
}

struct Ended {
  int status = 0;
  std::string answer;
  std::optional<std::string> overdue;  // it was ended because of this file
};

/// Takes what it says until it has ended, or until a file takes too long.
Ended watch(pid_t worker, const UniqueFd& answers, const ReadingBoard& board, milliseconds patience) {
  constexpr int look_ms = 200;
  Ended ended;
  std::array<char, std::size_t{1} << 16> block{};
  for (;;) {
    pollfd readable{.fd = answers.get(), .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, look_ms) > 0) {
      const ssize_t size = ::read(answers.get(), block.data(), block.size());
      if (size == 0) break;
      if (size > 0) ended.answer.append(block.data(), static_cast<std::size_t>(size));
      continue;
    }
    ended.overdue = overdue(board, patience);
    if (!ended.overdue && !cancellation().is_asked()) continue;
    ::kill(worker, SIGKILL);
    break;
  }
  while (::waitpid(worker, &ended.status, 0) < 0 && errno == EINTR) {
  }
  cancellation().check();
  return ended;
}

Ended run(const Task& task, ReadingBoard& board) {
  Pipe answers = make_pipe();
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t worker = ::fork();
  if (worker == 0) work(task, board, answers.write.get(), parent);
  if (worker < 0) throw environment_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  answers.write = UniqueFd();
  return watch(worker, answers.read, board, task.limits.patience);
}

/// The reason why the worker has not come to its end, in the words of a note on the file.
std::string reason_for(const Ended& ended, const ReadingBoard& board, const ReadingLimits& limits) {
  if (ended.overdue)
    return fmt::format("reading it took longer than {} s",
                       static_cast<double>(limits.patience.count()) / 1000);
  if (board.turned_away != 0)
    return fmt::format("reading it needed more than {:.1f} GiB of memory",
                       static_cast<double>(limits.memory == 0 ? usual_memory() : limits.memory) / gib);
  return fmt::format("the parser crashed: {}", signal_in_words(WTERMSIG(ended.status)));
}

/// Nothing where several may be the one: who asks for memory last need not be who took it.
std::optional<std::string> culprit(const Ended& ended, const ReadingBoard& board) {
  if (ended.overdue) return ended.overdue;
  const std::uint32_t crashed = board.crashed;
  if (crashed != 0 && (board.turned_away == 0 || board.one_at_a_time != 0))
    return board.slots.at(crashed - 1).path.data();
  const std::vector<std::string> files = files_being_read(board);
  if (crashed == 0 && files.size() == 1) return files.front();
  return std::nullopt;
}

bool is_asked_to_end(int status) {
  return WIFSIGNALED(status) &&
         (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP);
}

UserError too_many(const std::vector<UnreadSource>& unread) {
  std::vector<Fault> faults = faults_of(unread);
  faults.back().hint = R"(take them out of "sources")";
  return {faults, ExitCode::user_mistake};
}

}  // namespace

Generated generate_apart(const Project& project, const fs::path& out, const ReadingLimits& limits) {
  Task task{.project = project, .out = out, .limits = limits};
  while (task.unread.size() <= limits.most_left_out) {
    const SharedBoard board;
    board->one_at_a_time = task.one_at_a_time ? 1 : 0;
    const Ended ended = run(task, *board);
    if (!ended.overdue && WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0) {
      const json said = json::from_cbor(ended.answer);
      if (said.contains("faults")) throw error_from(said);
      return said;
    }
    if (is_asked_to_end(ended.status)) {
      ::signal(WTERMSIG(ended.status), SIG_DFL);
      ::raise(WTERMSIG(ended.status));
    }
    const std::optional<std::string> file = culprit(ended, *board);
    const bool may_be_told = board->crashed != 0 || !files_being_read(*board).empty();
    if (file)
      task.unread.push_back({.path = *file, .reason = reason_for(ended, *board, limits)});
    else if (may_be_told && !task.one_at_a_time)
      task.one_at_a_time = true;
    else
      throw environment_error(
          fmt::format("making the tree {}", WIFSIGNALED(ended.status)
                                                ? "was ended by " + signal_in_words(WTERMSIG(ended.status))
                                                : "did not end"),
          board->turned_away != 0 ? "it ran out of memory" : "");
  }
  throw too_many(task.unread);
}

}  // namespace jcprof::rewriter
