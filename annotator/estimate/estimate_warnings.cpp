// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/estimate_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/estimate/unreliable.hpp"

namespace jcprof::annotator {
namespace {

// Part of all blocks together. A smaller one may come of what calibration leaves open where stops are dear.
constexpr double negative_share = 0.05;

void warn_of_paths(const Run& run, std::vector<std::string>& warnings) {
  const Readings& about = run.usual.about();
  std::set<std::uint32_t> traced;
  for (const TakenPath& path : run.paths) traced.insert(path.inputs.begin(), path.inputs.end());
  const auto untraced = std::ranges::count_if(
      run.data.inputs, [&](const StoredInput& input) { return !traced.contains(input.index); });
  if (run.paths.size() > 1)
    warnings.push_back(
        fmt::format("the command takes {} paths: lines and functions show the most frequent path ({:.0f} % "
                    "of the traced runs), and edges show all paths",
                    run.paths.size(), 100 * run.paths.front().rate));
  if (untraced > 0)
    warnings.push_back(fmt::format("jcprof leaves out {} of {} inputs: they have no path", untraced,
                                   run.data.inputs.size()));
  if (about.untraced > 0)
    warnings.push_back(
        fmt::format("jcprof leaves out {} shots: they took a path that no traced run took", about.untraced));
  if (about.other_status > 0)
    warnings.push_back(fmt::format("jcprof leaves out {} commands: their status was not {:04X}",
                                   about.other_status, about.status));
}

/// A stop may leave the target so that the next ones get to their places sooner (a file stays open, and
/// cannot be opened again). On the same path nothing else shows it.
void warn_of_negative(const Profile& profile, const Whole& whole, std::vector<std::string>& warnings) {
  if (is_unreliable(profile)) return;
  const auto is_beyond_noise = [&](const BlockEstimate& block) {
    const double half = block.cost.ticks.high;  // nothing more is left of what came out negative
    return std::isfinite(half) && -block.cost.raw > std::max(3 * half, negative_share * whole.blocks);
  };
  const auto first = std::ranges::find_if(profile.blocks, is_beyond_noise);
  if (first == profile.blocks.end()) return;
  warnings.push_back(
      fmt::format("{} times are negative by more than noise explains, the first one at {}:{}. A stop there "
                  "seems to change the next commands, so times behind it are wrong; undo that with "
                  "\"before_each\" or \"reset\" in \"session\"",
                  std::ranges::count_if(profile.blocks, is_beyond_noise), first->path, first->line));
}

std::string two_times(const Estimate& cost, ClockUnit unit) {
  return fmt::format("takes {} typically and {} on average", each(cost.ticks.value, unit),
                     each(cost.averages->mean.value, unit));
}

/// Single runs differ by so much that the one number which is shown is not what people may take it for.
void warn_of_means(const Profile& profile, std::vector<std::string>& warnings) {
  constexpr std::size_t most_named = 3;
  constexpr std::string_view reason = "single runs differ, and tables show the typical time";
  const auto differs = [](const Estimate& cost) { return cost.averages && cost.averages->differs; };
  const auto distance = [](const LineEstimate* line) {
    return std::abs(line->cost.averages->mean.value - line->cost.ticks.value);
  };
  std::vector<const LineEstimate*> lines;
  for (const LineEstimate& line : profile.lines)
    if (differs(line.cost)) lines.push_back(&line);
  std::ranges::stable_sort(lines, std::ranges::greater{}, distance);
  std::string places;
  for (std::size_t i = 0; i < std::min(most_named, lines.size()); ++i)
    places += fmt::format("{}{}:{} {}", i == 0 ? "" : ", ", lines[i]->path, lines[i]->line,
                          two_times(lines[i]->cost, profile.run.unit));
  if (lines.size() > most_named) places += fmt::format(", and {} more lines", lines.size() - most_named);
  if (!lines.empty()) warnings.push_back(fmt::format("{}: {}", places, reason));
  if (differs(profile.total))
    warnings.push_back(fmt::format("the command {}: {}", two_times(profile.total, profile.run.unit), reason));
}

void warn_of_what_is_missing(const Run& run, const Profile& profile, std::vector<std::string>& warnings) {
  if (run.usual.path().end() == 0)
    warnings.emplace_back("the run has no path, so jcprof knows only the time of the whole command");
  else if (std::ranges::all_of(profile.blocks, [](const auto& b) { return b.cost.rounds == 0; }))
    warnings.emplace_back("no line was measured yet; `jcprof run` resumes");
  else if (std::ranges::all_of(profile.blocks,
                               [](const auto& b) { return !was_measured(b.cost) && !b.cost.unreliable; }))
    warnings.push_back(
        fmt::format("{} rounds are too few for intervals; `jcprof run` adds rounds", profile.rounds));
  if (!profile.blocks.empty() && run.usual.stretches().all().front().begin > 0)
    warnings.emplace_back("the first events of the path were not measured, so their time counts as entry");
  const bool unwound = std::ranges::any_of(
      run.data.calibrations, [](const auto& c) { return c.kind == "frames" || c.kind == "unwind"; });
  if (!run.data.calibrations.empty() && !unwound && !stops_leap(run.data.map.language))
    warnings.emplace_back(
        "the cost of leaving a frame is not calibrated: lines in deep calls look too slow, and lines behind "
        "them too fast");
}

}  // namespace

std::vector<std::string> estimate_warnings(const Run& run, const Profile& profile, const Whole& whole) {
  std::vector<std::string> warnings;
  warn_of_paths(run, warnings);
  // A void run has its warning already.
  if (!run.data.is_void)
    std::ranges::move(warnings_of_unreliable(profile, {.map = run.data.map, .path = run.usual}),
                      std::back_inserter(warnings));
  warn_of_negative(profile, whole, warnings);
  warn_of_means(profile, warnings);
  warn_of_what_is_missing(run, profile, warnings);
  if (profile.trap_share > dear_traps)
    warnings.push_back(
        fmt::format("the traps take {:.0f} % of the measured time; choose fewer functions by \"include\", or "
                    "a coarser \"level\"",
                    100 * profile.trap_share));
  return warnings;
}

}  // namespace jcprof::annotator
