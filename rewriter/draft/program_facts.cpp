// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/draft/includes.hpp"
#include "rewriter/draft/main_scan.hpp"
#include "src/core/error.hpp"
#include "src/core/shell_words.hpp"
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

// --- Build systems ---

/// A text that says what a program is called, and its folder in the tree.
struct BuildFile {
  std::string folder;
  std::string text;
};

std::vector<BuildFile> build_files(const FoundTree& tree, std::string_view name) {
  std::vector<BuildFile> files;
  for (const auto& [path, text] : tree.texts)
    if (name_of_file(path) == name && !is_made_or_foreign(path)) files.push_back({folder_of(path), text});
  return files;
}

/// "main.c" stands in it as a word of its own, or behind a folder.
bool names_file(const std::string& text, std::string_view name) {
  const auto is_part = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_' || text[at] == '-');
  };
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at)
    if (!(at > 0 && is_part(at - 1)) && !is_part(at + name.size())) return true;
  return false;
}

/// The value that the build files set a variable to; nothing where they do not say, or use variables again.
std::optional<std::string> value_of(const std::vector<BuildFile>& files, const std::string& variable) {
  const bool is_project = variable == "PROJECT_NAME" || variable == "CMAKE_PROJECT_NAME";
  const std::regex form(is_project
                            ? R"#(project\s{0,9}\(\s{0,99}"?([\w.+-]{1,99}))#"
                            : R"#(set\s{0,9}\(\s{0,99})#" + variable + R"#(\s{1,99}"?([\w.+-]{1,99}))#",
                        std::regex::icase);
  std::smatch match;
  for (const BuildFile& file : files)
    if (std::regex_search(file.text, match, form)) return match[1].str();
  return std::nullopt;
}

/// The program that a call such as `add_executable(NAME … main.c …)` makes of a file of that name, else the
/// first one in its folder or above whose files are those of a variable. Repetitions are bounded, because
/// std::regex takes its stack from what it matches.
std::optional<std::pair<std::string, std::string>> program_in(const std::vector<BuildFile>& files,
                                                              const std::string& call,
                                                              const std::string& source) {
  const std::regex form(call +
                        R"#(\s{0,9}\(\s{0,99}['"]?(\$\{(\w{1,99})\}|[\w.+-]{1,99})['"]?([^()]{0,3000}))#");
  std::optional<std::pair<std::string, std::string>> by_variable;
  for (const BuildFile& file : files)
    for (std::sregex_iterator i(file.text.begin(), file.text.end(), form); i != std::sregex_iterator(); ++i) {
      const std::string variable = (*i)[2].str();
      const std::optional<std::string> name = variable.empty() ? (*i)[1].str() : value_of(files, variable);
      if (!name) continue;
      const std::string rest = (*i)[3].str();
      if (names_file(rest, name_of_file(source))) return std::pair{*name, file.folder};
      const bool is_above = file.folder.empty() || source.starts_with(file.folder + "/");
      const bool is_open = call == "executable" || rest.find("${") != std::string::npos;
      if (is_above && is_open && !by_variable) by_variable = {*name, file.folder};
    }
  return by_variable;
}

void use_cmake(const FoundTree& tree, ProgramFacts& facts) {
  const std::vector<BuildFile> files = build_files(tree, "CMakeLists.txt");
  const auto found = program_in(files, "add_executable", facts.source);
  static const std::regex output(
      R"#(CMAKE_RUNTIME_OUTPUT_DIRECTORY\s{1,9}"?\$\{(?:CMAKE|PROJECT)_BINARY_DIR\}/?([\w./-]{0,99}))#");
  std::string folder = found ? found->second : "";
  std::smatch match;
  for (const BuildFile& file : files)
    if (std::regex_search(file.text, match, output)) folder = match[1].str();
  facts.builder = Builder::cmake;
  facts.target = found ? found->first : "";
  facts.program = path_in(folder, found ? found->first : std::string(stem_of(facts.source)));
}

void use_meson(const FoundTree& tree, ProgramFacts& facts) {
  const auto found = program_in(build_files(tree, "meson.build"), "executable", facts.source);
  facts.builder = Builder::meson;
  facts.target = found ? found->first : tree.name;
  facts.program = path_in(found ? found->second : "", facts.target);
}

/// A rule called as main's file; else what a variable such as PROGRAM says; else the first rule that is a
/// file; empty where there is none.
std::string made_by(const std::string& makefile, const std::string& stem) {
  static const std::regex variable(
      R"((?:^|\n)(?:PROGRAM|PROG|TARGET|BINARY|BIN|EXECUTABLE|EXE|OUT|NAME)[ \t]{0,20}[:?]?=[ \t]{0,20}([\w./+-]{1,99})[ \t]{0,20}(?=\r?\n|$))");
  static const std::regex rule(R"((?:^|\n)([\w/+-]{1,99})[ \t]{0,20}:(?!=))");
  std::vector<std::string> rules;
  for (std::sregex_iterator i(makefile.begin(), makefile.end(), rule); i != std::sregex_iterator(); ++i)
    rules.push_back((*i)[1].str());
  if (std::ranges::find(rules, stem) != rules.end()) return stem;
  std::smatch match;
  if (std::regex_search(makefile, match, variable)) return match[1].str();
  std::set<std::string> phony{"all", "clean", "default", "install", "test", "check"};
  static const std::regex declared(R"((?:^|\n)\.PHONY[ \t]{0,20}:[ \t]{0,20}((?:[^\\\n]|\\\r?\n){0,999}))");
  for (std::sregex_iterator i(makefile.begin(), makefile.end(), declared); i != std::sregex_iterator(); ++i) {
    std::istringstream names((*i)[1].str());
    for (std::string name; names >> name;) phony.insert(name);
  }
  const auto file =
      std::ranges::find_if(rules, [&](const std::string& name) { return !phony.contains(name); });
  return file != rules.end() ? *file : "";
}

void use_make(const std::string& makefile, ProgramFacts& facts) {
  facts.builder = Builder::make;
  facts.is_in_tree = true;
  const std::string stem(stem_of(facts.source));
  facts.target = makefile.empty() ? stem : made_by(makefile, stem);
  facts.program = facts.target.empty() ? stem : facts.target;
}

void find_builder(const FoundTree& tree, ProgramFacts& facts) {
  if (tree.texts.contains("CMakeLists.txt")) return use_cmake(tree, facts);
  facts.has_configure =
      !tree.texts.contains("meson.build") && std::ranges::binary_search(tree.paths, "configure");
  if (tree.texts.contains("meson.build")) return use_meson(tree, facts);
  for (const char* name : {"GNUmakefile", "makefile", "Makefile"})
    if (const auto found = tree.texts.find(name); found != tree.texts.end())
      return use_make(found->second, facts);
  if (facts.has_configure) return use_make("", facts);
  facts.target = facts.program = stem_of(facts.source);
}

/// With which the user has run ./configure here; none where that cannot be told.
std::vector<std::string> options_of_configure(const FoundTree& tree) {
  const auto log = tree.texts.find("config.log");
  if (log == tree.texts.end()) return {};
  constexpr std::string_view mark = "\n  $ ";
  const std::size_t begin = log->second.find(mark);
  if (begin == std::string::npos) return {};
  const std::size_t end = log->second.find('\n', begin + mark.size());
  std::vector<std::string> words = split_command(log->second.substr(begin, end - begin)).words;
  const auto script = std::ranges::find(words, "configure", name_of_file);
  if (script == words.end()) return {};
  words.erase(words.begin(), script + 1);
  // A library that exports none but its own names has no part in the program's traps. In the program it has.
  if (std::ranges::binary_search(tree.paths, "libtool")) words.emplace_back("--disable-shared");
  return words;
}

void refuse_unmade_configure(const FoundTree& tree) {
  const auto has = [&](const char* path) { return std::ranges::binary_search(tree.paths, path); };
  constexpr std::array others{"configure",   "CMakeLists.txt", "meson.build",
                              "GNUmakefile", "makefile",       "Makefile"};
  if (!has("configure.ac") || !tree.programs.empty() || std::ranges::any_of(others, has)) return;
  throw UserError(Fault{.message = "this is an autoconf project, and its ./configure has not been made yet",
                        .hint = "run autoreconf -fi and ./configure here first, with the options that you "
                                "build with; then jcprof init"});
}

// --- Which program ---

/// A program of the build, and its unit that defines main.
struct Candidate {
  const FoundProgram* program = nullptr;
  std::string main;
};

/// Empty where none does. A main inside an #if of a library's file may be that file's test, and is not looked
/// for where the build makes a unit, which may define main.
std::string unit_with_main(const FoundTree& tree, const FoundProgram& program) {
  const bool is_here = std::ranges::all_of(
      program.units, [&](const std::string& unit) { return std::ranges::binary_search(tree.paths, unit); });
  for (const Branches branches : {Branches::none, Branches::all}) {
    if (branches == Branches::all && !is_here) break;
    for (const std::string& unit : program.units)
      if (const auto text = tree.texts.find(unit);
          text != tree.texts.end() && defines_function(text->second, "main", branches))
        return unit;
  }
  return "";
}

std::vector<Candidate> candidates_of(const FoundTree& tree) {
  std::vector<Candidate> candidates;
  for (const FoundProgram& program : tree.programs)
    if (std::string main = unit_with_main(tree, program); !main.empty())
      candidates.push_back({&program, std::move(main)});
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
  names.erase(names.begin() + (chosen - candidates.begin()));
  const FoundProgram& program = *chosen->program;
  ProgramFacts facts{.source = chosen->main, .others = std::move(names)};
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
  facts.is_test = program.is_test && tree.wanted_entry.empty();
  facts.makes_sources = program.makes_sources;
  return facts;
}

/// By the texts alone.
std::optional<ProgramFacts> program_of_texts(const FoundTree& tree) {
  std::vector<std::string> files = files_defining(tree, "main");
  if (files.empty()) return std::nullopt;
  const auto chosen = std::ranges::find_if(files, [&](const std::string& file) {
    return is_called(tree.wanted_entry, std::string(stem_of(file)), file);
  });
  if (chosen == files.end()) refuse(tree, files);
  ProgramFacts facts{.source = *chosen};
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
