// SPDX-License-Identifier: Apache-2.0
#include "programs/steps.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "programs/step_cause.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/error_json.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

std::string command_line(const std::vector<std::string>& argv) {
  return harmless(fmt::format("{}", fmt::join(argv, " ")));
}

Command filled(const Step& step, const Placeholders& values) {
  Command command;
  for (const std::string& argument : step.run) command.argv.push_back(fill_in(argument, values));
  command.cwd = fill_in(step.cwd, values);
  const auto reader = values.find("reader");
  if (reader != values.end() && !reader->second.empty())
    command.environment.emplace_back("GP_READER", reader->second);
  return command;
}

UserError failure(const std::string& name, const Command& command, const ProcessResult& result,
                  const fs::path& log) {
  // The log has the beginning of the output, the result its end.
  const auto [what, way_out] = cause_of_failure(read_file(log) + '\n' + result.tail, result.exit_status);
  return UserError(Fault{
      .message = fmt::format("the {} step failed with status {}: {}{}\n{}", name, result.exit_status,
                             what.empty() ? "" : what + "\n", command_line(command.argv), result.tail),
      .hint = fmt::format("{}{}its output is in {}", way_out, way_out.empty() ? "" : "; ", log.string())});
}

void run_step(const std::string& name, const Step& step, const Placeholders& values,
              const StepOptions& options) {
  const Command command = filled(step, values);
  if (options.is_shown) fmt::print("{}: {}\n", name, command_line(command.argv));
  if (options.is_dry) return;
  std::fflush(stdout);
  if (step.cwd.starts_with("{out}") && !fs::is_directory(command.cwd)) open_own_folder(command.cwd);
  const fs::path logs = options.logs.empty() ? fs::path(values.at("out")) / "logs" : options.logs;
  const fs::path log = logs / (name + ".log");
  const ProcessResult result = run_and_wait(command, {.file = log}, step.timeout);
  if (result.timed_out)
    throw environment_error(fmt::format("the {} step took longer than {} s: {}", name,
                                        step.timeout.count() / 1000, command_line(command.argv)),
                            fmt::format("allow more by \"timeout_s\"; its output is in {}", log.string()));
  if (result.exit_status != 0) throw failure(name, command, result, log);
}

std::vector<std::string> words_of(const GenOptions& options, const fs::path& out) {
  std::vector<std::string> words{"jcprof-gen", options.common.project, "-o", out.string()};
  const auto add = [&](bool is_wanted, const char* word) {
    if (is_wanted) words.emplace_back(word);
  };
  add(options.common.quiet, "--quiet");
  add(options.common.yes, "--yes");
  add(options.records, "--record");
  add(options.functions_only, "--functions-only");
  add(options.tells_if_tight, "--tell-if-tight");
  for (const std::string& pattern : options.include) words.insert(words.end(), {"--include", pattern});
  for (const std::string& pattern : options.exclude) words.insert(words.end(), {"--exclude", pattern});
  for (const std::string& key : options.without) words.insert(words.end(), {"--without", key});
  return words;
}

/// jcprof-gen. `held`: the folder that it works along in; null: none.
pid_t start(std::vector<std::string> words, const OutputFolder* held) {
  const std::string program = sibling("jcprof-gen").string();
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != self) ::_exit(127);
  if (held != nullptr) held->hand_over();
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

/// The exit status of the child; nothing if there is none to wait for.
std::optional<int> wait_for(pid_t child) {
  const UniqueFd pidfd = open_pidfd(child);
  std::array<pollfd, 2> ends{{{pidfd.get(), POLLIN, 0}, {cancellation().fd(), POLLIN, 0}}};
  while (pidfd.get() >= 0 && ends[0].revents == 0 && !cancellation().is_asked())
    ::poll(ends.data(), ends.size(), -1);
  // A Ctrl-C of the terminal has reached the child too; it ignores this second signal.
  if (ends[0].revents == 0 && cancellation().is_asked())
    ::kill(child, cancellation().signal() == SIGHUP ? SIGHUP : SIGTERM);
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child ? std::optional(status) : std::nullopt;
}

ExitCode run_gen(const std::vector<std::string>& words, const OutputFolder* held) {
  const pid_t child = start(words, held);
  const std::optional<int> status = child > 0 ? wait_for(child) : std::nullopt;
  cancellation().check();
  if (!status || (WIFEXITED(*status) && WEXITSTATUS(*status) == 127))
    throw environment_error(fmt::format("cannot run \"{}\"", sibling("jcprof-gen").string()),
                            "install all of jcprof again: one of its files is missing");
  if (WIFSIGNALED(*status))
    throw environment_error(fmt::format("jcprof-gen was ended by {}", signal_in_words(WTERMSIG(*status))));
  return static_cast<ExitCode>(WEXITSTATUS(*status));
}

}  // namespace

void run_steps(const std::string& kind, const std::vector<Step>& steps, const Placeholders& values,
               const StepOptions& options) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    run_step(steps.size() == 1 ? kind : fmt::format("{}-{}", kind, i + 1), steps[i], values, options);
}

ExitCode draft_project(const InitOptions& options) {
  std::vector<std::string> words{"jcprof", "init"};
  if (!options.entry.empty()) words.push_back("--entry=" + options.entry);
  if (!options.ta.empty()) words.push_back("--ta=" + options.ta);
  if (options.quiet) words.emplace_back("--quiet");
  if (options.yes) words.emplace_back("--yes");
  words.insert(words.end(), {"--", options.folder});
  return run_gen(words, nullptr);
}

ExitCode make_tree(const GenOptions& options, const OutputFolder& held) {
  const std::vector<std::string> words = words_of(options, held.path());
  // The traps that are left out may be more words than a program takes.
  const fs::path file = held.path() / "logs/gen-words";
  const fs::path faults = faults_file(file);
  fs::remove(faults);
  std::string text;
  for (const std::string& word : words) text += word + '\0';
  write_own_file(file, text);
  const ExitCode code =
      run_gen({words.front(), fmt::format("{}{}", words_file_option, file.string())}, &held);
  if (code == ExitCode::done || code == done_but_tight) return code;
  if (fs::exists(faults)) throw error_from(nlohmann::json::from_cbor(read_file(faults)));
  throw UserError(std::vector<Fault>{}, code);
}

}  // namespace jcprof::cli
