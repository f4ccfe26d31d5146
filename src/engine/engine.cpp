// SPDX-License-Identifier: Apache-2.0
#include "src/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "src/core/error.hpp"
#include "src/core/name_table.hpp"
#include "src/engine/pilot_run.hpp"
#include "src/engine/random.hpp"
#include "src/engine/schedule.hpp"
#include "src/engine/zoom.hpp"

namespace jcprof::engine {
namespace {

constexpr std::uint32_t exact_rounds = 5;
// A level of the zoom that is not decided after so many rounds is decided all the same: what is left in doubt
// is split, not dropped.
constexpr std::uint32_t most_rounds_of_level = 100;
// A tick of the clock shows among fewer readings than this; fine clocks need not be looked at longer.
constexpr std::size_t readings_for_tick = 4096;
// Nothing that recurs with the commands may lock on to them; a twentieth costs little.
constexpr double pause_of_shot = 0.05;
constexpr double longest_probe_ns = 40e6;
// Streams of random numbers.
constexpr std::uint64_t pause_stream = std::uint64_t{1} << 41U;

double smallest_gap(std::vector<double> readings) {
  std::ranges::sort(readings);
  double gap = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double step = readings[i] - readings[i - 1];
    if (step > 0 && (gap == 0 || step < gap)) gap = step;
  }
  return gap;
}

constexpr NameTable<Phase, 4> phases{{
    {Phase::warm_up, "warm-up"},
    {Phase::zoom, "zoom"},
    {Phase::rounds, "rounds"},
    {Phase::done, "done"},
}};

}  // namespace

std::string_view name_of(Phase phase) {
  return name_in(phases, phase);
}

struct Engine::State {
  explicit State(Settings given) : settings(std::move(given)) {
    check(settings.stops >= 2, "a path has a first stop and an end");
    if (settings.exact) {
      clock.method = Method::exact;
      begin_measuring({});
    } else {
      begin_warm_up();
    }
  }

  // ---- warm-up

  void begin_warm_up() {
    phase = Phase::warm_up;
    pilot_run.begin();
    plan();
  }

  void plan_warm_up() {
    const std::size_t last = settings.stops - 1;
    for (std::size_t i = 0; i < WarmUp::pairs_per_window; ++i) {
      batch.shots.push_back({.stop = first_stop(), .pause_ns = draw_pause()});
      batch.shots.push_back({.stop = last, .pause_ns = draw_pause()});
    }
  }

  void take_warm_up(std::span<const Reading> readings) {
    pilot_run.take(batch.shots, readings, settings.ns_per_tick);
    if (!pilot && longest_pause == 0 && settings.ns_per_tick > 0)
      longest_pause = std::min(longest_probe_ns / settings.ns_per_tick, 2 * pilot_run.pilot().shot);
    if (!pilot_run.is_over()) return plan();
    if (pilot) return resume();
    Pilot found = pilot_run.pilot();
    found.grid = pilot_run.grid(longest_pause, settings.precision);
    begin_measuring(found);
  }

  void begin_measuring(const Pilot& with) {
    pilot = with;
    if (pilot->grid > 0) clock = {.method = Method::coarse, .tick = pilot->grid};
    longest_pause = clock.method == Method::coarse ? clock.tick : pause_of_shot * pilot->shot;
    if (settings.ns_per_tick <= 0 || settings.exact) longest_pause = 0;
    if (settings.zoom)
      zoom.emplace(settings.stops - 1,
                   ZoomSettings{.hot = *settings.zoom, .groups = settings.groups, .alone = settings.alone});
    begin_level();
  }

  void resume() {
    phase = resumed;
    plan();
  }

  // ---- rounds

  std::size_t first_stop() const {
    std::size_t stop = 0;
    while (gone.contains(stop)) ++stop;
    return stop;
  }

  /// Begins with the next round: what was measured before is not looked at again.
  void begin_level() {
    const bool is_zooming = zoom && !zoom->is_done();
    phase = is_zooming ? Phase::zoom : Phase::rounds;
    std::set<std::size_t> chosen{first_stop(), settings.stops - 1};
    if (zoom) {
      for (const Segment& segment : zoom->segments())
        if (!is_zooming || segment.state == Segment::State::open) chosen.insert({segment.begin, segment.end});
    } else {
      for (std::size_t s = 0; s < settings.stops; ++s) chosen.insert(s);
    }
    std::erase_if(chosen, [&](std::size_t stop) { return gone.contains(stop); });
    stops.assign(chosen.begin(), chosen.end());
    times = Times(stops.size());
    open.assign(stops.size(), true);
    attempts.assign(stops.size(), 0);
    hits.assign(stops.size(), 0);
    next_look = settings.exact ? exact_rounds : first_look;
    first_round = round + 1;
    plan();
  }

  std::int64_t draw_pause() {
    if (longest_pause <= 0) return 0;
    const auto longest = static_cast<std::uint64_t>(longest_pause * settings.ns_per_tick);
    return static_cast<std::int64_t>(draw(settings.seed, pause_stream, pauses++, longest + 1));
  }

  void plan() {
    batch = {.phase = phase};
    if (phase == Phase::warm_up) return plan_warm_up();
    if (phase == Phase::done) return;
    batch.round = round + 1;
    pauses = std::uint64_t{batch.round} << 32U;  // the same, however many shots came before
    std::vector<std::size_t> wanted;
    for (std::size_t c = 0; c < stops.size(); ++c)
      if (open[c]) wanted.push_back(c);
    columns.clear();
    for (const std::size_t at : round_order(wanted.size(), settings.seed, round)) {
      columns.push_back(wanted[at]);
      batch.shots.push_back({.stop = stops[wanted[at]], .pause_ns = draw_pause()});
    }
  }

  void take_round(std::span<const Reading> readings) {
    std::vector<double> values(stops.size(), missing);
    bool was_lost = false;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const Reading& reading = readings[i];
      ++attempts[columns[i]];
      was_lost = was_lost || reading.kind == Reading::Kind::lost;
      if (reading.kind != Reading::Kind::timed) continue;
      ++hits[columns[i]];
      values[columns[i]] = reading.ticks;
      if (raw.size() < readings_for_tick) raw.push_back(reading.ticks);
    }
    times.add_round(values);
    ++round;
    if (times.rounds() >= next_look || round >= settings.most_rounds) take_look();
    plan();
    if (was_lost) warm_up_again();
  }

  void warm_up_again() {
    if (phase == Phase::warm_up || phase == Phase::done || clock.method == Method::exact) return;
    resumed = phase;
    begin_warm_up();
  }

  // ---- looks

  void take_look() {
    leave_out_unreached();
    look = engine::look(times, clock, settings.precision, groups_of_columns());
    ++looks;
    const bool was_last = round >= settings.most_rounds;
    // A grid that is finer than the clock's own steps is a mistake: pauses would not smooth those.
    const double tick = smallest_gap(raw);
    const bool is_step_seen = clock.method != Method::exact && tick > clock.tick;
    const bool is_time_left = round + first_look <= settings.most_rounds;
    if (is_step_seen && is_time_left && is_coarse(tick, *look, settings.precision)) {
      clock = {.method = Method::coarse, .tick = tick};
      if (settings.ns_per_tick > 0) longest_pause = clock.tick;
      begin_level();
      return;
    }
    if (phase == Phase::zoom && !was_last) {
      take_zoom();
      return;
    }
    const bool is_enough = settings.exact || look->settled == look->blocks.size();
    if (was_last || (is_enough && !settings.fixed)) phase = Phase::done;
    next_look = look_after(static_cast<std::uint32_t>(times.rounds()));
    if (settings.fixed) return;
    open.assign(stops.size(), false);
    open.front() = open.back() = true;
    for (std::size_t b = 0; b < look->blocks.size(); ++b)
      if (look->blocks[b].open) open[b] = open[b + 1] = true;
    // A round of fewer has no gain, and its differences could not stand beside those of the others.
    for (std::size_t i = 1; i < fewest_stops_for_gain && count_open() < fewest_stops_for_gain; ++i)
      open[i * (stops.size() - 1) / fewest_stops_for_gain] = true;
  }

  std::size_t count_open() const { return static_cast<std::size_t>(std::ranges::count(open, true)); }

  void take_zoom() {
    std::vector<Interval> shares;
    std::vector<bool> doubtful(stops.size(), false);
    for (const Segment& segment : zoom->segments()) {
      if (segment.state != Segment::State::open) continue;
      const auto at = std::ranges::lower_bound(stops, segment.begin);
      const bool is_measured = at + 1 < stops.end() && *at == segment.begin && at[1] == segment.end;
      const auto column = static_cast<std::size_t>(at - stops.begin());
      shares.push_back(is_measured ? look->blocks[column].share : Interval{.value = missing});
      if (is_measured && !zoom->is_known(shares.back())) doubtful[column] = doubtful[column + 1] = true;
    }
    const bool is_last = settings.exact || times.rounds() >= most_rounds_of_level;
    if (zoom->take(shares, is_last ? Zoom::Patience::decide : Zoom::Patience::wait)) {
      begin_level();
    } else {
      open = std::move(doubtful);
      open.front() = open.back() = true;
      next_look = look_after(static_cast<std::uint32_t>(times.rounds()));
    }
  }

  std::uint64_t shots_left() const {
    if (!look || phase == Phase::done || times.rounds() == 0) return 0;
    const auto rounds = static_cast<double>(times.rounds());
    const double most = static_cast<double>(settings.most_rounds) - round;
    std::vector<double> left(stops.size(), 0);
    for (std::size_t b = 0; b < look->blocks.size(); ++b) {
      const BlockLook& block = look->blocks[b];
      if (block.settled) continue;
      const double wanted =
          std::max(settings.precision.absolute, settings.precision.relative * block.share.value);
      const double ratio = half_width(block.share) / wanted;
      const double more =
          std::min(std::max(rounds * (ratio * ratio - 1), next_look - rounds), std::max(most, 0.0));
      for (const std::size_t c : {std::size_t{0}, b, b + 1, stops.size() - 1})
        left[c] = std::max(left[c], more);
    }
    return static_cast<std::uint64_t>(std::accumulate(left.begin(), left.end(), 0.0));
  }

  /// Stops that were asked for and never reached teach nothing.
  void leave_out_unreached() {
    for (std::size_t c = 1; c + 1 < stops.size(); ++c)
      if (attempts[c] >= first_look && hits[c] == 0) gone.insert(stops[c]);
    drop_columns();
  }

  void drop_columns() {
    std::vector<std::size_t> kept;
    for (std::size_t c = 0; c < stops.size(); ++c)
      if (!gone.contains(stops[c])) kept.push_back(c);
    if (kept.size() == stops.size()) return;
    const auto pick = [&](auto& values) {
      std::remove_reference_t<decltype(values)> picked;
      for (const std::size_t c : kept) picked.push_back(values[c]);
      values = std::move(picked);
    };
    std::vector<std::vector<double>> columns_of_times = times.columns();
    pick(columns_of_times);
    times = Times(std::move(columns_of_times));
    pick(stops);
    pick(open);
    pick(attempts);
    pick(hits);
  }

  /// A segment of several blocks is of no group.
  std::vector<std::uint32_t> groups_of_columns() const {
    std::vector<std::uint32_t> result;
    if (settings.groups.empty()) return result;
    std::uint32_t next = std::ranges::max(settings.groups) + 1;
    for (std::size_t c = 0; c + 1 < stops.size(); ++c)
      result.push_back(stops[c + 1] == stops[c] + 1 ? settings.groups[stops[c]] : next++);
    return result;
  }

  Settings settings;
  Phase phase = Phase::warm_up;
  Phase resumed = Phase::rounds;  // after a warm-up between rounds
  Batch batch;
  std::vector<std::size_t> columns;  // of the batch's shots

  PilotRun pilot_run;
  std::optional<Pilot> pilot;
  double longest_pause = 0;  // ticks
  std::uint64_t pauses = 0;  // drawn

  Clock clock;
  std::optional<Zoom> zoom;
  std::set<std::size_t> gone;
  std::uint32_t round = 0;  // the last one
  std::uint32_t first_round = 1;
  std::uint32_t next_look = first_look;
  std::optional<Look> look;
  std::size_t looks = 0;
  std::vector<double> raw;
  // One a column of the table.
  std::vector<std::size_t> stops;
  std::vector<bool> open;
  std::vector<std::uint32_t> attempts;
  std::vector<std::uint32_t> hits;
  Times times{0};
};

Engine::Engine(Settings settings) : state_(std::make_unique<State>(std::move(settings))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

const Batch& Engine::next() const {
  return state_->batch;
}

void Engine::take(std::span<const Reading> readings) {
  check(readings.size() == state_->batch.shots.size(), "one reading a shot");
  if (state_->phase == Phase::warm_up)
    state_->take_warm_up(readings);
  else
    state_->take_round(readings);
}

void Engine::give_up(std::size_t stop) {
  if (stop + 1 >= state_->settings.stops || !state_->gone.insert(stop).second) return;
  if (state_->settings.stops - state_->gone.size() < 2) {
    state_->phase = Phase::done;
  } else {
    state_->drop_columns();
  }
  state_->plan();
}

void Engine::warm_up_again() {
  state_->warm_up_again();
}

void Engine::skip_warm_up(const Pilot& pilot) {
  if (state_->phase != Phase::warm_up) return;
  if (state_->pilot)
    state_->resume();
  else
    state_->begin_measuring(pilot);
}

std::size_t Engine::looks() const {
  return state_->looks;
}

std::uint64_t Engine::shots_left() const {
  return state_->shots_left();
}

const std::optional<Pilot>& Engine::pilot() const {
  return state_->pilot;
}

const std::optional<Look>& Engine::look() const {
  return state_->look;
}

Clock Engine::clock() const {
  return state_->clock;
}

std::uint32_t Engine::first_round() const {
  return state_->first_round;
}

const std::vector<std::size_t>& Engine::stops() const {
  return state_->stops;
}

}  // namespace jcprof::engine
