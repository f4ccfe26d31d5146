// SPDX-License-Identifier: Apache-2.0
// What build systems say of the programs that they make, in the order of the build file. Pure: texts to
// values.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

/// The folder of the sources, and the one that is built in.
struct BuildFolders {
  std::filesystem::path root;
  std::filesystem::path build;
};

/// `replies`: those of CMake's file API to "codemodel-v2", by name. `tests`: CTestTestfile.cmake of all
/// folders.
std::vector<FoundProgram> cmake_programs(const std::map<std::string, std::string>& replies,
                                         std::string_view tests, const BuildFolders& folders);

/// `targets`: what meson introspect --targets prints.
std::vector<FoundProgram> meson_programs(const std::string& targets, const BuildFolders& folders);

/// `dry_run`: what make would do in the folder that is built in.
std::vector<FoundProgram> make_programs(std::string_view dry_run, const BuildFolders& folders);

/// A whole word of it says so: "run-test262", "list_test", "ListTest", "BENCHMARK"; "contest" does not.
bool is_name_of_test(std::string_view name);

/// The same of what is made besides libraries, such as tools, but for tests: "P_BUILD_EXAMPLES".
bool is_name_of_programs(std::string_view name);

}  // namespace jcprof::rewriter
