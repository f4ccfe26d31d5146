// SPDX-License-Identifier: Apache-2.0
// When lines and functions are known well enough, and what is measured until they are.
#include "src/engine/settlement.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/engine.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::engine {
namespace {

constexpr std::size_t stops = 21;
const Clock fine{};

/// Blocks of 1000, each reading with normal noise of deviation `sigma`.
double reading(std::uint32_t round, std::size_t stop, double sigma) {
  return 5000 + 1000.0 * static_cast<double>(stop) + sigma * test::normal(7, round * 100 + stop, 0);
}

Times table(std::uint32_t rounds, double sigma) {
  Times times(stops);
  for (std::uint32_t r = 1; r <= rounds; ++r) {
    std::vector<double> values;
    for (std::size_t s = 0; s < stops; ++s) values.push_back(reading(r, s, sigma));
    times.add_round(values);
  }
  return times;
}

/// Blocks far apart, of a line that the loop passes again and again.
Figure line_of(std::size_t blocks) {
  Figure figure{.name = "line"};
  for (std::size_t b = 0; b < blocks; ++b) figure.ranges.push_back({.begin = 2 * b, .end = 2 * b + 1});
  return figure;
}

FigureLook settled_alone(const Figure& figure, const Precision& precision, std::uint32_t rounds = 40,
                         double most_rounds = 1000) {
  const Times times = table(rounds, 50);
  const Look known = look(times, fine, precision);
  std::vector<FigureLook> figures = settle({figure}, times, fine, known, {precision});
  leave_out_of_reach(figures, known, most_rounds);
  return figures.front();
}

Engine measuring(const Figure& figure, const Precision& precision, std::uint32_t most_rounds = 1000) {
  Engine engine({.stops = stops,
                 .precision = precision,
                 .most_rounds = most_rounds,
                 .figures = [figure](const Times&, std::span<const std::size_t>, const Clock&) {
                   return std::vector{figure};
                 }});
  engine.resume_from({.pilot = {.whole = 20'000, .shot = 25'000}});
  return engine;
}

void answer_round(Engine& engine) {
  std::vector<Reading> readings;
  for (const PlannedShot& shot : engine.next().shots)
    readings.push_back({.kind = Reading::Kind::timed, .ticks = reading(engine.next().round, shot.stop, 50)});
  engine.take(readings);
}

std::uint32_t rounds_until_done(Engine engine) {
  std::uint32_t rounds = 0;
  for (; engine.next().phase != Phase::done; ++rounds) answer_round(engine);
  return rounds;
}

}  // namespace

TEST_CASE("a line of nine blocks far apart is three times less well known than one of a single block") {
  const double one = settled_alone(line_of(1), {}).half;
  const double nine = settled_alone(line_of(9), {}).half;
  CHECK(nine / one == Approx(3).epsilon(0.25));
}

TEST_CASE("blocks in a row are as well known as a single one: their sum is the difference of two stops") {
  const double one = settled_alone(line_of(1), {}).half;
  const FigureLook row = settled_alone({.name = "function", .ranges = {{.begin = 3, .end = 12}}}, {});
  CHECK(row.half / one == Approx(1).epsilon(0.3));
  CHECK(row.share == Approx(0.45).epsilon(0.02));
}

TEST_CASE("a line that takes a tenth of its blocks is ten times better known") {
  Figure tenth = line_of(3);
  for (BlockRange& range : tenth.ranges) range.share = 0.1;
  CHECK(settled_alone(tenth, {}).half / settled_alone(line_of(3), {}).half == Approx(0.1).epsilon(0.05));
}

TEST_CASE("a line is as well known as the fit of all rounds says, and never by luck alone") {
  const Times times = table(40, 50);
  const Look known = look(times, fine, {});
  double usual = 0;
  for (const BlockLook& block : known.blocks)
    usual += half_width(block.ticks) / static_cast<double>(known.blocks.size());
  // A mean of normal noise has four fifths of a median's half width.
  const double typical = settled_alone(line_of(9), {}).half * known.whole / (3 * usual);
  CHECK(typical > 0.7);
  CHECK(typical < 0.95);
  // Rounds that agree by chance at the two stops of a block prove nothing.
  Times lucky(stops);
  for (std::uint32_t r = 1; r <= 40; ++r) {
    std::vector<double> values;
    for (std::size_t s = 0; s < stops; ++s) values.push_back(reading(r, s, s < 2 ? 0.01 : 50));
    lucky.add_round(values);
  }
  const Look look_at_it = look(lucky, fine, {});
  const std::vector<FigureLook> figures = settle({line_of(1)}, lucky, fine, look_at_it, {});
  CHECK(figures.front().half * look_at_it.whole > 0.5 * usual);
}

TEST_CASE("a line is known no better than the passes of it that were measured tell") {
  const FigureLook noise = settled_alone(line_of(1), {});
  const auto with_passes = [&](double passes, double allowed, bool has_more) {
    Figure figure = line_of(1);
    figure.passes = passes * noise.half * 20'000;
    if (has_more) figure.edges_with_more = {1};
    return settled_alone(figure, {.absolute = allowed * noise.half, .relative = 0});
  };
  CHECK(with_passes(2, 3, true).half == Approx(std::sqrt(5) * noise.half).epsilon(0.01));
  CHECK(with_passes(2, 3, true).settled);
  CHECK(with_passes(2, 3, true).more_passes == 1);
  // Noise is the smaller part: half of the square that is allowed is for passes.
  const FigureLook few = with_passes(2, 2, true);
  CHECK(few.open);
  CHECK(few.more_passes == Approx(2).epsilon(0.01));
  CHECK(few.lasting == 0);
  // All have been measured, and no number of rounds helps.
  const FigureLook all = with_passes(2, 2, false);
  CHECK_FALSE(all.settled);
  CHECK_FALSE(all.open);
  CHECK(all.lasting == Approx(2 * noise.half).epsilon(0.01));
  // No more join at a time than are known: a run may end soon.
  CHECK(with_passes(5, 2, true).more_passes == 2);
  CHECK(with_passes(2, 2.2, true).more_passes == Approx(8 / 4.84).epsilon(0.01));
  // Noise hides how much passes differ: lines stay open until it is clear.
  CHECK(with_passes(0.9, 0.2, true).more_passes == 1);
  CHECK(with_passes(0.9, 0.2, true).open);
  CHECK(std::isfinite(with_passes(0.9, 0.2, true).rounds_left));
  CHECK(with_passes(0.9, 0.2, false).open);
  // Passes that will join take away noise as well.
  CHECK(with_passes(2, 0.8, true).rounds_left < with_passes(0, 0.8, true).rounds_left);
  CHECK(with_passes(0.9, 0.2, false).rounds_left >= with_passes(0, 0.2, false).rounds_left);
  // Sixteen times as many would not do.
  CHECK(std::isinf(with_passes(2, 0.4, true).rounds_left));
}

TEST_CASE("a line that more passes settle is measured, though no number of rounds does") {
  const Look settled{.blocks = {{.settled = true}, {.settled = true}}};
  std::vector<FigureLook> figures{{.rounds_left = 2000, .wanted = {0}},
                                  {.rounds_left = 2000, .wanted = {0}, .more_passes = 2},
                                  {.rounds_left = 900, .wanted = {0}}};
  leave_out_of_reach(figures, settled, 1000);
  CHECK_FALSE(figures[0].open);
  CHECK(figures[1].open);
  CHECK(figures[2].open);
}

TEST_CASE("a line that is left has no stops that are wanted") {
  const std::vector<FigureLook> figures{{.open = false, .wanted = {3}}, {.open = true, .wanted = {6}}};
  std::vector<bool> wanted(10, false);
  for (const std::size_t stop : {0U, 6U, 7U, 9U}) wanted[stop] = true;
  CHECK(stops_of_open(figures, 10) == wanted);
}

/// A line whose first two passes tell nearly all of it.
Figure line_told_early() {
  Figure line = line_of(9);
  line.factors.assign(stops - 1, 0);
  for (std::size_t b = 0; b < 17; b += 2) line.factors[b] = b < 4 ? 10 : 0.1;
  return line;
}

TEST_CASE("a line in a loop wants the passes that tell most of it for the time of a shot") {
  const FigureLook noise = settled_alone(line_told_early(), {});
  const Precision half_of_it{.absolute = noise.half / 2, .relative = 0};
  const FigureLook look = settled_alone(line_told_early(), half_of_it);
  CHECK(look.wanted == std::vector<std::size_t>{0, 2});
  CHECK(look.rounds_left == Approx(120));
  // All tell as much, but shots of the last two take more than four times as long, unless all take long.
  Figure evenly = line_of(9);
  evenly.factors.assign(stops - 1, 0);
  for (std::size_t b = 0; b < 17; b += 2) evenly.factors[b] = 1;
  CHECK(settled_alone(evenly, half_of_it).wanted == std::vector<std::size_t>{0, 2, 4, 6, 8, 10, 12});
  const Times times = table(40, 50);
  const Look known = engine::look(times, fine, half_of_it);
  CHECK(settle({evenly}, times, fine, known, {half_of_it, 1e6}).front().wanted.size() == 9);
}

TEST_CASE("a pass that was measured often has little more to tell") {
  Figure line = line_of(9);
  line.factors.assign(stops - 1, 0);
  line.factors[2] = line.factors[8] = 1;
  Times times(stops);
  for (std::uint32_t r = 1; r <= 200; ++r) {
    std::vector<double> values;
    for (std::size_t s = 0; s < stops; ++s)
      values.push_back(r > 20 && s >= 8 && s + 1 < stops ? missing : reading(r, s, 50));
    times.add_round(values);
  }
  const Precision precision{.absolute = 0.0001, .relative = 0};
  const FigureLook look =
      settle({line}, times, fine, engine::look(times, fine, precision), {precision}).front();
  CHECK(look.wanted == std::vector<std::size_t>{8});
  const double ratio = look.half / 0.0001;
  CHECK(look.rounds_left == Approx(20 * (ratio * ratio - 1)));
}

TEST_CASE("a row of blocks is wanted as a whole: noise inside of it cancels only where all are measured") {
  Figure row{.name = "function", .ranges = {{.begin = 3, .end = 12}}};
  row.factors.assign(stops - 1, 0);
  std::fill(row.factors.begin() + 3, row.factors.begin() + 12, 1.0);
  const FigureLook look = settled_alone(row, {.absolute = settled_alone(row, {}).half / 2, .relative = 0});
  CHECK(look.wanted == std::vector<std::size_t>{3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("where the command has a trend, or passes share out others, all of a line's blocks are wanted") {
  Figure shared_out = line_told_early();
  shared_out.doubt = 100;
  const Precision precision{.absolute = 0.0001, .relative = 0};
  CHECK(settled_alone(shared_out, precision).wanted.size() == 9);
  Times slower(stops);
  for (std::uint32_t r = 1; r <= 40; ++r) {
    std::vector<double> values;
    for (std::size_t s = 0; s < stops; ++s) values.push_back(reading(r, s, 50) * (1 + 0.005 * r));
    slower.add_round(values);
  }
  CHECK(settle({line_told_early()}, slower, fine, look(slower, fine, precision), {precision})
            .front()
            .wanted.size() == 9);
}

TEST_CASE("a line is settled at the absolute half width or at a part of its share, whichever is larger") {
  const FigureLook nine = settled_alone(line_of(9), {});
  CHECK(settled_alone(line_of(9), {.absolute = nine.half * 1.01, .relative = 0}).settled);
  CHECK_FALSE(settled_alone(line_of(9), {.absolute = nine.half * 0.99, .relative = 0}).settled);
  CHECK(settled_alone(line_of(9), {.absolute = 0, .relative = nine.half / nine.share * 1.01}).settled);
  CHECK_FALSE(settled_alone(line_of(9), {.absolute = 0, .relative = nine.half / nine.share * 0.99}).settled);
}

TEST_CASE(
    "doubt how blocks share their time is part of the half width, and the blocks that tell are wanted") {
  Figure line = line_of(1);
  line.doubt = 400;
  line.told_by = {7, 8};
  const FigureLook look = settled_alone(line, {});
  CHECK(look.half == Approx(0.02).epsilon(0.1));
  CHECK_FALSE(look.settled);
  CHECK(look.wanted == std::vector<std::size_t>{0, 7, 8});
}

TEST_CASE("the rounds that are left shrink the half width with their root") {
  const FigureLook nine = settled_alone(line_of(9), {});
  const Precision half_of_it{.absolute = nine.half / 2, .relative = 0};
  const FigureLook wanted = settled_alone(line_of(9), half_of_it);
  CHECK(wanted.rounds_left == Approx(120));
  // At 18 stops, of which the first is one, and the end.
  CHECK(wanted.shots_left == Approx(120 * 19));
}

TEST_CASE("a line is not measured longer where the rest of its half width is what no round shrinks") {
  const FigureLook noise = settled_alone(line_of(1), {});
  const double whole = 1000 / noise.share;
  Figure line = line_of(1);
  line.lasting = 2.1 * noise.half * whole;
  const FigureLook over = settled_alone(line, {.absolute = noise.half, .relative = 0});
  CHECK(over.lasting == Approx(2.1 * noise.half).epsilon(0.01));
  CHECK(over.half == Approx(std::hypot(1, 2.1) * noise.half).epsilon(0.01));
  CHECK_FALSE(over.settled);
  CHECK_FALSE(over.open);
  CHECK(std::isinf(over.rounds_left));
  // While noise is more than half of the rest, rounds narrow the half width by a tenth or more.
  line.lasting = 1.9 * noise.half * whole;
  const FigureLook noisy = settled_alone(line, {.absolute = noise.half, .relative = 0});
  CHECK(noisy.open);
  CHECK(std::isinf(noisy.rounds_left));
  line.lasting = 0.9 * noise.half * whole;
  const FigureLook almost = settled_alone(line, {.absolute = 1.1 * noise.half, .relative = 0});
  CHECK_FALSE(almost.settled);
  CHECK(almost.open);
  line.lasting = 0.5 * noise.half * whole;
  const FigureLook under = settled_alone(line, {.absolute = noise.half, .relative = 0});
  CHECK(under.open);
  CHECK(under.rounds_left == Approx(40 * (1 / 0.75 - 1)).epsilon(0.05));
  CHECK(settled_alone(line, {.absolute = 1.2 * noise.half, .relative = 0}).settled);
}

TEST_CASE("stops hide a line if their cost differs by more than the line, and by more than is asked for") {
  const FigureLook line = settled_alone(line_of(1), {});
  const double whole = 1000 / line.share;
  const auto hidden = [&](double lasting, double absolute) {
    Figure figure = line_of(1);
    figure.lasting = lasting * whole;
    return settled_alone(figure, {.absolute = absolute, .relative = 0}).hidden_by_stops;
  };
  CHECK(hidden(1.1 * line.share, 0.5 * line.share));
  CHECK_FALSE(hidden(0, 0));
  CHECK_FALSE(hidden(0.9 * line.share, 0.5 * line.share));
  CHECK_FALSE(hidden(1.1 * line.share, 1.2 * line.share));
}

TEST_CASE("a line that no call can settle is left when its blocks are") {
  const FigureLook nine = settled_alone(line_of(9), {});
  const Precision precision{.absolute = nine.half / 2, .relative = 0};
  CHECK(settled_alone(line_of(9), precision, 40, 130).open);
  CHECK_FALSE(settled_alone(line_of(9), precision, 40, 110).open);
  // Its blocks are not.
  CHECK(settled_alone(line_of(9), {.absolute = nine.half / 20, .relative = 0}, 40, 110).open);
}

TEST_CASE("a run goes on until its lines are settled, and measures their stops") {
  const Precision precision{.absolute = 0.005, .relative = 0};
  const std::uint32_t of_one = rounds_until_done(measuring(line_of(1), precision));
  Engine engine = measuring(line_of(9), precision);
  for (std::uint32_t r = 0; r < of_one; ++r) answer_round(engine);
  REQUIRE(engine.figures().size() == 1);
  CHECK(engine.figures().front().open);
  std::vector<std::size_t> asked;
  for (const PlannedShot& shot : engine.next().shots)
    if (!shot.prepares) asked.push_back(shot.stop);
  std::ranges::sort(asked);
  CHECK(asked == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20});
  CHECK(engine.shots_left() > 0);
  const std::uint32_t of_nine = rounds_until_done(measuring(line_of(9), precision));
  CHECK(of_nine > 3 * of_one);
  CHECK(of_nine < 20 * of_one);
}

TEST_CASE("a run does not go on for a line that is out of its reach") {
  const Precision precision{.absolute = 0.005, .relative = 0};
  CHECK(rounds_until_done(measuring(line_of(9), precision, 30)) <= 20);
}

}  // namespace jcprof::engine
