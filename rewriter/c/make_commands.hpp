// SPDX-License-Identifier: Apache-2.0
// What a makefile would run to compile: asked of make itself, which runs none of it. Knows no flag but those
// that tell where a source is among the words.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/project.hpp"

namespace jcprof::rewriter {

struct CompileCommand {
  std::filesystem::path folder;  // that it runs in, absolute
  std::string file;              // as the command names it
  std::vector<std::string> words;
};

/// Of a dry run that began in `folder`. What recipes would only print is left out.
std::vector<CompileCommand> parse_dry_run(std::string_view output, const std::filesystem::path& folder);

/// Of the makefile in "compile.make", with what the build step says that makes there. UserError where make
/// fails.
std::vector<CompileCommand> commands_of_make(const Project& project, const std::filesystem::path& out);

/// What to look at where it does not say what it should.
std::string hint_on_make(const Project& project);

}  // namespace jcprof::rewriter
