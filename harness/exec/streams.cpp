// SPDX-License-Identifier: Apache-2.0
#include "harness/exec/streams.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::harness {
namespace {

constexpr std::size_t most_reply = std::size_t{1} << 16;
constexpr std::size_t longest_line = 300;

UniqueFd file_in_memory(const char* name) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC));
  if (fd.get() < 0)
    throw environment_error(fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
  return fd;
}

void empty(int fd) {
  check(::ftruncate(fd, 0) == 0 && ::lseek(fd, 0, SEEK_SET) == 0, "a file in memory can be emptied");
}

/// At most `most` bytes from `from` on.
std::string part_of(int fd, std::size_t from, std::size_t most) {
  std::string part(std::min(most, size_of_file(fd) - std::min(from, size_of_file(fd))), '\0');
  const ssize_t got = ::pread(fd, part.data(), part.size(), static_cast<off_t>(from));
  part.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return part;
}

std::string last_line_of(int fd) {
  const std::size_t size = size_of_file(fd);
  std::string text = part_of(fd, size - std::min(size, longest_line), longest_line);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

ExecStreams::ExecStreams(std::filesystem::path log)
    : log_file_(std::move(log)),
      bytes_(file_in_memory("jcprof-input")),
      output_(file_in_memory("jcprof-output")),
      errors_(file_in_memory("jcprof-errors")),
      input_(bytes_.get()) {}

void ExecStreams::give(std::span<const std::uint8_t> bytes) {
  empty(bytes_.get());
  const auto size = static_cast<ssize_t>(bytes.size());
  check(::pwrite(bytes_.get(), bytes.data(), bytes.size(), 0) == size, "an input fits into memory");
  input_ = bytes_.get();
}

void ExecStreams::give(const std::filesystem::path& file) {
  // O_NONBLOCK: a pipe of that name would keep us waiting for somebody who writes.
  file_ = UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (file_.get() < 0 || ::fstat(file_.get(), &status) != 0)
    throw UserError(
        Fault{.message = fmt::format("cannot read \"{}\": {}", file.string(), std::strerror(errno)),
              .hint = "\"stdin\" in \"trigger\" is a path from its \"cwd\", or \"{input}\""});
  if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode))
    throw UserError(Fault{.message = fmt::format("\"{}\" cannot be read again for each shot", file.string()),
                          .hint = "\"stdin\" in \"trigger\" names a file"});
  input_ = file_.get();
}

ProgramStreams ExecStreams::open() {
  empty(output_.get());
  empty(errors_.get());
  ::lseek(input_, 0, SEEK_SET);
  return {.input = input_, .output = output_.get(), .errors = errors_.get()};
}

void ExecStreams::keep() {
  const std::string reply = part_of(output_.get(), 0, most_reply);
  reply_.assign(reply.begin(), reply.end());
  last_error_line_ = last_line_of(errors_.get());
  log_errors();
}

void ExecStreams::log_errors() {
  const std::string text = part_of(errors_.get(), 0, log_room_);
  if (text.empty()) return;
  if (log_.get() < 0) log_ = open_own_file(log_file_, OwnStart::empty);
  write_all(log_.get(), text);
  log_room_ -= text.size();
}

}  // namespace jcprof::harness
