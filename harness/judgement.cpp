// SPDX-License-Identifier: Apache-2.0
#include "harness/judgement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "harness/unresolved.hpp"
#include "src/engine/schedule.hpp"

namespace jcprof::harness {
namespace {

std::string points(double share) {
  return fmt::format("{:g} points", 100 * share);
}

std::optional<Warning> warning_of_warm_up(const engine::Engine& engine) {
  const std::string moved = engine.pilot() && !engine.pilot()->steady && engine.pilot()->drift > 0
                                ? fmt::format(": it still moved by {:.1f} %", 100 * engine.pilot()->drift)
                                : "";
  if (engine.has_cut_warm_up())
    return Warning{WarningKind::unsteady,
                   "the target did not show itself steady in the part of --max-time or --max-shots that may "
                   "warm it up" +
                       moved +
                       ". Measuring began all the same, and times may hold what it does until it is warm",
                   "a larger --max-time or --max-shots, or a shorter command, lets it warm up"};
  if (!engine.pilot() || engine.pilot()->steady) return std::nullopt;
  return Warning{WarningKind::unsteady, "the target never got steady in the warm-up" + moved,
                 "look for what else runs on it, or for a command that leaves more behind each time"};
}

std::optional<Warning> warning_of_trend(const engine::Engine& engine) {
  const double trend = engine.assumptions().trend;
  if (trend == 0) return std::nullopt;
  return Warning{
      WarningKind::unsteady,
      fmt::format("the command got {:.0f} % {} while it was measured. If only some lines did, their times "
                  "are in between, and the shares of all lines are off",
                  100 * std::abs(trend), trend > 0 ? "slower" : "faster"),
      trend > 0 ? "a session that undoes what a command leaves behind (before_each, reset) makes it the "
                  "same each time"
                : "`jcprof run --fresh` measures anew now that the target is warm"};
}

std::optional<Warning> warning_of_memory(const engine::Engine& engine, double absolute) {
  const engine::Memory found = engine.assumptions().memory;
  const bool is_moved = found.moves > 0;
  if (!is_moved && !engine.is_prepared()) return std::nullopt;
  const double share = is_moved ? found.moves / engine.look()->whole : 0;
  const bool is_prepared = is_moved ? found.lasts : engine.is_prepared();
  const bool is_void = share > absolute;
  std::string text = "the time of a command depends on the one before it";
  if (is_prepared)
    text += is_void ? ", also with a whole command before each stop"
                    : ": a whole command was made before each stop, and times are as after one";
  else
    text += ", and the run ended before it could make a whole command before each stop";
  if (is_moved)
    text += fmt::format(". It moves times within the command by up to {:.2g} points", 100 * share);
  if (is_void) text += ": none of them holds";
  const std::string undo = "a session that undoes what a command leaves behind (before_each, reset) ";
  return Warning{is_void ? WarningKind::memory : WarningKind::prepared, text,
                 is_prepared ? undo + (is_void ? "makes it the same each time" : "takes half the shots")
                             : "`jcprof run` measures on in that way; " + undo + "takes half the shots"};
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
  return fmt::format("about {} rounds, {} shots, {} to \u00b1{}", plan.rounds, plan.shots,
                     time_text(plan.time), points(plan.precision));
}

std::vector<Warning> judge(const engine::Engine& engine, const MeasureGoal& goal, ClockUnit unit) {
  const engine::Precision& precision = goal.precision;
  std::vector<Warning> warnings;
  const auto warn = [&](WarningKind kind, std::string text, std::string advice) {
    warnings.push_back({kind, std::move(text), std::move(advice)});
  };
  if (const auto unsteady = warning_of_warm_up(engine)) warnings.push_back(*unsteady);
  if (const auto& pilot = engine.pilot(); pilot && pilot->grid > 0)
    warn(WarningKind::grid,
         fmt::format("answers come on a grid of {}: about {:.0f} rounds give \u00b1{}",
                     in_unit(pilot->grid, unit), std::ceil(engine::rounds_needed(*pilot, precision)),
                     points(precision.absolute)),
         "another reader or driver may answer at once; shots are paused at random to see between the steps");
  else if (engine.clock().method == Method::coarse)
    warn(WarningKind::coarse_clock,
         fmt::format("the clock ticks every {}, which hides the noise", in_unit(engine.clock().tick, unit)),
         "a finer clock needs fewer shots; means are taken where medians would be steps");
  const engine::Assumptions found = engine.assumptions();
  if (const double period = found.locked_grid; period > 0)
    warn(WarningKind::locked_grid,
         fmt::format("answers come at whole steps of {} from the start of each command. Differences are such "
                     "steps: no time within the command holds",
                     in_unit(period, unit)),
         "a driver that sleeps between its looks for the answer, or a timer of the target's, does that: use "
         "another one, or have it look at once");
  if (const auto trend = warning_of_trend(engine)) warnings.push_back(*trend);
  if (const auto memory = warning_of_memory(engine, precision.absolute)) warnings.push_back(*memory);
  const auto& look = engine.look();
  const bool has_ended = engine.next().phase == engine::Phase::done;
  // Lines and functions are told by their names (unresolved.hpp).
  const bool is_by_blocks = engine.figures().empty();
  if (!goal.fixed && has_ended && is_by_blocks && look && look->settled < look->blocks.size())
    warn(WarningKind::precision,
         fmt::format("{} of {} blocks are not known to \u00b1{} or {:g} %",
                     look->blocks.size() - look->settled, look->blocks.size(), points(precision.absolute),
                     100 * precision.relative),
         "`jcprof run` measures on from there; or choose a larger --absolute");
  if (look && look->is_bimodal)
    warn(WarningKind::bimodal, "readings come in two heaps",
         "a transport or a target with two states; the report shows the distribution of each line, and its "
         "mean");
  return warnings;
}

void join(std::vector<Warning>& warnings, std::vector<Warning> judged) {
  const auto is_unsteady = [](const Warning& one) { return one.kind == WarningKind::unsteady; };
  if (std::ranges::any_of(judged, is_unsteady)) std::erase_if(warnings, is_unsteady);
  std::ranges::move(judged, std::back_inserter(warnings));
}

}  // namespace jcprof::harness
