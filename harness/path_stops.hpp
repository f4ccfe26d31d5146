// SPDX-License-Identifier: Apache-2.0
// Which events of a path are measured, and with which inputs. Translates between the engine's indices and the
// target's events; talks to nobody.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/survey.hpp"
#include "harness/transport.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "src/engine/engine.hpp"

namespace jcprof::harness {

/// 0: its ticks are not time.
double ns_per_tick(const Description& target);

/// The lines and functions of a path that is measured at these positions of it, the end last.
using FiguresOfPath =
    std::function<engine::FigureSource(const std::vector<Event>& path, std::vector<std::size_t> positions)>;

struct MeasureGoal {
  engine::Precision precision;
  std::uint64_t seed = 1;
  std::uint32_t most_rounds = 1000;
  std::optional<double> zoom;  // share; nothing: no zoom
  bool fixed = false;          // most_rounds over all stops, whatever is known
  FiguresOfPath figures = {};  // that are to be known so well; nothing: blocks are
  bool is_session = false;     // which no later call makes longer
};

class PathStops {
 public:
  /// `exact`: the clock repeats itself.
  PathStops(const SurveyedPath& surveyed, std::uint64_t seed, bool exact);

  const std::vector<std::uint32_t>& inputs() const { return inputs_; }
  /// Those that can be measured, along the path, the end last.
  const std::vector<Event>& events() const { return stops_; }
  /// Those that are measured from the first round on.
  std::size_t first_events() const { return static_cast<std::size_t>(std::ranges::count(samples_, 0U)); }

  /// The path as the engine knows it.
  engine::Settings settings(const TrapMap& map, const Description& target, const MeasureGoal& goal) const;
  /// That event, which only other variants pass, is not asked for again.
  void give_up(const Event& event) { std::erase(elsewhere_, event); }
  /// The shots of a batch, and behind those of a round the events that only other variants of the path pass.
  /// Twins share their input, and all shots of a round do: differences stay within one input.
  std::vector<Shot> shots_of(const engine::Batch& batch) const;
  /// One for each of `shots`, of which the first samples.size() were made; the others count as missed. So do
  /// those that came to their stop on another variant of the path.
  std::vector<engine::Reading> readings_of(std::span<const Shot> shots,
                                           std::span<const StoredSample> samples) const;
  /// The samples of a round at stops of this path, whoever asked for them.
  engine::RoundReadings round_of(std::span<const StoredSample> samples) const;

 private:
  void note_signatures();
  bool came_along_path(const StoredSample& sample) const;

  std::vector<Event> path_;
  std::vector<std::uint32_t> inputs_;
  std::size_t most_passes_;             // of an edge that are measured
  std::vector<std::size_t> positions_;  // of the stops on the path
  std::vector<std::uint32_t> samples_;  // of passes, that they are part of
  std::vector<Event> stops_;
  std::map<Event, std::size_t> index_;  // of each stop, as the engine counts
  std::vector<Event> elsewhere_;        // on other variants only
  // The signatures that a shot at a stop may have, before it and with it, where the path varies.
  std::map<Event, std::array<std::uint32_t, 2>> signatures_;
  bool is_mixed_ = false;  // it varies, and shots do not tell how they came
};

}  // namespace jcprof::harness
