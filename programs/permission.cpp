// SPDX-License-Identifier: Apache-2.0
#include "programs/permission.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/lab_address.hpp"
#include "src/core/text.hpp"
#include "src/core/unique_fd.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

std::string line(std::string_view what, const std::vector<std::string>& argv, std::string_view folder) {
  return fmt::format("{}: {} (in {})", what, fmt::join(argv, " "), folder);
}

/// Empty where the environment names no home.
fs::path memory() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "jcprof/allowed";
  return home == nullptr || *home != '/' ? fs::path() : fs::path(home) / ".local/state/jcprof/allowed";
}

/// The folder is part of it: leave for one project is none for another.
std::string digest_of(const Project& project, const std::string& program) {
  return sha256(fmt::format("{}{}{}", fs::weakly_canonical(project.root).string(), '\0', program));
}

void drop_remembered(const Project& project, std::vector<std::string>& programs) {
  const fs::path file = memory();
  if (file.empty() || !why_unreadable(file).empty()) return;
  std::istringstream text(read_file(file));
  std::set<std::string> digests;
  for (std::string digest; std::getline(text, digest);) digests.insert(digest);
  std::erase_if(programs,
                [&](const std::string& program) { return digests.contains(digest_of(project, program)); });
}

/// If the file cannot be written, the user is asked again next time.
void remember(const Project& project, const std::vector<std::string>& programs) {
  const fs::path file = memory();
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const UniqueFd fd(
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  std::string text;
  for (const std::string& program : programs) text += digest_of(project, program) + "\n";
  if (fd.get() < 0 || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    fmt::print(stderr, "warning: {}: cannot be written: jcprof will ask again\n", harmless(file.string()));
}

bool says_yes() {
  std::string answer;
  for (char c = 0; ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) answer += c;
  return is_one_of(answer, {"y", "Y", "yes", "Yes"});
}

}  // namespace

std::vector<std::string> programs_of_steps(const Project& project) {
  std::vector<std::string> programs;
  for (const Step& step : project.build) programs.push_back(line("build", step.run, step.cwd));
  std::ranges::move(programs_of_install(project), std::back_inserter(programs));
  return programs;
}

std::vector<std::string> programs_of_install(const Project& project) {
  std::vector<std::string> programs;
  for (const Step& step : project.install) programs.push_back(line("install", step.run, step.cwd));
  return programs;
}

std::vector<std::string> programs_of_run(const Project& project) {
  std::vector<std::string> programs;
  if (project.start) programs.push_back(line("start", project.start->run, project.start->cwd));
  if (is_by_agent(project.transport)) programs.push_back(project.transport);
  // jcprof-agent-card starts programs that its options name.
  if (project.agent.options.find("\"run\"") != std::string::npos)
    programs.push_back("agent's options: " + project.agent.options);
  if (!project.trigger.run.empty())
    programs.push_back(line("trigger", project.trigger.run, project.trigger.cwd));
  const Session& session = project.session;
  if (!session.exchange.empty()) programs.push_back(line("exchange", session.exchange, "{project}"));
  for (const Script* const script :
       {&session.once, &session.before_each, &session.after_each, &session.after_reset})
    for (const ScriptStep& step : *script)
      if (const auto* run = std::get_if<RunStep>(&step))
        programs.push_back(line("session", run->run, "{tree}"));
  return programs;
}

void ask_about(const Project& project, std::vector<std::string> programs, Consent consent) {
  if (consent == Consent::given) return;
  drop_remembered(project, programs);
  if (programs.empty()) return;
  std::string list;
  for (const std::string& program : programs) list += "\n  " + plain_line(program);
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1)
    throw UserError(Fault{.message = "the project names programs that you have not allowed yet:" + list,
                          .place = {.file = project.file.string()},
                          .hint = "read the list; then answer on a terminal, or use --yes or JCPROF_YES=1"});
  fmt::print(stderr, "{} makes jcprof run these programs:{}\nallow them, now and later? [y/N] ",
             harmless(project.file.string()), list);
  if (!says_yes())
    throw UserError(Fault{.message = "you did not allow these programs, so jcprof ran nothing",
                          .place = {.file = project.file.string()}});
  remember(project, programs);
}

}  // namespace jcprof::cli
