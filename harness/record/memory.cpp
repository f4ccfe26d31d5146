// SPDX-License-Identifier: Apache-2.0
#include "harness/record/memory.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/record/available.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t least_memory = mib;
constexpr std::uint64_t most_memory = 1024 * kib * mib;
constexpr const char* option_hint = "the default is --memory 64M";

UserError refused(std::uint64_t bytes) {
  return environment_error(
      fmt::format("cannot get {} MiB of memory for the log: {}", bytes / mib, std::strerror(errno)),
      "choose a smaller --memory");
}

std::uint32_t in_log(RecordClock clock) {
  if (is_of_target(clock)) return JCPROF_LOG_CLOCK_OWN;
  return clock == RecordClock::published ? JCPROF_LOG_CLOCK_PUBLISHED : JCPROF_LOG_CLOCK_COUNTED;
}

jcprof_log_head head_of(const LogSizes& sizes, RecordClock clock) {
  jcprof_log_head head{};
  std::memcpy(head.magic, JCPROF_LOG_MAGIC, sizeof head.magic);
  head.version = JCPROF_LOG_VERSION;
  head.chunk_bytes = sizes.chunk_bytes;
  head.chunks = sizes.chunks;
  head.functions = sizes.functions;
  head.clock = in_log(clock);
  head.fast = clock == RecordClock::fast ? 1 : 0;
  head.entry_bytes = sizes.entry_bytes;
  head.functions_at = JCPROF_LOG_HEAD_BYTES;
  head.entries_at = head.functions_at + std::uint64_t{sizes.functions} * sizeof(jcprof_log_u64);
  head.chunks_at = head.entries_at + sizes.entry_bytes;
  head.bytes = head.chunks_at + std::uint64_t{sizes.chunks} * sizes.chunk_bytes;
  return head;
}

/// Laid out as we would have done it; all else is refused.
LogSizes sizes_in(std::span<const std::uint8_t> own) {
  jcprof_log_head head{};
  std::memcpy(&head, own.data(), std::min(own.size(), sizeof head));
  const LogSizes sizes{.chunk_bytes = head.chunk_bytes,
                       .chunks = head.chunks,
                       .functions = head.functions,
                       .entry_bytes = head.entry_bytes};
  const jcprof_log_head ours = head_of(sizes, RecordClock::own);
  const bool is_log =
      std::memcmp(head.magic, ours.magic, sizeof head.magic) == 0 && head.version == ours.version;
  const bool is_aligned =
      (head.entry_bytes | (head.functions * sizeof(jcprof_log_u64))) % sizeof(jcprof_log_chunk) == 0;
  if (!is_log || !is_aligned || head.chunks == 0 || head.chunk_bytes < 2 * sizeof(jcprof_log_chunk) ||
      head.chunk_bytes % sizeof(jcprof_log_chunk) != 0 || head.functions_at != ours.functions_at ||
      head.entries_at != ours.entries_at || head.chunks_at != ours.chunks_at || ours.bytes != own.size())
    throw environment_error("the target returned no valid log",
                            "was it built with the jcprof.h of this jcprof?");
  return sizes;
}

}  // namespace

LogSizes sizes_of_log(std::uint64_t bytes) {
  if (bytes < least_memory || bytes > most_memory)
    throw UserError(Fault{.message = fmt::format("the memory of a log cannot be {} bytes", bytes),
                          .hint = fmt::format("from 1M to 1T; {}", option_hint)});
  if (const std::uint64_t available = available_memory(); bytes > available)
    throw environment_error(
        fmt::format("{} MiB of memory are asked for, and {} are free", bytes / mib, available / mib),
        option_hint);
  // Even a small log has some sixty chunks, so that threads do not wait for one another's.
  constexpr std::uint64_t most_chunk = 64 * kib;
  constexpr std::uint64_t most_functions = std::uint64_t{1} << (JCPROF_LOG_ID_BITS - 1);
  const std::uint64_t power = std::bit_floor(bytes);
  LogSizes sizes;
  sizes.chunk_bytes = static_cast<std::uint32_t>(std::min(power / 64, most_chunk));
  sizes.functions = static_cast<std::uint32_t>(std::min(power / 512, most_functions));
  sizes.entry_bytes = static_cast<std::uint32_t>(std::min(power / 64, 16 * mib));
  const std::uint64_t before = head_of(sizes, RecordClock::own).chunks_at;
  sizes.chunks = static_cast<std::uint32_t>((bytes - before) / sizes.chunk_bytes);
  return sizes;
}

LogMemory::LogMemory(std::uint64_t bytes, RecordClock clock, Pages pages)
    : sizes_(sizes_of_log(bytes)), clock_(clock), bytes_(head_of(sizes_, clock).bytes) {
  if (pages == Pages::later && bytes > available_memory() / 2) throw refused(bytes);
  make(pages);
  head() = head_of(sizes_, clock);
}

LogMemory::LogMemory(std::span<const std::uint8_t> own) : sizes_(sizes_in(own)), bytes_(own.size()) {
  make(Pages::at_once);
  std::memcpy(memory_, own.data(), own.size());
}

void LogMemory::make(Pages pages) {
  const UniqueFd made(::memfd_create("jcprof-record", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // The system counts for is_alone() who opens a file, and not who makes it.
  fd_ = UniqueFd(::open(fmt::format("/proc/self/fd/{}", made.get()).c_str(), O_RDWR | O_CLOEXEC));
  file_ = fmt::format("/proc/{}/fd/{}", ::getpid(), fd_.get());
  // Not by ftruncate alone: a page that cannot be had later on would end the program.
  if (fd_.get() < 0 || ::fallocate(fd_.get(), 0, 0, static_cast<off_t>(bytes_)) != 0) throw refused(bytes_);
  // Nor may the program cut it short, which would end us.
  constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(fd_.get(), F_ADD_SEALS, seals) != 0) throw refused(bytes_);
  const int flags = MAP_SHARED | (pages == Pages::at_once ? MAP_POPULATE : 0);
  void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, fd_.get(), 0);
  if (memory == MAP_FAILED) throw refused(bytes_);
  memory_ = static_cast<std::byte*>(memory);
}

LogMemory::~LogMemory() {
  ::munmap(memory_, bytes_);
}

bool LogMemory::is_alone() const {
  // A lease to write is had by the only one who has the file open; a mapping keeps a file open.
  return ::fcntl(fd_.get(), F_SETLEASE, F_WRLCK) == 0 && ::fcntl(fd_.get(), F_SETLEASE, F_UNLCK) == 0;
}

void LogMemory::clear() {
  jcprof_log_head as_new = head_of(sizes_, clock_);
  as_new.attached = UINT32_MAX;
  const std::span<const std::byte> names = entries();
  for (std::uint32_t i = 0; i < sizes_.chunks; ++i) {
    const LogChunk used = chunk(i);
    if (used.head.state == JCPROF_LOG_FREE) continue;
    std::ranges::fill(used.words, 0);
    used.head = {};
  }
  std::ranges::fill(functions(), 0);
  std::memset(const_cast<std::byte*>(names.data()), 0, names.size());
  std::memset(memory_ + sizeof as_new, 0, JCPROF_LOG_HEAD_BYTES - sizeof as_new);
  head() = as_new;
}

std::string LogMemory::told(std::uint32_t begin, std::uint32_t end) const {
  return {reinterpret_cast<const char*>(memory_) + begin, end - begin};
}

template <typename Word>
std::span<Word> LogMemory::words_at(std::uint64_t offset, std::size_t count) const {
  return {reinterpret_cast<Word*>(memory_ + offset), count};
}

jcprof_log_head& LogMemory::head() const {
  return words_at<jcprof_log_head>(0, 1).front();
}

LogChunk LogMemory::chunk(std::uint32_t index) const {
  const std::uint64_t end = bytes_ - std::uint64_t{sizes_.chunks - index - 1} * sizes_.chunk_bytes;
  const std::uint64_t begin = end - sizes_.chunk_bytes;
  return {.head = words_at<jcprof_log_chunk>(begin, 1).front(),
          .words = words_at<jcprof_log_u64>(
              begin + sizeof(jcprof_log_chunk),
              (sizes_.chunk_bytes - sizeof(jcprof_log_chunk)) / sizeof(jcprof_log_u64))};
}

std::span<jcprof_log_u64> LogMemory::functions() const {
  return words_at<jcprof_log_u64>(JCPROF_LOG_HEAD_BYTES, sizes_.functions);
}

std::span<const std::byte> LogMemory::entries() const {
  return words_at<const std::byte>(
      JCPROF_LOG_HEAD_BYTES + std::uint64_t{sizes_.functions} * sizeof(jcprof_log_u64), sizes_.entry_bytes);
}

ChunkContent content_of(std::span<const jcprof_log_u64> words) {
  ChunkContent content;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word =
        std::atomic_ref(const_cast<jcprof_log_u64&>(words[i])).load(std::memory_order_relaxed);
    if (!JCPROF_LOG_IS_EVENT(word)) {
      if (word != 0) content.used = static_cast<std::uint32_t>(i + 1);
      continue;
    }
    last = word;
    ++content.events;
    if ((word & 3) == JCPROF_LOG_MARK && i + 1 < words.size()) ++i;
    content.used = static_cast<std::uint32_t>(i + 1);
  }
  content.last = last >> (64 - JCPROF_LOG_TICK_BITS);
  return content;
}

}  // namespace jcprof::harness
