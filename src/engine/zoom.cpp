// SPDX-License-Identifier: Apache-2.0
#include "src/engine/zoom.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace jcprof::engine {
namespace {

constexpr std::size_t first_parts = 16;
constexpr std::size_t parts = 4;

/// [begin, end) in up to `count` segments of nearly one size.
void split(std::size_t begin, std::size_t end, std::size_t count, std::vector<Segment>& to) {
  const std::size_t size = end - begin;
  const std::size_t made = std::min(count, size);
  for (std::size_t i = 0; i < made; ++i)
    to.push_back({.begin = begin + size * i / made, .end = begin + size * (i + 1) / made});
}

}  // namespace

Zoom::Zoom(std::size_t blocks, ZoomSettings settings) : settings_(std::move(settings)) {
  const auto is_alone = [&](std::size_t block) { return !settings_.alone.empty() && settings_.alone[block]; };
  const std::size_t size = (blocks + first_parts - 1) / first_parts;
  for (std::size_t begin = 0; begin < blocks;) {
    if (is_alone(begin)) {
      segments_.push_back({.begin = begin, .end = begin + 1, .state = Segment::State::hot});
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < blocks && !is_alone(end)) ++end;
    split(begin, end, (end - begin + size - 1) / size, segments_);
    begin = end;
  }
}

bool Zoom::is_done() const {
  return std::ranges::none_of(segments_, [](const Segment& s) { return s.state == Segment::State::open; });
}

/// A line may be hot whose blocks, far apart, are not: all that is dropped of it must stay below together.
bool Zoom::is_cold(const Segment& segment, const Interval& share) {
  if (!(share.high < settings_.hot)) return false;
  if (settings_.groups.empty()) return true;
  const auto first = settings_.groups.begin() + static_cast<std::ptrdiff_t>(segment.begin);
  const std::set<std::uint32_t> groups(first,
                                       first + static_cast<std::ptrdiff_t>(segment.end - segment.begin));
  const double most = std::max(0.0, share.high);
  if (std::ranges::any_of(groups, [&](auto group) { return dropped_[group] + most >= settings_.hot; }))
    return false;
  for (const std::uint32_t group : groups) dropped_[group] += most;
  return true;
}

bool Zoom::is_known(const Interval& share) const {
  if (is_missing(share.value)) return true;
  return share.high < settings_.hot || share.low >= settings_.hot || half_width(share) <= settings_.hot / 4;
}

bool Zoom::can_split_hot(std::span<const Interval> shares) const {
  std::size_t at = 0;
  return std::ranges::any_of(segments_, [&](const Segment& segment) {
    if (segment.state != Segment::State::open) return false;
    const Interval& share = shares[at++];
    return share.low >= settings_.hot && segment.end - segment.begin > 1;
  });
}

bool Zoom::take(std::span<const Interval> shares, Patience patience) {
  const auto is_undecided = [&](const Interval& share) { return !is_known(share); };
  const bool some_wait = patience == Patience::wait && std::ranges::any_of(shares, is_undecided);
  if (some_wait && !can_split_hot(shares)) return false;
  std::vector<Segment> next;
  std::size_t at = 0;
  for (const Segment& segment : segments_) {
    if (segment.state != Segment::State::open) {
      next.push_back(segment);
      continue;
    }
    const Interval& share = shares[at++];
    if (some_wait && is_undecided(share))
      next.push_back({segment.begin, segment.end, Segment::State::later});
    else if (is_cold(segment, share))
      next.push_back({segment.begin, segment.end, Segment::State::cold});
    else if (segment.end - segment.begin == 1)
      next.push_back({segment.begin, segment.end, Segment::State::hot});
    else
      split(segment.begin, segment.end, parts, next);
  }
  segments_ = std::move(next);
  if (is_done())
    for (Segment& segment : segments_)
      if (segment.state == Segment::State::later) segment.state = Segment::State::open;
  return true;
}

}  // namespace jcprof::engine
