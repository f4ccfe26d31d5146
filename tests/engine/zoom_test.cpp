// SPDX-License-Identifier: Apache-2.0
#include "src/engine/zoom.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace jcprof::engine;

namespace {

using State = Segment::State;

/// Takes shares from what each block really is, known to +-`half`, until nothing is open.
std::vector<Segment> zoomed(const std::vector<double>& shares, ZoomSettings settings, double half = 0.0005) {
  Zoom zoom(shares.size(), std::move(settings));
  while (!zoom.is_done()) {
    std::vector<Interval> known;
    for (const Segment& segment : zoom.segments()) {
      if (segment.state != State::open) continue;
      double share = 0;
      for (std::size_t b = segment.begin; b < segment.end; ++b) share += shares[b];
      known.push_back({share, share - half, share + half});
    }
    REQUIRE(zoom.take(known));
  }
  return zoom.segments();
}

std::vector<std::size_t> hot_blocks(const std::vector<Segment>& segments) {
  std::vector<std::size_t> blocks;
  for (const Segment& segment : segments)
    if (segment.state == State::hot) blocks.push_back(segment.begin);
  return blocks;
}

}  // namespace

TEST_CASE("a long path begins as sixteen segments without gaps") {
  const Zoom zoom(1000, {});
  REQUIRE(zoom.segments().size() == 16);
  std::size_t end = 0;
  for (const Segment& segment : zoom.segments()) {
    CHECK(segment.begin == end);
    CHECK(segment.state == State::open);
    end = segment.end;
  }
  CHECK(end == 1000);
}

TEST_CASE("every block that is hot is found, wherever it is, and next to nothing else") {
  std::vector<double> shares(1000, 0.0004);
  for (const std::size_t hot : {0U, 1U, 500U, 999U}) shares[hot] = 0.1;
  const std::vector<Segment> segments = zoomed(shares, {.hot = 0.01});
  CHECK(hot_blocks(segments) == std::vector<std::size_t>{0, 1, 500, 999});
  std::size_t end = 0;
  for (const Segment& segment : segments) {
    CHECK(segment.begin == end);
    end = segment.end;
  }
  CHECK(end == 1000);
}

TEST_CASE("segments that are not known well enough are waited for, and split when patience ends") {
  Zoom zoom(64, {.hot = 0.01});
  const std::vector<Interval> vague(16, Interval{0.012, 0.005, 0.019});
  CHECK_FALSE(zoom.take(vague));
  CHECK(zoom.segments().size() == 16);
  CHECK(zoom.take(vague, Zoom::Patience::decide));
  CHECK(zoom.segments().size() == 64);
}

TEST_CASE("what is surely hot is split at once, and what is not known well enough waits for it") {
  const auto is_open = [](const Segment& segment) { return segment.state == State::open; };
  Zoom zoom(256, {.hot = 0.01});
  std::vector<Interval> shares(16, Interval{0.006, 0, 0.02});
  shares[0] = {0.001, 0, 0.002};
  shares[15] = {0.9, 0.85, 0.95};
  REQUIRE(zoom.take(shares));
  // The last sixteen blocks are left, in four segments; then one of these, block by block.
  for (const std::size_t begin : {240U, 252U}) {
    REQUIRE(std::ranges::count_if(zoom.segments(), is_open) == 4);
    CHECK(std::ranges::find_if(zoom.segments(), is_open)->begin == begin);
    CHECK_FALSE(zoom.is_done());
    std::vector<Interval> within(4, Interval{0.001, 0, 0.002});
    within[3] = {0.9, 0.85, 0.95};
    REQUIRE(zoom.take(within));
  }
  CHECK(hot_blocks(zoom.segments()) == std::vector<std::size_t>{255});
  // Nothing else is to be found: now the others are looked at.
  REQUIRE(std::ranges::count_if(zoom.segments(), is_open) == 14);
  CHECK(std::ranges::find_if(zoom.segments(), is_open)->begin == 16);
  const std::vector<Interval> vague(14, Interval{0.006, 0, 0.02});
  CHECK_FALSE(zoom.take(vague));
  CHECK(zoom.take(vague, Zoom::Patience::decide));
  CHECK(std::ranges::count_if(zoom.segments(), is_open) == 14 * 4);
}

TEST_CASE("what cannot be measured at all is never dropped") {
  Zoom zoom(64, {.hot = 0.01});
  std::vector<Interval> shares(16, Interval{0.001, 0, 0.002});
  shares[3] = {.value = missing, .low = missing, .high = missing};
  zoom.take(shares, Zoom::Patience::decide);
  CHECK(std::ranges::count(zoom.segments(), State::open, &Segment::state) == 4);
}

TEST_CASE("a line whose blocks are cold one by one but hot together is not dropped") {
  const std::vector<double> shares(64, 1.0 / 64);
  // Every fourth block is of line 0; it takes a quarter of all, in blocks of 1.6 %.
  ZoomSettings settings{.hot = 0.05};
  for (std::uint32_t b = 0; b < 64; ++b) settings.groups.push_back(b % 4 == 0 ? 0 : b + 1);
  const std::vector<std::size_t> hot = hot_blocks(zoomed(shares, settings));
  // At most 5 % of it may be missing: three blocks.
  CHECK(std::ranges::count_if(hot, [](std::size_t b) { return b % 4 == 0; }) >= 13);
}

TEST_CASE("blocks that are wanted alone stay alone") {
  ZoomSettings settings{.hot = 0.01, .alone = std::vector<bool>(100, false)};
  settings.alone[40] = settings.alone[41] = true;
  const std::vector<Segment> segments = zoomed(std::vector<double>(100, 0.0001), settings);
  CHECK(hot_blocks(segments) == std::vector<std::size_t>{40, 41});
}

namespace {

/// The first level of sixteen blocks, decided: how many are dropped.
std::ptrdiff_t dropped(const std::vector<Interval>& shares, ZoomSettings settings) {
  Zoom zoom(16, std::move(settings));
  CHECK(zoom.take(shares, Zoom::Patience::decide));
  return std::ranges::count(zoom.segments(), State::cold, &Segment::state);
}

}  // namespace

TEST_CASE("what may be hot by its interval is not dropped for its value") {
  CHECK(dropped(std::vector<Interval>(16, {0.005, 0.001, 0.012}), {.hot = 0.01}) == 0);
  CHECK(dropped(std::vector<Interval>(16, {0.005, 0.001, 0.009}), {.hot = 0.01}) == 16);
}

TEST_CASE("of one line so much is dropped as cannot be hot together, by the upper ends") {
  const ZoomSettings one_line{.hot = 0.05, .groups = std::vector<std::uint32_t>(16, 1)};
  // Four times 0.012 are below 0.05.
  CHECK(dropped(std::vector<Interval>(16, {0.005, 0, 0.012}), one_line) == 4);
  // What noise puts below 0 makes no room for more.
  std::vector<Interval> shares(8, {-0.02, -0.03, -0.01});
  shares.resize(16, {0.005, 0, 0.012});
  CHECK(dropped(shares, one_line) == 8 + 4);
}

TEST_CASE("a share is known when it is surely hot, surely not, or to a quarter of what is hot") {
  const Zoom zoom(16, {.hot = 0.01});
  CHECK(zoom.is_known({0.5, 0.4, 0.6}));
  CHECK(zoom.is_known({0.005, -0.1, 0.009}));
  CHECK(zoom.is_known({0.01, 0.008, 0.012}));
  CHECK_FALSE(zoom.is_known({0.01, 0.006, 0.014}));
  CHECK(zoom.is_known({.value = missing}));
}

TEST_CASE("a hot segment of two blocks is split, and what is split has no gaps") {
  Zoom zoom(32, {.hot = 0.01});
  REQUIRE(zoom.take(std::vector<Interval>(16, {0.06, 0.05, 0.07})));
  REQUIRE(zoom.segments().size() == 32);
  for (std::size_t b = 0; b < 32; ++b) CHECK(zoom.segments()[b] == Segment{.begin = b, .end = b + 1});
}

TEST_CASE("a path of seventeen blocks has no part of three") {
  const Zoom zoom(17, {});
  for (const Segment& segment : zoom.segments()) CHECK(segment.end - segment.begin <= 2);
}
