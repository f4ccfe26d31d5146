// SPDX-License-Identifier: Apache-2.0
#include "src/core/output_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/shell_words.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view marker_head =
    "jcprof output folder: jcprof replaces and deletes what it made here\n";
/// A number of a descriptor.
constexpr const char* lock_variable = "JCPROF_OUTPUT_LOCK";
/// A holder that has just been killed, or has not said its name yet, is waited for.
constexpr auto patience = 2s;

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw UserError(Fault{.message = std::move(message), .hint = std::move(hint)});
}

fs::path without_end(fs::path path) {
  while (path.has_relative_path() && (path.filename().empty() || path.filename() == "."))
    path = path.parent_path();
  return path.filename() == ".." ? fs::canonical(path) : path;
}

/// Absolute, without links; the folder need not be there.
fs::path settled(const fs::path& named) {
  const fs::path folder = without_end(fs::absolute(named));
  const fs::file_status status = fs::symlink_status(folder);
  if (fs::is_symlink(status))
    refuse(fmt::format("the output folder \"{}\" is a link", folder.string()),
           "-o takes the folder that it leads to, or another one");
  if (fs::exists(status) && !fs::is_directory(status))
    refuse(fmt::format("\"{}\" is no folder", folder.string()),
           "remove it, or name another output folder with -o");
  return folder.has_relative_path() ? fs::weakly_canonical(folder.parent_path()) / folder.filename() : folder;
}

/// By what they are, not by name: a folder may be mounted twice.
bool contains(const fs::path& outer, fs::path inner) {
  for (std::error_code error;; inner = inner.parent_path()) {
    if (fs::equivalent(outer, inner, error)) return true;
    if (!inner.has_relative_path()) return false;
  }
}

void refuse_containment(const fs::path& out, const fs::path& project) {
  if (project.empty()) return;
  const fs::path root = fs::canonical(project);
  if (contains(out, root))
    refuse(fmt::format("the output folder \"{}\" holds the project", out.string()),
           "-o names a folder outside of the project; without -o it is jcprof-out beside the project file");
  const fs::path within = out.lexically_relative(root);
  if (contains(root, out) && std::ranges::find(within, usual_output_folder) == within.end())
    refuse(
        fmt::format("the output folder \"{}\" lies inside the project", out.string()),
        "there it must be named jcprof-out, which copies of the project leave out; -o names one elsewhere");
}

bool has_nothing_else(const fs::path& folder) {
  return std::ranges::all_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    return entry.path().filename() == output_marker;
  });
}

/// An empty one was made by hand, or by a jcprof that was ended there.
bool has_marker(const fs::path& folder) {
  const fs::path marker = folder / output_marker;
  if (!fs::is_regular_file(fs::symlink_status(marker))) return false;
  const std::string text = read_file(marker);
  return text.empty() || text.starts_with(marker_head);
}

/// As jcprof 0.1 left it, or with a trap map written by hand.
bool has_our_files(const fs::path& folder) {
  return fs::is_regular_file(folder / "traps.json") || fs::is_regular_file(folder / "record.jcplog");
}

/// What is there is looked at before the marker: another jcprof makes its marker first, then the rest.
void refuse_foreign(const fs::path& folder) {
  const bool is_free = !fs::exists(folder) || has_nothing_else(folder);
  if (has_marker(folder)) return;
  if (has_our_files(folder))
    refuse(
        fmt::format("\"{}\" looks like an output folder of jcprof, but lacks its mark (jcprof 0.1 made none)",
                    folder.string()),
        fmt::format("if nothing in it is yours, `touch {}` lets jcprof take it over; or remove the "
                    "folder, or name another one with -o",
                    shell_word((folder / output_marker).string())));
  if (!is_free || fs::exists(fs::symlink_status(folder / output_marker)))
    refuse(fmt::format("\"{}\" is not empty, and jcprof did not make it: nothing is written there",
                       folder.string()),
           "name another folder with -o, or move away what is in it");
}

bool are_same_file(int fd, const fs::path& file) {
  struct stat open = {};
  struct stat named = {};
  return ::fstat(fd, &open) == 0 && ::lstat(file.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

struct Holder {
  std::string verb;
  pid_t pid = 0;

  bool is_alive() const { return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM); }
};

/// As set_holder writes it: "jcprof run, process 17".
std::optional<Holder> holder_of(const fs::path& marker) {
  constexpr std::string_view mark = ", process ";
  const std::string text = read_file(marker);
  if (!text.starts_with(marker_head) || !text.ends_with('\n')) return std::nullopt;
  const std::string line = text.substr(marker_head.size());
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) return std::nullopt;
  return Holder{.verb = line.substr(0, at),
                .pid = static_cast<pid_t>(std::strtol(line.c_str() + at + mark.size(), nullptr, 10))};
}

void set_holder(int marker, const std::string& text) {
  const std::string all = std::string(marker_head) + text;
  if (::ftruncate(marker, 0) != 0 || ::lseek(marker, 0, SEEK_SET) != 0 || !write_all(marker, all))
    throw environment_error(fmt::format("cannot write \"{}\": {}", output_marker, std::strerror(errno)),
                            "is the disk full, or read-only?");
}

[[noreturn]] void refuse_second(const fs::path& folder, const std::optional<Holder>& holder) {
  throw environment_error(
      fmt::format("\"{}\" is in use: {} works in it", folder.string(),
                  holder ? harmless(fmt::format("{} (process {})", holder->verb, holder->pid))
                         : std::string("another jcprof")),
      "wait until it has ended, or end it; name another folder with -o");
}

UniqueFd locked(const fs::path& folder) {
  const fs::path marker = folder / output_marker;
  for (const auto deadline = std::chrono::steady_clock::now() + patience;;) {
    UniqueFd fd = open_own_file(marker, OwnStart::keep);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      if (are_same_file(fd.get(), marker)) return fd;
      continue;  // somebody removed the folder meanwhile
    }
    if (errno != EWOULDBLOCK)
      throw environment_error(fmt::format("cannot lock \"{}\": {}", marker.string(), std::strerror(errno)),
                              "-o names a folder on another file system");
    const std::optional<Holder> holder = holder_of(marker);
    if ((holder && holder->is_alive()) || std::chrono::steady_clock::now() > deadline)
      refuse_second(folder, holder);
    std::this_thread::sleep_for(10ms);
  }
}

/// That of the jcprof which started this one, if it is of this folder.
UniqueFd inherited_lock(const fs::path& folder) {
  const char* text = std::getenv(lock_variable);
  if (text == nullptr) return {};
  const int fd = static_cast<int>(std::strtol(text, nullptr, 10));
  ::unsetenv(lock_variable);  // not for what this one starts
  if (fd <= STDERR_FILENO || !are_same_file(fd, folder / output_marker)) return {};
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? UniqueFd(fd) : UniqueFd();
}

/// What an earlier jcprof was killed over.
void remove_parts(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(part_prefix)) fs::remove_all(entry.path(), ignored);
}

/// A jcprof-out that is made only because this one lies in it is jcprof's too.
void mark_above(const fs::path& folder) {
  for (fs::path above = folder.parent_path(); above.has_relative_path(); above = above.parent_path())
    if (above.filename() == usual_output_folder && (!fs::exists(above) || fs::is_empty(above)))
      open_own_file(above / output_marker, OwnStart::keep);
}

}  // namespace

OutputFolder::OutputFolder(const OutputWish& wish)
    : path_(settled(wish.folder)), was_there_(fs::exists(path_)) {
  refuse_containment(path_, wish.project);
  refuse_foreign(path_);
  lock_ = inherited_lock(path_);
  is_holder_ = lock_.get() < 0;
  if (!is_holder_) return;
  mark_above(path_);
  lock_ = locked(path_);
  set_holder(lock_.get(), fmt::format("{}, process {}\n", wish.verb, ::getpid()));
  remove_parts(path_);
}

OutputFolder::~OutputFolder() {
  if (!is_holder_) return;
  std::error_code ignored;
  try {
    if (!was_there_ && has_nothing_else(path_)) {
      fs::remove(path_ / output_marker, ignored);
      fs::remove(path_, ignored);
      return;
    }
    set_holder(lock_.get(), "");
  } catch (const std::runtime_error&) {
    return;  // an old name there does no harm: the lock is what counts
  }
}

void OutputFolder::hand_over() const {
  ::fcntl(lock_.get(), F_SETFD, 0);
  ::setenv(lock_variable, std::to_string(lock_.get()).c_str(), 1);
}

bool is_output_folder(const fs::path& folder) {
  return fs::exists(folder / output_marker) || (has_our_files(folder) && fs::is_directory(folder / "tree"));
}

}  // namespace jcprof
