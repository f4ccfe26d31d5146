// SPDX-License-Identifier: Apache-2.0
#include "harness/stored_run.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "harness/shooter.hpp"

namespace jcprof::harness {
namespace {

/// True when another run can add its rounds to those of an unfinished run. The number of rounds that were
/// asked for does not matter. It matters that both runs fix the number, or neither: the stops of a round
/// follow from it.
bool is_same_measurement(const RunInfo& last, const RunInfo& now) {
  const auto identity = [](const RunInfo& of) {
    return std::tie(of.tool, of.transport, of.reader, of.protocol, of.device, of.atr, of.project_digest,
                    of.trap_digest, of.seed, of.absolute, of.relative, of.zoom, of.hot);
  };
  const bool is_fixed_alike = (last.rounds > 0) == (now.rounds > 0);
  return last.state != RunState::complete && is_fixed_alike && identity(last) == identity(now);
}

bool are_same(const std::vector<StoredInput>& some, const std::vector<StoredInput>& others) {
  return std::ranges::equal(some, others, [](const StoredInput& a, const StoredInput& b) {
    return std::tie(a.index, a.bytes, a.input_class) == std::tie(b.index, b.bytes, b.input_class);
  });
}

}  // namespace

StoredRounds::StoredRounds(std::span<const StoredSample> samples) {
  // A round that was measured again counts as it was the last time.
  for (const StoredSample& sample : samples)
    if (sample.round != warm_up_round) rounds_[sample.round].insert_or_assign(sample.asked, sample);
}

bool StoredRounds::has_twins(std::uint32_t first) const {
  const auto one = rounds_.find(first);
  const auto other = rounds_.find(first + 1);
  if (one == rounds_.end() || other == rounds_.end()) return false;
  // A round that another one follows was whole, even if a stop was given up in it.
  if (rounds_.contains(first + 2)) return true;
  return std::ranges::equal(
      one->second, other->second, {}, [](const auto& entry) { return entry.first; },
      [](const auto& entry) { return entry.first; });
}

std::uint32_t StoredRounds::input_of(std::uint32_t round) const {
  return rounds_.at(round).begin()->second.input;
}

std::optional<std::vector<StoredSample>> StoredRounds::samples_of(std::uint32_t round,
                                                                  std::span<const Shot> shots) const {
  std::vector<StoredSample> result;
  const auto& samples = rounds_.at(round);
  for (const Shot& shot : shots) {
    const auto found = samples.find(shot.stop);
    if (found == samples.end()) return std::nullopt;
    result.push_back(found->second);
  }
  return result;
}

StoredRun::StoredRun(Store& store, RunInfo info, const Subject& of) : store_(store), info_(std::move(info)) {
  const std::optional<RunInfo> last = store.last_run();
  continues_ = last && is_same_measurement(*last, info_) && are_same(store.inputs(last->id), of.inputs) &&
               recall_paths(of.survey, store.paths(last->id));
  if (continues_) {
    go_on(*last);
    return;
  }
  info_.id = store.begin_run(info_, of.map, of.inputs);
  for (const StoredPath& path : paths_of(of.survey)) store.add_path(info_.id, path);
}

void StoredRun::go_on(const RunInfo& last) {
  const std::uint32_t rounds = info_.rounds;
  info_ = last;
  info_.state = RunState::running;
  info_.rounds = rounds;
  store_.go_on(info_.id, rounds);
  is_calibrated_ = !store_.calibrations(info_.id).empty();
  earlier_warnings_ = store_.warnings(info_.id);
  looks_ = store_.looks(info_.id);
  const std::vector<StoredSample> samples = store_.samples(info_.id);
  if (!samples.empty()) next_sequence_ = samples.back().sequence + 1;
  rounds_ = StoredRounds(samples);
}

void StoredRun::keep(StoredLook look, std::uint64_t shots) {
  look.number = static_cast<std::uint32_t>(looks_.size());
  look.shots = shots;
  looks_.push_back(look);
  store_.add_look(info_.id, look);
}

void StoredRun::keep(std::span<const CalibrationTime> times) {
  store_.begin();
  for (const CalibrationTime& time : times)
    store_.add_calibration(
        info_.id, {.kind = std::string(name_of(time.kind)), .passes = time.passes, .ticks = time.ticks});
  store_.commit();
}

void StoredRun::end(RunState state, const std::vector<Warning>& warnings) {
  store_.replace_warnings(info_.id, warnings);
  info_.state = state;
  store_.set_state(info_.id, state);
}

}  // namespace jcprof::harness
