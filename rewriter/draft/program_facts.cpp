// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/facts.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/draft/includes.hpp"
#include "rewriter/draft/main_scan.hpp"
#include "rewriter/draft/makefile.hpp"
#include "rewriter/draft/program_build.hpp"
#include "rewriter/draft/program_builder.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

std::string extension_of(const std::string& path) {
  return path.substr(path.rfind('.'));
}

/// The uppermost folder: "src" of "src/x/a.c"; empty for the root's own files.
std::string top_of(const std::string& path) {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// Of globs from wide to narrow the first that holds none of `excluded`.
std::string glob_for(const std::string& path, const std::vector<std::string>& excluded) {
  const std::string top = top_of(path);
  for (const std::string& glob : {(top.empty() ? "*" : top + "/**/*") + extension_of(path),
                                  path_in(folder_of(path), "*") + extension_of(path)})
    if (std::ranges::none_of(excluded, [&](const std::string& other) { return glob_matches(glob, other); }))
      return glob;
  return path;
}

/// The files that a program is made of. `units`: those that the build system names; empty where it names
/// none.
class OwnFiles {
 public:
  OwnFiles(const std::set<std::string>& units, const ProgramFacts& facts) : units_(units), facts_(facts) {
    for (const std::string& unit : units) {
      folders_.insert(folder_of(unit));
      tops_.insert(top_of(unit));
    }
  }

  bool contain(const std::string& path) const {
    if (units_.contains(path) || folders_.contains(folder_of(path)))
      return is_c_header(path) || units_.contains(path);
    if (is_made_or_foreign(path) || lies_aside(path)) return false;
    if (!units_.empty() && top_of(path) != "include" && !tops_.contains(top_of(path))) return false;
    return is_c_header(path) || (units_.empty() && is_c_source(path) && !is_one_of(path, facts_.others));
  }

 private:
  bool lies_aside(const std::string& path) const {
    return is_aside(path) && top_of(path) != top_of(facts_.source) && !tops_.contains(top_of(path));
  }

  const std::set<std::string>& units_;
  const ProgramFacts& facts_;
  std::set<std::string> folders_;
  std::set<std::string> tops_;
};

/// `units`: those that the program is made of, where the build system says so; empty: all that are no other
/// program's.
void find_sources(const FoundTree& tree, const std::set<std::string>& units, ProgramFacts& facts) {
  const OwnFiles own(units, facts);
  std::vector<std::string> taken;
  std::vector<std::string> excluded;
  for (const std::string& path : tree.paths) {
    if (!is_c_source(path) && !is_c_header(path)) continue;
    if (own.contain(path))
      taken.push_back(path);
    else if (!units.empty() || is_one_of(path, facts.others))
      excluded.push_back(path);
  }
  std::set<std::string> globs;
  for (const std::string& path : taken) {
    if (std::ranges::none_of(globs, [&](const std::string& glob) { return glob_matches(glob, path); }))
      globs.insert(glob_for(path, excluded));
    if (is_c_source(path)) facts.units.push_back(path);
  }
  facts.globs.assign(globs.begin(), globs.end());
  for (const std::string& folder : include_folders(tree, taken))
    facts.includes.push_back(folder.empty() ? "." : folder);
}

void find_database(const FoundTree& tree, ProgramFacts& facts) {
  for (const char* folder : {"", "build/", "out/", "builddir/"}) {
    const std::string path = std::string(folder) + "compile_commands.json";
    if (!facts.database.empty() || !std::ranges::binary_search(tree.paths, path)) continue;
    facts.database = path;
  }
  if (!facts.database.empty()) return;
  const auto any = std::ranges::find(tree.paths, "compile_commands.json", name_of_file);
  if (any != tree.paths.end()) facts.database = *any;
}

/// Files that must not be taken for the result of building the copy.
void find_built(const FoundTree& tree, ProgramFacts& facts) {
  std::set<std::string> globs;
  for (const std::string& path : tree.paths) {
    const std::string_view name = name_of_file(path);
    const bool is_builds = name == "CMakeCache.txt" || name == "build.ninja";
    if (is_builds && !folder_of(path).empty()) globs.insert(folder_of(path));
    if (facts.is_in_tree && path == facts.program) globs.insert(path);
    if (facts.builder != Builder::make) continue;
    for (const char* suffix : {".o", ".a", ".so", ".lo", ".la"})
      if (path.ends_with(suffix)) globs.insert("**/*" + std::string(suffix));
  }
  facts.built.assign(globs.begin(), globs.end());
}

// --- Which program ---

/// A program of the build, and its unit that defines main.
struct Candidate {
  const FoundProgram* program = nullptr;
  std::string main;
};

/// Empty where none does. A main inside an #if of a library's file may be that file's test, and is not looked
/// for where the build makes a unit, which may define main.
std::string unit_with_main(const FoundTree& tree, const FoundProgram& program,
                           const std::vector<std::string>& mains) {
  const bool is_here = std::ranges::all_of(
      program.units, [&](const std::string& unit) { return std::ranges::binary_search(tree.paths, unit); });
  for (const Branches branches : {Branches::none, Branches::all}) {
    if (branches == Branches::all && !is_here) break;
    for (const std::string& unit : program.units)
      if (const auto text = tree.texts.find(unit);
          text != tree.texts.end() && defines_one_of(text->second, mains, branches))
        return unit;
  }
  return "";
}

/// The folder's name may have a version behind it: "lua" of "lua-5.4".
bool is_named_like(const FoundTree& tree, std::string_view program) {
  const auto is_same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  const std::string_view folder = tree.name;
  return !program.empty() && program.size() <= folder.size() &&
         std::equal(program.begin(), program.end(), folder.begin(), is_same) &&
         (program.size() == folder.size() ||
          std::isalpha(static_cast<unsigned char>(folder[program.size()])) == 0);
}

std::vector<Candidate> candidates_of(const FoundTree& tree) {
  const std::vector<std::string> mains = names_of_main(tree);
  std::vector<Candidate> candidates;
  for (const FoundProgram& program : tree.programs)
    if (std::string main = unit_with_main(tree, program, mains); !main.empty())
      candidates.push_back({&program, std::move(main)});
  std::ranges::stable_partition(candidates, [&](const Candidate& one) {
    return is_named_like(tree, one.program->name) || is_named_like(tree, stem_of(one.main));
  });
  std::ranges::stable_partition(candidates, [](const Candidate& one) { return !one.program->is_test; });
  return candidates;
}

bool is_called(const std::string& wanted, const std::string& name, const std::string& main) {
  return wanted.empty() || is_one_of(wanted, {name, main, name_of_file(main)});
}

[[noreturn]] void refuse(const FoundTree& tree, const std::vector<std::string>& programs) {
  throw UserError(Fault{.message = fmt::format("\"{}\": there is no such program", tree.wanted_entry),
                        .hint = fmt::format("there are {}", fmt::join(programs, ", "))});
}

/// The makefile's flags stand in the draft where make alone does not do.
void take_flags(const FoundTree& tree, const FoundProgram& program, ProgramFacts& facts) {
  if (program.compile.empty()) return;
  if (program.is_without_make) {
    facts.builder = Builder::compiler;
    facts.is_in_tree = false;
    facts.program = program.name;
    facts.libraries = program.libraries;
  } else {
    facts.made = program.made;
  }
  if (!program.is_without_make && facts.made.empty()) return;
  facts.compile = program.compile;
  std::set<std::string> tops;
  for (const std::string& path : tree.paths) tops.insert(path.substr(0, path.find('/')));
  facts.copied.assign(tops.begin(), tops.end());
}

std::optional<ProgramFacts> program_of_build(const FoundTree& tree) {
  const std::vector<Candidate> candidates = candidates_of(tree);
  if (candidates.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const Candidate& one : candidates)
    names.push_back(fmt::format("{} ({})", one.program->name, one.main));
  const auto chosen = std::ranges::find_if(candidates, [&](const Candidate& one) {
    return is_called(tree.wanted_entry, one.program->name, one.main);
  });
  if (chosen == candidates.end()) refuse(tree, names);
  const auto taken = names.begin() + (chosen - candidates.begin());
  ProgramFacts facts{.source = chosen->main, .taken = *taken};
  names.erase(taken);
  facts.others = std::move(names);
  const FoundProgram& program = *chosen->program;
  std::set<std::string> units(program.units.begin(), program.units.end());
  if (!is_of_test_framework(facts.source)) std::erase_if(units, is_of_test_framework);
  find_sources(tree, units, facts);
  find_builder(tree, facts);
  // make knows it by the name that it has in its own folder.
  const bool is_deep = facts.builder == Builder::make && program.path.find('/') != std::string::npos;
  facts.target = is_deep ? "" : program.name;
  if (program.is_asked_for) {
    facts.asked_in = program.folder.empty() ? "." : program.folder;
    facts.target = fs::path(program.path).lexically_relative(facts.asked_in).string();
  }
  facts.program = program.path;
  facts.is_in_tree = facts.is_in_tree || program.is_among_sources;
  facts.is_told = true;
  if (facts.builder == Builder::make) take_flags(tree, program, facts);
  facts.is_test = program.is_test && tree.wanted_entry.empty();
  facts.makes_sources = program.makes_sources;
  return facts;
}

/// The file is one of tests, or of tools for the developers.
bool is_beside(const std::string& file) {
  const std::string folders = "/" + folder_of(file) + "/";
  return is_aside(file) || is_name_of_test(stem_of(file)) ||
         contains_one_of(folders, {"/tool/", "/tools/", "/script/", "/scripts/"});
}

/// The files that define main: those first that make compiles when it is asked for nothing, then the
/// project's own, then those that are named like it.
std::vector<std::string> mains_by_texts(const FoundTree& tree) {
  std::vector<std::string> files = files_defining(tree, names_of_main(tree));
  std::set<std::string> made;
  if (!tree.texts.contains("CMakeLists.txt") && !tree.texts.contains("meson.build"))
    made = Makefile(tree, "").made_first();
  const auto is_named = [&](const std::string& file) { return is_named_like(tree, stem_of(file)); };
  std::ranges::stable_partition(files, is_named);
  std::ranges::stable_partition(files, [](const std::string& file) { return !is_beside(file); });
  std::ranges::stable_partition(
      files, [&](const std::string& file) { return made.contains(std::string(stem_of(file))); });
  return files;
}

/// By the texts alone.
std::optional<ProgramFacts> program_of_texts(const FoundTree& tree) {
  std::vector<std::string> files = mains_by_texts(tree);
  if (files.empty()) return std::nullopt;
  const auto chosen = std::ranges::find_if(files, [&](const std::string& file) {
    return is_called(tree.wanted_entry, std::string(stem_of(file)), file);
  });
  if (chosen == files.end()) refuse(tree, files);
  ProgramFacts facts{.source = *chosen, .taken = *chosen};
  files.erase(chosen);
  facts.others = std::move(files);
  facts.is_test = is_aside(facts.source) && tree.wanted_entry.empty();
  find_sources(tree, {}, facts);
  find_builder(tree, facts);
  return facts;
}

}  // namespace

std::optional<ProgramFacts> find_program(const FoundTree& tree) {
  refuse_unmade_configure(tree);
  std::optional<ProgramFacts> facts = program_of_build(tree);
  if (!facts) facts = program_of_texts(tree);
  if (!facts) return std::nullopt;
  facts->options = facts->has_configure ? options_of_configure(tree) : tree.build_options;
  if (facts->builder == Builder::compiler || facts->has_configure) find_database(tree, *facts);
  find_built(tree, *facts);
  return facts;
}

}  // namespace jcprof::rewriter
