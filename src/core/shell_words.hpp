// SPDX-License-Identifier: Apache-2.0
// A command line taken apart as a POSIX shell does (2.2, "quoting"). It expands nothing and runs nothing.
// And a word put so that a shell takes it for one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof {

struct ShellWords {
  std::vector<std::string> words = {};
  std::optional<std::size_t> open_quote = {};  // where a quote begins that has no end
};

ShellWords split_command(std::string_view text);

/// Quoted where it needs that, so that a shell takes it for one word.
std::string shell_word(std::string_view text);

}  // namespace jcprof
