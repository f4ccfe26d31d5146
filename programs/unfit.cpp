// SPDX-License-Identifier: Apache-2.0
#include "programs/unfit.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/measured_path.hpp"
#include "harness/judgement.hpp"
#include "programs/record_project.hpp"
#include "programs/refine.hpp"
#include "src/core/shell_words.hpp"

namespace jcprof::cli {
namespace {

std::string cause(const annotator::Profile& profile) {
  const bool varies =
      std::ranges::find(profile.noted, WarningKind::path_varies, &Warning::kind) != profile.noted.end();
  if (varies) return "its runs take different paths, and too few shots show which one";
  return fmt::format("{} rounds of {} stops are too few for an interval", profile.rounds,
                     profile.blocks.size() + 1);
}

std::string better(const Project& project) {
  const std::string_view fewer =
      "more time (\"max_time\"), a coarser \"level\", or fewer functions (\"include\") in jcprof.json";
  if (project.target == TargetKind::applet)
    return fmt::format("{}; of a command that varies, \"before_each\" in \"session\"", fewer);
  return fmt::format("{}; else {}", tool_of_one_run(project), fewer);
}

std::string with_tool(const Project& project, std::string_view besides) {
  return fmt::format("{}; or give the command {}", tool_of_one_run(project), besides);
}

Fault too_long(const PathLook& look, FewerTraps fewer, const Project& project) {
  const std::string_view though =
      fewer == FewerTraps::none ? "also with as few as can be" : "also after several builds with fewer";
  return {.message = look.path.events.empty()
                         ? fmt::format(
                               "the command ends within its \"timeout\" without traps, but not with them, {}",
                               though)
                         : fmt::format("the command passes {} traps, {}: that is too many to stop at",
                                       look.path.length(), though),
          .hint = with_tool(project, "less work. --rounds measures its beginning all the same")};
}

}  // namespace

bool can_be_recorded(const Project& project) {
  if (project.target == TargetKind::program) return is_started_anew(project);
  return project.target != TargetKind::applet;
}

ProfileWish wish_of(const Project& project) {
  return {.asks_for_shots = project.measure.max_shots.has_value()};
}

bool records_by_itself(const Project& project, const ProfileWish& wish) {
  return project.target == TargetKind::program && is_started_anew(project) &&
         (wish.transport.empty() || wish.transport.starts_with("exec:"));
}

bool is_recorded_if_long(const Project& project, const ProfileWish& wish) {
  return !wish.asks_for_shots && records_by_itself(project, wish);
}

std::string tool_of_one_run(const Project& project) {
  if (project.target == TargetKind::applet) return "";
  const std::string perf = project.target == TargetKind::program ? "perf" : "";
  const std::string record = can_be_recorded(project) ? fmt::format("`jcprof record --project {}`",
                                                                    shell_word(project.file.string()))
                                                      : "";
  return fmt::format("{}{}{} tells in one run", record, record.empty() || perf.empty() ? "" : " or ", perf);
}

std::optional<Fault> unfit(const annotator::Profile& profile, const Project& project) {
  const auto tells = [](const annotator::LineEstimate& line) {
    return annotator::was_measured(line.cost) || line.cost.unreliable;
  };
  if (profile.lines.empty() || std::ranges::any_of(profile.lines, tells)) return std::nullopt;
  return Fault{.message = "no line of the command has a time: " + cause(profile), .hint = better(project)};
}

std::optional<Fault> hidden_by_noise(const annotator::Profile& profile, const Project& project) {
  const auto tells = [](const annotator::FunctionEstimate& function) {
    return function.exclusive.resolved || function.exclusive.unreliable;
  };
  if (profile.functions.empty() || std::ranges::any_of(profile.functions, tells)) return std::nullopt;
  return Fault{
      .message = fmt::format("the noise of {} rounds hides every function's own time", profile.rounds),
      .hint = better(project)};
}

std::optional<Fault> unfit(const Shortening& shortening, const Project& project) {
  if (!loses_functions(shortening)) return std::nullopt;
  std::vector<std::string> names;
  for (const LeftOutFunction& one : shortening.left_out) names.push_back(one.function);
  if (names.empty())
    return Fault{.message = "the command ends within its \"timeout\" without traps, but not with them",
                 .hint = with_tool(project, "less work")};
  return Fault{.message = fmt::format("the command passes {} traps: that is too many to stop at, and without "
                                      "traps in {} what is hot could not be seen",
                                      shortening.events, list_of(std::move(names))),
               .hint = with_tool(project, "less work. --rounds measures it without these all the same")};
}

std::optional<Fault> unfit(const PathLook& look, FewerTraps fewer, const Project& project) {
  const FirstContact& contact = look.contact;
  if (contact.threads)
    return Fault{.message = contact.threads->text,
                 .hint = with_tool(project, "one thread. --rounds measures the first one all the same")};
  if (look.path.state == harness::PathState::cut) return too_long(look, fewer, project);
  if (contact.whole_ns != 0 && (contact.whole_ns <= short_ns || is_hidden(contact)))
    return Fault{.message = fmt::format(
                     "the command takes {}{}, and {} of it behind its entry: that is too little to be "
                     "timed from outside",
                     harness::in_unit(contact.whole_ns, ClockUnit::ns),
                     project.trigger.clock == ProgramClock::cpu ? " of processor time" : "",
                     harness::in_unit(std::max(contact.behind_ns, 0.0), ClockUnit::ns)),
                 .hint = with_tool(project, "more work. --rounds measures it all the same")};
  const double stops_s = seconds_to_measure(contact) / 2;  // shots end at their stops, on average halfway
  const std::optional<std::chrono::milliseconds> limit = project.measure.max_time;
  if (!limit || stops_s <= std::chrono::duration<double>(*limit).count()) return std::nullopt;
  return Fault{.message = fmt::format("a run of the command takes {:.2g} s: to measure it with stops takes "
                                      "about {:.0f} s, more than \"max_time\"",
                                      contact.shot_s, stops_s),
               .hint = with_tool(project, "less work. --max-time or --rounds measures it all the same")};
}

std::optional<Fault> not_measured(const PathLook& look, FewerTraps fewer, const Project& project,
                                  const ProfileWish& wish) {
  if (project.target != TargetKind::program || wish.asks_for_shots) return std::nullopt;
  Project asked = project;
  if (wish.asks_for_time || !records_by_itself(project, wish)) asked.measure.max_time.reset();
  return unfit(look, fewer, asked);
}

std::optional<Fault> not_measured(const Shortening& shortening, const Project& project,
                                  const ProfileWish& wish) {
  if (!is_recorded_if_long(project, wish)) return std::nullopt;
  return unfit(shortening, project);
}

}  // namespace jcprof::cli
