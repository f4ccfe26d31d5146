// SPDX-License-Identifier: Apache-2.0
#include "rewriter/compile_database.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/object_reader.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view how_to_get_one =
    "make one with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or bear, or give the flags in \"compile.flags\"";

/// Splits a command as a POSIX shell does (2.2, "quoting"), and expands nothing.
class Words {
 public:
  Words(const JsonNode& node, JsonFaults& faults) : node_(node), faults_(faults), text_(node.text) {}

  std::vector<std::string> split() {
    while (at_ < text_.size()) take();
    finish();
    return std::move(words_);
  }

 private:
  void take() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      finish();
      ++at_;
    } else if (c == '\'' || c == '"') {
      take_quoted(c);
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      // A backslash and the end of a line are nothing at all.
      if (text_[at_ + 1] != '\n') word() += text_[at_ + 1];
      at_ += 2;
    } else {
      word() += c;
      ++at_;
    }
  }

  void take_quoted(char quote) {
    const std::size_t begin = at_++;
    std::string& to = word();
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const bool escapes = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           std::string_view("\"\\$`\n").find(text_[at_ + 1]) != std::string_view::npos;
      if (escapes) ++at_;
      if (!escapes || text_[at_] != '\n') to += text_[at_];
    }
    if (at_ == text_.size()) faults_.add_inside(node_, begin, fmt::format("this {} has no end", quote));
    ++at_;
  }

  std::string& word() {
    if (!word_) word_.emplace();
    return *word_;
  }

  void finish() {
    if (word_) words_.push_back(std::move(*word_));
    word_.reset();
  }

  const JsonNode& node_;
  JsonFaults& faults_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;  // "" is a word too
  std::vector<std::string> words_;
};

void read_command(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  std::string text;
  read_string(node, text, faults);
  if (text.empty()) return;
  to = Words(node, faults).split();
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

/// What a flag makes the compiler do beside compiling, and how many arguments it has taken then, itself
/// included.
std::size_t length_of_output_flag(std::string_view flag) {
  constexpr std::array<std::string_view, 6> with_value{"-o",  "-MF", "-MT",
                                                       "-MQ", "-MJ", "--serialize-diagnostics"};
  constexpr std::array<std::string_view, 9> alone{"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG"};
  constexpr std::array<std::string_view, 6> joined{"-o", "-MF", "-MT", "-MQ", "-save-temps", "-Wp,-M"};
  if (std::ranges::find(with_value, flag) != with_value.end()) return 2;
  if (std::ranges::find(alone, flag) != alone.end()) return 1;
  // -openmp and the like do not exist; -object… is Objective-C's linker.
  return std::ranges::any_of(joined, [&](std::string_view prefix) { return flag.starts_with(prefix); }) ? 1
                                                                                                        : 0;
}

fs::path below(const fs::path& folder, const fs::path& path) {
  return (folder / path).lexically_normal();
}

/// "ccache gcc": what only passes the command on.
bool is_launcher(const std::string& program) {
  constexpr std::array<std::string_view, 4> launchers{"ccache", "sccache", "distcc", "icecc"};
  return std::ranges::find(launchers, fs::path(program).filename().string()) != launchers.end();
}

/// The compiler and flags alone: without the main file, and without what would write a file.
std::vector<std::string> flags_of(const std::vector<std::string>& arguments, const CompileUnit& unit) {
  std::vector<std::string> flags;
  const std::size_t compiler = arguments.size() > 1 && is_launcher(arguments[0]) ? 1 : 0;
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
  CompileUnit unit{.path = {}, .folder = below(folder, directory), .arguments = {}};
  unit.path = below(unit.folder, file).string();
  unit.arguments = flags_of(arguments, unit);
  units.push_back(std::move(unit));
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

std::vector<CompileUnit> units_of_database(const Project& project, const std::vector<std::string>& sources) {
  const fs::path file = project.root / project.compile.database;
  if (!fs::exists(file))
    throw UserError(
        Fault{.message = fmt::format("there is no compile database \"{}\"", project.compile.database),
              .place = {.file = project.file.string()},
              .hint = std::string(how_to_get_one)});
  const bool any_header = !std::ranges::all_of(sources, is_unit_name);
  const std::set<std::string> wanted(sources.begin(), sources.end());
  std::vector<CompileUnit> units;
  bool any = false;
  for (CompileUnit& unit : parse_compile_database(file.string(), read_file(file), file.parent_path())) {
    const std::string path = path_in_project(project, unit.path);
    const bool is_source = wanted.contains(path);
    if (path.empty() || (!is_source && !(any_header && is_unit_name(path)))) continue;
    any = any || is_source;
    unit.path = (project.root / path).string();
    units.push_back(std::move(unit));
  }
  if (!any)
    throw UserError(Fault{.message = "no entry of the compile database is about one of the sources",
                          .place = {.file = file.string()},
                          .hint = "was it made in another folder? make it again where the project lies now"});
  return units;
}

std::vector<CompileUnit> units_of_flags(const Project& project, const std::vector<std::string>& sources) {
  const Placeholders values{{"tree", project.root.string()},
                            {"out", (project.root / "jcprof-out").string()},
                            {"project", project.root.string()}};
  std::vector<CompileUnit> units;
  for (const std::string& source : sources) {
    if (!is_unit_name(source)) continue;
    CompileUnit& unit = units.emplace_back();
    unit.path = (project.root / source).string();
    unit.folder = project.root;
    unit.arguments = {!project.compile.compiler.empty() ? project.compile.compiler
                      : source.ends_with(".c")          ? "cc"
                                                        : "c++"};
    for (const std::string& flag : project.compile.flags) unit.arguments.push_back(fill_in(flag, values));
  }
  if (units.empty())
    throw UserError(Fault{.message = "none of the sources is compiled by itself: all are headers",
                          .place = {.file = project.file.string()},
                          .hint = std::string(how_to_get_one)});
  return units;
}

}  // namespace

bool is_unit_name(std::string_view path) {
  constexpr std::array<std::string_view, 7> endings{".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

std::vector<CompileUnit> parse_compile_database(const std::string& file, std::string_view text,
                                                const fs::path& folder) {
  JsonFaults faults(file, text);
  const JsonNode root = parse_json(text, faults);
  std::vector<CompileUnit> units;
  if (is_kind(root, JsonKind::array, faults))
    for (const JsonNode& element : root.elements) read_entry(element, folder, units, faults);
  faults.throw_if_any();
  std::set<std::tuple<std::string, fs::path, std::vector<std::string>>> seen;
  std::erase_if(units, [&](const CompileUnit& unit) {
    return !seen.emplace(unit.path, unit.folder, unit.arguments).second;
  });
  return units;
}

std::vector<CompileUnit> compile_units(const Project& project, const std::vector<std::string>& sources) {
  return project.compile.database.empty() ? units_of_flags(project, sources)
                                          : units_of_database(project, sources);
}

}  // namespace jcprof::rewriter
