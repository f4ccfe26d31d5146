// SPDX-License-Identifier: Apache-2.0
#include "rewriter/project_programs.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "rewriter/c/compile_database.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

/// By its name, or by what a link of that name leads to.
bool is_of_project(const Project& project, const fs::path& program) {
  std::error_code error;
  const fs::path root = fs::weakly_canonical(project.root, error);
  return lies_in(program.lexically_normal(), project.root) || lies_in(program.lexically_normal(), root) ||
         lies_in(fs::weakly_canonical(program, error), root);
}

/// The file that execvp would run from `folder`; empty where it would find none.
fs::path found(const std::string& program, const fs::path& folder) {
  if (program.find('/') != std::string::npos) return folder / program;
  const char* const path = std::getenv("PATH");
  std::istringstream places(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string place; std::getline(places, place, ':');)
    if (const fs::path file = folder / place / program; ::access(file.c_str(), X_OK) == 0) return file;
  return {};
}

bool is_asked_about(const Project& project, const std::string& compiler, const fs::path& folder) {
  if (!is_compiler_name(fs::path(compiler).filename().string())) return true;
  const fs::path file = found(compiler, folder);
  return !file.empty() && is_of_project(project, file);
}

}  // namespace

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

bool is_compiler_name(std::string_view program) {
  static const std::regex name(
      R"((?:[A-Za-z0-9_.]+-)*(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+|icx|icpx|tcc)(?:-[0-9.]+)?)");
  return std::regex_match(program.begin(), program.end(), name);
}

fs::path file_of_program(const std::string& program, const fs::path& folder) {
  const fs::path file = found(program, folder);
  return ::access(file.c_str(), X_OK) == 0 ? file : fs::path();
}

std::vector<std::string> programs_of_generation(const Project& project, const fs::path& out) {
  const CompileSettings& compile = project.compile;
  std::vector<std::string> lines;
  for (const Step& step : compile.prepare)
    lines.push_back(fmt::format("prepare: {} (in {})", fmt::join(step.run, " "), step.cwd));
  if (!compile.make.empty())
    lines.push_back(fmt::format("make, which says how it compiles (in {})", compile.make));
  try {
    std::ranges::move(compilers_of_generation(project, out), std::back_inserter(lines));
  } catch (const UserError&) {
    if (compile.prepare.empty()) throw;  // the steps may mend that database
  }
  return lines;
}

std::vector<std::string> compilers_of_generation(const Project& project, const fs::path& out) {
  const std::string& own = project.compile.compiler;
  std::set<std::string> lines;
  const auto add = [&](const std::string& compiler, const fs::path& folder) {
    if (is_asked_about(project, compiler, folder))
      lines.insert(fmt::format("compiler: {} (in {})", compiler, folder.string()));
  };
  for (const char* const usual : {"cc", "c++"}) add(own.empty() ? usual : own, project.root);
  if (const fs::path file = database_of(project, out); !file.empty() && fs::exists(file))
    for (const CompileUnit& unit : parse_compile_database(file.string(), read_file(file), file.parent_path()))
      add(unit.arguments.front(), unit.folder);
  return {lines.begin(), lines.end()};
}

}  // namespace jcprof::rewriter
