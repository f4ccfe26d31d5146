// SPDX-License-Identifier: Apache-2.0
// One compile unit → its view of each file that is asked for, by libclang. A view that another unit has just
// so is not read again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/c/arguments.hpp"
#include "rewriter/c/front_end.hpp"
#include "rewriter/c/syntax.hpp"
#include "rewriter/c/text.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {

/// Device and inode: one file may be found by several names.
using CFileId = std::pair<std::uint64_t, std::uint64_t>;

/// Files that are asked for, by what they are; the values are their indices.
using CSources = std::map<CFileId, std::size_t>;

/// {0, 0} for what is not there.
CFileId file_id(const std::filesystem::path& file);

/// Deals views of files out to units. Of units that see the same, the first in the database's order is among
/// those that read it, however the threads run.
class CClaims {
 public:
  explicit CClaims(std::size_t files) : claims_(files) {}

  /// True where `unit` is to read `view` of `file`; its functions are not looked at.
  bool claim(std::size_t file, std::size_t unit, const CView& view);

 private:
  struct Claim {
    std::size_t unit = 0;
    CView view;
  };
  std::mutex mutex_;
  std::vector<std::vector<Claim>> claims_;
};

struct CUnitReading {
  std::vector<std::pair<std::size_t, CView>> views;  // with the index of the file
  std::vector<std::size_t> seen;                     // files, those that another unit reads too
  std::vector<std::string> others;                   // files that are not asked for
  std::vector<Fault> faults;                         // what clang calls an error
};

/// Asked of clang, as no list of gcc's feature flags (-m…, -f…) stays true.
RefusedFlags refused_flags(const std::vector<CompileUnit>& units);

struct CReadingRoom {
  const CSources& sources;
  const std::vector<CText>& texts;  // of each source
  CClaims& claims;
  RefusedFlags refused = {};                // of the units' flags
  std::vector<std::string> irregular = {};  // files that must not be opened: absolute
};

CUnitReading read_unit(const CompileUnit& unit, std::size_t index, const CReadingRoom& room);

}  // namespace jcprof::rewriter
