// SPDX-License-Identifier: Apache-2.0
#include "harness/path.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "harness/calibration.hpp"
#include "harness/card/trigger_path.hpp"
#include "harness/survey.hpp"
#include "src/core/error.hpp"
#include "src/core/path_signature.hpp"
#include "src/engine/random.hpp"
#include "tests/support/fake_transport.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using jcprof::test::FakeTransport;

namespace {

std::vector<TrapId> traps(const std::vector<std::uint32_t>& ids) {
  std::vector<TrapId> all;
  for (const std::uint32_t id : ids) all.push_back(TrapId{id});
  return all;
}

}  // namespace

TEST_CASE("the signature of a path can be computed in parts") {
  const std::vector<TrapId> path = traps({1, 2, 3, 0xFFFF, 7});
  CHECK(path_signature(traps({1})) == 0x00010001);
  CHECK(path_signature(traps({1, 2})) == 0x00FD00FE);
  CHECK(path_signature(std::span(path).subspan(2), path_signature(std::span(path).first(2))) ==
        path_signature(path));
  CHECK(path_signature(traps({1, 2})) != path_signature(traps({2, 1})));
}

TEST_CASE("windows are joined where their signatures match") {
  FakeTransport target;
  target.paths[0] = traps({1, 2, 3, 2, 3, 2, 3, 4, 5, 6});
  const TracedPath path = trace_path(target, 0);
  CHECK(path.state == PathState::steady);
  CHECK(path.events == events_of(target.paths[0]));
  CHECK(path.events[5] == Event{.trap = TrapId{2}, .hit = 3});
  CHECK(path.signature == path_signature(target.paths[0]));
  CHECK(path.runs == 3);
}

TEST_CASE("windows of different runs are not stitched into a path that never happened") {
  FakeTransport target;
  target.before_trace = [&target](std::uint64_t n) {
    const auto first = static_cast<std::uint32_t>(n);
    target.paths[0] = traps({first, 2, 3, 2, 3, 2});
  };
  const TracedPath path = trace_path(target, 0);
  CHECK(path.state == PathState::cut);
  CHECK(path.events.size() == 4);
  CHECK(path.total == 6U);
}

TEST_CASE("a path that varies at random never yields an order of events that no run had") {
  const auto own_digest = [](std::span<const TrapId> before) {
    std::uint32_t digest = 5381;
    for (const TrapId trap : before) digest = digest * 33 + number(trap);
    return digest;
  };
  const auto no_digest = [](std::span<const TrapId>) { return 0U; };
  for (std::uint64_t n = 0; n < 600; ++n) {
    FakeTransport target;
    target.knows_run = n % 4 == 0;
    if (n % 4 == 1) target.digest = own_digest;
    if (n % 4 == 2) target.digest = no_digest;
    std::vector<std::vector<TrapId>> taken;
    const std::uint64_t one_in = 2 + n % 7;
    target.before_trace = [&](std::uint64_t run) {
      target.paths[0].clear();
      for (std::uint32_t i = 0; i < 12; ++i) {
        const bool turns = i % 3 == 1 && engine::draw(n, run, i, one_in) == 0;
        target.paths[0].push_back(TrapId{10 * i + (turns ? 2U : 1U)});
      }
      taken.push_back(target.paths[0]);
    };
    const std::vector<Event> path = trace_path(target, 0).events;
    INFO(n);
    REQUIRE_FALSE(path.empty());
    CHECK(std::ranges::any_of(taken, [&](const std::vector<TrapId>& run) {
      const std::vector<Event> events = events_of(run);
      return std::ranges::equal(path, std::span(events).first(path.size()));
    }));
  }
}

TEST_CASE("a steady path is joined whatever the digest is, and not without one") {
  FakeTransport target;
  target.knows_run = false;
  target.paths[0] = traps({1, 2, 3, 2, 3, 2, 3, 4, 5, 6});
  CHECK(trace_path(target, 0).state == PathState::steady);
  target.digest = [](std::span<const TrapId> before) {
    return static_cast<std::uint32_t>(7 + before.size());
  };
  const TracedPath path = trace_path(target, 0);
  CHECK(path.state == PathState::steady);
  CHECK(path.events == events_of(target.paths[0]));
  CHECK(path.signature == path_signature(target.paths[0]));
  target.digest = [](std::span<const TrapId>) { return 0U; };
  CHECK(trace_path(target, 0).state == PathState::cut);
  CHECK(trace_path(target, 0).events.size() == 4);
}

TEST_CASE("a target that times only the unwinding has it timed at both ends") {
  FakeTransport target;
  target.calibration_slopes.back() = 2000;
  target.can_unwind = true;
  target.last_calibration = CalibrationKind::counting;
  const std::vector<CalibrationTime> times = calibrate(target, {.repetitions = 5}, [] { return true; });
  REQUIRE(times.size() == 15 + 10);
  CHECK(times[15].kind == CalibrationKind::unwind);
  CHECK(times[15].passes == 0);
  CHECK(times[16].passes == 64);
}

TEST_CASE("a path that one window holds but the next run does not take varies") {
  FakeTransport target;
  target.window = 100;
  target.before_trace = [&target](std::uint64_t n) { target.paths[0] = traps({1, n == 1 ? 2U : 3U}); };
  const TracedPath path = trace_path(target, 0);
  CHECK(path.state == PathState::varying);
  CHECK(path.events == events_of(traps({1, 3})));
  REQUIRE(path.variants.size() == 1);
  CHECK(path.variants.front().runs == 30);
}

TEST_CASE("a path beyond the limit is cut") {
  FakeTransport target;
  target.paths[0] = std::vector<TrapId>(100, TrapId{1});
  CHECK(trace_path(target, 0, {.events = 20}).events.size() == 20);
  CHECK(trace_path(target, 0, {.events = 20}).state == PathState::cut);
  CHECK(trace_path(target, 0, {.events = 20}).total == 100U);
}

TEST_CASE("of a path beyond the limit an agent may say the length, and is not believed to know it else") {
  FakeTransport target;
  target.knows_run = false;
  target.paths[0] = std::vector<TrapId>(100, TrapId{1});
  CHECK_FALSE(trace_path(target, 0, {.events = 20}).total.has_value());
  target.knows_total = true;
  CHECK(trace_path(target, 0, {.events = 20}).total == 100U);
}

TEST_CASE("a path that is too long is told with its length, whose traps it is, and a way out") {
  FakeTransport target;
  target.window = 1 << 20;
  target.paths[0].assign(300'000, TrapId{1});
  TrapMap map;
  map.traps.push_back({.id = TrapId{1}, .function = "A.run"});
  const Survey found = survey(map, target, {{}});
  CHECK(found.paths.at(0).path.events.size() == 262'144);
  REQUIRE(found.warnings.size() == 1);
  CHECK(
      to_text(found.warnings[0]) ==
      "path cut: the path is too long: only the first 262144 of 300000 events are measured, and no line has "
      "what runs behind them; 100 % of these first ones are traps of A.run: leave it out by \"exclude\" in "
      "\"profile\", or choose a coarser \"level\" or a smaller input");
}

TEST_CASE("a target without room for a window says so") {
  FakeTransport target;
  target.paths[0] = traps({1});
  target.window = 0;
  CHECK_THROWS_WITH(trace_path(target, 0), Catch::Contains("the target keeps no trace"));
}

TEST_CASE("passes are doubled until a trap can be seen, then all kinds are timed in turn") {
  FakeTransport target;
  const std::vector<CalibrationTime> times = calibrate(target, {.repetitions = 5}, [] { return true; });
  REQUIRE(times.size() >= 5 * 8);
  CHECK(times[0].kind == CalibrationKind::empty);
  CHECK(times[1].kind == CalibrationKind::unarmed);
  CHECK(times[2].kind == CalibrationKind::counting);
  // 2 ns a pass against noise of up to 200 us, of which 3 sigma must be passed.
  CHECK(times[0].passes >= 8000);
  CHECK(times[0].passes <= 1'024'000);
}

TEST_CASE(
    "where the clock repeats itself each kind is timed once, stops five times, and nothing to warm up") {
  FakeTransport target;
  target.can_unwind = true;
  const CalibrationSettings exact{.repetitions = 1, .is_exact = true};
  std::vector<std::pair<CalibrationKind, std::uint64_t>> timed;
  for (const CalibrationTime& time : calibrate(target, exact, [] { return true; }))
    timed.emplace_back(time.kind, time.passes);
  using enum CalibrationKind;
  std::vector<std::pair<CalibrationKind, std::uint64_t>> expected{
      {empty, 131'072}, {unarmed, 131'072}, {counting, 131'072}};
  for (int i = 0; i < 5; ++i) expected.insert(expected.end(), {{returned, 1}, {stop, 1}});
  expected.insert(expected.end(), {{unwind, 0}, {unwind, 64}});
  CHECK(timed == expected);
  CHECK(target.calibrations == 3 + 10 + 4);
  target.can_unwind = false;
  CHECK(calibrate(target, exact, [] { return true; }).size() == 3 + 10);
  target.last_calibration = counting;
  CHECK(calibrate(target, exact, [] { return true; }).size() == 3);
}

TEST_CASE("stops are calibrated from as deep as the target allows, and more often where they are quick") {
  FakeTransport target;
  target.deepest = 10;
  const std::vector<CalibrationTime> times = calibrate(target, {.repetitions = 5}, [] { return true; });
  REQUIRE(times.size() == 5 * 3 + 50 * 5);
  CHECK(times[15].kind == CalibrationKind::returned);
  CHECK(times[19].kind == CalibrationKind::guards);
  CHECK(times[19].passes == 8);
}

TEST_CASE("a target that does not unwind has its traps calibrated all the same") {
  FakeTransport target;
  target.last_calibration = CalibrationKind::counting;
  CHECK(calibrate(target, {.repetitions = 5}, [] { return true; }).size() == 15);
}

TEST_CASE("passes are not grown past the longest command or the most passes") {
  FakeTransport target;
  CHECK(calibrate(target, {.repetitions = 1, .most_passes = 2000}, [] { return true; })[0].passes <= 2000);
  const CalibrationSettings brief{.repetitions = 1, .longest = std::chrono::microseconds{1}};
  CHECK(calibrate(target, brief, [] { return true; })[0].passes == 1000);
}

TEST_CASE(
    "where unwinding is timed under guards less deep than without, all is timed as deep as both allow") {
  FakeTransport target;
  target.deepest_guarded = 10;
  const std::vector<CalibrationTime> times = calibrate(target, {.repetitions = 1}, [] { return true; });
  REQUIRE(times.size() > 8);
  CHECK(times[5].kind == CalibrationKind::calls);
  CHECK(times[5].passes == 8);
}

TEST_CASE("stops that take long are timed as often as was asked for and no more") {
  FakeTransport target;
  // 64 frames under guards take 100 ms: five of them are more than the 400 ms that are plenty.
  target.calibration_slopes[7] = 100'000'000 / 64;
  CHECK(calibrate(target, {.repetitions = 5}, [] { return true; }).size() == 5 * 3 + 5 * 5);
}

TEST_CASE("a warm-up of the calibration lasts as long as a JIT needs, which one long command is enough for") {
  FakeTransport target;
  target.last_calibration = CalibrationKind::counting;
  target.calibration_slopes = {100'000, 100'000, 100'000, 0, 0, 0, 0, 0, 0};
  // A command of a thousand passes takes 100 ms. One command warms up each kind. Empty loops and loops with
  // traps are then tried with 1000 and with 2000 passes, seven times each, and do not differ. Commands of
  // four thousand passes would last too long.
  calibrate(target, {.repetitions = 5}, [] { return true; });
  CHECK(target.calibrations == 3 + 2 * 14 + 5 * 3);
}

TEST_CASE("passes that cost nothing are doubled up to the most, with noise and without") {
  for (const std::uint64_t noise : {200'000U, 1U}) {
    FakeTransport target;
    target.last_calibration = CalibrationKind::counting;
    target.calibration_noise = noise;
    target.calibration_slopes = {1, 1, 1, 0, 0, 0, 0, 0, 0};
    const CalibrationSettings settings{.repetitions = 1, .most_passes = 1'024'000};
    CHECK(calibrate(target, settings, [] { return true; })[0].passes == 1'024'000);
  }
}

TEST_CASE("passes are doubled while twice as many stay below the longest command") {
  FakeTransport target;
  target.last_calibration = CalibrationKind::counting;
  target.calibration_noise = 1;
  target.calibration_slopes = {10, 10, 10, 0, 0, 0, 0, 0, 0};
  // 5 us and 10 ns a pass: 8000 passes take 85 us, 16,000 take 165, and twice that is more than 300.
  const CalibrationSettings settings{.repetitions = 1, .longest = std::chrono::microseconds{300}};
  CHECK(calibrate(target, settings, [] { return true; })[0].passes == 16'000);
}

TEST_CASE("a calibration that is to end returns what there is") {
  FakeTransport target;
  int asked = 0;
  const CalibrationSettings exact{.repetitions = 5, .is_exact = true};
  CHECK(calibrate(target, exact, [&] { return ++asked <= 4; }).size() == 4);
}

TEST_CASE("a run that ends elsewhere is not joined to the beginning of another") {
  FakeTransport target;
  target.before_trace = [&target](std::uint64_t n) {
    target.paths[0] = n % 2 == 0 ? traps({1, 2, 3, 4, 5, 6}) : traps({1, 2, 3, 4, 7, 8});
  };
  const TracedPath path = trace_path(target, 0);
  CHECK(path.state == PathState::cut);
  CHECK(path.events == events_of(traps({1, 2, 3, 4})));
}

TEST_CASE("a path that goes on in another run varies, though the window holds the same events") {
  FakeTransport target;
  target.knows_run = false;
  target.window = 2;
  target.before_trace = [&target](std::uint64_t n) {
    target.paths[0] = n == 1 ? traps({1, 2}) : traps({1, 2, 3});
  };
  CHECK(trace_path(target, 0).state == PathState::varying);
}

TEST_CASE("windows that another series does not repeat are of a path that varies") {
  FakeTransport target;
  target.knows_run = false;
  // The second window, from the fourth run on.
  target.before_trace = [&target](std::uint64_t n) {
    target.paths[0] = traps({1, 2, 3, 4, n < 4 ? 5U : 6U});
  };
  CHECK(trace_path(target, 0).state == PathState::varying);
}

TEST_CASE("a digest that is only equal or not tells what lies between the first window and the last") {
  FakeTransport target;
  target.knows_run = false;
  target.digest = [](std::span<const TrapId> before) {
    std::uint32_t digest = 5381;
    for (const TrapId trap : before) digest = digest * 33 + number(trap);
    return digest;
  };
  // Three windows, read twice; from then on the middle one is another.
  target.before_trace = [&target](std::uint64_t n) {
    target.paths[0] = traps({1, 2, 3, 4, n <= 6 ? 5U : 50U, 6, 7, 8, 9, 10});
  };
  const TracedPath path = trace_path(target, 0);
  CHECK(path.state == PathState::steady);
  CHECK(path.events[4].trap == TrapId{50});
}

TEST_CASE("one window needs one more run to be trusted, whatever its digest is") {
  FakeTransport target;
  target.knows_run = false;
  target.window = 100;
  target.digest = [](std::span<const TrapId>) { return 5381U; };
  target.paths[0] = traps({1, 2, 3});
  CHECK(trace_path(target, 0).state == PathState::steady);
  CHECK(trace_path(target, 0).runs == 2);
}

TEST_CASE("who knows the whole run has our signatures, or windows of several runs") {
  FakeTransport target;
  target.digest = [](std::span<const TrapId> before) {
    return 7 + static_cast<std::uint32_t>(before.size());
  };
  target.paths[0] = traps({1, 2, 3, 4, 5, 6});
  CHECK(trace_path(target, 0).state == PathState::cut);
}

TEST_CASE("of a path beyond the limit no more is read than is kept") {
  FakeTransport target;
  target.window = 8;
  target.paths[0] = std::vector<TrapId>(100, TrapId{1});
  const TracedPath long_path = trace_path(target, 0, {.events = 20});
  CHECK(long_path.events.size() == 20);
  CHECK(long_path.runs == 2);
  target.paths[0].resize(22);
  const TracedPath short_path = trace_path(target, 0, {.events = 20});
  CHECK(short_path.state == PathState::cut);
  CHECK(short_path.events.size() == 20);
  CHECK(short_path.total == 22U);
}

TEST_CASE("of the paths that were seen the most frequent one comes first, whichever was seen first") {
  FakeTransport target;
  target.window = 100;
  target.before_trace = [&target](std::uint64_t n) {
    target.paths[0] = traps({1, n == 1 || n % 3 == 0 ? 2U : 3U});
  };
  const TracedPath path = trace_path(target, 0);
  REQUIRE(path.variants.size() == 2);
  CHECK(path.variants[0].runs == 20);
  CHECK(path.variants[0].events == events_of(traps({1, 3})));
  CHECK(path.variants[1].runs == 10);
  CHECK(path.events == path.variants[0].events);
}

TEST_CASE("a run that was lost is traced again, a few times") {
  FakeTransport target;
  target.window = 100;
  target.paths[0] = traps({1, 2});
  const Sample good = target.whole;
  target.before_trace = [&](std::uint64_t n) {
    target.whole = n <= 2 ? Sample{.outcome = Outcome::lost, .why = "it died"} : good;
  };
  const TracedPath path = trace_path(target, 0);
  CHECK(path.state == PathState::steady);
  CHECK(path.runs == 4);
  target.before_trace = [&](std::uint64_t) {
    target.whole = Sample{.outcome = Outcome::lost, .why = "it died"};
  };
  CHECK_THROWS_WITH(trace_path(target, 0),
                    Catch::Contains("no run of the command could be traced (lost: it died)"));
}

TEST_CASE("the command of an event is known from windows that join, and from no others") {
  const WholeRun run{.events = 4};
  TriggerPath path(run, {2, 4});
  path.take(0, {.traps = traps({1, 2}), .run = run});
  CHECK(path.command_of({TrapId{2}, 1}) == 0);
  path.take(3, {.traps = traps({3}), .run = run});  // one event is missing between them
  CHECK_FALSE(path.command_of({TrapId{3}, 1}));
  path.take(2, {.traps = traps({1, 3}), .run = run});
  CHECK(path.command_of({TrapId{1}, 2}) == 1);
  CHECK(path.command_of({TrapId{3}, 1}) == 1);
  CHECK_FALSE(path.command_of({TrapId{3}, 2}));
  path.take(4, {.traps = traps({4}), .run = WholeRun{.events = 5}});  // of another run
  CHECK_FALSE(path.command_of({TrapId{1}, 1}));
}
