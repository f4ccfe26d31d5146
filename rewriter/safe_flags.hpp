// SPDX-License-Identifier: Apache-2.0
// Flags that others wrote, for compilers that jcprof starts: those that matter for reading the text and for
// what is made of it are kept; what loads plug-ins, starts programs or writes files is not. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

struct SafeFlags {
  std::vector<std::string> kept;
  // That a user should know of: not those of the linker, nor what only names the output.
  std::vector<std::string> dropped;
};

/// Of gcc's and clang's; without the compiler.
SafeFlags safe_c_flags(const std::vector<std::string>& flags);

/// Of javac's.
SafeFlags safe_java_flags(const std::vector<std::string>& flags);

/// By its name: gcc, clang and the like, with a target before it or a version behind it.
bool is_compiler_name(std::string_view program);

/// For a person; empty where nothing was dropped.
std::string warning_on(std::vector<std::string> dropped);

}  // namespace jcprof::rewriter
