// SPDX-License-Identifier: Apache-2.0
#include "harness/exec/report.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <type_traits>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr std::array<char, 8> magic{'J', 'C', 'P', 'R', 'O', 'F', '1', '\n'};

// We write it for the build, and the program replaces it.
constexpr std::uint32_t nobody = UINT32_MAX;

/// The head of the file, in the byte order of the machine.
struct Header {
  std::array<char, 8> magic;
  std::uint32_t build;
  std::uint32_t trap;
  std::uint64_t hit;
  std::uint64_t from;
  std::uint64_t room;
  std::uint64_t events;
  std::uint32_t signature_before;
  std::uint32_t signature;
  std::uint64_t passes;
  std::uint64_t reserved;
};
static_assert(sizeof(Header) == 72 && std::is_trivially_copyable_v<Header>);

UserError refused() {
  return environment_error(fmt::format("cannot write the report of the program: {}", std::strerror(errno)),
                           "is there memory left?");
}

/// Not by a map: the program may cut the file, and reading what is mapped would end us.
std::size_t read_at(int fd, std::size_t offset, std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::pread(fd, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

ExecReportFile::ExecReportFile()
    : fd_(::memfd_create("jcprof", MFD_CLOEXEC)),
      file_(fmt::format("/proc/{}/fd/{}", ::getpid(), fd_.get())) {
  if (fd_.get() < 0) throw refused();
}

void ExecReportFile::reset(std::uint64_t from, std::uint64_t room) {
  const Header header{.magic = magic, .build = nobody, .from = from, .room = room};
  const auto size = static_cast<off_t>(sizeof header + room * sizeof(std::uint32_t));
  if (::ftruncate(fd_.get(), size) != 0 ||
      ::pwrite(fd_.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
    throw refused();
}

std::optional<ExecReport> ExecReportFile::read() const {
  Header header{};
  if (read_at(fd_.get(), 0, std::as_writable_bytes(std::span(&header, 1))) != sizeof header ||
      header.magic != magic || header.hit > UINT32_MAX)
    return std::nullopt;
  ExecReport report{.events = header.events,
                    .signature_before = header.signature_before,
                    .signature = header.signature,
                    .passes = header.passes};
  if (header.build != nobody) report.build = header.build;
  if (header.trap != 0)
    report.stopped = {.trap = TrapId{header.trap}, .hit = static_cast<std::uint32_t>(header.hit)};
  return report;
}

std::vector<TrapId> ExecReportFile::events(std::uint64_t count) const {
  static_assert(sizeof(TrapId) == sizeof(std::uint32_t));
  std::vector<TrapId> traps(count);
  const std::size_t bytes = read_at(fd_.get(), sizeof(Header), std::as_writable_bytes(std::span(traps)));
  traps.resize(bytes / sizeof(TrapId));
  return traps;
}

}  // namespace jcprof::harness
