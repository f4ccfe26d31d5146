// SPDX-License-Identifier: Apache-2.0
// A command line taken apart as a POSIX shell does (2.2, "quoting"). It expands nothing and runs nothing.
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

}  // namespace jcprof
