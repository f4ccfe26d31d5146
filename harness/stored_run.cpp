// SPDX-License-Identifier: Apache-2.0
#include "harness/stored_run.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "harness/shooter.hpp"

namespace jcprof::harness {
namespace {

/// True when the rounds of both can stand in one table. It does not matter for which goal and with which seed
/// they were made.
bool are_compatible(const RunInfo& last, const RunInfo& now) {
  const auto identity = [](const RunInfo& of) {
    return std::tie(of.tool, of.transport, of.reader, of.protocol, of.device, of.atr, of.unit,
                    of.project_digest, of.trap_digest);
  };
  return identity(last) == identity(now);
}

bool have_same_goal(const RunInfo& last, const RunInfo& now) {
  const auto goal = [](const RunInfo& of) {
    return std::tie(of.seed, of.absolute, of.relative, of.zoom, of.hot);
  };
  // The number of rounds does not matter, but whether it is fixed does: the stops of a round follow from it.
  return (last.rounds > 0) == (now.rounds > 0) && goal(last) == goal(now);
}

bool are_same(const std::vector<StoredInput>& some, const std::vector<StoredInput>& others) {
  return std::ranges::equal(some, others, [](const StoredInput& a, const StoredInput& b) {
    return std::tie(a.index, a.bytes, a.input_class) == std::tie(b.index, b.bytes, b.input_class);
  });
}

}  // namespace

StoredRun::StoredRun(Store& store, RunInfo info, const Subject& of) : store_(store), info_(std::move(info)) {
  const std::optional<RunInfo> last = store.last_run();
  continues_ = last && are_compatible(*last, info_) && are_same(store.inputs(last->id), of.inputs) &&
               recall_paths(of.survey, store.paths(last->id));
  if (continues_) {
    resume(*last);
    return;
  }
  info_.id = store.begin_run(info_, of.map, of.inputs);
  for (const StoredPath& path : paths_of(of.survey)) store.add_path(info_.id, path);
}

void StoredRun::resume(const RunInfo& last) {
  has_same_goal_ = have_same_goal(last, info_);
  const RunInfo now = std::exchange(info_, last);
  info_.state = RunState::running;
  info_.rounds = now.rounds;
  info_.absolute = now.absolute;
  info_.relative = now.relative;
  info_.zoom = now.zoom;
  info_.hot = now.hot;
  store_.resume_run(info_);
  is_calibrated_ = !store_.calibrations(info_.id).empty();
  earlier_warnings_ = store_.warnings(info_.id);
  looks_ = store_.looks(info_.id);
  samples_ = store_.samples(info_.id);
  if (!samples_.empty()) next_sequence_ = samples_.back().sequence + 1;
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
