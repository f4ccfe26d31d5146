// SPDX-License-Identifier: Apache-2.0
#include "programs/record_programs.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/record/log.hpp"
#include "annotator/record/recording.hpp"
#include "annotator/text_table.hpp"
#include "programs/record_project.hpp"
#include "src/core/parallel.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using harness::ProgramLog;

constexpr std::size_t most_rows = 40;
constexpr std::size_t most_warnings = 20;

/// "12.3 ms"
std::string total_of(const annotator::RecordedRun& run) {
  for (const StoredEstimate& estimate : run.estimates)
    if (estimate.scope == EstimateScope::total)
      return annotator::quantity({estimate.ticks, estimate.low, estimate.high}, run.info.unit).value;
  return "-";
}

/// The program had ended before /proc told its command line.
std::string name_in_log(const fs::path& file) {
  const annotator::RecordLog log(file);
  return log.facts().modules.empty() ? "" : fs::path(log.facts().modules.front().file).filename().string();
}

/// Warnings by what they say, and the numbers of the programs that they hold for.
class Collected {
 public:
  void add(std::uint32_t number, const std::vector<Warning>& warnings) {
    for (const Warning& warning : warnings) {
      const auto [place, is_new] = at_.try_emplace({warning.text, warning.advice}, all_.size());
      if (is_new) all_.emplace_back(warning, std::vector<std::uint32_t>());
      all_[place->second].second.push_back(number);
    }
  }
  std::vector<Warning> take() {
    std::vector<Warning> warnings;
    for (auto& [warning, numbers] : all_) {
      constexpr std::size_t most_numbers = 5;
      const std::size_t shown = std::min(numbers.size(), most_numbers);
      const std::string more =
          numbers.size() > shown ? fmt::format(" and {} more", numbers.size() - shown) : "";
      warning.text =
          fmt::format("program{} {}{}: {}", numbers.size() > 1 ? "s" : "",
                      fmt::join(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                      more, warning.text);
      warnings.push_back(std::move(warning));
    }
    if (warnings.size() > most_warnings) {
      const std::size_t left_out = warnings.size() - most_warnings;
      warnings.resize(most_warnings);
      warnings.push_back(
          {.text = fmt::format("{} more warnings about programs are in their profiles", left_out)});
    }
    return warnings;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> at_;
  std::vector<std::pair<Warning, std::vector<std::uint32_t>>> all_;
};

std::vector<Warning> analyze_program(RecordedProgram& program, const Analysis& first) {
  harness::ProgramFacts& facts = program.log.facts;
  Analysis what = first;
  what.log = program.log.file;
  what.profile = what.log.parent_path() / first.profile.filename();
  try {
    if (facts.command.empty()) facts.command = facts.program = name_in_log(what.log);
    what.name = fs::path(facts.program).filename().string();
    Analyzed analyzed = analyze(what);
    program.profile = what.profile;
    program.time = std::move(analyzed.time);
    return std::move(analyzed.warnings);
  } catch (const UserError& error) {
    const Fault& fault = error.faults().front();
    return {
        {.kind = WarningKind::other, .text = "there is no profile: " + fault.message, .advice = fault.hint}};
  }
}

}  // namespace

Analyzed analyze(const Analysis& what) {
  annotator::RecordedRun run = annotator::analyze_log(
      {.file = what.log, .traps = what.traps, .elf = what.elf, .unit = what.target.unit});
  run.info.started = what.started;
  run.info.tool = "jcprof " JCPROF_VERSION;
  run.info.project = what.name;
  run.info.device = what.target.device;
  run.info.agent = what.target.agent;
  run.info.simulated = what.target.simulated;
  const bool leaves_out_waits = std::ranges::any_of(
      run.recording.threads, [](const StoredThread& thread) { return thread.away.has_value(); });
  if (!what.note.empty())
    run.warnings.push_back({.text = what.note + (leaves_out_waits ? "; its times are processor times" : "")});
  if (std::optional<Warning> changed = changed_by_traps(what.plain, run))
    run.warnings.push_back(std::move(*changed));
  Store store(what.profile, OpenMode::fresh);
  annotator::store_recording(store, run);
  store.close();
  return {.time = total_of(run), .warnings = std::move(run.warnings)};
}

std::vector<RecordedProgram> analyze_programs(const std::vector<ProgramLog>& logs, const Analysis& first,
                                              const Analyzed* of_first, std::vector<Warning>& warnings) {
  if (logs.empty()) return {};
  std::vector<RecordedProgram> programs;
  for (const ProgramLog& log : logs) programs.push_back({.log = log, .time = "-"});
  if (programs.front().log.facts.command.empty()) programs.front().log.facts.command = first.name;
  if (of_first != nullptr) {
    programs.front().profile = first.profile;
    programs.front().time = of_first->time;
  }
  std::vector<std::vector<Warning>> all(programs.size());
  in_parallel(programs.size() - 1, [&](std::size_t i) {
    RecordedProgram& program = programs[i + 1];
    all[i + 1] = program.log.warnings;
    if (program.log.log.events + program.log.log.lost > 0)
      std::ranges::move(analyze_program(program, first), std::back_inserter(all[i + 1]));
  });
  Collected collected;
  for (std::size_t i = 1; i < programs.size(); ++i) collected.add(programs[i].log.number, all[i]);
  std::ranges::move(collected.take(), std::back_inserter(warnings));
  return programs;
}

std::string program_table(const std::vector<RecordedProgram>& programs) {
  std::vector<const RecordedProgram*> shown;
  for (const RecordedProgram& program : programs) shown.push_back(&program);
  std::ranges::stable_sort(shown, std::ranges::greater{},
                           [](const RecordedProgram* program) { return program->log.log.events; });
  shown.resize(std::min(shown.size(), most_rows));
  std::ranges::sort(shown, {}, [](const RecordedProgram* program) { return program->log.number; });
  std::vector<annotator::Row> rows;
  for (const RecordedProgram* program : shown) {
    const ProgramLog& log = program->log;
    rows.push_back({std::to_string(log.number), std::to_string(log.facts.process),
                    log.facts.parent == 0 ? "-" : std::to_string(log.facts.parent), program->time,
                    std::to_string(log.log.events), std::to_string(log.log.lost),
                    plain_line(log.facts.command),
                    program->profile.empty() ? "-" : program->profile.string()});
  }
  const auto left = annotator::Align::left;
  std::string text = annotator::table({{.title = "program"},
                                       {.title = "process"},
                                       {.title = "parent"},
                                       {.title = "time"},
                                       {.title = "events"},
                                       {.title = "lost"},
                                       {.title = "command", .align = left},
                                       {.title = "profile", .align = left}},
                                      std::move(rows), {.width = 200});
  if (programs.size() > shown.size())
    text += fmt::format("{} programs with fewer events are not shown\n", programs.size() - shown.size());
  return text;
}

nlohmann::ordered_json in_json(const std::vector<RecordedProgram>& programs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RecordedProgram& program : programs) {
    const ProgramLog& log = program.log;
    list.push_back({{"number", log.number},
                    {"process", log.facts.process},
                    {"parent", log.facts.parent == 0 ? nlohmann::ordered_json()
                                                     : nlohmann::ordered_json(log.facts.parent)},
                    {"command", log.facts.command},
                    {"seconds", std::chrono::duration<double>(log.time).count()},
                    {"events", log.log.events},
                    {"lost", log.log.lost},
                    {"threads", log.threads},
                    {"log", log.file.string()},
                    {"bytes", log.log.bytes},
                    {"profile", program.profile.empty() ? nlohmann::ordered_json()
                                                        : nlohmann::ordered_json(program.profile.string())}});
  }
  return list;
}

}  // namespace jcprof::cli
