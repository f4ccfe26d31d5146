// SPDX-License-Identifier: Apache-2.0
// Names for addresses of a target: which file lay there, what the file calls it, and in which line of which
// source it begins. Asks the files where they are now; what cannot be told stays an address.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "annotator/record/log.hpp"
#include "src/core/store.hpp"

namespace jcprof::annotator {

/// Only what was mangled: "w" would be taken for a wchar_t.
std::string demangled(const std::string& name);

/// The program's segments as modules of a log, so that its addresses are looked up as they are in the file.
std::vector<LogModule> segments_of(const std::filesystem::path& program);

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The program's functions by their begins, at the addresses that stand in it. Namesakes of one address are
/// one.
std::vector<AddressRange> functions_in(const std::filesystem::path& program);

class Symbols {
 public:
  /// `elf`: files whose place the log's anchor tells, and those that stand for modules of the same file name
  /// that are not where they were.
  Symbols(const LogFacts& log, const std::vector<std::filesystem::path>& elf);
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// All but the number.
  StoredSymbol at(std::uint64_t address);
  /// Files that were needed, and could not be read or are not what was recorded.
  std::vector<Warning> warnings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace jcprof::annotator
