// SPDX-License-Identifier: Apache-2.0
#include "annotator/record/profile.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

Estimate cost_of(const StoredEstimate& row) {
  return {.ticks = {row.ticks, row.low, row.high},
          .share = {row.share, row.share_low, row.share_high},
          .raw = row.raw,
          .rounds = row.rounds,
          .resolved = row.resolved,
          .of_one_run = row.rounds == 1};
}

Estimate inclusive_of(const StoredEstimate& row, double total) {
  const auto share = [total](double ticks) { return total > 0 ? ticks / total : 0; };
  return {.ticks = {row.inclusive, row.inclusive_low, row.inclusive_high},
          .share = {share(row.inclusive), share(row.inclusive_low), share(row.inclusive_high)},
          .raw = row.inclusive,
          .rounds = row.rounds,
          // A count of 0 is no bound.
          .resolved = row.inclusive_low == row.inclusive_high ||
                      is_resolved({row.inclusive, row.inclusive_low, row.inclusive_high}),
          .of_one_run = row.rounds == 1};
}

/// `time` is of all calls or passes.
std::optional<Spread> spread_of(const StoredEstimate& row, double time) {
  if (!row.least || !row.most || !row.q50 || !row.q95 || !row.q99) return std::nullopt;
  return Spread{.average = row.mean.value_or(time / static_cast<double>(row.hits)),
                .least = *row.least,
                .most = *row.most,
                .q50 = *row.q50,
                .q95 = *row.q95,
                .q99 = *row.q99};
}

using FunctionPlace = std::tuple<std::string_view, std::string_view, std::size_t>;

/// Time away by function; empty where the log does not tell. Namesakes at one place cannot be told apart.
std::map<FunctionPlace, double> away_of(const StoredRecording& recording) {
  std::map<FunctionPlace, double> away;
  const auto tells = [](const StoredThread& thread) { return thread.away.has_value(); };
  if (std::ranges::none_of(recording.threads, tells)) return away;
  std::map<FunctionPlace, std::set<std::uint32_t>> symbols;
  for (const StoredCall& call : recording.calls) {
    const StoredSymbol& symbol = recording.symbols.at(call.symbol);
    const FunctionPlace place{symbol.name, symbol.path, symbol.line};
    away[place] += call.away;
    symbols[place].insert(call.symbol);
  }
  std::erase_if(away, [&](const auto& of_place) { return symbols[of_place.first].size() > 1; });
  return away;
}

std::vector<SourceDigest> sources_of(const RecordedRun& recorded) {
  std::vector<SourceDigest> sources = recorded.map.sources;
  std::set<std::string> known{""};
  for (const SourceDigest& source : sources) known.insert(source.path);
  for (const StoredEstimate& row : recorded.estimates)
    if (row.scope == EstimateScope::function && known.insert(row.path).second)
      sources.push_back({.path = row.path});
  return sources;
}

double total_of(const std::vector<StoredEstimate>& estimates) {
  const auto total = std::ranges::find(estimates, EstimateScope::total, &StoredEstimate::scope);
  return total == estimates.end() ? 0 : total->ticks;
}

/// Lines none of whose traps was passed. Where events were lost or left out nobody knows.
std::vector<UnreachedLine> unreached(const RecordedRun& recorded) {
  const auto is_paused = [](const StoredThread& thread) { return thread.paused > 0; };
  if (recorded.lost > 0 || std::ranges::any_of(recorded.recording.threads, is_paused)) return {};
  std::set<std::pair<std::string_view, std::size_t>> lines;
  std::set<std::string_view> functions;
  for (const StoredEstimate& row : recorded.estimates) {
    if (row.scope == EstimateScope::line) lines.emplace(row.path, row.line);
    if (row.scope == EstimateScope::function) functions.insert(row.function);
  }
  std::vector<UnreachedLine> found;
  for (const Trap& trap : recorded.map.traps) {
    // Closing braces are not lines that a reader asks about; and what runs behind these others belongs to
    // another line or to the caller.
    const bool is_end = trap.kind == TrapKind::after || trap.kind == TrapKind::exit;
    const bool is_edge = trap.kind == TrapKind::entry || trap.kind == TrapKind::entry0 ||
                         trap.kind == TrapKind::returns || trap.kind == TrapKind::marker;
    if (!is_end && !(is_edge && functions.contains(trap.function)) &&
        lines.emplace(trap.path, trap.line).second)
      found.push_back({.path = trap.path, .line = trap.line, .function = trap.function});
  }
  return found;
}

RecordedRun load(const Store& store, const RunInfo& run) {
  RecordedRun recorded{.info = run,
                       .map = store.traps(run.id),
                       .recording = store.recording(run.id),
                       .estimates = store.estimates(run.id),
                       .warnings = store.warnings(run.id)};
  for (const StoredThread& thread : recorded.recording.threads) {
    recorded.events += thread.events;
    recorded.lost += thread.lost;
  }
  return recorded;
}

/// Measurements of other tools have traps, and recordings of them have none.
bool is_recorded(const Store& store, const std::optional<RunInfo>& run) {
  return run && (run->transport == "record" || (is_imported(*run) && store.traps(run->id).traps.empty()));
}

}  // namespace

RecordedRun load_recorded_run(const Store& store) {
  const std::optional<RunInfo> run = store.last_run();
  if (!is_recorded(store, run))
    throw UserError(
        Fault{.message = "the newest run of the profile is a measurement, and gmon needs a recording",
              .hint = "`jcprof record` makes a recording; all other formats take both"});
  return load(store, *run);
}

Profile recorded_profile(const RecordedRun& recorded) {
  Profile profile;
  profile.run = recorded.info;
  profile.sources = sources_of(recorded);
  profile.language = recorded.map.language.empty() ? "c++" : recorded.map.language;
  profile.noted = recorded.warnings;
  for (const Warning& warning : recorded.warnings) profile.warnings.push_back(to_text(warning));
  profile.recorded = Recorded{
      .threads = recorded.recording.threads.size(), .events = recorded.events, .lost = recorded.lost};
  profile.tree = cost_tree(recorded.recording);
  profile.unreached = unreached(recorded);
  const double total = total_of(recorded.estimates);
  const std::map<FunctionPlace, double> away = away_of(recorded.recording);
  for (const StoredEstimate& row : recorded.estimates) {
    if (row.scope == EstimateScope::total) profile.total = cost_of(row);
    if (row.scope == EstimateScope::unattributed) profile.unattributed = cost_of(row).ticks;
    if (row.scope == EstimateScope::line)
      profile.lines.push_back({.path = row.path,
                               .line = row.line,
                               .function = row.function,
                               .hits = row.hits,
                               .cost = cost_of(row),
                               .spread = spread_of(row, row.ticks)});
    if (row.scope == EstimateScope::function) {
      const auto found = away.find({row.function, row.path, row.line});
      profile.functions.push_back(
          {.function = row.function,
           .path = row.path,
           .line = row.line,
           .calls = row.hits,
           .exclusive = cost_of(row),
           .inclusive = inclusive_of(row, total),
           .spread = spread_of(row, row.inclusive),
           .away = found == away.end() ? std::nullopt : std::optional(found->second)});
    }
  }
  return profile;
}

NewestRun newest_run(const Store& store) {
  const std::optional<RunInfo> run = store.last_run();
  if (is_recorded(store, run)) {
    RecordedRun recorded = load(store, *run);
    Profile profile = recorded_profile(recorded);
    return {std::move(profile), std::move(recorded.map), std::move(recorded.recording)};
  }
  RunData measured = load_newest_run(store);
  Profile profile = estimate(measured);
  return {.profile = std::move(profile), .map = std::move(measured.map), .recording = {}};
}

}  // namespace jcprof::annotator
