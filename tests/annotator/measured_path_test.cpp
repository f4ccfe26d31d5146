// SPDX-License-Identifier: Apache-2.0
// From runs whose readings are said one by one to numbers that can be said by hand.
#include "annotator/estimate/measured_path.hpp"

#include <array>
#include <cmath>

#include <unistd.h>
#include <catch2/catch.hpp>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/path_matcher.hpp"
#include "src/core/path_signature.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

/// p() { 2 a; 3 b; 4 c; … }, a line a trap.
TrapMap straight(std::size_t count) {
  MapMaker maker;
  maker.trap(entry, "p", 1);
  for (std::size_t line = 2; line <= count; ++line) maker.trap(before, "p", line);
  return maker.map();
}

std::vector<Event> straight_path(std::uint32_t count) {
  std::vector<std::uint32_t> traps;
  for (std::uint32_t trap = 1; trap <= count; ++trap) traps.push_back(trap);
  return path_of(traps);
}

/// Read by an exact clock: values are medians, intervals are spreads.
Profile exactly(RunData data) {
  data.looks = {{.number = 1, .method = Method::exact}};
  return estimate(data);
}

const FunctionEstimate& function(const Profile& profile, const std::string& name) {
  return *std::ranges::find(profile.functions, name, &FunctionEstimate::function);
}

}  // namespace

// ---- estimates

TEST_CASE("a number is resolved when it is above nothing and known better than by its own size") {
  CHECK(is_resolved({5, 1, 9}));
  CHECK_FALSE(is_resolved({5, 0, 9}));
  CHECK(is_resolved({2, 0.5, 4.5}));
  CHECK_FALSE(is_resolved({2, 0.5, 4.6}));
}

TEST_CASE("doubts of traps and of a division widen an interval as independent errors do") {
  // sqrt(10^2 + 3^2 + 4^2) below, sqrt(10^2 + 3^2 + 12^2) above.
  const Estimate estimate =
      estimate_from({100, 90, 110}, 8, {.traps = 3, .division_low = 4, .division_high = 12});
  CHECK(estimate.ticks.low == Approx(100 - std::sqrt(125)));
  CHECK(estimate.ticks.high == Approx(100 + std::sqrt(253)));
  CHECK(estimate.rounds == 8);
}

TEST_CASE("what noise put below nothing may still be as large as the noise") {
  const Estimate estimate = estimate_from({-20, -25, -15}, 8, {});
  CHECK(estimate.raw == -20);
  CHECK(estimate.ticks == Interval{0, 0, 5});
}

TEST_CASE("an interval holds the value that it is shown with, also where that was kept below it") {
  const Estimate estimate = estimate_from({10, 8, 12}, 20, {}, 5);
  CHECK(estimate.ticks == Interval{5, 5, 12});
}

// ---- calls and loops

namespace {

/// 10 f() {  11 if (n > 0) {  12 f(n - 1);  13 }  14 return;  }
TrapMap recursive() {
  return MapMaker()
      .trap(entry, "f", 10)
      .trap(before, "f", 11, 13)
      .trap(before, "f", 12)
      .trap(after, "f", 13)
      .trap(returns, "f", 14)
      .map();
}

}  // namespace

TEST_CASE("a recursive function takes with its calls what its outermost call takes, once") {
  SyntheticDevice device{.map = recursive(), .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 1, 2, 3, 1, 2, 5, 4, 5, 4, 5});
  device.costs = {1, 2, 4, 10, 20, 40, 100, 200, 7, 8, 9, 30, 50};
  const Profile profile = estimate(device.run(10));
  REQUIRE(profile.functions.size() == 1);
  CHECK(profile.functions[0].calls == 3);
  CHECK(profile.functions[0].inclusive.ticks.value == Approx(481));
  CHECK(profile.functions[0].exclusive.ticks.value == Approx(481));
}

TEST_CASE("a loop within itself by recursion takes what its outermost run takes, once") {
  // 20 f() { 21 do { 22 f(); 23 } … 24 }
  const TrapMap map = MapMaker()
                          .trap(entry, "f", 20)
                          .trap(before, "f", 21, 23)
                          .trap(loop_body, "f", 22)
                          .trap(after, "f", 23)
                          .trap(exit, "f", 24)
                          .map();
  SyntheticDevice device{.map = map, .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 1, 2, 3, 4, 5, 4, 5});
  device.costs = {1000, 1, 2, 4, 8, 16, 32, 64, 128, 5000};
  const Profile profile = estimate(device.run(10));
  REQUIRE(profile.loops.size() == 1);
  CHECK(profile.loops[0].entries == 2);
  CHECK(profile.loops[0].passes == 2);
  CHECK(profile.loops[0].cost.ticks.value == Approx(255));
}

TEST_CASE("a function takes with its calls no less than without, whatever noise says of the calls") {
  // g takes 1700 to 1900 less than nothing, all that p takes by itself. Without calibrations no contradiction
  // is told.
  const std::array<double, 9> costs{100, 200, 300, 70, 0, 900, 60, 150, 80};
  RunData data = scripted_run(two_calls(), path_of({1, 2, 3, 4, 8, 9, 6, 7, 5}), 10,
                              [&](std::uint32_t round, std::size_t at) {
                                double ticks = 5000;
                                for (std::size_t i = 0; i < at; ++i) ticks += costs[i];
                                return at > 4 ? ticks - 1700 - 10 * (round % 21) : ticks;
                              });
  const Profile profile = exactly(data);
  const FunctionEstimate& p = function(profile, "p");
  CHECK(p.exclusive.raw == 1800);
  CHECK(p.inclusive.raw == Approx(105));
  CHECK(p.inclusive.ticks.value >= p.exclusive.ticks.value);
}

// ---- sums and shares

TEST_CASE("noise that puts stops before others is shared out among them, and adds up") {
  // Stops at 0, 10, 4 and 1: those three become 5 each.
  const std::array<double, 5> reached{1000, 1010, 1004, 1001, 1020};
  const Profile profile = exactly(scripted_run(straight(4), straight_path(4), 10,
                                               [&](std::uint32_t, std::size_t at) { return reached[at]; }));
  REQUIRE(profile.tree.nodes.size() == 1);
  std::vector<double> costs;
  for (const CostLine& line : profile.tree.nodes[0].lines) costs.push_back(line.cost);
  CHECK(costs == std::vector<double>{5, 0, 0, 15});
}

TEST_CASE("the rounds of a line are in the order in which they were made") {
  const Profile profile =
      exactly(scripted_run(straight(2), straight_path(2), 6, [](std::uint32_t round, std::size_t at) {
        return 1000 + 100.0 * static_cast<double>(at) + (at == 2 ? round : 0);
      }));
  CHECK(line_of(profile, 2)->rounds == std::vector<double>{101, 102, 103, 104, 105, 106});
}

TEST_CASE("a part of a stretch has its part of the doubts: of the traps in it, and of the division") {
  // 2 while (…) { 3 a; }: ten passes of 30 and 70, of which the first and the last are measured alone.
  SyntheticDevice device{
      .map = MapMaker().trap(entry, "p", 1).trap(before, "p", 2, 3).trap(loop_body, "p", 3).map(),
      .pass = 10,
      .noise = 0};
  std::vector<std::uint32_t> traps{1};
  device.costs = {100};
  for (int pass = 0; pass < 10; ++pass) {
    traps.insert(traps.end(), {2, 3});
    device.costs.insert(device.costs.end(), {30, 70});
  }
  traps.push_back(1);
  device.costs.push_back(500);
  device.path = path_of(traps);
  device.is_measured = [](std::size_t at) { return at <= 3 || at >= 19; };
  const Profile profile = estimate(device.run(10));
  const LineEstimate& line = *line_of(profile, 2);
  CHECK(line.cost.ticks.value == Approx(300));
  // All passes cost the same, and without noise that is known for certain: the cost of traps alone is in
  // doubt. All its ten passes have one each: 15 % of 10.
  const double passes = 0.15 * 10 * 10;
  CHECK(line.cost.ticks.low == Approx(300 - passes).margin(0.01));
  CHECK(line.cost.ticks.high == Approx(300 + passes).margin(0.01));
}

TEST_CASE(
    "where passes of a loop differ, the interval of a line has room for the passes that share a stretch") {
  // 2 while (…) { 3 a; }: passes of 30 and 70 give or take half, of which each third one is measured alone.
  int covered = 0;
  constexpr int devices = 40;
  for (std::uint64_t seed = 1; seed <= devices; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> factor(0.5, 1.5);
    SyntheticDevice device{
        .map = MapMaker().trap(entry, "p", 1).trap(before, "p", 2, 3).trap(loop_body, "p", 3).map(),
        .noise = 0,
        .seed = seed};
    std::vector<std::uint32_t> traps{1};
    device.costs = {100};
    double truth = 0;
    for (int pass = 0; pass < 60; ++pass) {
      traps.insert(traps.end(), {2, 3});
      device.costs.insert(device.costs.end(), {300 * factor(random), 700 * factor(random)});
      truth += device.costs[device.costs.size() - 2];
    }
    traps.push_back(1);
    device.costs.push_back(500);
    device.path = path_of(traps);
    device.is_measured = [](std::size_t at) { return at == 0 || at % 6 == 1 || at % 6 == 2 || at % 6 == 3; };
    const LineEstimate line = *line_of(estimate(device.run(10)), 2);
    CHECK(line.cost.resolved);
    CHECK(line.cost.ticks.high - line.cost.ticks.low < 0.3 * truth);
    covered += line.cost.ticks.low <= truth && truth <= line.cost.ticks.high ? 1 : 0;
  }
  CHECK(covered >= 36);
}

TEST_CASE("with a coarse clock a line of two parts is known less well than one of one part") {
  // The ends of line 4 scatter by 2: ten squares of 4, with nine degrees of freedom for each of five blocks.
  const TrapMap map =
      MapMaker().trap(entry, "p", 1).trap(before, "p", 2).trap(before, "p", 3).trap(before, "p", 4).map();
  RunData data = scripted_run(map, path_of({1, 2, 3, 2, 4}), 10, [](std::uint32_t round, std::size_t at) {
    return 1000 + 100.0 * static_cast<double>(at) + (at == 5 ? (round % 2 == 0 ? 2 : -2) : 0);
  });
  data.looks = {{.number = 1, .method = Method::coarse, .tick = 1}};
  const Profile profile = estimate(data, 0.05);
  const double sd = std::sqrt(10 * 4 / 45.0);
  // Twins are one: t(4 degrees of freedom, 0.975) = 2.776445.
  const double half_of_one = 2.776445 * sd / 2 / std::sqrt(10);
  CHECK(line_of(profile, 3)->cost.ticks.high == Approx(100 + half_of_one));
  CHECK(line_of(profile, 2)->cost.ticks.high == Approx(200 + std::sqrt(2) * half_of_one));
}

TEST_CASE("a reading a step of the grid away is part of a mean") {
  RunData data = scripted_run(straight(2), straight_path(2), 10, [](std::uint32_t round, std::size_t at) {
    return 1000 + 1000.0 * static_cast<double>(at) + (at == 2 && round == 4 ? 1000 : 0);
  });
  data.looks = {{.number = 1, .method = Method::coarse, .grid = 1000}};
  CHECK(line_of(estimate(data), 2)->cost.ticks.value == Approx(1100));
}

TEST_CASE("what is left over is as sure as what lies between the first stop and the end") {
  // All stops of a round are late together.
  const Profile profile =
      exactly(scripted_run(straight(3), straight_path(3), 10, [](std::uint32_t round, std::size_t at) {
        return 1000 + 100.0 * static_cast<double>(at) + 50 * round;
      }));
  CHECK(profile.total.ticks.high - profile.total.ticks.low == Approx(450));
  CHECK(profile.unattributed == Interval{0, 0, 0});
}

TEST_CASE(
    "shares are of the blocks, of the whole command where those drown in noise, and never more than all") {
  const auto run = [](double last) {
    return exactly(
        scripted_run(straight(2), straight_path(2), 10, [last](std::uint32_t round, std::size_t at) {
          return at < 2 ? 1000.0 : 1000 + last + (round % 2 == 0 ? 5 : -5);
        }));
  };
  CHECK(run(100).total.share.value == 1);
  CHECK(run(100).blocks[1].cost.share.value == 1);
  // Of a sum below nothing there are no parts: 5 of about 1000.
  CHECK(run(-10).blocks[1].cost.share.high == Approx(5.0 / 990).epsilon(0.01));
}

TEST_CASE("the traps' own part is of what is measured and of them") {
  SyntheticDevice device{.map = two_calls(), .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 4, 8, 9, 6, 7, 5});
  device.costs = {100, 200, 300, 70, 120, 900, 60, 150, 80};
  CHECK(estimate(device.run(10)).trap_share == Approx(90.0 / (90 + 1980)));
}

TEST_CASE("a stretch of several lines is shown at the one that takes most of it") {
  // 2 and 3 are measured alone once, and together twice.
  const TrapMap map = straight(3);
  SyntheticDevice device{.map = map, .pass = 10, .noise = 0};
  device.path = path_of({1, 2, 3, 2, 3, 2, 3, 1});
  device.costs = {10, 20, 900, 20, 900, 20, 900, 40};
  device.is_measured = [](std::size_t at) { return at <= 3 || at == 7; };
  const Profile profile = estimate(device.run(10));
  REQUIRE(profile.blocks.size() == 5);
  CHECK(profile.blocks[3].passed == 4);
  CHECK(profile.blocks[3].line == 3);
}

// ---- which samples count

TEST_CASE("a stop that the command always ran past parts nothing") {
  RunData data = scripted_run(straight(3), straight_path(3), 10, [](std::uint32_t, std::size_t at) {
    return 1000 + 100.0 * static_cast<double>(at);
  });
  for (StoredSample& sample : data.samples)
    if (sample.asked.trap == TrapId{2}) sample.outcome = Outcome::ended;
  const Profile profile = exactly(data);
  REQUIRE(profile.blocks.size() == 2);
  CHECK(profile.blocks[0].passed == 2);
  CHECK(profile.blocks[0].cost.rounds == 10);
}

TEST_CASE("a stop is seldom when it is had half as often as the best in front of it and behind it") {
  // The second is had in six rounds of ten, the third in four: half as often as the first and the last, not
  // the second.
  const auto is_had = [](std::uint32_t round, std::size_t at) {
    return at == 1 ? round % 5 != 1 && round % 5 != 3 : at == 2 ? round % 5 == 0 || round % 5 == 2 : true;
  };
  const Profile profile =
      exactly(scripted_run(straight(4), straight_path(4), 10, [&](std::uint32_t round, std::size_t at) {
        return is_had(round, at) ? 1000 + 100.0 * static_cast<double>(at) : engine::missing;
      }));
  std::vector<std::uint32_t> stops;
  for (const BlockEstimate& block : profile.blocks) stops.push_back(number(block.from.trap));
  CHECK(stops == std::vector<std::uint32_t>{1, 2, 4});
}

TEST_CASE("how commands end is asked of those on the path, though others are more") {
  const std::vector<Event> usual = path_of({1, 2});
  RunData data = scripted_run(straight(3), usual, 10, [](std::uint32_t, std::size_t at) {
    return 1000 + 100.0 * static_cast<double>(at);
  });
  data.paths = {{.runs = 3, .events = usual}, {.variant = 1, .runs = 1, .events = path_of({1, 3})}};
  const auto signature = [](const std::vector<TrapId>& traps) { return path_signature(traps); };
  for (StoredSample& sample : data.samples) {
    const bool is_usual = sample.round <= 4;
    if (sample.asked.trap == TrapId{1}) sample.signature = signature({});
    if (sample.asked.trap == TrapId{2}) sample.signature = signature({TrapId{1}});
    if (sample.asked.trap != run_to_end) continue;
    sample.status = is_usual ? 0x9000 : 0x6A80;
    sample.signature = signature({TrapId{1}, TrapId{is_usual ? 2U : 3U}});
  }
  const Profile profile = exactly(data);
  CHECK(profile.total.rounds == 4);
  CHECK(profile.warnings.size() == 1);  // that there are two paths
}

namespace {

std::vector<const StoredSample*> pointers(const std::vector<StoredSample>& samples) {
  std::vector<const StoredSample*> result;
  for (const StoredSample& sample : samples) result.push_back(&sample);
  return result;
}

/// Stops at the events of 1, 2, 3, with these signatures.
std::vector<StoredSample> stops_with(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& signatures) {
  std::vector<StoredSample> samples;
  for (const auto& [trap, signature] : signatures)
    samples.push_back(
        {.asked = {.trap = TrapId{trap}, .hit = 1}, .outcome = Outcome::stopped, .signature = signature});
  return samples;
}

}  // namespace

TEST_CASE("a target may digest the event that it stops at too") {
  const TakenPath path(path_of({1, 2, 3}));
  const auto samples = stops_with(
      {{1, path.signature_before(1)}, {2, path.signature_before(2)}, {3, path.signature_before(3)}});
  const Digest digest(path, pointers(samples));
  CHECK_FALSE(digest.is_foreign());
  CHECK(digest.expected(path, 1) == path.signature_before(2));
  CHECK(digest.expected(path, 3) == path.signature_before(3));  // at the end there is no event
}

TEST_CASE("a foreign signature is that of most shots, however they come one after the other") {
  const TakenPath path(path_of({1, 2, 3}));
  const auto samples = stops_with({{2, 77}, {2, 55}, {2, 55}, {2, 66}, {2, 55}, {3, 99}});
  const Digest digest(path, pointers(samples));
  CHECK(digest.is_foreign());
  CHECK(digest.usual_at(1) == 55);
  CHECK(digest.usual_at(2) == 99);
}

TEST_CASE("a digest that begins with nothing, as ours does, may be foreign all the same") {
  const TakenPath path(path_of({1, 2, 3}));
  const auto samples = stops_with({{1, 0}, {1, 0}, {2, 55}});
  CHECK(Digest(path, pointers(samples)).is_foreign());
}

TEST_CASE("two paths of one signature are two, and inputs are in order whatever came first") {
  // 251^2 - 252 x 251 + 251 = 0, and so is what the second half makes of it.
  const std::vector<Event> one = path_of({1, 300, 5});
  const std::vector<Event> other = path_of({2, 48, 256});
  REQUIRE(TakenPath(one).signature_before(3) == TakenPath(other).signature_before(3));
  const std::vector<StoredPath> stored{
      {.input = 7, .events = one}, {.input = 3, .events = one}, {.input = 5, .events = other}};
  const std::vector<TakenPath> paths = taken_paths(stored);
  REQUIRE(paths.size() == 2);
  CHECK(paths[0].inputs == std::vector<std::uint32_t>{3, 7});
}

// ---- edges

TEST_CASE("an edge's costs are for as many passes as the most frequent path makes") {
  // Inputs 0 and 1 pass the loop twice, input 2 once; a pass takes 50.
  const TrapMap map = straight(3);
  RunData data{.run = {.device = "scripted"},
               .map = map,
               .inputs = {{.index = 0}, {.index = 1}, {.index = 2}},
               .paths = {{.input = 0, .events = path_of({1, 2, 2, 2, 3})},
                         {.input = 1, .events = path_of({1, 2, 2, 2, 3})},
                         {.input = 2, .events = path_of({1, 2, 2, 3})}}};
  for (std::uint32_t round = 1; round <= 30; ++round) {
    const StoredPath& path = data.paths[(round - 1) / 2 % 3];
    for (std::size_t at = 0; at <= path.events.size(); ++at) {
      StoredSample sample{.sequence = data.samples.size(), .round = round, .input = path.input};
      sample.outcome = at < path.events.size() ? Outcome::stopped : Outcome::ended;
      if (at < path.events.size()) sample.asked = path.events[at];
      sample.ticks = 1000 + 50 * static_cast<Ticks>(at);
      data.samples.push_back(sample);
    }
  }
  const Profile profile = exactly(data);
  const EdgeEstimate& edge = *edge_of(profile, 2, 2);
  CHECK(edge.count == 2);
  CHECK(edge.cost.rounds == 30);
  CHECK(edge.cost.ticks == Interval{100, 100, 100});
}

TEST_CASE("an edge has the mean and the quantiles of its rounds, and none below nothing") {
  const auto edge = [](double cost) {
    const Profile profile =
        exactly(scripted_run(straight(2), straight_path(2), 22, [cost](std::uint32_t round, std::size_t at) {
          // Of 22 rounds the first is not asked for at the end.
          if (round == 1 && at == 2) return std::optional<double>();
          return std::optional(100'000.0 + 100 * static_cast<double>(at) +
                               (at == 2 ? cost + 10 * (round - 2) : 0));
        }));
    return *edge_of(profile, 2, 0);
  };
  // 1100 to 1300 in steps of 10.
  CHECK(edge(1000).mean == Approx(1200));
  CHECK(edge(1000).q05 == Approx(1110));
  CHECK(edge(1000).q95 == Approx(1290));
  CHECK(edge(-1000).mean == 0);
  CHECK(edge(-1000).q05 == 0);
}

// ---- warnings and the store

TEST_CASE(
    "a block that is negative by less than a twentieth of all is no sign of a stop that changes the next") {
  const auto warnings = [](double last) {
    return exactly(scripted_run(straight(2), straight_path(2), 10,
                                [last](std::uint32_t, std::size_t at) {
                                  return at == 2 ? 11'000 + last : 1000 + 10'000 * static_cast<double>(at);
                                }))
        .warnings.size();
  };
  CHECK(warnings(-400) == 0);
  CHECK(warnings(-600) == 1);
}

TEST_CASE("that unwinding could not be calibrated is told where a stop unwinds, which it does not in C") {
  RunData data = scripted_run(straight(2), straight_path(2), 10, [](std::uint32_t, std::size_t at) {
    return 1000 + 1000.0 * static_cast<double>(at);
  });
  data.calibrations = {{"empty", 1000, 1000}, {"unarmed", 1000, 2000}};
  data.map.language = "java";
  CHECK(exactly(data).warnings.size() == 1);
  data.map.language = "c";
  CHECK(exactly(data).warnings.empty());
}

namespace {

/// A store that is removed with all of it.
struct KeptStore {
  KeptStore()
      : folder(std::filesystem::temp_directory_path() / fmt::format("jcprof_kept_{}", ::getpid())),
        store(folder / "profile.jcprof", OpenMode::fresh) {}
  ~KeptStore() { std::filesystem::remove_all(folder); }
  KeptStore(const KeptStore&) = delete;
  KeptStore& operator=(const KeptStore&) = delete;

  std::filesystem::path folder;
  Store store;
};

}  // namespace

TEST_CASE("a run whose path was cut is loaded as one, by its warning") {
  KeptStore kept;
  const std::int64_t run = kept.store.begin_run({}, straight(2), {{}});
  kept.store.add_path(run, {.events = straight_path(2)});
  CHECK_FALSE(load_newest_run(kept.store).is_cut);
  kept.store.replace_warnings(run, {{.kind = WarningKind::path_cut, .text = "too long"}});
  CHECK(load_newest_run(kept.store).is_cut);
}

TEST_CASE("a path whose hits are not counted one by one is damaged") {
  KeptStore kept;
  const std::int64_t run = kept.store.begin_run({}, straight(2), {{}});
  kept.store.add_path(run, {.events = {{TrapId{1}, 1}, {TrapId{1}, 1}}});
  CHECK_THROWS_WITH(load_newest_run(kept.store), Catch::Contains("hit 1 of trap 1 as its 2th"));
}

TEST_CASE("the store has of each estimate what the profile says") {
  const Estimate cost{
      .ticks = {5, 4, 6}, .share = {0.5, 0.4, 0.6}, .raw = 5.5, .rounds = 7, .resolved = true};
  const Estimate more{
      .ticks = {50, 40, 60}, .share = {0.9, 0.8, 0.95}, .raw = 51, .rounds = 8, .resolved = true};
  Profile profile{.unattributed = {1, -2, 3}};
  profile.blocks = {{.from = {TrapId{1}, 2},
                     .to = {TrapId{3}, 4},
                     .function = "f",
                     .path = "A.java",
                     .line = 9,
                     .passed = 12,
                     .cost = cost,
                     .hot = Hot::yes}};
  profile.functions = {
      {.function = "g", .path = "B.java", .line = 8, .calls = 13, .exclusive = cost, .inclusive = more}};
  profile.edges = {{.from = TrapId{5},
                    .to = TrapId{6},
                    .count = 14,
                    .cost = cost,
                    .rate = 0.25,
                    .mean = 21,
                    .q05 = 20,
                    .q95 = 23}};
  profile.loops = {{.entries = 15, .passes = 16, .cost = cost}};
  const std::vector<StoredEstimate> rows = stored(profile);
  const auto row = [&](EstimateScope scope) {
    return *std::ranges::find(rows, scope, &StoredEstimate::scope);
  };
  const StoredEstimate block = row(EstimateScope::block);
  CHECK(block.from == Event{TrapId{1}, 2});
  CHECK(block.to == Event{TrapId{3}, 4});
  CHECK(block.hits == 12);
  CHECK(Interval{block.ticks, block.low, block.high} == cost.ticks);
  CHECK(Interval{block.share, block.share_low, block.share_high} == cost.share);
  CHECK(block.raw == 5.5);
  CHECK(block.rounds == 7);
  CHECK(block.hot == Hot::yes);
  const StoredEstimate rest = row(EstimateScope::unattributed);
  CHECK(Interval{rest.ticks, rest.low, rest.high} == Interval{1, -2, 3});
  const StoredEstimate function = row(EstimateScope::function);
  CHECK(function.hits == 13);
  CHECK(Interval{function.inclusive, function.inclusive_low, function.inclusive_high} == more.ticks);
  const StoredEstimate edge = row(EstimateScope::edge);
  CHECK(edge.from == Event{TrapId{5}, 0});
  CHECK(edge.to == Event{TrapId{6}, 0});
  CHECK(edge.hits == 14);
  CHECK(edge.rate == 0.25);
  CHECK(edge.mean == 21.0);
  CHECK(edge.q05 == 20.0);
  CHECK(edge.q95 == 23.0);
  const StoredEstimate loop = row(EstimateScope::loop);
  CHECK(loop.entries == 15);
  CHECK(loop.hits == 16);
}

}  // namespace jcprof::annotator
