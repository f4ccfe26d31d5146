// SPDX-License-Identifier: Apache-2.0
// traps.json: which traps a build carries and where they stand in the user's own sources. Read and written
// here only; docs/formats.md has the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/types.hpp"
#include "src/core/warning.hpp"

namespace jcprof {

struct Trap {
  TrapId id{};
  std::string key;   // links builds: digest of file, function, kind, statement and ordinal
  std::string name;  // TRAP_multiply_3
  TrapKind kind = TrapKind::before;
  std::string function;  // PinApplet.verify
  std::string path;      // of the source, relative to the project's folder, '/' separated
  // The range in the ORIGINAL file of what the trap stands for. Line and column from 1, in bytes.
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t offset = 0;
  std::size_t end_line = 0;
  std::size_t end_offset = 0;  // of the byte behind it
  std::uint32_t guards = 0;    // that a stop passes on its way out of the function
  std::string unseen = {};     // of an entry: a part of its function that runs outside of its traps
  bool operator==(const Trap&) const = default;
};

/// It is called too often to be stopped at: its time counts for its callers.
struct LeftOutFunction {
  std::string function;
  std::uint64_t calls = 0;  // about
  bool operator==(const LeftOutFunction&) const = default;
};

/// A source that gets no traps, as it cannot be read.
struct UnreadSource {
  std::string path;
  std::string reason;
  bool operator==(const UnreadSource&) const = default;
};

/// "PinApplet.verify (about 3000 calls)"
std::string in_words(const LeftOutFunction& function);

struct SourceDigest {
  std::string path;
  std::string sha256;  // lower-case hex, of the original file
  bool operator==(const SourceDigest&) const = default;
};

struct TrapMap {
  std::string language;  // "java", "c", "c++"
  std::vector<SourceDigest> sources = {};
  std::vector<Trap> traps = {};  // sorted by id, ids 1..n without gaps
  CardArming card = {};
  std::uint32_t command = 0;                   // of a TA: the id of ours; 0: it is none
  std::vector<LeftOutFunction> left_out = {};  // by jcprof profile; no part of the digest
  std::vector<UnreadSource> unread = {};       // no part of the digest
  std::uint32_t build = 0;  // first four bytes of digest_of(), which the target answers with; see build_of

  const Trap& at(TrapId id) const;  // a check fails for an id that is not in the map
};

/// Stable text, one trap a line: the same map gives the same bytes. `build` is written as build_of() has it.
std::string write_trap_map(const TrapMap& map);

/// Throws UserError naming `file` and the line for anything that is not a trap map of a known version, or was
/// changed after it had been written.
TrapMap parse_trap_map(const std::string& file, std::string_view text);
TrapMap read_trap_map(const std::filesystem::path& file);

/// sha256 of everything but `left_out`, `unread` and `build`: decides whether a run can be resumed.
std::string digest_of(const TrapMap& map);
/// What belongs into `build`.
std::uint32_t build_of(const TrapMap& map);

/// Names the functions on a path whose cost is not all their own: one for each reason. `passed`: by trap,
/// from the first one on.
std::vector<Warning> warnings_of_unseen(const TrapMap& map, const std::vector<bool>& passed);
/// Names the functions that were left out, and the sources that were not read.
std::vector<Warning> warnings_of_left_out(const TrapMap& map);

}  // namespace jcprof
