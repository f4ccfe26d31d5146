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
  while (gone_.contains(stop)) ++stop;
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

/// The stops that were not asked for often enough, with their neighbours: a difference is taken within a
/// round.
void Engine::open_unfinished() {
  std::vector<bool>& open = columns_.open;
  open.assign(open.size(), false);
  open.front() = open.back() = true;
  for (std::size_t c = 0; c < open.size(); ++c) {
    if (columns_.attempts[c] >= each_wanted()) continue;
    for (std::size_t near = c == 0 ? 0 : c - 1; near <= c + 1 && near < open.size(); ++near)
      open[near] = true;
  }
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
    figure.has_more_passes = std::ranges::any_of(
        figure.passes_of, [&](std::size_t block) { return passes_.has_more(edges[block]); });
}

/// By what the newest look knows. The call must be able to measure them as often as a look needs.
void Engine::join_passes() {
  if (phase_ != Phase::rounds || round_ % 2 == 1 || rounds_left() < first_look) return;
  const std::vector<std::uint32_t> edges = edges_of(columns_.stops, settings_.edges);
  std::map<std::uint32_t, double> wanted;  // by edge: times as many passes
  for (const FigureLook& figure : figures_)
    for (const std::size_t block : figure.passes_of)
      if (figure.open && figure.more_passes > 1)
        wanted[edges[block]] = std::max(wanted[edges[block]], figure.more_passes);
  std::set<std::size_t> joined;
  for (const auto& [edge, times] : wanted)
    for (const std::size_t stop : passes_.join(edge, times))
      if (!gone_.contains(stop)) joined.insert(stop);
  if (joined.empty()) return;
  add(columns_, {joined.begin(), joined.end()});
  next_look_ = static_cast<std::uint32_t>(columns_.times.rounds()) + first_look;
}

}  // namespace jcprof::engine
