// SPDX-License-Identifier: Apache-2.0
#include "src/engine/pilot.hpp"

#include <algorithm>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {
namespace {

constexpr std::size_t pairs_kept = 30;
// Finer grids than this part of the whole move no share that can be told from none, and looking for them
// takes ever longer.
constexpr double finest_part = 0.001;
// Pauses are whole nanoseconds, and the search goes down to half of the finest period: finer grids are
// theirs.
constexpr double finest_steps = 4;

template <class Value>
void keep_last(std::vector<Value>& values, Value value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.erase(values.begin());
}

}  // namespace

double rounds_needed(const Pilot& pilot, const Precision& precision) {
  if (pilot.whole <= 0) return missing;
  // A uniform pause leaves a difference of two readings on a grid of period f with a deviation of f/√6.
  const double half_width_of_one = pilot.grid > 0 ? 2.17 * 0.41 * pilot.grid : 1.96 * 1.2533 * pilot.sigma;
  const double root = half_width_of_one / (precision.absolute * pilot.whole);
  return root * root;
}

void PilotRun::begin() {
  warm_up_ = {};
  windows_ = 0;
}

void PilotRun::take(std::span<const PlannedShot> shots, std::span<const Reading> readings,
                    double ns_per_tick) {
  using Kind = Reading::Kind;
  ++windows_;
  for (std::size_t i = 0; i + 1 < readings.size(); i += 2) {
    const Reading& first = readings[i];
    const Reading& end = readings[i + 1];
    if (first.kind == Kind::lost || end.kind == Kind::lost) warm_up_ = {};
    if (first.kind != Kind::timed || end.kind != Kind::timed) continue;
    warm_up_.add(first.ticks, end.ticks);
    keep_last(wholes_, end.ticks - first.ticks, pairs_kept);
    keep_last(ends_, end.ticks, pairs_kept);
    if (ns_per_tick <= 0) continue;
    pause_step_ = 1 / ns_per_tick;
    for (const std::size_t j : {i, i + 1}) {
      const double pause = static_cast<double>(shots[j].pause_ns) / ns_per_tick;
      keep_last(probe_, PausedReading{.time = readings[j].ticks, .pause = pause}, 2 * pairs_kept);
    }
  }
}

bool PilotRun::is_over() const {
  return warm_up_.state() != WarmUp::State::warming || windows_ >= WarmUp::most_windows;
}

Pilot PilotRun::pilot() const {
  Pilot result{.steady = warm_up_.state() == WarmUp::State::steady, .drift = warm_up_.drift()};
  if (wholes_.empty()) return result;
  result.whole = median(wholes_);
  result.sigma = mad_sigma(wholes_);
  result.shot = median(ends_);
  return result;
}

double PilotRun::probe_longer(double longest_pause) {
  const double step = is_probed_longer_ ? 0 : step_of_all(probe_, longest_pause);
  // Twice the step, so that answers come at two steps at least.
  const double longer = std::min(2 * step, longest_grid_ns * pause_step_);
  if (!(longer > longest_pause)) return 0;
  is_probed_longer_ = true;
  probe_.clear();
  begin();
  return longer;
}

double PilotRun::grid(double longest_pause, const Precision& precision) const {
  const Pilot found = pilot();
  // Behind its first stop, a short command may take less time than the stop itself.
  const double scale = found.whole > 0 ? found.whole : found.shot;
  const double finest =
      std::max(std::max(precision.absolute, finest_part) * scale, finest_steps * pause_step_);
  return find_grid(
      probe_, {.longest_pause = longest_pause, .finest = finest, .longest = longest_grid_ns * pause_step_});
}

}  // namespace jcprof::engine
