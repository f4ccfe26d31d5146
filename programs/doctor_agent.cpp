// SPDX-License-Identifier: Apache-2.0
// jcprof doctor --agent: does an agent do what docs/agent-protocol.md says?
#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/agent/examination.hpp"
#include "harness/inputs.hpp"
#include "harness/transports.hpp"
#include "programs/output.hpp"
#include "programs/verbs.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using harness::AgentCheck;
using harness::CheckVerdict;

constexpr NameTable<CheckVerdict, 3> verdicts{
    {{CheckVerdict::passed, "passed"}, {CheckVerdict::failed, "failed"}, {CheckVerdict::skipped, "skipped"}}};

std::string render(const std::vector<AgentCheck>& checks) {
  std::string text;
  for (const AgentCheck& check : checks)
    text += fmt::format("{:<7} {}{}\n", name_in(verdicts, check.verdict), check.what,
                        check.why.empty() ? "" : ": " + harmless(check.why));
  return text;
}

std::string to_json(const std::vector<AgentCheck>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const AgentCheck& check : checks)
    list.push_back(
        {{"check", check.what}, {"verdict", name_in(verdicts, check.verdict)}, {"why", check.why}});
  return printed(list);
}

Project project_without_any() {
  Project project;
  project.name = "examination";
  project.target = TargetKind::program;
  project.root = fs::current_path();
  return project;
}

}  // namespace

ExitCode doctor_agent(const DoctorOptions& asked) {
  const CommonOptions& options = asked.common;
  const Project project = options.project.empty() ? project_without_any() : read_project(options.project);
  std::optional<OutputFolder> folder;
  if (!options.project.empty())
    folder.emplace(OutputWish{
        .folder = output_folder(project, options), .verb = "jcprof doctor", .project = project.root});
  const fs::path out = folder ? folder->path() : fs::current_path();
  const bool has_map = !options.project.empty() && fs::exists(out / "traps.json");
  harness::AgentSettings settings = harness::agent_settings(
      project, has_map ? read_trap_map(out / "traps.json") : TrapMap{}, asked.agent, out);
  if (options.project.empty()) settings.log.file.clear();
  const Bytes input =
      harness::make_inputs(project.inputs, {.root = project.root, .seed = project.measure.seed})
          .front()
          .bytes;
  const std::vector<AgentCheck> checks = harness::examine_agent(settings, input);
  fmt::print("{}", options.json ? to_json(checks) : render(checks));
  const bool has_failed = std::ranges::count(checks, CheckVerdict::failed, &AgentCheck::verdict) > 0;
  return has_failed ? ExitCode::check_failed : ExitCode::done;
}

}  // namespace jcprof::cli
