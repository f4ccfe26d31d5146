// SPDX-License-Identifier: Apache-2.0
// jcprof doctor: gathers the facts that diagnosis.cpp judges, which changes nothing. Where nothing is
// missing, the project is tried (doctor_try.hpp).
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/card/name.hpp"
#include "harness/card/pcsc.hpp"
#include "harness/labgrid/places.hpp"
#include "harness/transports.hpp"
#include "programs/diagnosis.hpp"
#include "programs/doctor_try.hpp"
#include "programs/output.hpp"
#include "programs/verbs.hpp"
#include "rewriter/project_tree.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/hex.hpp"
#include "src/core/lab_address.hpp"
#include "src/core/process.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

bool is_in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

/// The first line of `argv`'s output; empty when it fails.
std::string first_line(const std::vector<std::string>& argv) {
  if (!is_in_path(argv.front())) return "";
  // A JVM takes a second on a busy machine; one that takes this long does not work.
  const ProcessResult result =
      run_and_wait({.argv = argv, .cwd = fs::current_path()}, {}, std::chrono::seconds{20});
  return result.exit_status == 0 ? result.tail.substr(0, result.tail.find('\n')) : "";
}

std::string in_words(const harness::Slot& slot) {
  using harness::SlotState;
  std::string card =
      slot.atr.empty() ? "" : fmt::format("{}, ATR {}", harness::name_of_card(slot.atr), to_hex(slot.atr));
  switch (slot.state) {
    case SlotState::empty:
      return "no card";
    case SlotState::mute:
      return "a card that does not answer; is it the right way round?";
    case SlotState::card:
      return card;
    case SlotState::shared:
      return card + ", used by another program too";
    case SlotState::held:
      return card + ", held by another program: end it (often gpg's scdaemon)";
  }
  return "";
}

std::optional<std::vector<ReaderFacts>> readers() {
  const std::optional<std::vector<harness::Slot>> slots = harness::pcsc_slots();
  if (!slots) return std::nullopt;
  std::vector<ReaderFacts> facts;
  for (const harness::Slot& slot : *slots)
    facts.push_back({slot.reader, in_words(slot), slot.state == harness::SlotState::card});
  return facts;
}

void time_clock(MachineFacts& facts) {
  using Clock = std::chrono::steady_clock;
  constexpr int readings = 10'000;
  const auto begin = Clock::now();
  auto previous = begin;
  auto smallest = std::chrono::nanoseconds::max();
  for (int i = 0; i < readings; ++i) {
    const auto now = Clock::now();
    if (now != previous) smallest = std::min<std::chrono::nanoseconds>(smallest, now - previous);
    previous = now;
  }
  facts.clock_step_ns = static_cast<double>(smallest.count());
  facts.clock_read_ns = static_cast<double>((previous - begin).count()) / readings;
}

MachineFacts look_at_machine() {
  MachineFacts facts;
  facts.readers = readers();
  facts.javac = first_line({"javac", "-version"});
  facts.java = first_line({"java", "-version"});
  facts.release_8 = !first_line({"javac", "--release", "8", "-version"}).empty();
  facts.cc = first_line({"cc", "--version"});
  time_clock(facts);
  std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") >> facts.governor;
  facts.cores = std::max(1U, std::thread::hardware_concurrency());
  if (::getloadavg(&facts.load, 1) != 1) facts.load = 0;
  return facts;
}

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// The agent's, as it will be started; empty where there is none, or a step may make it.
std::string agent_program(const Project& project, const fs::path& out) {
  if (lab_address_of(project.transport)) return "labgrid-client";
  constexpr std::string_view scheme = "agent:";
  if (!project.transport.starts_with(scheme)) return "";
  const harness::AgentSettings agent =
      harness::agent_settings(project, {}, project.transport.substr(scheme.size()), out);
  const std::string& program = agent.command.argv.front();
  if (program.find('/') == std::string::npos) return program;
  const fs::path path = (project.root / program).lexically_normal();
  const bool is_made = is_within(path, out) || (!project.build.empty() && is_within(path, project.root));
  return is_made ? "" : path.string();
}

/// Programs that no step could start. Those in {tree} and {out} are made by earlier steps.
std::vector<std::string> lost_programs(const Project& project, const fs::path& out) {
  const Placeholders values = placeholders(project, out);
  std::vector<std::string> programs;
  for (const auto* steps : {&project.compile.prepare, &project.build, &project.install})
    for (const Step& step : *steps) programs.push_back(step.run.front());
  if (project.start) programs.push_back(project.start->run.front());
  if (!project.trigger.run.empty()) programs.push_back(project.trigger.run.front());
  if (!project.session.exchange.empty()) programs.push_back(project.session.exchange.front());
  for (std::string& program : programs)
    program = program.starts_with("{tree}") || program.starts_with("{out}") ? "" : fill_in(program, values);
  programs.push_back(agent_program(project, out));
  std::ranges::sort(programs);
  const auto again = std::ranges::unique(programs);
  programs.erase(again.begin(), again.end());
  std::erase_if(programs, [](const std::string& program) {
    if (program.find('/') == std::string::npos) return program.empty() || is_in_path(program);
    return !fs::path(program).is_absolute() || ::access(program.c_str(), X_OK) == 0;
  });
  return programs;
}

/// All of it is read before the first step of "build".
std::vector<LostPath> lost_paths(const Project& project, Placeholders values) {
  values["tree"] = values.at("project");  // the tree is a copy of it
  const CompileSettings& compile = project.compile;
  std::vector<LostPath> lost;
  for (const std::string& entry : compile.classpath)
    if (!entry.starts_with("{out}"))
      lost.push_back({"class path", "classpath", project.root / fill_in(entry, values)});
  const auto add = [&](const char* what, const char* key, const std::string& path) {
    if (!path.empty()) lost.push_back({what, key, project.root / path});
  };
  if (compile.prepare.empty()) add("compile database", "database", fill_in(compile.database, values));
  add("makefile's folder", "make", compile.make);
  add("EDL file", "edl", compile.edl);
  std::erase_if(lost, [](const LostPath& one) {
    std::error_code gone;
    return fs::exists(one.path, gone);
  });
  return lost;
}

void look_at_folder(const fs::path& out, ProjectFacts& facts) {
  fs::path there = out;
  std::error_code error;
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  facts.out = out.string();
  facts.is_out_writable = fs::is_directory(there, error) && ::access(there.c_str(), W_OK | X_OK) == 0;
  const fs::space_info space = fs::space(there, error);
  facts.free_bytes = error ? 0 : space.available;
}

/// The places that the transport may mean, and who holds them.
void look_at_lab(const Project& project, ProjectFacts& facts) {
  const std::optional<LabAddress> address = lab_address_of(project.transport);
  if (!address || !is_in_path("labgrid-client")) return;
  try {
    for (const harness::LabPlace& place :
         harness::places_at(*address, harness::places_of_lab(), harness::lab_user()))
      facts.lab += fmt::format("{}{} is {}", facts.lab.empty() ? "" : ", ", place.name,
                               place.holder.empty() ? "free" : "held by " + place.holder);
  } catch (const UserError& error) {
    facts.lost_lab = error.faults().front();
  }
}

ProjectFacts look_at(const CommonOptions& options) {
  ProjectFacts facts{.file = options.project};
  try {
    const Project project = read_project(options.project);
    const fs::path out = output_folder(project, options);
    facts.file = project.file.string();
    facts.is_applet = project.target == TargetKind::applet;
    facts.wants_reader = project.transport.starts_with("pcsc:");
    facts.sources = rewriter::source_files(project, rewriter::project_files(project, out)).size();
    facts.lost_paths = lost_paths(project, placeholders(project, out));
    facts.lost_programs = lost_programs(project, out);
    look_at_lab(project, facts);
    look_at_folder(out, facts);
  } catch (const UserError& error) {
    facts.fault = error.what();
  }
  return facts;
}

}  // namespace

ExitCode doctor(const DoctorOptions& asked) {
  catch_signals();
  DoctorOptions options = asked;
  if (options.common.project.empty() && fs::exists("jcprof.json")) options.common.project = ".";
  if (!options.agent.empty()) return doctor_agent(options);
  if (options.selftest) return doctor_selftest(options);
  std::optional<ProjectFacts> project;
  if (!options.common.project.empty()) project = look_at(options.common);
  std::vector<Finding> findings = diagnose(look_at_machine(), project);
  if (project && is_complete(findings)) {
    std::ranges::move(try_project(read_project(options.common.project), options.common).findings,
                      std::back_inserter(findings));
  }
  fmt::print("{}", options.common.json ? to_json(findings) : render(findings));
  return is_complete(findings) ? ExitCode::done : ExitCode::check_failed;
}

}  // namespace jcprof::cli
