// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/compile_database.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "rewriter/c/make_commands.hpp"
#include "rewriter/project_tree.hpp"
#include "rewriter/safe_flags.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/object_reader.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view how_to_get_one =
    "make one with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or bear, or give the flags in \"compile.flags\"";

void read_command(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  std::string text;
  read_string(node, text, faults);
  if (text.empty()) return;
  ShellWords split = split_command(text);
  if (split.open_quote)
    faults.add_inside(node, *split.open_quote, fmt::format("this {} has no end", text[*split.open_quote]));
  to = std::move(split.words);
  if (to.empty()) faults.add(node, "a command is expected here");
}

/// Arguments may be empty, the compiler not.
void read_arguments(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::array, faults)) return;
  if (node.elements.empty()) faults.add(node, "this must not be empty");
  for (const JsonNode& element : node.elements) {
    std::string& argument = to.emplace_back();
    if (&element == &node.elements.front() || !element.text.empty() || element.kind != JsonKind::string)
      read_string(element, argument, faults);
  }
}

/// How many words a flag takes that makes the compiler write something, itself included; 0 for other flags.
std::size_t length_of_output_flag(std::string_view flag) {
  if (is_one_of(flag, {"-o", "-MF", "-MT", "-MQ", "-MJ", "--serialize-diagnostics"})) return 2;
  // -openmp and the like do not exist; -object… is Objective-C's linker.
  const bool is_output = is_one_of(flag, {"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG",
                                          "--coverage", "-coverage", "-ftest-coverage", "-fprofile-arcs"}) ||
                         starts_with_one_of(flag, {"-o", "-MF", "-MT", "-MQ", "-save-temps", "-Wp,-M"});
  return is_output ? 1 : 0;
}

fs::path below(const fs::path& folder, const fs::path& path) {
  return (folder / path).lexically_normal();
}

/// The compiler and flags alone: without the main file, and without what would write a file.
std::vector<std::string> flags_of(const std::vector<std::string>& arguments, const CompileUnit& unit) {
  std::vector<std::string> flags;
  const std::size_t compiler =
      arguments.size() > 1 && is_launcher(fs::path(arguments[0]).filename().string()) ? 1 : 0;
  for (std::size_t i = compiler; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (i > compiler) {
      const std::size_t skipped = length_of_output_flag(argument);
      if (skipped > 0) {
        i += skipped - 1;
        continue;
      }
      if (argument == "--" ||
          (!argument.starts_with('-') && below(unit.folder, argument) == fs::path(unit.path)))
        continue;
    }
    flags.push_back(argument);
  }
  return flags;
}

CompileUnit unit_of(const fs::path& folder, const std::string& file,
                    const std::vector<std::string>& arguments) {
  CompileUnit unit{.path = below(folder, file).string(), .folder = folder, .arguments = {}};
  unit.arguments = flags_of(arguments, unit);
  return unit;
}

void read_entry(const JsonNode& node, const fs::path& folder, std::vector<CompileUnit>& units,
                JsonFaults& faults) {
  if (!is_kind(node, JsonKind::object, faults)) return;
  // Other keys are other tools'.
  ObjectReader object(node, faults);
  std::string directory;
  std::string file;
  std::vector<std::string> arguments;
  object.required("directory", directory, read_string);
  object.required("file", file, read_string);
  if (!object.optional("arguments", arguments, read_arguments))
    object.required("command", arguments, read_command);
  if (std::ranges::any_of(arguments, [](const std::string& word) { return word.starts_with('@'); }))
    faults.add(node, "this command takes flags from a file (\"@…\"), which jcprof does not read",
               "write them into the command itself");
  units.push_back(unit_of(below(folder, directory), file, arguments));
}

/// Each way to compile a file once.
void drop_repetitions(std::vector<CompileUnit>& units) {
  std::set<std::tuple<std::string, fs::path, std::vector<std::string>>> seen;
  std::erase_if(units, [&](const CompileUnit& unit) {
    return !seen.emplace(unit.path, unit.folder, unit.arguments).second;
  });
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real;
}

/// Relative to the project, also where the database has another name for its folder; empty when outside of
/// it.
std::string path_in_project(const Project& project, const fs::path& path) {
  for (const fs::path& relative :
       {path.lexically_relative(project.root), resolved(path).lexically_relative(resolved(project.root))})
    if (!relative.empty() && *relative.begin() != "..") return relative.generic_string();
  return {};
}

/// Those of `all` that are about the project's `sources`; empty where none can be.
std::vector<CompileUnit> units_about(const Project& project, const std::vector<std::string>& sources,
                                     std::vector<CompileUnit> all) {
  const bool any_header = !std::ranges::all_of(sources, is_unit_name);
  const bool any_unit = std::ranges::any_of(sources, is_unit_name);
  const std::set<std::string> wanted(sources.begin(), sources.end());
  std::vector<CompileUnit> units;
  bool any = false;  // that can be about the sources
  for (CompileUnit& unit : all) {
    const std::string path = path_in_project(project, unit.path);
    const bool is_source = wanted.contains(path);
    if (path.empty() || (!is_source && !(any_header && is_unit_name(path)))) continue;
    any = any || is_source || !any_unit;
    unit.path = (project.root / path).string();
    units.push_back(std::move(unit));
  }
  return any ? units : std::vector<CompileUnit>{};
}

Placeholders values_of(const Project& project, const fs::path& out) {
  return {{"tree", project.root.string()},
          {"out", fs::absolute(out).string()},
          {"project", project.root.string()}};
}

std::vector<CompileUnit> units_of_make(const Project& project, const std::vector<std::string>& sources,
                                       const fs::path& out) {
  std::vector<CompileUnit> all;
  for (const CompileCommand& command : commands_of_make(project, out))
    all.push_back(unit_of(command.folder, command.file, command.words));
  // The build makes some files first, such as those of the SDK's tool for an EDL.
  std::erase_if(all, [](const CompileUnit& unit) { return !fs::exists(unit.path); });
  drop_repetitions(all);
  std::vector<CompileUnit> units = units_about(project, sources, std::move(all));
  if (units.empty())
    throw UserError(Fault{.message = "make compiles none of the sources",
                          .place = place_in_project(project, project.compile.make),
                          .hint = hint_on_make(project)});
  return units;
}

std::vector<CompileUnit> units_of_database(const Project& project, const std::vector<std::string>& sources,
                                           const fs::path& out) {
  const fs::path file = database_of(project, out);
  if (!fs::exists(file))
    throw UserError(
        Fault{.message = fmt::format("there is no compile database \"{}\"", project.compile.database),
              .place = {.file = project.file.string()},
              .hint = std::string(how_to_get_one)});
  std::vector<CompileUnit> units = units_about(
      project, sources, parse_compile_database(file.string(), read_file(file), file.parent_path()));
  if (units.empty())
    throw UserError(Fault{.message = "no entry of the compile database is about one of the sources",
                          .place = {.file = file.string()},
                          .hint = "was it made in another folder? make it again where the project lies now"});
  return units;
}

std::vector<CompileUnit> units_of_flags(const Project& project, const std::vector<std::string>& sources,
                                        const fs::path& out) {
  const std::vector<std::string> flags = compile_flags(project, out);
  std::vector<CompileUnit> units;
  for (const std::string& source : sources) {
    if (!is_unit_name(source)) continue;
    CompileUnit& unit = units.emplace_back();
    unit.path = (project.root / source).string();
    unit.folder = project.root;
    unit.arguments = {!project.compile.compiler.empty() ? project.compile.compiler
                      : source.ends_with(".c")          ? "cc"
                                                        : "c++"};
    unit.arguments.insert(unit.arguments.end(), flags.begin(), flags.end());
  }
  if (units.empty())
    throw UserError(Fault{.message = "none of the sources is compiled by itself: all are headers",
                          .place = {.file = project.file.string()},
                          .hint = std::string(how_to_get_one)});
  return units;
}

}  // namespace

fs::path database_of(const Project& project, const fs::path& out) {
  const std::string& database = project.compile.database;
  return database.empty() ? fs::path() : project.root / fill_in(database, values_of(project, out));
}

std::vector<std::string> compile_flags(const Project& project, const fs::path& out) {
  const Placeholders values = values_of(project, out);
  std::vector<std::string> flags;
  for (const std::string& flag : project.compile.flags) flags.push_back(fill_in(flag, values));
  return flags;
}

bool is_launcher(std::string_view program) {
  return is_one_of(program, {"ccache", "sccache", "distcc", "icecc"});
}

bool is_unit_name(std::string_view path) {
  return ends_with_one_of(path, {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp"});
}

std::vector<CompileUnit> parse_compile_database(const std::string& file, std::string_view text,
                                                const fs::path& folder) {
  JsonFaults faults(file, text);
  const JsonNode root = parse_json(text, faults);
  std::vector<CompileUnit> units;
  if (is_kind(root, JsonKind::array, faults))
    for (const JsonNode& element : root.elements) read_entry(element, folder, units, faults);
  faults.throw_if_any();
  drop_repetitions(units);
  return units;
}

std::vector<CompileUnit> compile_units(const Project& project, const std::vector<std::string>& sources,
                                       const fs::path& out) {
  std::vector<CompileUnit> units = !project.compile.make.empty() ? units_of_make(project, sources, out)
                                   : project.compile.database.empty()
                                       ? units_of_flags(project, sources, out)
                                       : units_of_database(project, sources, out);
  for (CompileUnit& unit : units) {
    SafeFlags flags = safe_c_flags({unit.arguments.begin() + 1, unit.arguments.end()});
    unit.arguments.resize(1);
    std::ranges::move(flags.kept, std::back_inserter(unit.arguments));
    unit.dropped = std::move(flags.dropped);
  }
  return units;
}

}  // namespace jcprof::rewriter
