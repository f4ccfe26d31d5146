// SPDX-License-Identifier: Apache-2.0
#include "harness/class_survey.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/path.hpp"
#include "harness/survey_words.hpp"

namespace jcprof::harness {
namespace {

constexpr std::size_t traced_of_class = 16;
// Runs that agree with the first, before a path is taken for steady, if shots carry no signature.
constexpr std::size_t agreeing_runs = 11;

/// Each way that an input was seen to go.
void add_paths(std::vector<engine::ClassPath>& paths, std::size_t its_class, const TracedPath& path) {
  const bool is_whole = path.state != PathState::cut;
  for (const Variant& variant : path.variants)
    paths.push_back({.input_class = its_class, .traps = traps_of(variant.events), .is_whole = is_whole});
  if (path.variants.empty())
    paths.push_back({.input_class = its_class, .traps = traps_of(path.events), .is_whole = is_whole});
}

TraceLimits limits_for(const Sample& whole, std::size_t inputs) {
  TraceLimits limits;
  if (!whole.signature)
    limits.agreements_of_runs = static_cast<int>(std::max<std::size_t>(1, agreeing_runs / inputs));
  return limits;
}

/// The first inputs whose paths are not as they should be, by name.
struct OddPaths {
  std::string varying;
  std::string cut;
  bool is_any_trap_passed = false;

  void take(const StoredInput& input, const TracedPath& path) {
    if (path.state == PathState::varying && varying.empty()) varying = name_of_input(input);
    if (path.state == PathState::cut && cut.empty()) cut = name_of_input(input);
    is_any_trap_passed = is_any_trap_passed || !path.events.empty();
  }

  std::vector<Warning> warnings() const {
    std::vector<Warning> warnings;
    if (!varying.empty())
      warnings.push_back(
          {.kind = WarningKind::path_varies,
           .text = fmt::format("the path of {} varies from run to run, so that the paths of the "
                               "classes are not compared, and times only as far as all paths "
                               "are the same",
                               varying)});
    if (!cut.empty())
      warnings.push_back({.kind = WarningKind::path_cut,
                          .text = fmt::format("the path of {} is known only in its beginning: a place behind "
                                              "that is not found",
                                              cut)});
    if (!is_any_trap_passed)
      warnings.push_back({.kind = WarningKind::path_cut,
                          .text = "no input passes a trap: only whole commands are compared"});
    return warnings;
  }
};

/// Puts what the paths tell into the run.
void tell_paths(engine::LeakRun& run, const std::vector<engine::ClassPath>& paths, const OddPaths& odd) {
  if (odd.varying.empty()) run.partings = engine::partings_of(paths, run.classes.size());
  std::vector<TrapId> shared = paths.front().traps;
  shared.resize(engine::shared_events(paths));
  run.path = events_of(shared);
  run.is_whole = std::ranges::all_of(
      paths, [&](const engine::ClassPath& one) { return one.is_whole && one.traps.size() == shared.size(); });
  std::ranges::move(odd.warnings(), std::back_inserter(run.warnings));
}

}  // namespace

ClassSurvey survey_classes(Transport& transport, const std::vector<StoredInput>& inputs, engine::LeakRun& run,
                           const std::function<void()>& after_each) {
  ClassSurvey result;
  result.inputs.resize(run.classes.size());
  run.inputs.resize(run.classes.size());
  PathMemory memory;
  OddPaths odd;
  std::vector<engine::ClassPath> paths;
  for (const StoredInput& input : inputs) {
    const auto its_class =
        static_cast<std::size_t>(std::ranges::find(run.classes, input.input_class) - run.classes.begin());
    result.inputs[its_class].push_back(input.index);
    if (++run.inputs[its_class] > traced_of_class) {
      result.survey.good.push_back({.is_known = false});
      continue;
    }
    const Sample whole = full_run(transport, input.index);
    result.survey.good.push_back(answer_of(whole));
    TracedPath path = trace_path(transport, input.index, limits_for(whole, inputs.size()), memory);
    odd.take(input, path);
    add_paths(paths, its_class, path);
    result.survey.paths.push_back({.path = std::move(path), .inputs = {input.index}});
    after_each();
  }
  tell_paths(run, paths, odd);
  return result;
}

}  // namespace jcprof::harness
