// SPDX-License-Identifier: Apache-2.0
// Asks make which commands a makefile would compile with; make runs none of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/project.hpp"

namespace jcprof::rewriter {

struct CompileCommand {
  std::filesystem::path folder;    // that it runs in, absolute
  std::string file;                // as the command names it
  std::vector<std::string> words;  // the compiler and its flags, without files
};

/// The commands of a dry run that began in `folder`, one for each source, also of those that link at once.
std::vector<CompileCommand> parse_dry_run(std::string_view output, const std::filesystem::path& folder);

/// The commands of the makefile in "compile.make", with the settings of the build step that makes there, and
/// of further steps that make there or below it. UserError where make fails.
std::vector<CompileCommand> commands_of_make(const Project& project, const std::filesystem::path& out);

/// The commands that make would run in `folder` for these goals; nothing where it fails.
std::optional<std::string> dry_run_in(const std::filesystem::path& folder,
                                      const std::vector<std::string>& goals = {});

/// A way out where make does not say how it compiles.
std::string hint_on_make(const Project& project);

}  // namespace jcprof::rewriter
