// SPDX-License-Identifier: Apache-2.0
// jcprof check: compares a profile with budgets.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/check/check.hpp"
#include "annotator/check/check_texts.hpp"
#include "annotator/check/history.hpp"
#include "programs/fleet_side.hpp"
#include "programs/output.hpp"
#include "programs/side.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/history.hpp"
#include "src/core/warning.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using annotator::Checked;
using annotator::Holding;

constexpr const char* usual_file = "jcprof-budget.json";

/// jcprof-budget.json in the folder that is given, or in the first one above it that holds a project.
std::optional<fs::path> file_near(const fs::path& given) {
  const fs::path whole = fs::absolute(given);
  const fs::path start = (fs::is_directory(whole) ? whole : whole.parent_path()).lexically_normal();
  for (fs::path folder = start; folder.has_relative_path(); folder = folder.parent_path()) {
    const bool is_project_folder = fs::exists(folder / "jcprof.json");
    if ((folder == start || is_project_folder) && fs::exists(folder / usual_file)) return folder / usual_file;
    if (is_project_folder) break;
  }
  return std::nullopt;
}

std::vector<annotator::Budget> budgets_of(const CheckOptions& options) {
  const std::optional<fs::path> file =
      options.budgets.empty() ? file_near(options.profile) : std::optional(fs::path(options.budgets));
  std::vector<annotator::Budget> budgets;
  if (file) budgets = annotator::parse_budgets(file->string(), read_file(*file));
  for (const std::string& text : options.budget) budgets.push_back(annotator::parse_budget(text));
  return budgets;
}

std::string written(const annotator::CheckReport& report, const CheckOptions& options) {
  switch (options.format) {
    case CheckFormat::json:
      return annotator::to_json(report);
    case CheckFormat::junit:
      return annotator::to_junit(report);
    case CheckFormat::github:
      return annotator::to_github(report);
    case CheckFormat::sarif:
      return annotator::to_sarif(report);
    case CheckFormat::bencher:
      return annotator::to_bencher(report);
    case CheckFormat::action_benchmark:
      return annotator::to_action_benchmark(report);
    case CheckFormat::text:
      break;
  }
  return shown_on(Stream::out, annotator::to_text(report, table_style(options.colour)));
}

bool is_of_change(const annotator::Budget& budget) {
  return budget.unit == annotator::BudgetUnit::change;
}

void refuse_without_value(const std::vector<annotator::Budget>& budgets) {
  if (std::ranges::all_of(budgets, is_of_change))
    throw UserError(Fault{.message = "--history keeps what budgets measure, but no changes",
                          .hint = "name a budget of a value, such as --budget 'total <= 40ms'"});
}

void add_entry(const CheckOptions& options, const annotator::Compared& first,
               const std::vector<std::vector<Checked>>& sessions) {
  const RunInfo& run = first.profile.run;
  add_to_history(options.history, {.started = run.started,
                                   .project = run.project,
                                   .device = run.device,
                                   .simulated = run.simulated,
                                   .build = first.map.build,
                                   .label = options.label,
                                   .values = annotator::history_values(sessions)});
}

/// Warnings about lost events, each once.
std::vector<std::string> lost_events(const std::vector<annotator::Compared>& sessions) {
  std::set<std::string> texts;
  for (const annotator::Compared& session : sessions)
    for (const Warning& warning : session.profile.noted)
      if (warning.kind == WarningKind::lost) texts.insert(to_text(warning));
  return {texts.begin(), texts.end()};
}

ExitCode code_for(Holding holding) {
  if (holding == Holding::broken) return ExitCode::check_failed;
  return holding == Holding::unresolved ? ExitCode::unreliable : ExitCode::done;
}

void refuse_without_budgets(const std::vector<annotator::Budget>& budgets, const CheckOptions& options) {
  if (budgets.empty() && !options.max_regression)
    throw UserError(
        Fault{.message = "there is no budget",
              .hint = fmt::format(
                  "name one, such as --budget 'total <= 40ms', or write {} beside jcprof.json", usual_file)});
  if (options.max_regression && options.against.empty())
    throw UserError(
        Fault{.message = "--max-regression compares with a baseline", .hint = "name it: --against BASE"});
}

ExitCode told(const annotator::CheckReport& report, const CheckOptions& options) {
  fmt::print("{}", written(report, options));
  return code_for(annotator::holding_of(report.checked));
}

/// A budget that a device does not know names it.
std::vector<Checked> checked_on(const std::string& device, const std::vector<annotator::Budget>& budgets,
                                const annotator::Compared& session) {
  try {
    return annotator::check_budgets(budgets, session, nullptr);
  } catch (const UserError& error) {
    std::vector<Fault> faults = error.faults();
    for (Fault& fault : faults) fault.message = fmt::format("{}: {}", device, fault.message);
    throw UserError(std::move(faults), error.exit_code());
  }
}

/// Each budget on all devices.
ExitCode check_fleet(const std::vector<annotator::Budget>& budgets, const CheckOptions& options) {
  if (!options.against.empty() || !options.history.empty())
    throw UserError(Fault{.message = "--against and --history are of one device, not of a fleet",
                          .hint = "name the profile of a device: FLEET/NAME/profile.jcprof"});
  if (const auto change = std::ranges::find_if(budgets, is_of_change); change != budgets.end())
    throw UserError(Fault{.message = fmt::format("budget \"{}\": a fleet has no baseline", change->text),
                          .hint = "a change is of one device: name FLEET/NAME/profile.jcprof, and --against "
                                  "its baseline"});
  const FleetSide side(options.profile);
  std::vector<annotator::LeftOut> left_out = side.left_out();
  const std::vector<annotator::Member> members = annotator::sifted(side.members(), left_out);
  std::vector<annotator::Compared> compared;
  std::vector<std::vector<Checked>> devices;
  for (const annotator::Member& member : members) {
    compared.push_back({member.profile, side.map_of(member)});
    devices.push_back(checked_on(member.name, budgets, compared.back()));
    for (Checked& checked : devices.back()) checked.device = member.name;
  }
  annotator::CheckReport report{.run = compared.front().profile.run,
                                .entry = annotator::sarif::entry_of(compared.front().profile),
                                .warnings = lost_events(compared)};
  for (const annotator::LeftOut& one : left_out) {
    devices.push_back(annotator::unresolved_on(one.name, one.why, devices.front()));
    report.warnings.push_back(fmt::format("{} is left out: {}", one.name, one.why));
  }
  constexpr double rounding = 1e-9;
  const double may_break = 1 - options.devices_share.value_or(100) / 100;
  report.checked = annotator::worst_of(
      devices, static_cast<std::size_t>(may_break * static_cast<double>(devices.size()) + rounding));
  return told(report, options);
}

}  // namespace

ExitCode check(const CheckOptions& options) {
  const std::vector<annotator::Budget> budgets = budgets_of(options);
  refuse_without_budgets(budgets, options);
  if (is_fleet(options.profile)) return check_fleet(budgets, options);
  if (options.devices_share)
    throw UserError(Fault{.message = "--devices-share is of a fleet",
                          .hint = "name a fleet.json, or the folder that holds one"});
  if (!options.history.empty()) refuse_without_value(budgets);
  const Side side(options.profile);
  const std::vector<annotator::Compared> compared = side.compared();
  annotator::check_side(compared);
  std::optional<annotator::Comparison> comparison;
  if (!options.against.empty())
    comparison = annotator::compare(Side(options.against, &side).compared(), compared);
  std::vector<std::vector<Checked>> sessions;
  for (const annotator::Compared& session : compared)
    sessions.push_back(annotator::check_budgets(budgets, session, comparison ? &*comparison : nullptr));
  if (!options.history.empty()) add_entry(options, compared.front(), sessions);
  if (options.max_regression)
    sessions.push_back(annotator::check_regressions(*comparison, *options.max_regression / 100));
  annotator::CheckReport report{.run = compared.front().profile.run,
                                .entry = annotator::sarif::entry_of(compared.front().profile),
                                .checked = annotator::worst_of(sessions),
                                .warnings = comparison ? comparison->warnings : std::vector<std::string>{}};
  const std::vector<std::string> lost = lost_events(compared);
  report.warnings.insert(report.warnings.end(), lost.begin(), lost.end());
  return told(report, options);
}

}  // namespace jcprof::cli
