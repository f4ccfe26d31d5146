// SPDX-License-Identifier: Apache-2.0
// The lines and functions of a path, which a measurement has to find out.
#include "annotator/estimate/figures.hpp"

#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include "src/engine/schedule.hpp"
#include "tests/annotator/trap_maps.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::annotator {
namespace {

using Costs = std::vector<double>;  // of the blocks of a path

/// Figures of a path, each event of which is measured in 20 rounds at these positions, with normal noise.
std::vector<engine::Figure> figures_at(const TrapMap& map, const std::vector<Event>& path,
                                       const std::vector<std::size_t>& positions, const Costs& costs,
                                       double sigma, double stop = 0) {
  engine::Times times(positions.size());
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::vector<double> values;
    for (const std::size_t at : positions)
      values.push_back(
          std::accumulate(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(at), 5000.0) +
          sigma * test::normal(3, round * 10'000 + at, 0));
    times.add_round(values);
  }
  std::vector<std::size_t> stops(positions.size());
  std::iota(stops.begin(), stops.end(), std::size_t{0});
  const TrapCost cost{.stop = {stop, 0.9 * stop, 1.1 * stop}};
  return figures_of(map, path, positions, [cost] { return cost; })(times, stops, {});
}

const engine::Figure& named(const std::vector<engine::Figure>& figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &engine::Figure::name);
  REQUIRE(found != figures.end());
  return *found;
}

/// What the figure's ranges are of the blocks' costs.
double sum_of(const engine::Figure& figure, const Costs& costs) {
  double sum = 0;
  for (const engine::BlockRange& range : figure.ranges)
    for (std::size_t b = range.begin; b < range.end; ++b) sum += range.share * costs[b];
  return sum;
}

std::vector<std::size_t> all_of(const std::vector<Event>& path) {
  std::vector<std::size_t> positions(path.size() + 1);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

/// A loop of two lines; the passes of the first of them differ by `more`.
struct Loop {
  std::vector<Event> path;
  TrapMap map = MapMaker().trap(TrapKind::before, "p", 10).trap(TrapKind::before, "p", 11).map();
  std::vector<std::size_t> positions;
  Costs costs;

  Loop(std::size_t passes, double more) {
    std::vector<std::uint32_t> traps;
    for (std::size_t i = 0; i < passes; ++i) {
      traps.insert(traps.end(), {1, 2});
      costs.insert(costs.end(), {300 + more * static_cast<double>(i % 2), 100});
    }
    path = path_of(traps);
    positions = engine::choose_positions(path, 1);
  }
  engine::Figure line(std::string_view name, double sigma) const {
    return named(figures_at(map, path, positions, costs, sigma), name);
  }
};

}  // namespace

TEST_CASE("figures are lines, and functions of several lines by themselves") {
  const std::vector<Event> path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  const Costs costs{10, 20, 40, 80, 160, 320, 640, 1280, 2560};
  const std::vector<engine::Figure> figures = figures_at(two_calls(), path, all_of(path), costs, 0.1);
  std::vector<std::string> names;
  for (const engine::Figure& figure : figures)
    if (!figure.ranges.empty()) names.push_back(figure.name);
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"A.java:1", "A.java:10", "A.java:20", "A.java:30", "A.java:40",
                                          "A.java:50", "p"});
}

TEST_CASE("where all events are measured nothing is in doubt, and a line in a row is one range") {
  const Loop loop(8, 0);
  const engine::Figure line =
      named(figures_at(loop.map, loop.path, all_of(loop.path), loop.costs, 1), "A.java:10");
  CHECK(line.doubt == 0);
  CHECK(line.told_by.empty());
  CHECK(sum_of(line, loop.costs) == Approx(2400));
  CHECK(line.ranges.size() == 8);
  const engine::Figure whole = named(figures_at(loop.map, loop.path, all_of(loop.path), loop.costs, 1), "p");
  CHECK(whole.ranges.size() == 1);
}

TEST_CASE("a line of a long loop is in doubt by the noise of the passes that were measured alone") {
  const Loop loop(1000, 0);
  const engine::Figure quiet = loop.line("A.java:10", 1);
  const engine::Figure noisy = loop.line("A.java:10", 10);
  CHECK(quiet.noise > 0);
  CHECK(noisy.noise / quiet.noise == Approx(10).epsilon(0.3));
  // Some sixteen of the 1,000 passes, in 20 rounds, each the difference of two readings, to 97 %.
  const double half_of_pass = 2.17 * std::sqrt(2.0 / (16 * 20)) * 1.2533;
  CHECK(quiet.noise / 1000 == Approx(half_of_pass).epsilon(0.7));
  // Those passes tell it, and they are single blocks.
  CHECK(quiet.told_by.size() >= 30);
  for (const std::size_t block : quiet.told_by) CHECK(loop.positions[block + 1] == loop.positions[block] + 1);
}

TEST_CASE("a stop costs more at one trap than at another, in each pass of a loop, whatever the rounds say") {
  const Loop loop(1000, 0);
  const auto figures = figures_at(loop.map, loop.path, loop.positions, loop.costs, 1, 10);
  // 22 % of what a stop costs, at both ends of each pass.
  CHECK(named(figures, "A.java:10").lasting == Approx(1000 * 2.2 * std::sqrt(2)).epsilon(0.05));
  CHECK(named(figures, "p").lasting < 5);
  CHECK(loop.line("A.java:10", 1).lasting == 0);
}

TEST_CASE("a line of a long loop is in doubt by how much its passes differ, and names some of them") {
  const Loop loop(1000, 200);
  const engine::Figure line = loop.line("A.java:10", 1);
  // Passes of 300 and 500, as many of each: the mean of some sixteen has a deviation of 25. It is known
  // better, as the other line's passes are alike and the time of both together is known.
  CHECK(line.passes / 1000 > 10);
  CHECK(line.passes / 1000 < 2.04 * 25);
  CHECK(Loop(1000, 0).line("A.java:10", 1).passes < 0.1 * line.passes);
  REQUIRE(line.passes_of.size() == 1);
  const std::size_t pass = line.passes_of.front();
  CHECK(loop.positions[pass + 1] == loop.positions[pass] + 1);
  CHECK(loop.path[loop.positions[pass]].trap == TrapId{1});
  CHECK(loop.line("p", 1).passes < 0.01 * line.passes);
}

TEST_CASE("that passes differ is no reason to measure the same ones longer") {
  CHECK(Loop(1000, 200).line("A.java:10", 1).noise ==
        Approx(Loop(1000, 0).line("A.java:10", 1).noise).epsilon(0.7));
}

}  // namespace jcprof::annotator
