// SPDX-License-Identifier: Apache-2.0
// jcprof profile: gen, the project's build and install steps, run, annotate; each as a process of its own.
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/transports.hpp"
#include "src/cli/main_guard.hpp"
#include "src/cli/run_options.hpp"
#include "src/cli/verbs.hpp"
#include "src/core/process.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
  CommonOptions common;
  bool dry_run = false;
  std::vector<std::string> run_options;  // handed to jcprof-run as they are
};

std::string shown(const std::vector<std::string>& argv) {
  return harmless(fmt::format("{}", fmt::join(argv, " ")));
}

/// Runs a sibling with our own terminal. A Ctrl-C goes to both: the sibling saves its work, we wait for it.
ExitCode run_sibling(const std::string& name, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), sibling(name).string());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  const auto previous = std::signal(SIGINT, SIG_IGN);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGINT, previous);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  const bool waited = child > 0 && ::waitpid(child, &status, 0) == child;
  std::signal(SIGINT, previous);
  if (!waited || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
    throw environment_error(fmt::format("cannot run \"{}\"", arguments.front()),
                            "is jcprof installed as a whole?");
  if (WIFSIGNALED(status))
    throw environment_error(fmt::format("{} was ended by signal {}", name, WTERMSIG(status)));
  return static_cast<ExitCode>(WEXITSTATUS(status));
}

Command filled(const Step& step, const Placeholders& values) {
  Command command;
  for (const std::string& argument : step.run) command.argv.push_back(fill_in(argument, values));
  command.cwd = fill_in(step.cwd, values);
  if (!values.at("reader").empty()) command.environment.emplace_back("GP_READER", values.at("reader"));
  return command;
}

void run_step(const std::string& name, const Step& step, const Placeholders& values,
              const ProfileOptions& options) {
  const Command command = filled(step, values);
  if (!(options.common.quiet || options.common.json) || options.dry_run)
    fmt::print("{}: {}\n", name, shown(command.argv));
  if (options.dry_run) return;
  std::fflush(stdout);
  const fs::path log = fs::path(values.at("out")) / "logs" / (name + ".log");
  const ProcessResult result = run_and_wait(command, {.file = log}, step.timeout);
  if (result.timed_out)
    throw environment_error(fmt::format("the {} step did not end in {} s: {}", name,
                                        step.timeout.count() / 1000, shown(command.argv)),
                            fmt::format("set \"timeout_s\"; its output is in {}", log.string()));
  if (result.exit_status != 0)
    throw UserError(Fault{.message = fmt::format("the {} step failed with status {}: {}\n{}", name,
                                                 result.exit_status, shown(command.argv), result.tail),
                          .hint = fmt::format("its output is in {}", log.string())});
}

void run_steps(const std::string& kind, const std::vector<Step>& steps, const Placeholders& values,
               const ProfileOptions& options) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    run_step(steps.size() == 1 ? kind : fmt::format("{}-{}", kind, i + 1), steps[i], values, options);
}

/// What jcprof-run would refuse is refused before anything is built or installed.
RunOptions checked_run_options(const std::vector<std::string>& arguments) {
  CLI::App app;
  RunOptions options;
  add_run_options(app, options);
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 wants them reversed
  return options;
}

ExitCode profile(const ProfileOptions& options) {
  const Project project = read_project(options.common.project);
  const fs::path out = output_folder(project, options.common);
  std::vector<std::string> arguments{options.common.project, "-o", out.string()};
  if (options.common.quiet || options.common.json) arguments.emplace_back("--quiet");
  std::vector<std::string> run_arguments = arguments;
  run_arguments.insert(run_arguments.end(), options.run_options.begin(), options.run_options.end());
  const RunOptions run_options = checked_run_options(run_arguments);
  Placeholders values = placeholders(project, out);
  values.emplace("reader", harness::reader_for(project, run_options.transport));

  if (!options.dry_run)
    if (const ExitCode code = run_sibling("jcprof-gen", arguments); code != ExitCode::done) return code;
  run_steps("build", project.build, values, options);
  run_steps("install", project.install, values, options);
  if (options.dry_run) run_arguments.emplace_back("--dry-run");
  const ExitCode measured = run_sibling("jcprof-run", run_arguments);
  if (options.dry_run || (measured != ExitCode::done && measured != ExitCode::interrupted)) return measured;
  // What an interrupted run has measured is shown too.
  if (options.common.json) arguments.emplace_back("--json");
  const ExitCode annotated = run_sibling("jcprof-annotate", arguments);
  return measured == ExitCode::done ? annotated : measured;
}

}  // namespace

Work profile_verb(CLI::App& verb) {
  const auto options = std::make_shared<ProfileOptions>();
  add_project_options(verb, options->common);
  verb.add_flag("--json", options->common.json, "print the estimates as JSON, as jcprof export does");
  verb.add_flag("--dry-run", options->dry_run, "print the commands of the project and stop");
  verb.allow_extras();
  verb.footer("Other options are handed to jcprof-run: see jcprof run --help.");
  return [options, &verb] {
    options->run_options = verb.remaining();
    return profile(*options);
  };
}

}  // namespace jcprof::cli
