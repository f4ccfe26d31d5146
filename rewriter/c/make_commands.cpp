// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/make_commands.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/c/make_log.hpp"
#include "rewriter/program_files.hpp"
#include "rewriter/project_tree.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/text.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

// Makefiles ask compilers for their folders while they are read.
constexpr std::chrono::minutes make_patience{2};
constexpr std::size_t most_make_output = std::size_t{64} << 20;

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

/// A dry run makes makefiles all the same, and those of autoconf by configuring for minutes: they are taken
/// as they are, also those of the folders that automake goes into.
Command dry(Command command) {
  command.argv.insert(command.argv.end(),
                      {"--dry-run", "--always-make", "--print-directory", "--assume-old=Makefile"});
  // Ours is not the make that a make runs, and its words are English.
  command.environment = {
      {"LC_ALL", "C"}, {"MAKEFLAGS", ""}, {"MAKELEVEL", ""}, {"AM_MAKEFLAGS", "--assume-old=Makefile"}};
  return command;
}

/// The build steps that make in `folder` or below it, as they are in the project's own folder; where none
/// makes in `folder` itself, make alone too. Into a folder that there is not: what an earlier build has left
/// of the tree's dependencies would not be found from here.
std::vector<Command> calls_of_make(const Project& project, const fs::path& folder, const fs::path& out) {
  const Placeholders values{{"tree", project.root.string()},
                            {"out", (fs::absolute(out) / "dry-run").string()},
                            {"project", project.root.string()},
                            {"reader", ""}};
  const fs::path top = fs::weakly_canonical(folder);
  std::vector<Command> calls;
  bool is_made = false;
  for (const Step& step : project.build) {
    Command command{.argv = {}, .cwd = fill_in(step.cwd, values)};
    for (const std::string& word : step.run) command.argv.push_back(fill_in(word, values));
    if (!is_make(command.argv.front())) continue;
    const fs::path there = fs::weakly_canonical(folder_of(command.argv, command.cwd));
    is_made = is_made || there == top;
    if (lies_in(there, top)) calls.push_back(dry(std::move(command)));
  }
  if (!is_made) calls.insert(calls.begin(), dry({.argv = {"make"}, .cwd = folder}));
  return calls;
}

/// The output of a command, and its end.
std::pair<std::string, ProcessResult> run(const Command& command) {
  const UniqueFd file(::memfd_create("jcprof", MFD_CLOEXEC));
  ProcessResult ended = run_and_wait(
      command, {.file = {}, .keep_bytes = most_make_output, .descriptor = file.get()}, make_patience);
  return {read_file(fmt::format("/proc/self/fd/{}", file.get())), std::move(ended)};
}

/// True if make failed only for want of ways to make files, and of calls of make that passed this on.
bool misses_files_only(const std::string& output) {
  constexpr std::string_view mark = ": *** ";  // behind "make[1]" or "Makefile:3"
  std::istringstream lines(output);
  bool misses = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos || line.find_first_of(" \t") < at) continue;  // a command that prints so
    const std::string_view what = std::string_view(line).substr(at + mark.size());
    const bool is_missing = what.starts_with("No rule to make target ");
    misses = misses || is_missing;
    // "[Makefile:3: all] Error 2": a dry run starts nothing but other makes, and the one that failed has said
    // why. A loop of the shell around them ends with 1.
    if (!is_missing && !(what.starts_with('[') && what.find("] Error ") != std::string_view::npos))
      return false;
  }
  return misses;
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

/// What this call of make, which began in `folder`, would compile.
std::vector<CompileCommand> commands_of_call(const Project& project, Command command,
                                             const fs::path& folder) {
  const auto [output, ended] = run(command);
  if (ended.exit_status == 0 && !ended.timed_out) return parse_dry_run(output, folder);
  const UserError why = failure(project, command, ended);
  if (ended.timed_out) throw why;
  // It may name files that only the build makes, such as those of jcprof's edge folder: the others count.
  command.argv.emplace_back("--keep-going");
  const auto [rest, rest_ended] = run(command);
  if (rest_ended.timed_out) throw failure(project, command, rest_ended);
  std::vector<CompileCommand> commands = parse_dry_run(rest, folder);
  if (commands.empty()) throw why;
  if (!misses_files_only(rest)) throw failure(project, command, rest_ended);
  return commands;
}

}  // namespace

std::string hint_on_make(const Project& project) {
  if (project.target == TargetKind::optee_ta)
    return "is TA_DEV_KIT_DIR the folder that holds mk/ta_dev_kit.mk? It is taken from the environment, or "
           "from "
           "the step of \"build\" that makes there";
  return "set what the makefile needs in the environment, or in the step of \"build\" that makes there";
}

std::vector<CompileCommand> parse_dry_run(std::string_view output, const fs::path& folder) {
  std::vector<CompileCommand> commands;
  for (const ShellCommand& command : commands_in(output, folder)) {
    const std::optional<CompilerCall> call = compiler_call(command.words);
    if (!call) continue;
    for (const std::string& source : call->sources)
      commands.push_back({.folder = command.folder, .file = source, .words = call->words});
  }
  return commands;
}

std::vector<CompileCommand> commands_of_make(const Project& project, const fs::path& out) {
  const fs::path folder = (project.root / project.compile.make).lexically_normal();
  if (!fs::is_directory(folder))
    throw UserError(Fault{.message = fmt::format("there is no folder \"{}\"", project.compile.make),
                          .place = place_in_project(project, project.compile.make),
                          .hint = "\"make\" names the folder of the makefile"});
  std::vector<CompileCommand> commands;
  for (Command& call : calls_of_make(project, folder, out))
    std::ranges::move(commands_of_call(project, std::move(call), folder), std::back_inserter(commands));
  return commands;
}

std::optional<std::string> dry_run_in(const fs::path& folder, const std::vector<std::string>& goals) {
  std::vector<std::string> argv{"make"};
  argv.insert(argv.end(), goals.begin(), goals.end());
  const auto [output, ended] = run(dry({.argv = std::move(argv), .cwd = folder}));
  if (ended.exit_status != 0 || ended.timed_out) return std::nullopt;
  return output;
}

}  // namespace jcprof::rewriter
