// SPDX-License-Identifier: Apache-2.0
// The memory that a recorded program writes its events into (templates/jcprof_log.h): made and laid out here,
// and looked at. Its content is the program's and is not believed: the layout is kept apart.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "src/core/unique_fd.hpp"
#include "templates/jcprof_log.h"

namespace jcprof::harness {

/// The source of ticks. `fast` is `own`, and the target does not wait for its loads.
enum class RecordClock : std::uint8_t { own, fast, published, counted };

/// Whether the target reads a clock of its own.
constexpr bool is_of_target(RecordClock clock) {
  return clock == RecordClock::own || clock == RecordClock::fast;
}

/// A word that somebody else may write at any moment.
template <typename Word>
Word load(const Word& shared) {
  return std::atomic_ref(const_cast<Word&>(shared)).load(std::memory_order_acquire);
}
template <typename Word>
void store(Word& shared, Word value) {
  std::atomic_ref(shared).store(value, std::memory_order_release);
}

struct LogSizes {
  std::uint32_t chunk_bytes = 0;
  std::uint32_t chunks = 0;
  std::uint32_t functions = 0;
  std::uint32_t entry_bytes = 0;
};
/// The layout of that much memory. UserError where it is too little or too much.
LogSizes sizes_of_log(std::uint64_t bytes);

struct LogChunk {
  jcprof_log_chunk& head;
  std::span<jcprof_log_u64> words;
};

/// The moment at which a log's pages get their content. Pages that come later cost the first that touches
/// them.
enum class Pages : std::uint8_t { at_once, later };

class LogMemory {
 public:
  /// All of it is there, whatever `pages` says. UserError where so much cannot be had.
  LogMemory(std::uint64_t bytes, RecordClock clock, Pages pages = Pages::at_once);
  /// A copy of a target's own, which nobody writes to any more. UserError where it is none.
  explicit LogMemory(std::span<const std::uint8_t> own);
  ~LogMemory();
  LogMemory(const LogMemory&) = delete;
  LogMemory& operator=(const LogMemory&) = delete;

  /// A program of this user finds the memory by this path as long as we live, from any folder.
  const std::filesystem::path& file() const { return file_; }
  /// The last part of that path.
  std::uint32_t number() const { return static_cast<std::uint32_t>(fd_.get()); }
  /// Nobody else has the memory, mapped or open. False where the system does not tell.
  bool is_alone() const;
  /// Makes it as new once it is_alone(). `attached` stays, so that nobody can take it.
  void clear();
  jcprof_log_head& head() const;
  /// Bytes [begin, end) of the head's page, as text.
  std::string told(std::uint32_t begin, std::uint32_t end) const;
  std::uint32_t chunks() const { return sizes_.chunks; }
  std::uint32_t chunk_bytes() const { return sizes_.chunk_bytes; }
  LogChunk chunk(std::uint32_t index) const;
  /// The table: an address by its id less 1.
  std::span<jcprof_log_u64> functions() const;
  std::span<const std::byte> entries() const;

 private:
  void make(Pages pages);
  template <typename Word>
  std::span<Word> words_at(std::uint64_t offset, std::size_t count) const;

  LogSizes sizes_;
  RecordClock clock_ = RecordClock::own;
  std::size_t bytes_ = 0;
  UniqueFd fd_;
  std::filesystem::path file_;
  std::byte* memory_ = nullptr;
};

/// The content of a chunk. A crash, or a signal handler of the program's, may leave holes of 0 between its
/// records.
struct ChunkContent {
  std::uint32_t used = 0;  // words up to the end of the last record
  std::uint64_t events = 0;
  std::uint64_t last = 0;  // ticks of the last one, after the chunk's base
};
ChunkContent content_of(std::span<const jcprof_log_u64> words);

}  // namespace jcprof::harness
