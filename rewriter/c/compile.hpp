// SPDX-License-Identifier: Apache-2.0
// Has compilers look at C and C++ units without making anything, and reads what they say. Blames nobody.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/c/front_end.hpp"
#include "rewriter/compile_check.hpp"

namespace jcprof::rewriter {

enum class Severity : std::uint8_t { warning, error };

struct Diagnostic {
  Severity severity = Severity::warning;
  std::string message;
  // The place that it points at, then those of the notes behind it: the macros that it lies in. Absolute
  // paths.
  std::vector<CompileError> places;
};

struct UnitAnswer {
  std::vector<Diagnostic> diagnostics = {};
  std::string failure = {};                       // not empty: the compiler could not do its work, and why
  std::vector<std::filesystem::path> files = {};  // that the compiler says it read; absolute
};

/// Reads the output of gcc or clang, with one line a diagnostic. `folder` is where they ran.
std::vector<Diagnostic> parse_diagnostics(std::string_view output, const std::filesystem::path& folder);

/// The unit as it is in a copy of `root`: what names a file or folder that the copy has names the copy's.
CompileUnit moved(const CompileUnit& unit, const std::filesystem::path& root,
                  const std::filesystem::path& copy);

/// The flags and the file of ours that a compiler takes.
struct JudgingCompiler {
  std::vector<std::string> flags = {};
  std::filesystem::path end = {};  // included, it ends the work behind the last warning; empty: it would not
  bool lists_files = false;        // that it reads, as a rule for make
};

/// The compiler that a unit names.
struct FoundCompiler {
  std::filesystem::path file;  // empty: there is none
  std::string version;         // what it says of itself; empty: nothing, or it cannot be started
};

class SyntaxCheck {
 public:
  /// Logs go to `scratch`, which is made.
  explicit SyntaxCheck(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}

  /// Each unit through its own compiler, as many at a time as there are processors; answers in the units'
  /// order.
  std::vector<UnitAnswer> run(const std::vector<CompileUnit>& units);

  /// The file of the unit's compiler, and the first line of the compiler's --version, which also shows what a
  /// wrapper or link starts. Each file is asked once.
  FoundCompiler compiler_of(const CompileUnit& unit);

 private:
  JudgingCompiler known(const std::string& compiler) const;

  std::filesystem::path scratch_;
  std::map<std::string, JudgingCompiler> compilers_;
  std::map<std::filesystem::path, std::string> versions_;  // by the compiler's file
};

}  // namespace jcprof::rewriter
