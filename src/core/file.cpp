// SPDX-License-Identifier: Apache-2.0
#include "src/core/file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sha256.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof {
namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{256} << 20;

constexpr mode_t usual_file = 0666;
constexpr mode_t usual_folder = 0777;

UserError cannot(std::string_view what, const std::filesystem::path& file, ExitCode code) {
  return {Fault{.message = fmt::format("cannot {}: {}", what, std::strerror(errno)),
                .place = {.file = file.string()}},
          code};
}

std::string part_name() {
  std::array<std::uint8_t, 8> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    throw environment_error(fmt::format("no random bytes: {}", std::strerror(errno)));
  return std::string(part_prefix) + to_hex(random);
}

bool is_link(int folder, const std::string& name) {
  struct stat status = {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

[[noreturn]] void refuse_link(const std::filesystem::path& link) {
  throw UserError(Fault{.message = "a link, which jcprof does not follow in its output folder",
                        .place = {.file = link.string()},
                        .hint = "remove the link; name another folder with -o"});
}

/// An absolute path in which only "/" and names stand.
std::filesystem::path plain(const std::filesystem::path& path) {
  const std::filesystem::path normal = std::filesystem::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

/// Writes beside `name` of a folder, and renames. A file that is there passes its mode on.
void write_in(int folder, const std::filesystem::path& file, std::string_view content) {
  const std::string name = file.filename().string();
  const std::string part = part_name();
  const UniqueFd fd(
      ::openat(folder, part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, usual_file));
  if (fd.get() < 0) throw cannot("write", file, ExitCode::environment);
  struct stat before = {};
  bool is_written = write_all(fd.get(), content);
  if (is_written && ::fstatat(folder, name.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISREG(before.st_mode))
    is_written = ::fchmod(fd.get(), before.st_mode & usual_folder) == 0;
  if (is_written && ::renameat(folder, part.c_str(), folder, name.c_str()) == 0) return;
  const UserError failure = cannot("write", file, ExitCode::environment);
  ::unlinkat(folder, part.c_str(), 0);
  throw failure;
}

/// A device or a pipe: what renames cannot replace.
void write_through(const std::filesystem::path& file, std::string_view content) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (fd.get() < 0 || !write_all(fd.get(), content)) throw cannot("write", file, ExitCode::environment);
}

std::string_view kind_in_words(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

struct OpenedFile {
  UniqueFd file;
  std::string why_not;  // not empty: it cannot be read
};

/// Never waits: whoever opens a pipe without this waits for its writer.
OpenedFile open_regular(const std::filesystem::path& file) {
  OpenedFile opened{.file = UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)),
                    .why_not = {}};
  struct stat status = {};
  if (opened.file.get() < 0 || ::fstat(opened.file.get(), &status) != 0)
    opened.why_not = fmt::format("cannot read: {}", std::strerror(errno));
  else if (S_ISDIR(status.st_mode))
    opened.why_not = fmt::format("cannot read: {}", std::strerror(EISDIR));
  else if (!S_ISREG(status.st_mode))
    opened.why_not = fmt::format("cannot read: it is {}, not a regular file", kind_in_words(status.st_mode));
  else if (static_cast<std::uintmax_t>(status.st_size) > largest_file)
    opened.why_not = fmt::format("larger than {} bytes", largest_file);
  return opened;
}

}  // namespace

std::string why_unreadable(const std::filesystem::path& file) {
  return open_regular(file).why_not;
}

std::string read_file(const std::filesystem::path& file) {
  OpenedFile opened = open_regular(file);
  // Bounded while reading too: the file may grow, and those of the kernel do not say how large they are.
  std::string content;
  std::string block(std::size_t{1} << 16, '\0');
  ssize_t size = 0;
  while (opened.why_not.empty() && (size = ::read(opened.file.get(), block.data(), block.size())) != 0) {
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) opened.why_not = fmt::format("cannot read: {}", std::strerror(errno));
    if (size > 0) content.append(block, 0, static_cast<std::size_t>(size));
    if (content.size() > largest_file) opened.why_not = fmt::format("larger than {} bytes", largest_file);
  }
  if (!opened.why_not.empty())
    throw UserError(Fault{.message = opened.why_not, .place = {.file = file.string()}});
  return content;
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void write_file(const std::filesystem::path& named, std::string_view content) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(named, error);
  const std::filesystem::path file = std::filesystem::absolute(error ? named : target);
  if (std::filesystem::is_other(file, error)) return write_through(file, content);
  std::filesystem::create_directories(file.parent_path(), error);
  const UniqueFd folder(::open(file.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) throw cannot("write", named, ExitCode::environment);
  write_in(folder.get(), file, content);
}

UniqueFd open_own_folder(const std::filesystem::path& folder) {
  constexpr int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  std::filesystem::path so_far = "/";
  UniqueFd at(::open(so_far.c_str(), flags));
  if (at.get() < 0) throw cannot("open the folder", so_far, ExitCode::environment);
  for (const std::filesystem::path& part : plain(folder).relative_path()) {
    so_far /= part;
    UniqueFd next(::openat(at.get(), part.c_str(), flags));
    if (next.get() < 0 && errno == ENOENT) {
      if (::mkdirat(at.get(), part.c_str(), usual_folder) != 0 && errno != EEXIST)
        throw cannot("make the folder", so_far, ExitCode::environment);
      next = UniqueFd(::openat(at.get(), part.c_str(), flags));
    }
    if (next.get() < 0) {
      const UserError failure = cannot("open the folder", so_far, ExitCode::environment);
      if (is_link(at.get(), part)) refuse_link(so_far);
      throw failure;
    }
    at = std::move(next);
  }
  return at;
}

void write_own_file(const std::filesystem::path& named, std::string_view content) {
  const std::filesystem::path file = plain(named);
  write_in(open_own_folder(file.parent_path()).get(), file, content);
}

UniqueFd open_own_file(const std::filesystem::path& named, OwnStart start) {
  const std::filesystem::path file = plain(named);
  const std::string name = file.filename().string();
  const UniqueFd folder = open_own_folder(file.parent_path());
  // A new file: what was there may have other names, by hard links.
  if (start == OwnStart::empty) ::unlinkat(folder.get(), name.c_str(), 0);
  const int flags = start == OwnStart::go_on ? O_APPEND : start == OwnStart::empty ? O_EXCL : 0;
  UniqueFd fd(::openat(folder.get(), name.c_str(),
                       O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, usual_file));
  if (fd.get() < 0 && is_link(folder.get(), name)) refuse_link(file);
  if (fd.get() < 0) throw cannot("write", file, ExitCode::environment);
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
    throw UserError(Fault{.message = "not a file of jcprof's own: a device, a pipe, or one with other names",
                          .place = {.file = file.string()},
                          .hint = "remove it; name another folder with -o"});
  return fd;
}

std::filesystem::path make_part_folder(const std::filesystem::path& in) {
  const UniqueFd folder = open_own_folder(in);
  const std::string name = part_name();
  if (::mkdirat(folder.get(), name.c_str(), usual_folder) != 0)
    throw cannot("make a folder", in / name, ExitCode::environment);
  return plain(in) / name;
}

std::string sha256(std::string_view content) {
  // libmd writes the digest as hex itself.
  std::string digest(SHA256_DIGEST_STRING_LENGTH, '\0');
  SHA256Data(reinterpret_cast<const std::uint8_t*>(content.data()), content.size(), digest.data());
  digest.resize(SHA256_DIGEST_STRING_LENGTH - 1);
  return digest;
}

}  // namespace jcprof
