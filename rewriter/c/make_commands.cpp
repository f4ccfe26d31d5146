// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/make_commands.hpp"

#include <sys/mman.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/c/compile_database.hpp"
#include "rewriter/project_tree.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/text.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

// Makefiles ask compilers for their folders while they are read.
constexpr std::chrono::minutes make_patience{2};
constexpr std::size_t most_make_output = std::size_t{64} << 20;

/// The commands of a shell's line, as text: between `;`, `&` and `|` that no quote holds.
std::vector<std::string> simple_commands(std::string_view line) {
  std::vector<std::string> commands(1);
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_end = quote == 0 && (c == ';' || c == '&' || c == '|');
    if (is_end) {
      commands.emplace_back();
      continue;
    }
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) commands.back() += line[i++];
    if (c == quote && line[i] == c)
      quote = 0;
    else if (quote == 0 && line[i] == c && (c == '\'' || c == '"'))
      quote = c;
    commands.back() += line[i];
  }
  return commands;
}

/// The source that a compiler's words compile; empty where they are none's.
std::string compiled_file(const std::vector<std::string>& words) {
  if (words.empty() || is_one_of(words.front(), {"echo", "true", ":", "printf"})) return {};
  if (std::ranges::find(words, "-c") == words.end()) return {};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_one_of(words[i], {"-o", "-MF", "-MT", "-MQ", "-include", "-imacros"}))
      ++i;
    else if (!words[i].starts_with('-') && is_unit_name(words[i]))
      return words[i];
  }
  return {};
}

/// "make[1]: Entering directory '/x'", in any of make's names; empty for another line.
std::string folder_in(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos || line.find(": ") > at) return {};
  std::string_view quoted = line.substr(at + what.size());
  if (quoted.size() < 2) return {};
  return std::string(quoted.substr(1, quoted.size() - 2));
}

bool is_make(const std::string& program) {
  return is_one_of(fs::path(program).filename().string(), {"make", "gmake"});
}

/// The folder in which a call of make works: the last one that it is sent to.
fs::path folder_of(const std::vector<std::string>& argv, fs::path folder) {
  constexpr std::string_view long_form = "--directory=";
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    if (word == "-C" && i + 1 < argv.size())
      folder /= argv[++i];
    else if (word.starts_with("-C"))
      folder /= word.substr(2);
    else if (word.starts_with(long_form))
      folder /= word.substr(long_form.size());
  }
  return folder;
}

/// The build step that makes in `folder`; null: none does.
const Step* step_that_makes(const Project& project, const fs::path& folder, const Placeholders& values) {
  for (const Step& step : project.build) {
    std::vector<std::string> argv;
    for (const std::string& word : step.run) argv.push_back(fill_in(word, values));
    if (!is_make(argv.front())) continue;
    const fs::path there = folder_of(argv, fill_in(step.cwd, values));
    if (fs::weakly_canonical(there) == fs::weakly_canonical(folder)) return &step;
  }
  return nullptr;
}

Command dry(Command command) {
  command.argv.insert(command.argv.end(), {"--dry-run", "--always-make", "--print-directory"});
  // Ours is not the make that a make runs, and its words are English.
  command.environment = {{"LC_ALL", "C"}, {"MAKEFLAGS", ""}, {"MAKELEVEL", ""}};
  return command;
}

/// The build step that makes in `folder`, as it is in the project's own folder; else make alone. Into a
/// folder that there is not: what an earlier build has left of the tree's dependencies would not be found
/// from here.
Command make_in(const Project& project, const fs::path& folder, const fs::path& out) {
  const Placeholders values{{"tree", project.root.string()},
                            {"out", (fs::absolute(out) / "dry-run").string()},
                            {"project", project.root.string()},
                            {"reader", ""}};
  const Step* const step = step_that_makes(project, folder, values);
  if (step == nullptr) return dry({.argv = {"make"}, .cwd = folder});
  Command command{.argv = {}, .cwd = fill_in(step->cwd, values)};
  for (const std::string& word : step->run) command.argv.push_back(fill_in(word, values));
  return dry(std::move(command));
}

UserError failure(const Project& project, const Command& command, const ProcessResult& ended) {
  return UserError(Fault{
      .message = ended.timed_out
                     ? fmt::format("make did not say in {} minutes how it compiles", make_patience.count())
                     : fmt::format("make does not say how it compiles: {}\n{}", fmt::join(command.argv, " "),
                                   ended.tail),
      .place = place_in_project(project, project.compile.make),
      .hint = hint_on_make(project)});
}

}  // namespace

std::string hint_on_make(const Project& project) {
  if (project.target == TargetKind::optee_ta)
    return "is TA_DEV_KIT_DIR the folder that holds mk/ta_dev_kit.mk? It is taken from the environment, or "
           "from "
           "the step of \"build\" that makes there";
  return "what the makefile needs is taken from the environment, or from the step of \"build\" that makes "
         "there";
}

std::vector<CompileCommand> parse_dry_run(std::string_view output, const fs::path& folder) {
  std::vector<CompileCommand> commands;
  std::vector<fs::path> folders{folder};
  while (!output.empty()) {
    std::string line;
    for (bool goes_on = true; goes_on && !output.empty();) {
      const std::size_t end = std::min(output.find('\n'), output.size());
      line += output.substr(0, end);
      output.remove_prefix(std::min(end + 1, output.size()));
      goes_on = line.ends_with('\\');
      if (goes_on) line.pop_back();
    }
    if (const std::string entered = folder_in(line, "Entering directory "); !entered.empty())
      folders.emplace_back(entered);
    else if (!folder_in(line, "Leaving directory ").empty() && folders.size() > 1)
      folders.pop_back();
    if (line.find("-c") == std::string::npos) continue;
    for (const std::string& command : simple_commands(line)) {
      std::vector<std::string> words = split_command(command).words;
      const std::string file = compiled_file(words);
      if (!file.empty())
        commands.push_back({.folder = folders.back(), .file = file, .words = std::move(words)});
    }
  }
  return commands;
}

std::vector<CompileCommand> commands_of_make(const Project& project, const fs::path& out) {
  const fs::path folder = (project.root / project.compile.make).lexically_normal();
  if (!fs::is_directory(folder))
    throw UserError(Fault{.message = fmt::format("there is no folder \"{}\"", project.compile.make),
                          .place = place_in_project(project, project.compile.make),
                          .hint = "\"make\" names the folder of the makefile"});
  const Command command = make_in(project, folder, out);
  const UniqueFd file(::memfd_create("jcprof", MFD_CLOEXEC));
  const ProcessResult ended = run_and_wait(
      command, {.file = {}, .keep_bytes = most_make_output, .descriptor = file.get()}, make_patience);
  if (ended.exit_status != 0 || ended.timed_out) throw failure(project, command, ended);
  return parse_dry_run(read_file(fmt::format("/proc/self/fd/{}", file.get())), folder);
}

}  // namespace jcprof::rewriter
