// SPDX-License-Identifier: Apache-2.0
// A target that does not do all that is asked of it is calibrated in the rest, and a person is told.
#include "harness/calibration.hpp"

#include <chrono>
#include <map>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/support/fake_transport.hpp"

namespace jcprof::harness {
namespace {

using enum CalibrationKind;
using test::FakeTransport;

std::vector<CalibrationTime> times_of(FakeTransport& target,
                                      const CalibrationSettings& settings = {.repetitions = 5}) {
  return calibrate(target, settings, [] { return true; });
}

/// Takes its time for kinds from this one on.
struct Slow final : FakeTransport {
  Slow(CalibrationKind kind, std::chrono::milliseconds time) : from(kind), takes(time) {
    last_calibration = sites;
  }
  std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) override {
    if (kind >= from) {
      ++asked;
      std::this_thread::sleep_for(takes);
    }
    return FakeTransport::calibrate(kind, passes);
  }
  CalibrationKind from;
  std::chrono::milliseconds takes;
  int asked = 0;
};

/// How often each kind was timed.
std::map<CalibrationKind, std::size_t> counts(const std::vector<CalibrationTime>& times) {
  std::map<CalibrationKind, std::size_t> result;
  for (const CalibrationTime& time : times) ++result[time.kind];
  return result;
}

std::string warned(const std::vector<CalibrationTime>& times) {
  const auto warning = warning_of(times);
  return warning ? to_text(*warning) : "";
}

const std::string unknown = "trap cost: calibration failed, so times include the cost of ";

}  // namespace

TEST_CASE("a kind that is refused is left out alone") {
  FakeTransport target;
  const auto all = counts(times_of(target));
  for (const CalibrationKind kind : {empty, unarmed, counting, returned, stop, calls, frames, guards}) {
    target.refused = {kind};
    // Frames are made of calls.
    if (kind == calls) target.refused = {calls, frames, guards};
    auto expected = all;
    for (const CalibrationKind none : target.refused) expected.erase(none);
    CHECK(counts(times_of(target)) == expected);
  }
}

TEST_CASE("where the clock is exact a kind that is refused is left out alone as well") {
  FakeTransport target;
  target.refused = {counting, returned};
  const auto exact = counts(times_of(target, {.repetitions = 1, .is_exact = true}));
  CHECK(exact == std::map<CalibrationKind, std::size_t>{{empty, 1}, {unarmed, 1}, {stop, 5}});
}

TEST_CASE("a kind that is refused once is not asked for again") {
  FakeTransport target;
  target.refused = {counting};
  std::size_t asked = 0;
  const std::vector<CalibrationTime> times =
      calibrate(target, {.repetitions = 3, .is_exact = true}, [&] { return ++asked <= 2; });
  CHECK(counts(times) == std::map<CalibrationKind, std::size_t>{{empty, 1}, {unarmed, 1}});
  target.refused = {};
  asked = 0;
  CHECK(calibrate(target, {}, [&] { return ++asked < 1; }).empty());
}

TEST_CASE("a target is asked once for a kind that it does not do") {
  struct Counting final : FakeTransport {
    std::size_t asked = 0;
    std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) override {
      if (kind == counting) ++asked;
      return FakeTransport::calibrate(kind, passes);
    }
  };
  Counting target;
  target.refused = {counting};
  times_of(target, {.repetitions = 3, .is_exact = true});
  CHECK(target.asked == 1);
}

TEST_CASE("stops at several sites of a function are timed in turn and back, where the clock is not exact") {
  FakeTransport target;
  target.last_calibration = sites;
  CHECK(counts(times_of(target))[sites] == 1000 * 8);
  std::vector<std::uint64_t> asked;
  for (const CalibrationTime& time : times_of(target))
    if (time.kind == sites && asked.size() < 17) asked.push_back(time.passes);
  CHECK(asked == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1, 1});
  CHECK(counts(times_of(target, {.is_exact = true}))[sites] == 0);
  target.refused = {sites};
  CHECK(counts(times_of(target))[sites] == 0);
  CHECK(warned(times_of(target)).empty());
}

TEST_CASE("a target that is too slow for enough stops at several sites is not asked for them") {
  Slow target(sites, std::chrono::milliseconds{15});
  CHECK(counts(times_of(target))[sites] == 0);
  CHECK(target.asked > 0);
}

TEST_CASE("commands that take long are made less often, so that the time is enough for each kind") {
  Slow target(empty, std::chrono::milliseconds{2});
  const auto times = counts(times_of(target, {.most_time = std::chrono::milliseconds{400}}));
  // There are thousands without a limit. A busy machine makes fewer.
  CHECK(target.calibrations < 400);
  for (const CalibrationKind kind : {empty, unarmed, counting, returned, stop, calls, frames, guards})
    CHECK(times.at(kind) >= 7);
}

TEST_CASE("the costs that stay unknown are named in one sentence") {
  FakeTransport target;
  const auto warned_without = [&](const std::set<CalibrationKind>& kinds) {
    target.refused = kinds;
    return warned(times_of(target));
  };
  CHECK(warned_without({}).empty());
  CHECK(warned_without({counting}) == unknown + "a counted pass");
  CHECK(warned_without({unarmed}) == unknown + "a trap on the way");
  CHECK(warned_without({guards}) == unknown + "a guard");
  CHECK(warned_without({frames}) == unknown + "a frame that a stop leaves");
  CHECK(warned_without({stop, counting}) == unknown + "a counted pass, a stop, a frame that a stop leaves");
  // Nothing unwinds: a program that ends, a leap. Java without it is told of by the annotator.
  CHECK(warned_without({calls, frames, guards}).empty());
  CHECK(warned_without({returned, stop, calls, frames, guards}).empty());
  CHECK(warned_without({empty, unarmed, counting, returned, stop, calls, frames, guards}) ==
        unknown + "a trap on the way, a counted pass");
}

TEST_CASE("without empty loops the cost of a trap on the way is not known, and that is said") {
  using enum CalibrationKind;
  const std::optional<Warning> warning = warning_of({{.kind = unarmed}, {.kind = counting}});
  REQUIRE(warning);
  CHECK(warning->text.ends_with("the cost of a trap on the way"));
}

}  // namespace jcprof::harness
