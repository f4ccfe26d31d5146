// SPDX-License-Identifier: Apache-2.0
// Programs by their names: which file runs, where it lies, whether it is called as compilers are. Knows no
// project.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace jcprof::rewriter {

/// By its name: gcc, clang and the like, with a target before it or a version behind it.
bool is_compiler_name(std::string_view program);

/// The place where execvp looks for `program` from `folder`. A path with a slash need not be there yet.
/// Empty: there is none.
std::filesystem::path place_of_program(const std::string& program, const std::filesystem::path& folder);

/// The file that execvp would run from `folder`; empty: there is none.
std::filesystem::path file_of_program(const std::string& program, const std::filesystem::path& folder);

/// True if `path` is `folder` or below it. Both are absolute, without links.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace jcprof::rewriter
