// SPDX-License-Identifier: Apache-2.0
// Remembers the units whose traps compilers had nothing to say about, so that the next jcprof-gen need not
// judge them. A unit is known by a digest of all that decides: jcprof, the compiler, its flags, and the files
// that clang and its own compiler read for it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rewriter/c/compile.hpp"
#include "rewriter/c/front_end.hpp"
#include "rewriter/language.hpp"

namespace jcprof::rewriter {

class JudgedUnits {
 public:
  /// Reads `file`, which need not be there. `runtime` is a digest of what each unit includes for its traps.
  /// The name of the folder `made` is of this generation alone, and files there count by what they hold.
  /// Empty: there is none.
  JudgedUnits(std::filesystem::path file, std::string runtime, const std::filesystem::path& made);

  /// Takes note of what `file` is now. A file that something asks about later is noted then.
  void note(const std::filesystem::path& file) { noted(file); }
  /// Takes note of these sources with the traps that are planned now. Numbers of traps do not count.
  void look_at(const Instrumentation& work, const std::set<std::size_t>& sources);
  /// Returns the digest of a unit that reads these sources and these other files. look_at() has seen the
  /// sources.
  std::string digest_of(const CompileUnit& unit, const FoundCompiler& compiler,
                        const std::vector<std::size_t>& sources, const std::vector<std::string>& others);
  /// True where it was remembered, and the files that its compiler alone read are the same. It stays known.
  bool recalls(const std::string& digest);
  /// `besides`: files that its compiler read, and clang did not. After it was judged.
  void remember(const std::string& digest, const std::vector<std::filesystem::path>& besides);
  /// Writes the units of this run, then earlier ones; at most `most`. Writes nothing if a file has changed
  /// since it was noted: the compiler may have seen either state.
  void write(std::size_t most) const;

 private:
  std::string line_of(const std::string& digest, const std::vector<std::string>& besides);
  const std::string& noted(const std::filesystem::path& file);
  std::string state_of(const std::filesystem::path& file) const;
  std::string lasting(std::string word) const;

  std::filesystem::path file_;
  std::string runtime_;
  std::string made_;
  // A unit a line: its digest, a digest of the states of files, and their names behind tabs.
  std::vector<std::string> before_;             // as the file has them
  std::map<std::string, std::size_t> known_;    // places in before_, by digest
  std::map<std::string, std::string> good_;     // to be written
  std::map<std::size_t, std::string> digests_;  // of the sources
  std::map<std::filesystem::path, std::string> states_;
};

}  // namespace jcprof::rewriter
