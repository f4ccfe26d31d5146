// SPDX-License-Identifier: Apache-2.0
#include "harness/record/writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness/record/memory.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::harness {
namespace {

// Kept free of chunks: what a log ends with, and names and functions that come after the last chunk.
constexpr std::uint64_t reserve = 64ULL * 1024;

constexpr std::uint64_t least_log = 2 * reserve;

// By which the disk is asked for room ahead, so that one that fills has some left for the end.
constexpr std::uint64_t step = 8ULL * 1024 * 1024;

template <typename Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

iovec part(std::span<const std::byte> bytes) {
  return {.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
}

/// All of it, or errno.
bool write_all(int fd, std::span<iovec> parts) {
  while (!parts.empty()) {
    ssize_t done = ::writev(fd, parts.data(), static_cast<int>(parts.size()));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    while (!parts.empty() && std::cmp_greater_equal(done, parts.front().iov_len)) {
      done -= static_cast<ssize_t>(parts.front().iov_len);
      parts = parts.subspan(1);
    }
    if (parts.empty()) break;
    parts.front() = part({static_cast<const std::byte*>(parts.front().iov_base) + done,
                          parts.front().iov_len - static_cast<std::size_t>(done)});
  }
  return true;
}

UserError cannot_write(const std::filesystem::path& file, const char* reason) {
  return environment_error(fmt::format("cannot write \"{}\": {}", file.string(), reason),
                           "name another folder with -o");
}

}  // namespace

bool LogRoom::is_there() const {
  return taken_ + least_log <= most_;
}

LogWriter::LogWriter(std::filesystem::path file, std::shared_ptr<LogRoom> room)
    : file_(std::move(file)), room_(std::move(room)), was_there_(std::filesystem::exists(file_)) {
  if (room_->most() < least_log)
    throw UserError(Fault{.message = fmt::format("a log of {} bytes is too small", room_->most()),
                          .hint = fmt::format("--max-log must be {}K at least", least_log / 1024)});
  fd_ = open_own_file(file_, OwnStart::keep);
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw cannot_write(file_, "another jcprof record writes to it");
}

LogWriter::~LogWriter() {
  if (!has_begun_ && !was_there_ && fd_.get() >= 0) ::unlink(file_.c_str());
}

void LogWriter::begin(const jcprof_log_head& head) {
  if (::ftruncate(fd_.get(), 0) != 0) throw cannot_write(file_, std::strerror(errno));
  has_begun_ = true;
  room_->take(reserve);
  this->head(head);
}

void LogWriter::head(const jcprof_log_head& head) {
  std::array<std::byte, JCPROF_LOG_HEAD_BYTES> bytes{};
  std::memcpy(bytes.data(), &head, sizeof head);
  write(JCPROF_LOG_BLOCK_HEAD, bytes);
}

void LogWriter::entry(std::span<const std::byte> entry) {
  write(JCPROF_LOG_BLOCK_ENTRY, entry);
}

void LogWriter::pair(const jcprof_log_pair& pair) {
  // Behind the last chunk there is nothing to calibrate, and no end to pairs.
  if (written_.why.empty()) write(JCPROF_LOG_BLOCK_PAIR, bytes_of(pair));
}

void LogWriter::functions(std::span<const jcprof_log_function> functions) {
  if (!functions.empty()) write(JCPROF_LOG_BLOCK_FUNCTIONS, std::as_bytes(functions));
}

void LogWriter::thread(const jcprof_log_thread& thread) {
  if (written_.why.empty()) write(JCPROF_LOG_BLOCK_THREAD, bytes_of(thread));
}

void LogWriter::chunk(jcprof_log_chunk head, std::span<const jcprof_log_u64> words) {
  const ChunkContent content = content_of(words);
  if (content.events == 0 && head.lost == 0) return;
  written_.lost += head.lost;
  if (head.thread == 1 && head.number == 1) written_.ahead_ns = head.base_ns;
  if (const auto before = dropped_.find(head.thread); before != dropped_.end())
    head.lost += before->second.lost;
  head.used = content.used;
  const std::span<const std::byte> records = std::as_bytes(words.first(content.used));
  const std::uint64_t bytes = sizeof head + records.size();
  const bool has_place = has_room(bytes);
  const bool is_written = has_place && write(JCPROF_LOG_BLOCK_CHUNK, bytes_of(head), records);
  if (has_place) room_->give_back(bytes);  // a block that is written takes its own
  if (is_written) {
    written_.events += content.events;
    dropped_.erase(head.thread);
    return;
  }
  ++written_.dropped;
  written_.lost += content.events;
  written_.discarded += content.events;
  head.lost += content.events;
  head.used = 0;
  head.base += content.last;
  dropped_.insert_or_assign(head.thread, head);
}

void LogWriter::end(const jcprof_log_head& head, std::uint32_t status, const OwnCost& cost) {
  for (const auto& [thread, chunk] : dropped_) write(JCPROF_LOG_BLOCK_CHUNK, bytes_of(chunk));
  this->head(head);
  written_.lost += head.unwritten;
  const jcprof_log_end end{.status = status,
                           .dropped = written_.dropped,
                           .lost = written_.lost,
                           .event_ps = cost.event_ps,
                           .doubt_ps = cost.doubt_ps};
  written_.is_whole = write(JCPROF_LOG_BLOCK_END, bytes_of(end));
  room_->give_back(reserve);
  // Room that was asked for ahead is given back.
  if (::ftruncate(fd_.get(), static_cast<off_t>(written_.bytes)) != 0) written_.is_whole = false;
}

void LogWriter::discard() {
  if (has_begun_) room_->give_back(reserve + written_.bytes);
  has_begun_ = was_there_ = false;
}

bool LogWriter::has_room(std::uint64_t bytes) {
  if (!written_.why.empty()) return false;
  if (!room_->take(bytes)) {
    room_->give_back(bytes);
    written_.why = fmt::format("--max-log is {} bytes", room_->most());
    return false;
  }
  const std::uint64_t wanted = written_.bytes + bytes + reserve;
  if (wanted <= allocated_) return true;
  for (const std::uint64_t size : {std::min(wanted + step, room_->most()), wanted}) {
    const bool is_there = ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(allocated_),
                                      static_cast<off_t>(size - allocated_)) == 0;
    // A file system that cannot do that will say so when it is written to.
    const bool may_be_there = !is_there && errno != ENOSPC && errno != EDQUOT && errno != EFBIG;
    if (is_there || may_be_there) {
      allocated_ = size;
      return true;
    }
  }
  written_.why = std::strerror(errno);
  room_->give_back(bytes);
  return false;
}

bool LogWriter::write(std::uint32_t kind, std::span<const std::byte> first,
                      std::span<const std::byte> second) {
  const std::uint64_t size = first.size() + second.size();
  const jcprof_log_block block{.kind = kind, .bytes = static_cast<std::uint32_t>(size)};
  std::array<iovec, 3> parts{part(bytes_of(block)), part(first), part(second)};
  if (write_all(fd_.get(), parts)) {
    written_.bytes += sizeof block + size;
    room_->take(sizeof block + size);
    return true;
  }
  if (written_.why.empty()) written_.why = std::strerror(errno);
  // A block that is cut is the end of the log for whoever reads it.
  const auto end = static_cast<off_t>(written_.bytes);
  if (::ftruncate(fd_.get(), end) == 0) ::lseek(fd_.get(), end, SEEK_SET);
  return false;
}

}  // namespace jcprof::harness
