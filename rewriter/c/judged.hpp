// SPDX-License-Identifier: Apache-2.0
// Remembers the units whose traps compilers had nothing to say about, so that the next jcprof-gen need not
// judge them. A unit is known by a digest of all that decides: compiler, flags, and every file that it reads.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewriter/c/front_end.hpp"
#include "rewriter/language.hpp"

namespace jcprof::rewriter {

class JudgedUnits {
 public:
  /// Reads `file`, which need not be there. `runtime` is a digest of what each unit includes for its traps.
  JudgedUnits(std::filesystem::path file, std::string runtime);

  /// The sources with the traps that are planned now. Numbers of traps do not count.
  void look_at(const Instrumentation& work);
  /// Of a unit that reads these of the sources, and these other files. After look_at().
  std::string digest_of(const CompileUnit& unit, const std::vector<std::size_t>& sources,
                        const std::vector<std::string>& others);
  bool knows(const std::string& digest) const { return known_.contains(digest); }
  void remember(std::string digest) { good_.insert(std::move(digest)); }
  /// Only what was remembered since it was read.
  void write() const;

 private:
  const std::string& stamp_of(const std::filesystem::path& file);

  std::filesystem::path file_;
  std::string runtime_;
  std::set<std::string> known_;
  std::set<std::string> good_;
  std::vector<std::string> digests_;                     // of the sources
  std::map<std::filesystem::path, std::string> stamps_;  // of other files
};

}  // namespace jcprof::rewriter
