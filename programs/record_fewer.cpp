// SPDX-License-Identifier: Apache-2.0
#include "programs/record_fewer.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "annotator/record/profile.hpp"
#include "programs/output.hpp"
#include "programs/refine.hpp"
#include "programs/verbs.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

// Each is a build and a run.
constexpr int most_lighter_recordings = 2;

void say(const RecordOptions& options, const std::string& text) {
  if (!options.quiet) fmt::print("{}", text);
}

/// The file is closed again before another recording writes it.
annotator::RecordedRun recorded_in(const OutputFolder& folder) {
  const Store store(folder.path() / "profile.jcprof", OpenMode::read_only);
  return annotator::load_recorded_run(store);
}

/// False: it failed. The recording before stays then, and if this throws.
bool record_again(const Project& project, const OutputFolder& folder, const RecordOptions& options) {
  const std::filesystem::path profile = folder.path() / "profile.jcprof";
  const std::filesystem::path before = folder.path() / "profile.before";
  std::filesystem::copy_file(profile, before, std::filesystem::copy_options::overwrite_existing);
  try {
    record_project_in(folder, project, options);
  } catch (...) {
    std::filesystem::rename(before, profile);
    throw;
  }
  const bool is_there = std::filesystem::exists(profile);
  if (is_there)
    std::filesystem::remove(before);
  else
    std::filesystem::rename(before, profile);
  return is_there;
}

/// Threads that are not the entry's pass traps that no traced path has. If these are too many at statements,
/// records again at functions.
void record_at_functions(const Project& project, const OutputFolder& folder, RecordOptions& options) {
  const annotator::RecordedRun recorded = recorded_in(folder);
  if (!is_hidden_by_recording(recorded)) return;
  const std::string what =
      recorded.lost > 0 ? "to record all statements loses events: traps stay at functions"
                        : "to record all statements takes longer than the command: traps stay at functions";
  say(options, fmt::format("record: {}\n", what));
  RecordOptions fewer = options;
  fewer.functions_only = true;
  fewer.note += "; " + what;
  if (record_again(project, folder, fewer)) options = std::move(fewer);
}

/// If recording small functions hides the others, records again without them. That may show others.
void record_lighter(const Project& project, const OutputFolder& folder, RecordOptions options) {
  const std::string why = options.note;
  const annotator::RecordedRun first = recorded_in(folder);
  annotator::RecordedRun recorded = first;
  std::vector<std::string> small;
  for (int i = 0; i < most_lighter_recordings; ++i) {
    const std::vector<std::string> more = not_worth_recording(recorded);
    if (more.empty()) return;
    std::ranges::copy(more, std::back_inserter(small));
    const auto holders = callers_of({small.begin(), small.end()}, first);
    const std::vector<std::string> callers(holders.begin(), holders.end());
    const auto what = [](const std::string& names, const std::string& of_callers) {
      return fmt::format(
          "the calls of {} take less time than to record them: they are left out, and their time is their "
          "callers'{}",
          names, of_callers.empty() ? "" : fmt::format(" ({})", of_callers));
    };
    say(options, harmless(fmt::format("record: {}\n", what(list_of(small), list_of(callers)))));
    std::ranges::transform(more, std::back_inserter(options.exclude), pattern_of);
    // The profile keeps them all: who looks for one of them finds it.
    options.note = fmt::format(
        "{}; {}", why,
        what(fmt::format("{}", fmt::join(small, ", ")), fmt::format("{}", fmt::join(callers, ", "))));
    if (!record_again(project, folder, options)) return;
    recorded = recorded_in(folder);
  }
}

}  // namespace

void record_with_fewer_traps(const Project& project, const OutputFolder& folder, RecordOptions options) {
  const bool is_finer = project.profile.level > TrapLevel::function;
  try {
    if (is_finer && !options.functions_only) record_at_functions(project, folder, options);
    if (options.functions_only || !is_finer) record_lighter(project, folder, options);
  } catch (const UserError& error) {
    for (const Fault& fault : error.faults()) fmt::print(stderr, "warning: {}\n", harmless(render(fault)));
  }
}

}  // namespace jcprof::cli
