// SPDX-License-Identifier: Apache-2.0
// Does a rewritten tree still compile? Runs javac on it as the project's class path and flags say, and finds
// the traps to blame where it does not. Decides nothing about the user's own build.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rewriter/plan.hpp"
#include "rewriter/source_model.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {

struct CompileError {
  std::string path;  // relative to the tree
  std::size_t line = 0;
  std::size_t column = 0;  // in characters; 0 where javac shows none
  std::string message;
};

/// The errors of compiling `sources` of `tree`; nothing when javac could not be run or did not end. `work` is
/// emptied and removed.
std::optional<std::vector<CompileError>> compile_java(const Project& project,
                                                      const std::filesystem::path& tree,
                                                      const std::vector<std::string>& sources,
                                                      const std::filesystem::path& work);

/// javac's output, as far as it speaks of files below `tree`.
std::vector<CompileError> parse_javac(std::string_view output, const std::filesystem::path& tree);

/// The planned traps that an error is to be blamed on: the one nearest on its line of `text` (the rewritten
/// source), else all of the function that it lies in, which is also what to do where javac finds a method too
/// large. Never `entry0`: without it nothing can be armed.
std::vector<PlannedTrap> blamed(const CompileError& error, std::string_view text, const SourceModel& model,
                                const FilePlan& plan);

}  // namespace jcprof::rewriter
