// SPDX-License-Identifier: Apache-2.0
#include "harness/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "harness/unresolved.hpp"
#include "src/engine/schedule.hpp"

namespace jcprof::harness {
namespace {

constexpr std::string_view undo =
    "undo what a command leaves behind, with \"before_each\" or \"reset\" in \"session\"";

std::string points(double share) {
  return fmt::format("{:g} points", 100 * share);
}

std::optional<Warning> warning_of_warm_up(const engine::Engine& engine) {
  const std::string moved = engine.pilot() && !engine.pilot()->steady && engine.pilot()->drift > 0
                                ? fmt::format(" (times still moved by {:.1f} %)", 100 * engine.pilot()->drift)
                                : "";
  if (engine.has_cut_warm_up())
    return Warning{WarningKind::unsteady,
                   "--max-time or --max-shots ended the warm-up before the target was steady" + moved +
                       ". Times may include what it does only until it is warm",
                   "allow more time or shots, or give the command less work"};
  if (!engine.pilot() || engine.pilot()->steady) return std::nullopt;
  return Warning{
      WarningKind::unsteady, "the target did not become steady in the warm-up" + moved,
      "end other work on it; if each command leaves more behind, undo that with \"before_each\" in "
      "\"session\""};
}

std::optional<Warning> warning_of_trend(double trend) {
  if (trend == 0) return std::nullopt;
  return Warning{
      WarningKind::trend,
      fmt::format("the command got {:.0f} % {} while it was measured. If only some lines did, their times "
                  "are in between, and the shares of all lines are off",
                  100 * std::abs(trend), trend > 0 ? "slower" : "faster"),
      std::string(trend > 0 ? undo : "`jcprof run --fresh` measures anew now that the target is warm")};
}

std::optional<Warning> warning_of_memory(const engine::Engine& engine, const engine::Memory& found,
                                         const MeasureGoal& goal) {
  const bool is_moved = found.moves > 0;
  if (!is_moved && !engine.is_prepared()) return std::nullopt;
  const double share = is_moved ? found.moves / engine.look()->whole : 0;
  const bool is_prepared = is_moved ? found.lasts : engine.is_prepared();
  const bool is_void = share > goal.precision.absolute;
  std::string text = "the time of a command depends on the command before it";
  if (is_prepared)
    text += is_void
                ? ", even with a whole command before each stop"
                : ". jcprof runs a whole command before each stop, and times are those after a whole command";
  else
    text += ", and the run ended before jcprof could run a whole command before each stop";
  if (is_moved) text += fmt::format(". Times within the command are off by up to {:.2g} points", 100 * share);
  if (is_void) text += ", so none of them is reliable";
  if (!is_prepared && !goal.is_session) text += ". `jcprof run` resumes in that way";
  return Warning{is_void ? WarningKind::memory : WarningKind::prepared, text,
                 fmt::format("{}{}", undo, is_prepared && is_void ? "" : ": that takes half the shots")};
}

}  // namespace

std::string in_unit(double ticks, ClockUnit unit) {
  if (unit != ClockUnit::ns) return fmt::format("{:.4g} {}", ticks, name_of(unit));
  if (ticks >= 1e6) return fmt::format("{:.4g} ms", ticks / 1e6);
  if (ticks >= 1e3) return fmt::format("{:.4g} us", ticks / 1e3);
  return fmt::format("{:.4g} ns", ticks);
}

Plan plan_for(const engine::Pilot& pilot, const engine::Precision& precision, const Means& means) {
  const double needed = engine::rounds_needed(pilot, precision);
  Plan plan{.precision = precision.absolute};
  if (!std::isfinite(needed)) return plan;
  plan.rounds = static_cast<std::uint64_t>(std::ceil(std::clamp(needed, double{engine::first_look}, 1e9)));
  plan.shots = plan.rounds * means.stops;
  const auto time = static_cast<double>(plan.shots) * means.per_shot;
  plan.time = std::chrono::ceil<std::chrono::seconds>(time);
  if (plan.rounds > means.most_rounds)
    plan.out_of_reach = fmt::format("a call makes at most {} rounds", means.most_rounds);
  else if (means.shots && plan.shots > *means.shots)
    plan.out_of_reach = fmt::format("--max-shots leaves {}", *means.shots);
  else if (means.time && time > *means.time)
    plan.out_of_reach = fmt::format("--max-time leaves {}",
                                    time_text(std::chrono::duration_cast<std::chrono::seconds>(*means.time)));
  return plan;
}

std::string to_text(const Plan& plan) {
  return fmt::format("\u00b1{} for each line takes about {} ({} rounds, {} shots)", points(plan.precision),
                     time_text(plan.time), plan.rounds, plan.shots);
}

Warning warning_of_grid(const engine::Pilot& pilot, const engine::Precision& precision, ClockUnit unit) {
  std::string text =
      fmt::format("answers come only every {}. jcprof pauses at random to see between these steps",
                  in_unit(pilot.grid, unit));
  if (const double needed = engine::rounds_needed(pilot, precision); std::isfinite(needed))
    text +=
        fmt::format(": \u00b1{} takes about {:.0f} rounds", points(precision.absolute), std::ceil(needed));
  return {WarningKind::grid, text, "try another reader or driver, which may answer at once"};
}

std::vector<Warning> judge(const engine::Engine& engine, const MeasureGoal& goal, ClockUnit unit) {
  const engine::Precision& precision = goal.precision;
  std::vector<Warning> warnings;
  const auto warn = [&](WarningKind kind, std::string text, std::string advice) {
    warnings.push_back({kind, std::move(text), std::move(advice)});
  };
  if (const auto unsteady = warning_of_warm_up(engine)) warnings.push_back(*unsteady);
  const engine::Assumptions found = engine.assumptions();
  if (const double period = found.locked_grid; period > 0)  // pauses do not help
    warn(
        WarningKind::locked_grid,
        fmt::format("answers come only at whole steps of {} from the start of each command. Times within the "
                    "command are such steps too, so none of them is reliable",
                    in_unit(period, unit)),
        "use another driver or timer: one that sleeps between two polls for the answer causes this");
  else if (const auto& pilot = engine.pilot(); pilot && pilot->grid > 0)
    warnings.push_back(warning_of_grid(*pilot, precision, unit));
  else if (engine.clock().method == Method::coarse)
    warn(WarningKind::coarse_clock,
         fmt::format("the clock ticks only every {}, so jcprof takes means instead of medians",
                     in_unit(engine.clock().tick, unit)),
         "use a finer clock: it needs fewer shots");
  if (const auto trend = warning_of_trend(found.trend)) warnings.push_back(*trend);
  if (const auto memory = warning_of_memory(engine, found.memory, goal)) warnings.push_back(*memory);
  const auto& look = engine.look();
  const bool has_ended = engine.next().phase == engine::Phase::done;
  // unresolved.hpp names lines and functions.
  const bool is_by_blocks = engine.figures().empty();
  if (!goal.fixed && has_ended && is_by_blocks && look && look->settled < look->blocks.size())
    warn(WarningKind::precision,
         fmt::format("{} of {} pieces of code are not known to \u00b1{} or {:g} %",
                     look->blocks.size() - look->settled, look->blocks.size(), points(precision.absolute),
                     100 * precision.relative),
         more_rounds_by(goal.is_session) + "; or choose a larger --absolute");
  if (look && look->is_bimodal)
    warn(WarningKind::bimodal, "the same code takes one of two times, a short or a long one",
         "look for two states of the target or of the way to it; the report shows both times of each line, "
         "and "
         "their mean");
  return warnings;
}

void join(std::vector<Warning>& warnings, std::vector<Warning> judged) {
  const auto is_unsteady = [](const Warning& one) { return one.kind == WarningKind::unsteady; };
  if (std::ranges::any_of(judged, is_unsteady)) std::erase_if(warnings, is_unsteady);
  std::ranges::move(judged, std::back_inserter(warnings));
}

}  // namespace jcprof::harness
