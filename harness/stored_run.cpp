// SPDX-License-Identifier: Apache-2.0
#include "harness/stored_run.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "harness/shooter.hpp"
#include "src/core/file.hpp"

namespace jcprof::harness {
namespace {

/// Why the rounds of both cannot stand in one table; empty: they can. It does not matter for which goal and
/// with which seed they were made.
std::string difference(const RunInfo& last, const RunInfo& now) {
  const auto of_both = [](std::string_view name, std::string_view before, std::string_view after) {
    return fmt::format("its {} was \"{}\" and is \"{}\" now", name, before, after);
  };
  struct Property {
    std::string_view name;
    std::string RunInfo::* value;
  };
  constexpr std::array properties{Property{"jcprof", &RunInfo::tool},
                                  Property{"transport", &RunInfo::transport},
                                  Property{"agent", &RunInfo::agent},
                                  Property{"reader", &RunInfo::reader},
                                  Property{"protocol", &RunInfo::protocol},
                                  Property{"device", &RunInfo::device},
                                  Property{"ATR", &RunInfo::atr}};
  for (const auto& [name, value] : properties)
    if (last.*value != now.*value) return of_both(name, last.*value, now.*value);
  if (last.unit != now.unit) return of_both("clock", name_of(last.unit), name_of(now.unit));
  if (last.project_digest != now.project_digest) return "it belongs to another jcprof.json";
  if (last.trap_digest != now.trap_digest) return "it belongs to other sources, other traps or another build";
  return {};
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

RunInfo run_on(const Description& target, const Project& project, const TrapMap& map,
               const std::string& build) {
  return {.state = RunState::running,
          .started = utc_now(),
          .tool = "jcprof " JCPROF_VERSION,
          .project = project.name,
          .project_digest = project.digest,
          .trap_digest = build.empty() ? digest_of(map) : sha256(digest_of(map) + build),
          .transport = target.transport,
          .agent = target.agent,
          .reader = target.reader,
          .protocol = target.protocol,
          .device = target.device,
          .atr = target.atr,
          .simulated = target.simulated,
          .unit = target.unit,
          .hz = target.hz,
          .resolution = target.resolution};
}

StoredRun::StoredRun(Store& store, RunInfo info, const Subject& of) : store_(store), info_(std::move(info)) {
  for (const RunInfo& run : store.runs()) {
    std::string obstacle = obstacle_to(run, of);
    continues_ = obstacle.empty();
    if (continues_) {
      obstacle_.clear();
      resume(run, of.survey);
      return;
    }
    if (obstacle_.empty()) obstacle_ = std::move(obstacle);
  }
  // In one piece: nobody could resume a run without its paths.
  store.begin();
  info_.id = store.begin_run(info_, of.map, of.inputs);
  for (const StoredPath& path : paths_of(of.survey)) store.add_path(info_.id, path);
  store.commit();
}

std::string StoredRun::obstacle_to(const RunInfo& last, const Subject& of) const {
  if (std::string text = difference(last, info_); !text.empty()) return text;
  if (of.is_new_build && last.state == RunState::complete) return "it is finished, and this is a new build";
  if (!are_same(store_.inputs(last.id), of.inputs))
    return "it had other inputs" +
           (last.seed == info_.seed ? std::string() : fmt::format(", and seed {}", last.seed));
  if (!recall_paths(of.survey, of.inputs, store_.paths(last.id))) return "the command took another path";
  return {};
}

void StoredRun::resume(const RunInfo& last, const Survey& survey) {
  has_same_goal_ = have_same_goal(last, info_);
  const RunInfo now = std::exchange(info_, last);
  info_.state = RunState::running;
  info_.rounds = now.rounds;
  info_.absolute = now.absolute;
  info_.relative = now.relative;
  info_.zoom = now.zoom;
  info_.hot = now.hot;
  info_.id = store_.resume_run(info_);
  const std::vector<StoredPath> known = store_.paths(info_.id);
  for (const StoredPath& path : paths_of(survey))
    if (std::ranges::find(known, path) == known.end()) store_.add_path(info_.id, path);
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
  std::vector<StoredCalibration> rows;
  for (const CalibrationTime& time : times)
    rows.push_back({.kind = std::string(name_of(time.kind)), .passes = time.passes, .ticks = time.ticks});
  store_.begin();
  store_.add_calibrations(info_.id, rows);
  store_.commit();
}

void StoredRun::end(RunState state, const std::vector<Warning>& warnings) {
  store_.replace_warnings(info_.id, warnings);
  info_.state = state;
  store_.set_state(info_.id, state);
}

}  // namespace jcprof::harness
