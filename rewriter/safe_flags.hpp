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

/// Flags of gcc and clang, without the compiler.
SafeFlags safe_c_flags(const std::vector<std::string>& flags);

/// Flags of javac.
SafeFlags safe_java_flags(const std::vector<std::string>& flags);

/// "-Wp,-DA=1,-MD,x" → "-DA=1"
std::vector<std::string> flags_for_preprocessor(std::string_view list);

/// For a person; empty where nothing was dropped.
std::string warning_on(std::vector<std::string> dropped);

}  // namespace jcprof::rewriter
