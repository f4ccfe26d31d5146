// SPDX-License-Identifier: Apache-2.0
#include "src/engine/engine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/core/error.hpp"
#include "src/core/name_table.hpp"
#include "src/engine/random.hpp"
#include "src/engine/warm_up.hpp"

namespace jcprof::engine {
namespace {

constexpr std::uint32_t exact_rounds = 5;
// A level of the zoom that is not decided after so many rounds is decided all the same: doubtful segments
// are split, not dropped.
constexpr std::uint32_t most_rounds_of_level = 100;
// A tick of the clock shows among fewer readings than this; fine clocks need not be looked at longer.
constexpr std::size_t readings_for_tick = 4096;
// Nothing that recurs with the commands may lock on to them; a twentieth costs little.
constexpr double pause_of_shot = 0.05;
// Pauses in which a grid shows. Long commands are paused longer, since that costs them little.
constexpr double longest_probe_ns = 40e6;
constexpr double probe_of_shot = 0.25;
// Streams of random numbers.
constexpr std::uint64_t pause_stream = std::uint64_t{1} << 41U;

double longest_probe_of(double shot, double ns_per_tick) {
  return std::min({2 * shot, std::max(longest_probe_ns / ns_per_tick, probe_of_shot * shot),
                   longest_grid_ns / ns_per_tick});
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

Engine::Engine(Settings settings)
    : settings_(std::move(settings)), passes_(settings_.stops, settings_.samples, settings_.edges) {
  check(settings_.stops >= 2, "a path has a first stop and an end");
  if (settings_.exact) {
    clock_.method = Method::exact;
    begin_measuring({});
  } else {
    begin_warm_up();
  }
}

void Engine::take(std::span<const Reading> readings) {
  check(readings.size() == batch_.shots.size(), "one reading a shot");
  if (phase_ == Phase::warm_up)
    take_warm_up(readings);
  else
    take_round(readings);
}

void Engine::give_up(std::size_t stop) {
  if (stop + 1 >= settings_.stops || !gone_.insert(stop).second) return;
  if (first_stop() + 1 == settings_.stops) {
    phase_ = Phase::done;
  } else {
    const std::vector<std::size_t> before = columns_.stops;
    drop(columns_, gone_);
    renumber_figures(before);
  }
  plan();
}

// ---- warm-up

void Engine::begin_warm_up() {
  phase_ = Phase::warm_up;
  pilot_run_.begin();
  plan();
}

void Engine::take_warm_up(std::span<const Reading> readings) {
  pilot_run_.take(batch_.shots, readings, settings_.ns_per_tick);
  if (!pilot_ && longest_pause_ == 0 && settings_.ns_per_tick > 0)
    longest_pause_ = longest_probe_of(pilot_run_.pilot().shot, settings_.ns_per_tick);
  if (!pilot_run_.is_over()) return plan();
  const double longer = pilot_ ? 0 : pilot_run_.probe_longer(longest_pause_);
  if (!(longer > 0)) return end_warm_up();
  longest_pause_ = longer;
  plan();
}

void Engine::give_up_warm_up() {
  if (phase_ != Phase::warm_up) return;
  has_cut_warm_up_ = true;
  end_warm_up();
}

void Engine::end_warm_up() {
  if (pilot_) return end_warm_up_again();
  Pilot found = pilot_run_.pilot();
  found.grid = pilot_run_.grid(longest_pause_, settings_.precision);
  begin_measuring(found);
}

void Engine::warm_up_again() {
  if (phase_ == Phase::warm_up || phase_ == Phase::done || clock_.method == Method::exact) return;
  resumed_ = phase_;
  begin_warm_up();
}

void Engine::end_warm_up_again() {
  phase_ = resumed_;
  plan();
}

void Engine::begin_measuring(const Pilot& pilot) {
  pilot_ = pilot;
  if (pilot_->grid > 0) clock_ = {.method = Method::coarse, .tick = pilot_->grid};
  const double pause = clock_.method == Method::coarse ? clock_.tick : pause_of_shot * pilot_->shot;
  const bool is_paused = settings_.ns_per_tick > 0 && !settings_.exact;
  longest_pause_ = is_paused ? std::min(pause, longest_grid_ns / settings_.ns_per_tick) : 0;
  const std::vector<std::size_t>& stops = passes_.first_stops();
  if (settings_.zoom)
    zoom_.emplace(stops.size() - 1, ZoomSettings{.hot = *settings_.zoom,
                                                 .groups = groups_of(stops, settings_.groups),
                                                 .alone = alone_of(stops, settings_.alone)});
  begin_level();
}

// ---- rounds

/// The result begins with the next round. Only the first passes are measured, since they give one soon.
void Engine::begin_again() {
  first_round_ = round_ + 1;
  passes_.reset();
  begin_level();
}

std::int64_t Engine::draw_pause() {
  if (longest_pause_ <= 0) return 0;
  const auto longest = static_cast<std::uint64_t>(longest_pause_ * settings_.ns_per_tick);
  return static_cast<std::int64_t>(draw(settings_.seed, pause_stream, pauses_++, longest + 1));
}

void Engine::plan() {
  batch_ = {.phase = phase_};
  if (phase_ == Phase::done) return;
  const auto ask = [&](std::size_t stop) {
    batch_.shots.push_back({.stop = stop, .pause_ns = draw_pause()});
  };
  if (phase_ == Phase::warm_up) {
    for (std::size_t i = 0; i < WarmUp::pairs_per_window; ++i) {
      ask(first_stop());
      ask(settings_.stops - 1);
    }
    return;
  }
  batch_.round = round_ + 1;
  pauses_ = std::uint64_t{batch_.round} << 32U;  // the same, however many shots came before
  // Twins have the same stops.
  if (each_wanted() > 0 && phase_ == Phase::rounds && round_ % 2 == 0) open_unfinished();
  std::vector<std::size_t> wanted;
  for (std::size_t c = 0; c < columns_.stops.size(); ++c)
    if (columns_.open[c]) wanted.push_back(columns_.stops[c]);
  const std::vector<std::size_t> wholes = wholes_ahead(wanted.size(), settings_.seed, round_);
  std::size_t asked = 0;
  for (const std::size_t at : round_order(wanted.size(), settings_.seed, round_)) {
    if (const auto ahead = preparing_stop(wanted, at))
      batch_.shots.insert(batch_.shots.end(), is_prepared_ ? wholes[asked] : 1,
                          {.stop = *ahead, .pause_ns = is_prepared_ ? 0 : draw_pause(), .prepares = true});
    ask(wanted[at]);
    ++asked;
  }
}

void Engine::take_round(std::span<const Reading> readings) {
  RoundReadings round;
  for (std::size_t i = 0; i < readings.size(); ++i)
    round.push_back({batch_.shots[i].stop, readings[i], batch_.shots[i].prepares});
  enter(round);
  ++round_;
  if (is_look_due() || is_last_round() || is_fully_measured()) take_look();
  plan();
  if (std::ranges::any_of(readings, [](const Reading& one) { return one.kind == Reading::Kind::lost; }))
    warm_up_again();
}

/// Readings at stops that have no column are left out.
void Engine::enter(const RoundReadings& round) {
  std::vector<double> values(columns_.stops.size(), missing);
  if (is_prepared_)
    note_wholes_ahead(round);
  else
    note_far_twins(round);
  for (const auto& [stop, reading, prepares] : round) {
    const auto found = std::ranges::lower_bound(columns_.stops, stop);
    if (prepares || found == columns_.stops.end() || *found != stop) continue;
    const auto column = static_cast<std::size_t>(found - columns_.stops.begin());
    ++columns_.attempts[column];
    if (reading.kind != Reading::Kind::timed) continue;
    ++columns_.hits[column];
    values[column] = reading.ticks;
    if (raw_.size() < readings_for_tick) raw_.push_back(reading.ticks);
  }
  columns_.times.add_round(values);
}

/// The rounds in which each stop is wanted; 0: as many as the precision takes.
std::uint32_t Engine::each_wanted() const {
  if (settings_.fixed) return settings_.most_rounds;
  return settings_.exact ? exact_rounds : 0;
}

/// A look wants each stop in so many rounds.
std::uint32_t Engine::looks_from() const {
  return settings_.exact ? exact_rounds : first_look;
}

std::uint32_t Engine::rounds_of_call() const {
  return is_resuming_ ? 0 : round_ - earlier_;
}

double Engine::rounds_left() const {
  return static_cast<double>(settings_.most_rounds) - rounds_of_call();
}

bool Engine::is_last_round() const {
  return rounds_of_call() >= settings_.most_rounds;
}

bool Engine::is_fully_measured() const {
  const std::uint32_t wanted = each_wanted();
  return wanted > 0 &&
         std::ranges::all_of(columns_.attempts, [&](std::uint32_t made) { return made >= wanted; });
}

// ---- looks

/// So many rounds after stops have joined there is a look at them.
std::uint32_t Engine::rounds_of_joining() const {
  const auto rounds = static_cast<std::uint32_t>(columns_.times.rounds());
  return std::max(first_look, look_after(rounds) - rounds);
}

/// This call is able to make them.
bool Engine::can_passes_join() const {
  return rounds_left() >= rounds_of_joining();
}

/// Stops that have joined since the last look need as many rounds as the first ones did.
bool Engine::is_look_due() const {
  return columns_.times.rounds() >= next_look_ &&
         std::ranges::all_of(columns_.attempts, [&](std::uint32_t made) { return made >= looks_from(); });
}

void Engine::take_look() {
  // Stops that were asked for and never reached teach nothing.
  for (std::size_t c = 1; c + 1 < columns_.stops.size(); ++c)
    if (columns_.attempts[c] >= first_look && columns_.hits[c] == 0) gone_.insert(columns_.stops[c]);
  drop(columns_, gone_);
  look_ =
      engine::look(columns_.times, clock_, settings_.precision, groups_of(columns_.stops, settings_.groups));
  figures_.clear();
  ++looks_;
  memory_ = found_memory();
  if (finds_coarse_clock()) return begin_again();
  if (needs_prepared()) {
    // Rounds of earlier calls say themselves from when on they are prepared.
    if (round_ % 2 == 0 && !is_resuming_) return begin_prepared();
    next_look_ = static_cast<std::uint32_t>(columns_.times.rounds()) + 1;  // behind the twin of this round
    return;
  }
  if (phase_ == Phase::zoom && !is_last_round()) return take_zoom();
  if (phase_ == Phase::rounds) first_round_ = first_of_level_;
  const bool is_counted = each_wanted() > 0;
  if (settings_.figures) {
    std::vector<Figure> made = settings_.figures(columns_.times, columns_.stops, clock_);
    if (!is_counted && can_passes_join()) note_more_passes(made);
    figures_ =
        settle(std::move(made), columns_.times, clock_, *look_, {settings_.precision, shot_overhead()});
    leave_out_of_reach(figures_, *look_, rounds_left());
    count_wanted_passes();
    for (FigureLook& figure : figures_) figure.shots_left *= shots_a_stop();
  }
  is_enough_ = is_counted ? is_fully_measured() : is_settled();
  if (is_last_round() || (is_enough_ && !is_resuming_)) phase_ = Phase::done;
  next_look_ = look_after(static_cast<std::uint32_t>(columns_.times.rounds()));
  if (is_counted) return;
  open_unsettled();
  if (!is_resuming_) join_passes();
}

bool Engine::can_look_again() const {
  const bool are_twins_made = round_ % 2 == 0;
  return phase_ == Phase::done && look_ && are_twins_made && !is_last_round() &&
         first_stop() + 1 < settings_.stops;
}

void Engine::look_again() {
  check(can_look_again(), "nothing is to be looked at again");
  phase_ = Phase::rounds;
  take_look();
  plan();
  // The target has done something else meanwhile.
  warm_up_again();
}

Assumptions Engine::assumptions() const {
  if (!look_) return {};
  Assumptions found = check_assumptions(columns_.times, clock_,
                                        {.edges = edges_of(columns_.stops, settings_.edges),
                                         .whole = look_->whole,
                                         .ns_per_tick = settings_.ns_per_tick,
                                         .finest_share = settings_.precision.absolute});
  found.memory = memory_;
  found.trend = differences(columns_.times, clock_).trend;
  return found;
}

/// True when the readings so far show a tick that hides the noise: they are begun again, to be averaged.
bool Engine::finds_coarse_clock() {
  // A grid that is finer than the clock's own steps is a mistake: pauses would not smooth those.
  const double tick = clock_step(raw_);
  const bool is_step_seen = clock_.method != Method::exact && tick > clock_.tick;
  const bool is_time_left = rounds_of_call() + first_look <= settings_.most_rounds;
  if (!is_step_seen || !is_time_left || !is_coarse(tick, *look_, settings_.precision)) return false;
  clock_ = {.method = Method::coarse, .tick = tick};
  if (settings_.ns_per_tick > 0) longest_pause_ = clock_.tick;
  return true;
}

bool Engine::is_settled() const {
  return figures_.empty() ? look_->settled == look_->blocks.size()
                          : std::ranges::none_of(figures_, &FigureLook::open);
}

void Engine::take_zoom() {
  const std::vector<std::size_t>& stops = columns_.stops;
  std::vector<Interval> shares;
  std::vector<bool> doubtful(stops.size(), false);
  for (const Segment& segment : zoom_->segments()) {
    if (segment.state != Segment::State::open) continue;
    const std::size_t begin = passes_.first_stops()[segment.begin];
    const auto at = std::ranges::lower_bound(stops, begin);
    const bool is_measured =
        at + 1 < stops.end() && *at == begin && at[1] == passes_.first_stops()[segment.end];
    const auto column = static_cast<std::size_t>(at - stops.begin());
    shares.push_back(is_measured ? look_->blocks[column].share : Interval{.value = missing});
    if (is_measured && !zoom_->is_known(shares.back())) doubtful[column] = doubtful[column + 1] = true;
  }
  const bool is_last = settings_.exact || columns_.times.rounds() >= most_rounds_of_level;
  if (zoom_->take(shares, is_last ? Zoom::Patience::decide : Zoom::Patience::wait)) return begin_level();
  columns_.open = std::move(doubtful);
  columns_.open.front() = columns_.open.back() = true;
  next_look_ = look_after(static_cast<std::uint32_t>(columns_.times.rounds()));
}

std::uint64_t Engine::shots_left() const {
  if (!look_ || phase_ == Phase::done || columns_.times.rounds() == 0) return 0;
  const auto rounds = static_cast<double>(columns_.times.rounds());
  const double most = rounds_left();
  if (!figures_.empty())
    return static_cast<std::uint64_t>(
        shots_a_stop() * (engine::shots_left(figures_, columns_.stops.size(), most) +
                          static_cast<double>(rounds_of_joining() * wanted_passes(figures_).size())));
  std::vector<double> left(look_->blocks.size() + 1, 0);
  for (std::size_t b = 0; b < look_->blocks.size(); ++b) {
    const BlockLook& block = look_->blocks[b];
    if (block.settled) continue;
    const double wanted =
        std::max(settings_.precision.absolute, settings_.precision.relative * block.share.value);
    const double ratio = half_width(block.share) / wanted;
    const double more =
        std::min(std::max(rounds * (ratio * ratio - 1), next_look_ - rounds), std::max(most, 0.0));
    for (const std::size_t c : {std::size_t{0}, b, b + 1, left.size() - 1}) left[c] = std::max(left[c], more);
  }
  return static_cast<std::uint64_t>(shots_a_stop() * std::accumulate(left.begin(), left.end(), 0.0));
}

}  // namespace jcprof::engine
