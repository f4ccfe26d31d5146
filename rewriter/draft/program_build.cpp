// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/program_build.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <sstream>
#include <tuple>

#include <nlohmann/json.hpp>

#include "rewriter/c/compile_database.hpp"
#include "rewriter/c/make_log.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// What is no JSON, or has another form, says nothing.
Json parsed(const std::string& text) {
  return Json::parse(text, nullptr, false);
}

const Json& at(const Json& object, const char* key) {
  static const Json nothing;
  return object.is_object() && object.contains(key) ? object.at(key) : nothing;
}

std::string text_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::size_t number_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return value.is_number_unsigned() ? value.get<std::size_t>() : 0;
}

/// Relative to `folder`; empty where it lies outside.
std::string below(const fs::path& folder, const fs::path& path) {
  const fs::path relative = (folder / path).lexically_normal().lexically_relative(folder.lexically_normal());
  return relative.empty() || *relative.begin() == ".." ? "" : relative.generic_string();
}

/// A file of the project's own that is compiled by itself.
void add_unit(std::set<std::string>& units, const BuildFolders& folders, const fs::path& path) {
  const std::string unit = below(folders.root, path);
  const bool is_made = !below(folders.build, folders.root / path).empty() && folders.build != folders.root;
  if (!unit.empty() && !is_made && is_c_source(unit)) units.insert(unit);
}

bool is_test(const FoundProgram& program) {
  return is_name_of_test(program.name) || is_aside(program.path) ||
         (!program.units.empty() && std::ranges::all_of(program.units, is_aside));
}

// --- CMake ---

/// Where the build file has it: the folder, and the line of the outermost call that makes it.
std::pair<std::size_t, std::size_t> place_of(const Json& target, std::size_t folder) {
  const Json& nodes = at(at(target, "backtraceGraph"), "nodes");
  std::size_t line = 0;
  std::size_t node = number_at(target, "backtrace");
  for (std::size_t steps = 0; nodes.is_array() && node < nodes.size() && steps <= nodes.size(); ++steps) {
    if (const std::size_t own = number_at(nodes[node], "line"); own != 0) line = own;
    if (!nodes[node].contains("parent")) break;
    node = number_at(nodes[node], "parent");
  }
  return {folder, line};
}

class CMakeModel {
 public:
  CMakeModel(const std::map<std::string, std::string>& replies, const BuildFolders& folders)
      : folders_(folders) {
    for (const auto& [name, text] : replies) {
      if (!name.starts_with("codemodel-v2")) continue;
      const Json model = parsed(text);
      const Json& configurations = at(model, "configurations");
      if (!configurations.is_array() || configurations.empty()) continue;
      for (const Json& target : at(configurations.front(), "targets"))
        if (const auto reply = replies.find(text_at(target, "jsonFile")); reply != replies.end())
          targets_.emplace(text_at(target, "id"),
                           Target{parsed(reply->second), number_at(target, "directoryIndex")});
    }
  }

  std::vector<FoundProgram> programs(std::string_view tests) const {
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, FoundProgram>> found;
    for (const auto& [id, target] : targets_) {
      const Json& artifacts = at(target.json, "artifacts");
      if (text_at(target.json, "type") != "EXECUTABLE" || !artifacts.is_array() || artifacts.empty())
        continue;
      const fs::path file = folders_.build / text_at(artifacts.front(), "path");
      FoundProgram program{
          .name = text_at(target.json, "name"), .path = below(folders_.build, file), .units = {}};
      if (program.path.empty()) {
        program.path = below(folders_.root, file);
        program.is_among_sources = true;
      }
      if (program.path.empty()) continue;
      gather(id, program);
      program.is_test = is_test(program) ||
                        tests.find('"' + file.lexically_normal().string() + '"') != std::string_view::npos;
      found.emplace_back(place_of(target.json, target.folder), std::move(program));
    }
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
    std::vector<FoundProgram> programs;
    for (auto& [place, program] : found) programs.push_back(std::move(program));
    return programs;
  }

 private:
  struct Target {
    Json json;
    std::size_t folder = 0;
  };

  /// Of the target and of all that it is made of.
  void gather(const std::string& first, FoundProgram& program) const {
    std::set<std::string> units;
    std::set<std::string> seen{first};
    std::vector<std::string> open{first};
    while (!open.empty()) {
      const auto target = targets_.find(open.back());
      open.pop_back();
      if (target == targets_.end()) continue;
      for (const Json& source : at(target->second.json, "sources")) {
        const fs::path path = text_at(source, "path");
        const bool is_made = at(source, "isGenerated") == true;
        if (is_made && path.extension() != ".rule") program.makes_sources = true;
        if (!is_made) add_unit(units, folders_, path);
      }
      for (const Json& dependency : at(target->second.json, "dependencies"))
        if (const std::string id = text_at(dependency, "id"); seen.insert(id).second) open.push_back(id);
    }
    program.units.assign(units.begin(), units.end());
  }

  const BuildFolders& folders_;
  std::map<std::string, Target> targets_;  // by id
};

// --- make ---

/// Has the compiler write rules for make, into a file that belongs to one source alone.
bool is_about_rules(std::string_view word) {
  return is_one_of(word, {"-MD", "-MMD", "-MP"}) || word.starts_with("-MF") || word.starts_with("-MT") ||
         word.starts_with("-MQ") || word.starts_with("-Wp,-M");
}

/// The compiler and its flags, without what starts it and what it writes.
std::vector<std::string> flags_of(const CompilerCall& call) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < call.words.size(); ++i) {
    const std::string& word = call.words[i];
    if (is_one_of(word, {"-MF", "-MT", "-MQ"}))
      ++i;
    else if (!is_about_rules(word) && word != "-c" &&
             !(words.empty() && is_launcher(fs::path(word).filename().string())))
      words.push_back(word);
  }
  return words;
}

class MakeModel {
 public:
  explicit MakeModel(const BuildFolders& folders) : folders_(folders) {}

  void take(const ShellCommand& command) {
    run_.insert(in(command, command.words.front()));
    const std::string name = fs::path(command.words.front()).filename().string();
    if (is_one_of(name, {"cp", "ln", "mv"})) return take_copy(command);
    if (name == "ar" || name.ends_with("-ar")) return take_archive(command);
    const std::optional<CompilerCall> call = compiler_call(command.words);
    if (!call) return;
    note_flags(command, *call);
    if (!call->links) {
      for (const std::string& source : call->sources) {
        const std::string object = call->output.empty() ? std::string(stem_of(source)) + ".o" : call->output;
        add_unit(made_of_[in(command, object)], folders_, command.folder / source);
      }
      return;
    }
    take_link(command, *call);
  }

  /// A program that the build runs is a tool of the build: it comes behind the others.
  std::vector<FoundProgram> take_programs() {
    std::ranges::stable_partition(programs_, [&](const FoundProgram& program) {
      return !run_.contains((folders_.build / program.path).lexically_normal().string());
    });
    return std::move(programs_);
  }

 private:
  static std::string in(const ShellCommand& command, const std::string& path) {
    return (command.folder / path).lexically_normal().string();
  }

  /// Nothing where they differ, are those of another folder, or stand behind more than the compiler:
  /// "LANG=C gcc".
  void note_flags(const ShellCommand& command, const CompilerCall& call) {
    std::vector<std::string> words;
    if (calls_compiler(call.words) && command.folder.lexically_normal() == folders_.root.lexically_normal())
      words = flags_of(call);
    for (const std::string& source : call.sources) {
      const auto [known, is_new] = flags_.try_emplace(below(folders_.root, command.folder / source), words);
      if (!is_new && known->second != words) known->second.clear();
    }
  }

  std::vector<std::string> flags_of_all(const std::vector<std::string>& units) const {
    std::set<std::vector<std::string>> all;
    for (const std::string& unit : units)
      if (const auto known = flags_.find(unit); known != flags_.end()) all.insert(known->second);
    return all.size() == 1 ? *all.begin() : std::vector<std::string>();
  }

  void add_object(std::set<std::string>& units, const std::string& object) const {
    if (const auto made = made_of_.find(object); made != made_of_.end())
      units.insert(made->second.begin(), made->second.end());
  }

  void take_archive(const ShellCommand& command) {
    std::string archive;
    for (const std::string& word : command.words)
      if (archive.empty() && word.ends_with(".a"))
        archive = in(command, word);
      else if (!archive.empty())
        add_object(made_of_[archive], in(command, word));
  }

  void take_link(const ShellCommand& command, const CompilerCall& call) {
    std::set<std::string> units;
    for (const std::string& source : call.sources) add_unit(units, folders_, command.folder / source);
    for (const std::string& object : call.objects) add_object(units, in(command, object));
    for (const std::string& library : call.libraries)
      for (const auto& [made, of] : made_of_)
        if (is_one_of(name_of_file(made), {"lib" + library + ".a", "lib" + library + ".so"}))
          units.insert(of.begin(), of.end());
    const std::string output = in(command, call.output.empty() ? "a.out" : call.output);
    if (call.is_library) {
      made_of_[output].insert(units.begin(), units.end());
      return;
    }
    FoundProgram program{.name = fs::path(output).filename().string(),
                         .path = below(folders_.build, output),
                         .units = {units.begin(), units.end()},
                         .folder = below(folders_.build, command.folder)};
    program.is_test = is_test(program);
    program.compiler = flags_of(call).front();
    program.is_in_container = command.is_in_container;
    program.compile = flags_of_all(program.units);
    program.libraries = call.libraries;
    const bool is_known = std::ranges::find(programs_, program.path, &FoundProgram::path) != programs_.end();
    if (!program.path.empty() && !units.empty() && !is_known) programs_.push_back(std::move(program));
  }

  /// A program that is put elsewhere is called by that name.
  void take_copy(const ShellCommand& command) {
    const std::size_t words = command.words.size();
    if (words < 3) return;
    const std::string from = below(folders_.build, in(command, command.words[words - 2]));
    const std::string to = below(folders_.build, in(command, command.words[words - 1]));
    const auto program = std::ranges::find(programs_, from, &FoundProgram::path);
    if (program != programs_.end() && !to.empty() && name_of_file(to) == program->name) program->path = to;
  }

  const BuildFolders& folders_;
  std::map<std::string, std::vector<std::string>> flags_;  // compiler and flags of each unit
  std::map<std::string, std::set<std::string>> made_of_;   // units of each object and library, by its path
  std::set<std::string> run_;                              // paths of what the build runs
  std::vector<FoundProgram> programs_;
};

/// The units of a target of meson's, and whether the build makes some of its sources.
struct MesonSources {
  std::set<std::string> units;
  bool are_made = false;
};

MesonSources meson_sources(const Json& target, const BuildFolders& folders) {
  MesonSources found{.are_made = text_at(target, "type") == "custom"};
  for (const Json& language : at(target, "target_sources")) {
    for (const Json& source : at(language, "sources"))
      if (source.is_string()) add_unit(found.units, folders, source.get<std::string>());
    if (!at(language, "generated_sources").empty()) found.are_made = true;
  }
  return found;
}

/// One of the name's words, in small letters, is one of these.
bool has_word(std::string_view name, std::initializer_list<std::string_view> wanted) {
  std::string words;  // with blanks between them
  char before = ' ';
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isupper(letter) != 0 && std::islower(static_cast<unsigned char>(before)) != 0) words += ' ';
    words += std::isalpha(letter) != 0 ? static_cast<char>(std::tolower(letter)) : ' ';
    before = c;
  }
  std::istringstream stream(words);
  for (std::string word; stream >> word;)
    if (std::ranges::find(wanted, word) != wanted.end()) return true;
  return false;
}

}  // namespace

bool is_name_of_test(std::string_view name) {
  return has_word(
      name, {"test", "tests", "testing", "tester", "unittest", "unittests", "selftest", "selftests", "bench",
             "benchmark", "benchmarks", "fuzz", "fuzzer", "fuzzers", "fuzzing", "example", "examples"});
}

bool is_name_of_programs(std::string_view name) {
  return has_word(name, {"tool", "tools", "cli", "app", "apps", "program", "programs", "binaries",
                         "executable", "executables", "util", "utils", "utilities", "example", "examples",
                         "demo", "demos", "sample", "samples"});
}

std::vector<FoundProgram> cmake_programs(const std::map<std::string, std::string>& replies,
                                         std::string_view tests, const BuildFolders& folders) {
  return CMakeModel(replies, folders).programs(tests);
}

std::vector<FoundProgram> meson_programs(const std::string& targets, const BuildFolders& folders) {
  const Json all = parsed(targets);
  std::vector<FoundProgram> programs;
  std::set<std::string> of_libraries;
  bool makes_sources = false;  // for any of them: meson does not say for which
  for (const Json& target : all.is_array() ? all : Json::array()) {
    const auto [units, are_made] = meson_sources(target, folders);
    makes_sources = makes_sources || are_made;
    const Json& files = at(target, "filename");
    const std::string file =
        files.is_array() && !files.empty() && files.front().is_string() ? files.front() : Json("");
    if (text_at(target, "type") == "executable")
      programs.push_back({.name = text_at(target, "name"),
                          .path = below(folders.build, file),
                          .units = {units.begin(), units.end()}});
    else if (!is_aside(text_at(target, "defined_in").empty()
                           ? ""
                           : below(folders.root, text_at(target, "defined_in"))))
      of_libraries.insert(units.begin(), units.end());
  }
  for (FoundProgram& program : programs) {
    program.is_test = is_test(program);
    program.makes_sources = makes_sources;
    // meson does not say what is linked with what.
    std::set<std::string> units(program.units.begin(), program.units.end());
    units.insert(of_libraries.begin(), of_libraries.end());
    program.units.assign(units.begin(), units.end());
  }
  return programs;
}

std::vector<FoundProgram> make_programs(std::string_view dry_run, const BuildFolders& folders) {
  MakeModel model(folders);
  for (const ShellCommand& command : commands_in(dry_run, folders.build)) model.take(command);
  return model.take_programs();
}

}  // namespace jcprof::rewriter
