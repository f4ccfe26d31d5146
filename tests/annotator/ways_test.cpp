// SPDX-License-Identifier: Apache-2.0
// Paths that vary, with the input or by themselves.
#include "annotator/estimate/taken_paths.hpp"

#include <random>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/export/exports.hpp"
#include "src/core/path_signature.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

/// 1 p() { 10 if (x) { 11 a; } else { 12 b; } 13 c; 14 }
TrapMap branching() {
  return MapMaker()
      .trap(entry0, "p", 1)
      .trap(entry, "p", 1)
      .trap(before, "p", 10)
      .trap(before, "p", 11)
      .trap(before, "p", 12)
      .trap(before, "p", 13)
      .trap(exit, "p", 14)
      .map();
}
const std::vector<Event> over_a = path_of({1, 2, 3, 4, 6, 7});
const std::vector<Event> over_b = path_of({1, 2, 3, 5, 6, 7});

/// What lies behind each trap; c takes longer behind b.
double cost(const std::vector<Event>& path, std::size_t at) {
  const std::uint32_t trap = number(path[at].trap);
  const bool is_over_b = path[3].trap == TrapId{5};
  constexpr std::array<double, 8> costs{0, 100, 200, 300, 4000, 20000, 500, 70};
  return trap == 6 && is_over_b ? 9000 : costs[trap];
}

std::vector<TrapId> traps_before(const std::vector<Event>& path, std::size_t at) {
  std::vector<TrapId> traps;
  for (std::size_t i = 0; i < at; ++i) traps.push_back(path[i].trap);
  return traps;
}

enum class Tells : std::uint8_t { nothing, its_way, its_own_way };

/// A command that goes over b in one of `one_in` runs, at random. Every event of both paths is asked for.
RunData random_run(Tells tells, unsigned one_in, std::uint32_t rounds = 120) {
  RunData data{
      .run = {.device = "dice"},
      .map = branching(),
      .inputs = {{}},
      .paths = {{.runs = one_in - 1, .events = over_a}, {.variant = 1, .runs = 1, .events = over_b}}};
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 1);
  std::vector<Event> asked = over_a;
  asked.push_back(over_b[3]);
  asked.emplace_back();
  for (std::uint32_t round = 1; round <= rounds; ++round)
    for (const Event& event : asked) {
      const std::vector<Event>& path = random() % one_in == 0 ? over_b : over_a;
      const auto reached = static_cast<std::size_t>(std::ranges::find(path, event) - path.begin());
      double ticks = 9000 + noise(random);
      for (std::size_t i = 0; i < reached; ++i) ticks += cost(path, i);
      StoredSample sample{.sequence = data.samples.size(),
                          .round = round,
                          .asked = event,
                          .ticks = std::llround(ticks),
                          .outcome = reached < path.size() ? Outcome::stopped : Outcome::ended};
      const std::uint32_t signature = path_signature(traps_before(path, reached));
      if (tells == Tells::its_way) sample.signature = signature;
      if (tells == Tells::its_own_way) sample.signature = signature * 2654435761U + 1;
      data.samples.push_back(sample);
    }
  return data;
}

/// "3→4 100 % 300" for each edge, by traps; "?" where nothing is known.
std::string edges_of(const Profile& profile) {
  std::map<std::pair<TrapId, TrapId>, std::string> sorted;
  for (const EdgeEstimate& edge : profile.edges)
    sorted[{edge.from, edge.to}] =
        fmt::format("{}→{} {:.0f} % {}\n", number(edge.from), number(edge.to), 100 * edge.rate,
                    edge.cost.resolved ? fmt::format("{:.0f}", edge.cost.ticks.value / 10) + "0" : "?");
  std::string text;
  for (const auto& [ends, line] : sorted) text += line;
  return text;
}

const std::string goes_two_ways =
    "the command takes 2 paths: lines and functions show the most frequent path (75 % of the traced runs), "
    "and edges show all paths";

}  // namespace

TEST_CASE("paths that inputs share are one, the most frequent first") {
  const std::vector<StoredPath> paths{{.input = 0, .runs = 1, .events = over_b},
                                      {.input = 0, .variant = 1, .runs = 3, .events = over_a},
                                      {.input = 1, .runs = 1, .events = over_a},
                                      {.input = 2, .runs = 9, .events = over_b}};
  const std::vector<TakenPath> taken = taken_paths(paths);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].events() == over_a);
  CHECK(taken[0].rate == Approx((0.75 + 1) / 3));
  CHECK(taken[0].inputs == std::vector<std::uint32_t>{0, 1});
  CHECK(taken[1].inputs == std::vector<std::uint32_t>{0, 2});
  CHECK(taken[0].common_with(taken[1]) == 3);
  CHECK(taken[0].position({TrapId{6}, 1}) == 4);
  CHECK(taken[0].position({TrapId{6}, 2}) == std::nullopt);
  CHECK(taken[0].position({TrapId{5}, 1}) == std::nullopt);
  CHECK(taken[0].position({}) == 6);
  CHECK(taken_paths({}).front().inputs == std::vector<std::uint32_t>{0});
}

TEST_CASE("a signature is that of templates/PM.java, and ids beyond a short count in two parts") {
  CHECK(path_signature({}) == 0);
  CHECK(path_signature(std::array{TrapId{1}, TrapId{2}, TrapId{3}}) ==
        ((251U * 251 + 2 * 251 + 3) % 65536 << 16U | (1 + 253 + (251U * 251 + 2 * 251 + 3)) % 65536));
  CHECK(path_signature(std::array{TrapId{0x2'0003}}) == path_signature(std::array{TrapId{2}, TrapId{3}}));
  const std::uint32_t first = path_signature(std::array{TrapId{7}});
  CHECK(path_signature(std::array{TrapId{8}}, first) == path_signature(std::array{TrapId{7}, TrapId{8}}));
}

TEST_CASE("where shots tell their way, a path that varies at random is known edge by edge") {
  const Profile profile = estimate(random_run(Tells::its_way, 4));
  CHECK(profile.paths.size() == 2);
  CHECK(edges_of(profile) ==
        "1→2 100 % 100\n2→3 100 % 200\n3→4 75 % 300\n3→5 25 % 300\n4→6 75 % 4000\n5→6 25 % 20000\n"
        "6→7 100 % 500\n7→0 100 % 70\n");
  CHECK(profile.warnings == std::vector<std::string>{goes_two_ways});
  // Blocks are those of one path that was taken, in its order.
  REQUIRE(profile.blocks.size() == over_a.size());
  for (std::size_t i = 0; i < over_a.size(); ++i) {
    CHECK(profile.blocks[i].from == over_a[i]);
    CHECK(profile.blocks[i].cost.ticks.value == Approx(cost(over_a, i)).margin(10));
  }
  CHECK(line_of(profile, 12) == nullptr);
  CHECK(line_of(profile, 13)->cost.ticks.value == Approx(500).margin(10));
  // A quarter of the runs takes 9000 there, the others 500.
  const EdgeEstimate& behind = *edge_of(profile, 6, 7);
  CHECK(behind.q05 == Approx(500).margin(30));
  CHECK(behind.q95 == Approx(9000).margin(30));
  CHECK(behind.mean > 600);
  CHECK(profile.total.ticks.value == Approx(9000 + 5170).margin(20));
}

TEST_CASE("where shots do not tell their way, what lies behind the parting is not known, and that is said") {
  for (const Tells tells : {Tells::nothing, Tells::its_own_way}) {
    const Profile profile = estimate(random_run(tells, 4));
    CHECK(edges_of(profile) ==
          "1→2 100 % 100\n2→3 100 % 200\n3→4 75 % 300\n3→5 25 % 300\n4→6 75 % ?\n5→6 25 % ?\n"
          "6→7 100 % ?\n7→0 100 % ?\n");
    CHECK(profile.warnings ==
          std::vector<std::string>{
              "the path varies before 4 pairs of traps, and shots do not show which way they came, so the "
              "time between is not known (A.java:11, A.java:12, A.java:13, …)",
              goes_two_ways});
    CHECK(line_of(profile, 10)->cost.ticks.value == Approx(300).margin(10));
    CHECK_FALSE(line_of(profile, 13)->cost.resolved);
    CHECK(profile.blocks.back().cost.rounds == 0);
    CHECK(profile.total.rounds == 0);
    CHECK(to_json(profile).find("\"mean\": null") != std::string::npos);
  }
}

TEST_CASE("inputs with paths of their own need no signatures, and their edges stand side by side") {
  RunData data = scripted_run(branching(), over_a, 80, [](std::uint32_t round, std::size_t at) {
    const std::vector<Event>& path = (round - 1) / 2 % 4 == 3 ? over_b : over_a;
    double ticks = 9000 + round % 5;
    for (std::size_t i = 0; i < at; ++i) ticks += cost(path, i);
    return ticks;
  });
  data.inputs = {{.index = 0}, {.index = 1}, {.index = 2}, {.index = 3}};
  data.paths = {{.input = 0, .events = over_a},
                {.input = 1, .events = over_a},
                {.input = 2, .events = over_a},
                {.input = 3, .events = over_b}};
  for (StoredSample& sample : data.samples) {
    sample.input = (sample.round - 1) / 2 % 4;
    if (sample.input == 3 && sample.asked == over_a[3]) sample.asked = over_b[3];
  }
  const Profile profile = estimate(data);
  CHECK(edges_of(profile) ==
        "1→2 100 % 100\n2→3 100 % 200\n3→4 75 % 300\n3→5 25 % 300\n4→6 75 % 4000\n5→6 25 % 20000\n"
        "6→7 100 % 500\n7→0 100 % 70\n");
  CHECK(profile.warnings == std::vector<std::string>{goes_two_ways});
  CHECK(edge_of(profile, 6, 7)->cost.rounds == 80);
  CHECK(edge_of(profile, 6, 7)->mean == Approx(0.75 * 500 + 0.25 * 9000));
  CHECK(profile.rounds == 60);
  CHECK(profile.lines.front().line == 11);
  for (const LineEstimate& line : profile.lines) CHECK(line.line != 12);
  CHECK(profile.unreached.empty());  // but not for want of being passed
}

TEST_CASE("a digest of the agent's own still tells shots that went astray") {
  RunData data = random_run(Tells::its_own_way, 1'000'000);
  data.paths.pop_back();
  for (StoredSample& sample : data.samples)
    if (sample.round == 20 && sample.asked == over_a[4]) {
      sample.signature = 12345;
      sample.ticks = 77;
    }
  std::erase_if(data.samples, [](const StoredSample& sample) { return sample.asked == over_b[3]; });
  const Profile profile = estimate(data);
  CHECK(profile.blocks[3].cost.rounds == 119);
  CHECK(profile.blocks[3].cost.ticks.value == Approx(4000).margin(10));
  CHECK(profile.warnings ==
        std::vector<std::string>{"jcprof leaves out 1 shots: they took a path that no traced run took"});
}

TEST_CASE("inputs without a path are left out, and that is said") {
  RunData data = random_run(Tells::its_way, 4);
  data.inputs.push_back({.index = 1});
  CHECK(estimate(data).warnings ==
        std::vector<std::string>{goes_two_ways, "jcprof leaves out 1 of 2 inputs: they have no path"});
}

}  // namespace jcprof::annotator
