// SPDX-License-Identifier: Apache-2.0
#include "rewriter/compile_check.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes patience{2};
constexpr std::string_view error_mark = ": error: ";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string class_path(const Project& project, const Placeholders& values) {
  std::string result;
  for (const std::string& entry : project.compile.classpath)
    result +=
        (result.empty() ? "" : ":") + (project.root / fill_in(entry, values)).lexically_normal().string();
  return result;
}

std::vector<std::string> javac_command(const Project& project, const fs::path& tree, const fs::path& work) {
  const Placeholders values{
      {"tree", tree.string()}, {"out", work.string()}, {"project", project.root.string()}};
  std::vector<std::string> argv{"javac",   "-proc:none",
                                "-nowarn", "-Xmaxerrs",
                                "1000",    "-implicit:none",
                                "-d",      (work / "classes").string(),
                                "-cp",     class_path(project, values)};
  for (const std::string& flag : project.compile.flags) argv.push_back(fill_in(flag, values));
  // Java Card's language is that of an old Java, whatever the compiler's own default.
  if (project.compile.flags.empty()) argv.insert(argv.end(), {"--release", "8", "-Xlint:-options"});
  argv.push_back("@" + (work / "sources").string());
  return argv;
}

/// "12: error: …" behind the path → the line's number; 0 when it is none.
std::size_t line_number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Names of traps in a line of rewritten text, with the column where each stands.
std::map<std::size_t, std::string> trap_names(std::string_view line) {
  constexpr std::string_view mark = ".TRAP_";
  std::map<std::size_t, std::string> names;
  for (std::size_t at = line.find(mark); at != std::string_view::npos; at = line.find(mark, at + 1)) {
    const std::size_t end = line.find_first_of(");,", at);
    names.emplace(at + 1, line.substr(at + 1, end - at - 1));
  }
  return names;
}

/// The last function that begins on the line or before it.
std::optional<std::uint32_t> function_at(const SourceModel& model, std::size_t line) {
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < model.functions.size(); ++i)
    if (place_at(model.path, model.text, model.functions[i].offset).line <= line) found = i;
  return found;
}

}  // namespace

std::vector<CompileError> parse_javac(std::string_view output, const fs::path& tree) {
  const std::string prefix = (tree / "").string();
  std::vector<CompileError> errors;
  for (const std::string_view line : lines_of(output)) {
    const std::size_t mark = line.find(error_mark);
    const std::size_t colon = mark == std::string_view::npos ? mark : line.rfind(':', mark - 1);
    if (line.starts_with(prefix) && colon != std::string_view::npos) {
      errors.push_back({.path = std::string(line.substr(prefix.size(), colon - prefix.size())),
                        .line = line_number(line.substr(colon + 1)),
                        .message = std::string(line.substr(mark + error_mark.size()))});
    } else if (!errors.empty() && errors.back().column == 0 &&
               line.find_first_not_of(" \t") == line.size() - 1 && line.ends_with('^')) {
      errors.back().column = line.size();
    }
  }
  return errors;
}

std::optional<std::vector<CompileError>> compile_java(const Project& project, const fs::path& tree,
                                                      const std::vector<std::string>& sources,
                                                      const fs::path& work) {
  fs::remove_all(work);
  fs::create_directories(work / "classes");
  std::string list;
  for (const std::string& source : sources) {
    std::string path = (tree / source).string();
    for (std::size_t at = 0; (at = path.find_first_of("\"\\", at)) != std::string::npos; at += 2)
      path.insert(at, "\\");
    list += fmt::format("\"{}\"\n", path);
  }
  write_file(work / "sources", list);
  std::optional<std::vector<CompileError>> errors;
  try {
    // javac's messages are read, so they must be in English and say the whole path.
    const Command javac{.argv = javac_command(project, tree, work),
                        .cwd = tree,
                        .environment = {{"LC_ALL", "C.UTF-8"}, {"JDK_JAVAC_OPTIONS", ""}}};
    const ProcessResult result = run_and_wait(javac, {.file = work / "log"}, patience);
    if (!result.timed_out) errors = parse_javac(read_file(work / "log"), tree);
    // Something else is wrong than the sources: a flag, say.
    if (errors && errors->empty() && result.exit_status != 0) errors.reset();
  } catch (const UserError& error) {
    if (error.exit_code() != ExitCode::environment) throw;  // no javac here: the user's own build will tell
  }
  fs::remove_all(work);
  return errors;
}

std::vector<PlannedTrap> blamed(const CompileError& error, std::string_view text, const SourceModel& model,
                                const FilePlan& plan) {
  const std::vector<std::string_view> lines = lines_of(text);
  if (error.line == 0 || error.line > lines.size()) return {};
  const bool too_large = error.message.find("too large") != std::string::npos;
  std::map<std::size_t, PlannedTrap> by_distance;
  if (!too_large)
    for (const auto& [column, name] : trap_names(lines[error.line - 1]))
      for (const PlannedTrap& planned : plan.traps)
        if (planned.trap.name == name && planned.trap.kind != TrapKind::entry0)
          by_distance.emplace(column > error.column ? column - error.column : error.column - column, planned);
  if (!by_distance.empty()) return {by_distance.begin()->second};

  const std::optional<std::uint32_t> function = function_at(model, error.line);
  std::vector<PlannedTrap> all;
  std::ranges::copy_if(plan.traps, std::back_inserter(all), [&](const PlannedTrap& planned) {
    return model.sites[planned.site].function == function && planned.trap.kind != TrapKind::entry0;
  });
  return all;
}

}  // namespace jcprof::rewriter
