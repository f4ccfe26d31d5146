// SPDX-License-Identifier: Apache-2.0
// Runs javac on a rewritten tree, as the project's class path and flags say. Decides nothing, neither about
// traps nor about the user's own build.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rewriter/java/bytecode_size.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {

/// The unit of a column: bytes are characters where javac reads sources as an 8-bit encoding.
enum class ColumnUnit : std::uint8_t { characters, bytes };

struct CompileError {
  std::string path;        // relative to the tree
  std::size_t line = 0;    // 0 where the compiler names none, as on its command line
  std::size_t column = 0;  // 0 where javac shows none
  ColumnUnit unit = ColumnUnit::characters;
  std::string message;
};

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
