// SPDX-License-Identifier: Apache-2.0
#include "harness/earlier_rounds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/shooter.hpp"

namespace jcprof::harness {
namespace {

class StoredRounds {
 public:
  explicit StoredRounds(std::span<const StoredSample> samples) {
    // A round that was measured again counts as it was the last time.
    for (const StoredSample& sample : samples)
      if (sample.round != warm_up_round)
        rounds_[sample.round].insert_or_assign(sample.asked, sample);
      else if (sample.asked == Event{})
        wholes_.insert(sample.sequence);
      else
        ahead_.emplace(sample.sequence, sample);
  }

  /// Before each stop of the round a whole command was made, which is of no round. A command that was made
  /// again after a loss comes before few, and an end of the path has its neighbour ahead.
  bool is_prepared(std::uint32_t round) const {
    const std::vector<StoredSample> samples = samples_of(round);
    const auto has_whole_ahead = [&](const StoredSample& sample) {
      return sample.sequence > 0 && wholes_.contains(sample.sequence - 1);
    };
    return 2 * static_cast<std::size_t>(std::ranges::count_if(samples, has_whole_ahead)) > samples.size();
  }

  /// The command right before it, if that was stopped and is of no round.
  std::optional<StoredSample> ahead_of(const StoredSample& sample) const {
    const auto found = sample.sequence > 0 ? ahead_.find(sample.sequence - 1) : ahead_.end();
    return found != ahead_.end() ? std::optional(found->second) : std::nullopt;
  }

  std::uint32_t last() const { return rounds_.empty() ? 0 : rounds_.rbegin()->first; }

  std::vector<StoredSample> samples_of(std::uint32_t round) const {
    std::vector<StoredSample> samples;
    if (const auto found = rounds_.find(round); found != rounds_.end())
      for (const auto& [event, sample] : found->second) samples.push_back(sample);
    return samples;
  }

  /// The last two rounds are twins, and whole.
  bool ends_in_twins() const {
    if (last() % 2 == 1) return false;
    const std::vector<StoredSample> one = samples_of(last() - 1);
    const std::vector<StoredSample> other = samples_of(last());
    return std::ranges::equal(one, other, [](const StoredSample& a, const StoredSample& b) {
      return a.asked == b.asked && a.input == b.input;
    });
  }

 private:
  std::map<std::uint32_t, std::map<Event, StoredSample>> rounds_;
  std::set<std::uint64_t> wholes_;               // sequences of whole commands that are of no round
  std::map<std::uint64_t, StoredSample> ahead_;  // by sequence, those that were stopped
};

/// The rounds of one path.
struct PathRounds {
  std::vector<engine::RoundReadings> readings;
  std::vector<std::uint32_t> numbers;  // in the store
  std::size_t prepared_from = engine::EarlierRounds::no_round;
};

bool is_of(const PathMeasurement& path, const std::vector<StoredSample>& round) {
  const std::vector<std::uint32_t>& inputs = path.stops.inputs();
  return !round.empty() && std::ranges::find(inputs, round.front().input) != inputs.end();
}

/// Where a stop had another one ahead, that comes right before it here too.
engine::RoundReadings round_of(const PathMeasurement& path, const StoredRounds& stored,
                               const std::vector<StoredSample>& samples) {
  engine::RoundReadings round = path.stops.round_of(samples);
  for (const StoredSample& sample : samples) {
    const std::optional<StoredSample> ahead = stored.ahead_of(sample);
    if (!ahead) continue;
    engine::RoundReadings far = path.stops.round_of({&*ahead, 1});
    const engine::RoundReadings own = path.stops.round_of({&sample, 1});
    if (far.empty() || own.empty()) continue;
    far.front().prepares = true;
    round.insert(std::ranges::find(round, own.front().stop, &engine::StopReading::stop), far.front());
  }
  return round;
}

/// Up to the round `last`; in whole twins but for that one. A round that is missing has no readings.
PathRounds rounds_of(const PathMeasurement& path, const StoredRounds& stored, std::uint32_t last) {
  PathRounds rounds;
  for (std::uint32_t first = 1; first <= last; first += 2) {
    const std::vector<StoredSample> one = stored.samples_of(first);
    const std::vector<StoredSample> other =
        first < last ? stored.samples_of(first + 1) : std::vector<StoredSample>{};
    if (!is_of(path, one) && !is_of(path, other)) continue;
    if (stored.is_prepared(first))
      rounds.prepared_from = std::min(rounds.prepared_from, rounds.numbers.size());
    for (const auto& [number, samples] : {std::pair{first, &one}, std::pair{first + 1, &other}}) {
      if (number > last) continue;
      rounds.readings.push_back(is_of(path, *samples) ? round_of(path, stored, *samples)
                                                      : engine::RoundReadings{});
      rounds.numbers.push_back(number);
    }
  }
  return rounds;
}

void give(PathMeasurement& path, PathRounds rounds, std::span<const StoredLook> looks) {
  const auto pilot = stored_pilot(path, looks);
  if (!pilot && rounds.readings.empty()) return;  // its first warm-up is still to come
  const StoredLook look = newest_look(path, looks).value_or(StoredLook{});
  path.engine.resume_from({.pilot = pilot.value_or(engine::Pilot{}),
                           .clock = {.method = look.method, .tick = look.tick},
                           .rounds = std::move(rounds.readings),
                           .prepared_from = rounds.prepared_from});
  path.rounds = std::move(rounds.numbers);
}

}  // namespace

std::uint32_t resume(std::vector<PathMeasurement>& paths, const StoredRun& run, ShotLog& log) {
  for (const StoredSample& sample : run.samples())
    log.recall({.stop = sample.asked, .input = sample.input}, sample.outcome, sample.status);
  for (PathMeasurement& path : paths)
    for (const StoredSample& sample : run.samples())
      if (!log.can_stop_at(sample.asked)) give_up(path, sample.asked);
  const StoredRounds stored(run.samples());
  const std::uint32_t last = stored.last();
  // Of the last twins, should they be broken off.
  const std::uint32_t first = last - (last + 1) % 2;
  std::uint32_t kept = last;
  if (last > 0 && !stored.ends_in_twins()) {
    const auto owners = std::ranges::count_if(paths, [&](const PathMeasurement& path) {
      return is_of(path, stored.samples_of(first)) || is_of(path, stored.samples_of(first + 1));
    });
    kept = run.has_same_goal() && owners == 1 ? first - 1 : first + 1;
  }
  std::uint32_t used = kept;
  for (PathMeasurement& path : paths) {
    const PathMeasurement before = path;
    const PathRounds all = rounds_of(path, stored, last);
    give(path, all, run.looks());
    if (kept == last) continue;
    // A round without a twin may be the last one that was wanted.
    if (!path.is_left() && !all.numbers.empty() && all.numbers.back() >= first) used = first + 1;
    if (!path.is_left()) continue;
    path = before;
    give(path, rounds_of(path, stored, kept), run.looks());
  }
  return used;
}

void keep_look_of_goal(const PathMeasurement& path, StoredRun& run) {
  if (path.engine.looks() == 0) return;
  const StoredLook look = look_row(path, run.looks());
  StoredLook found = look;
  const std::optional<StoredLook> newest = newest_look(path, run.looks());
  if (newest) {
    found.number = newest->number;
    found.rounds = newest->rounds;
    found.shots = newest->shots;
  }
  if (found != newest) run.keep(look, 0);
}

}  // namespace jcprof::harness
