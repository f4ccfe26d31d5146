// SPDX-License-Identifier: Apache-2.0
// A log of record mode on disk, as templates/jcprof_log.h lays it out. The file is not trusted: what is cut
// off or senseless ends the log there, with a warning, and no size in it asks for memory that it does not
// fill.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/core/unique_fd.hpp"
#include "src/core/warning.hpp"
#include "templates/jcprof_log.h"

namespace jcprof::annotator {

/// A file that the target had mapped, at addresses [begin, end).
struct LogModule {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  // in the file, of what lies at `begin`
  std::string file;
  std::string build_id = {};  // hex; empty: unknown
};

/// Ticks [begin, end) in which nothing was recorded.
struct LogPause {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// All that a log holds beside its chunks.
struct LogFacts {
  std::filesystem::file_time_type written{};  // last
  jcprof_log_head head{};                     // the last one
  std::vector<std::uint64_t> functions;       // address by id; 0: not known
  std::vector<bool> is_left_out;              // by id: the recorder wanted no events of it; may be shorter
  std::vector<LogModule> modules;             // in the order in which they were found
  std::unordered_map<std::uint32_t, std::string> mark_names;
  std::vector<LogPause> pauses;        // in order, apart from each other; the last may have no end (all ones)
  std::vector<jcprof_log_pair> pairs;  // in the order of the file; every second one of too many is left out
  std::unordered_map<std::uint32_t, jcprof_log_thread> threads;  // by serial
  std::optional<jcprof_log_end> end;
  std::uint64_t words = 0;        // of all chunks
  std::uint64_t changing_ns = 0;  // processor time in which threads changed chunks
  std::vector<Warning> warnings;  // where the log was cut off
};

/// The end where none of them is an event.
inline auto first_event(std::span<const std::uint64_t> words) {
  return std::ranges::find_if(words, [](std::uint64_t word) { return JCPROF_LOG_IS_EVENT(word); });
}

class RecordLog {
 public:
  /// Reads all but the chunks. UserError when it is no log, of a newer jcprof, or not a plain file.
  explicit RecordLog(const std::filesystem::path& file);

  const LogFacts& facts() const { return facts_; }

  using ChunkSink = std::function<void(const jcprof_log_chunk&, std::span<const std::uint64_t> words)>;
  /// The chunks in the order of the file, one at a time in memory.
  void read_chunks(const ChunkSink& sink) const;

 private:
  std::filesystem::path file_;
  UniqueFd fd_;
  std::uint64_t good_ = 0;  // bytes of whole blocks that make sense
  LogFacts facts_;
};

}  // namespace jcprof::annotator
