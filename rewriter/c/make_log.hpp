// SPDX-License-Identifier: Apache-2.0
// The commands that a dry run of make prints, and what those of them that call a compiler compile and link.
// Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

struct ShellCommand {
  std::filesystem::path folder;  // that it runs in, absolute
  std::vector<std::string> words;
  bool is_in_container = false;  // "docker run … gcc": the words begin with the compiler
};

/// The simple commands of a dry run that began in `folder`. Commands that only print are left out. The
/// compiler's call in libtool's arguments stands for that of libtool.
std::vector<ShellCommand> commands_in(std::string_view output, const std::filesystem::path& folder);

/// A call of a compiler that compiles or links, taken apart.
struct CompilerCall {
  std::vector<std::string> words;      // the compiler and its flags, without the inputs and the output
  std::vector<std::string> sources;    // as they are named
  std::vector<std::string> objects;    // archives too
  std::vector<std::string> libraries;  // "m" of -lm
  std::string output;                  // as it is named; empty: the compiler's choice
  bool links = false;
  bool is_library = false;  // that it links
};

/// The command begins with a compiler, or with what only passes it on: "ccache gcc".
bool calls_compiler(const std::vector<std::string>& words);

/// None where it is no compiler's, or has no input.
std::optional<CompilerCall> compiler_call(const std::vector<std::string>& words);

}  // namespace jcprof::rewriter
