// SPDX-License-Identifier: Apache-2.0
// Does a rewritten tree still compile? Runs javac on it as the project's class path and flags say. Decides
// nothing, neither about traps nor about the user's own build.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rewriter/java/bytecode_size.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {

/// What javac counts columns in: bytes are characters where it reads sources as an 8-bit encoding.
enum class ColumnUnit : std::uint8_t { characters, bytes };

struct CompileError {
  std::string path;  // relative to the tree
  std::size_t line = 0;
  std::size_t column = 0;  // 0 where javac shows none
  ColumnUnit unit = ColumnUnit::characters;
  std::string message;
};

/// What came of compiling.
struct Compilation {
  std::vector<CompileError> errors = {};
  std::vector<MethodSize> methods = {};  // of what was compiled, when there are no errors
  std::string failure = {};              // not empty: javac could not do its work, and why
};

/// Compiles `sources` of `tree`. `work` is emptied and removed.
Compilation compile_java(const Project& project, const std::filesystem::path& tree,
                         const std::vector<std::string>& sources, const std::filesystem::path& work);

/// javac's output, as far as it speaks of files below `tree`.
std::vector<CompileError> parse_javac(std::string_view output, const std::filesystem::path& tree);

}  // namespace jcprof::rewriter
