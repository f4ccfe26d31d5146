// SPDX-License-Identifier: Apache-2.0
#include "programs/diagnosis.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "programs/output.hpp"
#include "src/core/error.hpp"
#include "src/core/install_hint.hpp"
#include "src/core/name_table.hpp"

namespace jcprof::cli {
namespace {

using Findings = std::vector<Finding>;

// A profile of a million shots takes some 50 MB, and the tree and its build come on top.
constexpr std::uint64_t little_space = 200'000'000;
// Differences of single statements are not seen by a coarser clock.
constexpr double coarse_ns = 1000;

constexpr NameTable<Verdict, 4> verdict_names{{{Verdict::ok, "ok"},
                                               {Verdict::missing, "missing"},
                                               {Verdict::remark, "remark"},
                                               {Verdict::failed, "failed"}}};

void look_at_readers(const MachineFacts& machine, Verdict if_absent, Findings& findings) {
  if (!machine.readers) {
    findings.push_back(
        {if_absent, "PC/SC daemon", "does not answer; only `pcsc:` needs it",
         "install pcscd and libccid, then \"systemctl start pcscd.socket\", or \"pcscd\" as root"});
    return;
  }
  findings.push_back({Verdict::ok, "PC/SC daemon", "answers"});
  if (machine.readers->empty())
    findings.push_back({if_absent, "readers", "none; only `pcsc:` needs one",
                        "plug one in; `pcsc_scan` of pcsc-tools shows what the daemon sees"});
  for (const ReaderFacts& reader : *machine.readers)
    findings.push_back({reader.usable ? Verdict::ok : Verdict::remark, "reader",
                        fmt::format("\"{}\": {}", reader.reader, reader.card)});
}

void look_at_java(const MachineFacts& machine, Findings& findings) {
  const std::string way = "install default-jdk-headless";
  if (machine.javac.empty())
    findings.push_back({Verdict::missing, "javac", "not in PATH; applets are compiled with it", way});
  else if (!machine.release_8)
    findings.push_back({Verdict::remark, "javac", machine.javac + ", cannot compile with --release 8",
                        "most Java Card tools want that: install openjdk-17-jdk-headless"});
  else
    findings.push_back({Verdict::ok, "javac", machine.javac + ", compiles with --release 8"});
  if (machine.java.empty())
    findings.push_back({Verdict::missing, "java", "not in PATH; simulators run in it", way});
  else
    findings.push_back({Verdict::ok, "java", machine.java});
}

void look_at_compiler(const MachineFacts& machine, Findings& findings) {
  if (machine.cc.empty())
    findings.push_back(
        {Verdict::remark, "cc", "not in PATH; most programs are compiled with it", "install gcc or clang"});
  else
    findings.push_back({Verdict::ok, "cc", machine.cc});
}

void look_at_timing(const MachineFacts& machine, Findings& findings) {
  const bool coarse = machine.clock_step_ns > coarse_ns;
  findings.push_back(
      {coarse ? Verdict::remark : Verdict::ok, "clock",
       fmt::format("steps of {:.0f} ns, {:.0f} ns a reading", machine.clock_step_ns, machine.clock_read_ns),
       coarse ? "is the clock source \"tsc\"? (/sys/devices/system/clocksource)" : ""});
  if (!machine.governor.empty() && machine.governor != "performance")
    findings.push_back({Verdict::remark, "CPU frequency",
                        fmt::format("governor \"{}\": times of a simulator drift with it", machine.governor),
                        "\"cpupower frequency-set -g performance\" as root (linux-cpupower)"});
  const bool busy = machine.load > machine.cores / 2.0;
  findings.push_back({busy ? Verdict::remark : Verdict::ok, "load",
                      fmt::format("{:.1f} on {} cores", machine.load, machine.cores),
                      busy ? "end other work: it widens the intervals" : ""});
}

void look_at_out(const ProjectFacts& project, Findings& findings) {
  if (!project.is_out_writable)
    findings.push_back({Verdict::missing, "output", fmt::format("{} cannot be written", project.out),
                        "name another folder with -o"});
  else if (project.free_bytes < little_space)
    findings.push_back({Verdict::missing, "output",
                        fmt::format("{}: {} MB free", project.out, project.free_bytes / 1'000'000),
                        "make room, or name another folder with -o"});
  else
    findings.push_back(
        {Verdict::ok, "output", fmt::format("{}: {} MB free", project.out, project.free_bytes / 1'000'000)});
}

void look_at_project(const ProjectFacts& project, Findings& findings) {
  if (!project.fault.empty()) {
    findings.push_back({Verdict::missing, "project", project.fault});
    return;
  }
  findings.push_back({Verdict::ok, "project", fmt::format("{}, {} sources", project.file, project.sources)});
  for (const auto& [what, key, path] : project.lost_paths)
    findings.push_back({Verdict::missing, what, path + " does not exist",
                        fmt::format("put it there, or correct \"{}\" in \"compile\"", key)});
  for (const std::string& program : project.lost_programs)
    findings.push_back(
        {Verdict::missing, "program",
         program + (program.find('/') == std::string::npos ? " is not in PATH" : " cannot be run"),
         way_to_install(program) +
             ": \"build\", \"install\", \"start\", \"exchange\", \"trigger\" or \"transport\" runs it"});
  if (!project.lab.empty()) findings.push_back({Verdict::ok, "labgrid", project.lab});
  if (project.lost_lab)
    findings.push_back({Verdict::missing, "labgrid", project.lost_lab->message, project.lost_lab->hint});
  look_at_out(project, findings);
}

}  // namespace

Findings diagnose(const MachineFacts& machine, const std::optional<ProjectFacts>& project) {
  Findings findings;
  const bool wants_reader = project && project->wants_reader;
  if (project && project->fault.empty() && !project->is_applet) {
    look_at_compiler(machine, findings);
  } else {
    look_at_readers(machine, wants_reader ? Verdict::missing : Verdict::remark, findings);
    look_at_java(machine, findings);
  }
  look_at_timing(machine, findings);
  if (project) look_at_project(*project, findings);
  return findings;
}

std::string render(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<8} {}: {}\n", name_in(verdict_names, finding.verdict), finding.subject,
                        harmless(finding.what));
    if (!finding.way_out.empty()) text += fmt::format("         {}\n", finding.way_out);
  }
  if (std::ranges::find(findings, Verdict::failed, &Finding::verdict) != findings.end())
    return text + "stopped at what failed\n";
  const auto missing = std::ranges::count(findings, Verdict::missing, &Finding::verdict);
  return text + (missing == 0 ? "nothing that is needed is missing\n" : fmt::format("{} missing\n", missing));
}

std::string to_json(const Findings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    list.push_back({{"verdict", name_in(verdict_names, finding.verdict)},
                    {"subject", finding.subject},
                    {"what", finding.what},
                    {"way_out", finding.way_out}});
  return printed(list);
}

bool is_complete(const Findings& findings) {
  return std::ranges::none_of(findings, [](const Finding& finding) {
    return finding.verdict == Verdict::missing || finding.verdict == Verdict::failed;
  });
}

}  // namespace jcprof::cli
