// SPDX-License-Identifier: Apache-2.0
#include "rewriter/project_programs.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/c/compile_database.hpp"
#include "rewriter/program_files.hpp"
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

bool is_asked_about(const Project& project, const std::string& compiler, const fs::path& folder) {
  if (!is_compiler_name(fs::path(compiler).filename().string())) return true;
  const fs::path file = place_of_program(compiler, folder);
  return !file.empty() && is_of_project(project, file);
}

}  // namespace

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
