// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/program_builder.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "rewriter/draft/makefile.hpp"
#include "rewriter/draft/text.hpp"
#include "src/core/error.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

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

/// Of CMake's language, from "#" to the end of the line.
std::string without_comments(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    kept.append(line.substr(0, line.find('#'))) += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return kept;
}

/// A variable that CMake sets itself says what the machine is, or what it has found there.
bool is_of_project(const std::string& variable) {
  const std::string small = draft::lower(variable);
  return !variable.empty() && !small.starts_with("cmake_") && !small.ends_with("_found") &&
         !is_one_of(variable,
                    {"WIN32", "UNIX", "APPLE", "MSVC", "MINGW", "CYGWIN", "ANDROID", "IOS", "BORLAND",
                     "EMSCRIPTEN", "HAIKU", "XCODE", "LINUX", "BSD", "MSYS", "WINCE", "WASI"});
}

}  // namespace

void find_builder(const FoundTree& tree, ProgramFacts& facts) {
  if (tree.texts.contains("CMakeLists.txt")) return use_cmake(tree, facts);
  facts.has_configure =
      !tree.texts.contains("meson.build") && std::ranges::binary_search(tree.paths, "configure");
  if (tree.texts.contains("meson.build")) return use_meson(tree, facts);
  for (const char* name : makefile_names)
    if (const auto found = tree.texts.find(name); found != tree.texts.end())
      return use_make(found->second, facts);
  if (facts.has_configure) return use_make("", facts);
  facts.target = facts.program = stem_of(facts.source);
}

std::set<std::string> guards_of_programs(const FoundTree& tree) {
  static const std::regex form(
      R"(\b(if|elseif|else|endif|add_executable)\s{0,9}\(\s{0,99}(\w{0,99})\s{0,99}(\)?))",
      std::regex::icase);
  std::set<std::string> names;
  for (const auto& [path, whole] : tree.texts) {
    if (name_of_file(path) != "CMakeLists.txt") continue;
    const std::string text = without_comments(whole);
    std::vector<std::string> open;  // a condition that is one variable, else empty
    for (std::sregex_iterator i(text.begin(), text.end(), form); i != std::sregex_iterator(); ++i) {
      const std::string call = draft::lower((*i)[1].str());
      const std::string variable = (*i)[3].length() > 0 ? (*i)[2].str() : "";
      if (call == "add_executable")
        names.insert(open.begin(), open.end());
      else if (call == "if")
        open.push_back(variable);
      else if (open.empty())
        continue;
      else if (call == "endif")
        open.pop_back();
      else
        open.back() = "";
    }
  }
  std::erase_if(names, [](const std::string& name) { return !is_of_project(name); });
  return names;
}

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

}  // namespace jcprof::rewriter
