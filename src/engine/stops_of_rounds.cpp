// SPDX-License-Identifier: Apache-2.0
// An engine chooses the stops of its rounds.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "src/engine/engine.hpp"

namespace jcprof::engine {

std::size_t Engine::first_stop() const {
  std::size_t stop = 0;
  while (gone_.contains(stop) || passes_.waits(stop)) ++stop;
  return stop;
}

/// Begins with the next round: what was measured before is not looked at again.
void Engine::begin_level() {
  const bool is_zooming = zoom_ && !zoom_->is_done();
  phase_ = is_zooming ? Phase::zoom : Phase::rounds;
  std::set<std::size_t> chosen{first_stop(), settings_.stops - 1};
  const std::vector<std::size_t>& first = passes_.first_stops();
  if (zoom_) {
    for (const Segment& segment : zoom_->segments())
      if (!is_zooming || segment.state == Segment::State::open)
        chosen.insert({first[segment.begin], first[segment.end]});
  } else {
    chosen.insert(first.begin(), first.end());
  }
  if (!is_zooming) chosen.insert(passes_.joined().begin(), passes_.joined().end());
  std::erase_if(chosen, [&](std::size_t stop) { return gone_.contains(stop); });
  columns_ = columns_for({chosen.begin(), chosen.end()});
  far_twins_.clear();
  first_twin_.clear();
  longer_behind_one_.clear();
  figures_.clear();  // of other columns
  next_look_ = looks_from();
  first_of_level_ = round_ + 1;
  is_enough_ = false;
  plan();
}

void Engine::open_unsettled() {
  std::vector<bool>& open = columns_.open;
  if (!figures_.empty()) {
    open = stops_of_open(figures_, open.size());
    return open_for_gain();
  }
  open.assign(open.size(), false);
  open.front() = open.back() = true;
  for (std::size_t b = 0; b < look_->blocks.size(); ++b)
    if (look_->blocks[b].open) open[b] = open[b + 1] = true;
  open_for_gain();
}

/// The stops that were not asked for often enough, with their neighbours.
void Engine::open_unfinished() {
  std::vector<bool>& open = columns_.open;
  open.assign(open.size(), false);
  open.front() = open.back() = true;
  for (std::size_t c = 0; c < open.size(); ++c)
    if (columns_.attempts[c] < each_wanted()) open_near(open, c);
  open_for_gain();
}

void Engine::open_for_gain() {
  std::vector<bool>& open = columns_.open;
  // A round of fewer has no gain, and its differences could not stand beside those of the others.
  const auto count_open = [&] { return static_cast<std::size_t>(std::ranges::count(open, true)); };
  for (std::size_t i = 1; i < fewest_stops_for_gain && count_open() < fewest_stops_for_gain; ++i)
    open[i * (open.size() - 1) / fewest_stops_for_gain] = true;
}

void Engine::note_more_passes(std::vector<Figure>& figures) const {
  const std::vector<std::uint32_t> edges = edges_of(columns_.stops, settings_.edges);
  for (Figure& figure : figures)
    for (const std::size_t block : figure.passes_of)
      if (passes_.has_more(edges[block])) figure.edges_with_more.push_back(edges[block]);
}

/// The stops of the passes that these figures want, where the blocks lie that tell most of them.
std::vector<std::size_t> Engine::wanted_passes(std::span<const FigureLook> figures) const {
  struct Wish {
    double times = 0;  // as many passes
    std::size_t last = 0;
  };
  std::map<std::uint32_t, Wish> wishes;  // by edge
  for (const FigureLook& figure : figures)
    for (const std::uint32_t edge : figure.edges_with_more)
      if (figure.open && figure.more_passes > 1) {
        Wish& wish = wishes[edge];
        wish.times = std::max(wish.times, figure.more_passes);
        wish.last = std::max(wish.last, columns_.stops[figure.wanted.back() + 1]);
      }
  std::set<std::size_t> stops;
  for (const auto& [edge, wish] : wishes) {
    const std::vector<std::size_t> next = passes_.next(edge, wish.times, wish.last);
    stops.insert(next.begin(), next.end());
  }
  return {stops.begin(), stops.end()};
}

/// Adds the rounds and shots of passes that will join to the forecasts of the figures.
void Engine::count_wanted_passes() {
  for (FigureLook& figure : figures_) {
    const std::size_t stops = wanted_passes({&figure, 1}).size();
    if (stops == 0) continue;
    figure.rounds_left = std::max<double>(figure.rounds_left, rounds_of_joining());
    figure.shots_left += static_cast<double>(rounds_of_joining() * stops);
  }
}

/// Those join that the newest look wants.
void Engine::join_passes() {
  if (phase_ == Phase::rounds && round_ % 2 == 0 && can_passes_join()) join(wanted_passes(figures_));
}

/// Once they are measured, another look says how many more are wanted.
void Engine::join(const std::vector<std::size_t>& stops) {
  for (const std::size_t stop : stops) passes_.join(stop);
  if (stops.empty() || phase_ != Phase::rounds) return;
  const std::vector<std::size_t> before = columns_.stops;
  add(columns_, stops);
  drop(columns_, gone_);
  renumber_figures(before);
  for (FigureLook& figure : figures_) figure.more_passes = 1;
  next_look_ = static_cast<std::uint32_t>(columns_.times.rounds()) + rounds_of_joining();
}

/// The newest look had columns at stops `before`.
void Engine::renumber_figures(const std::vector<std::size_t>& before) {
  for (FigureLook& figure : figures_) figure.wanted = blocks_between(before, columns_.stops, figure.wanted);
}

}  // namespace jcprof::engine
