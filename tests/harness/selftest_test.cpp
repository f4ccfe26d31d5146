// SPDX-License-Identifier: Apache-2.0
#include "harness/selftest.hpp"

#include <cmath>
#include <functional>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "tests/support/fake_transport.hpp"

using namespace jcprof;
using namespace jcprof::harness;

namespace {

/// Answers to calibrations as a test says; nobody waits.
class Loops final : public Transport {
 public:
  explicit Loops(std::function<double(CalibrationKind, double passes)> cost) : cost_(std::move(cost)) {}

  Description of{.transport = "fake"};
  double step = 1;      // of passes
  double noise = 2000;  // standard deviation, about
  double grid = 0;      // answers come at multiples of this only
  std::optional<CalibrationKind> only;

  Description describe() override { return of; }
  void set_inputs(std::vector<Bytes> /*inputs*/) override {}
  void measure(std::span<const Shot> /*shots*/, const ShotSink& /*sink*/) override {}
  TraceWindow trace(std::uint32_t /*input*/, std::uint64_t /*from*/, std::uint32_t /*count*/) override {
    return {};
  }
  std::optional<CalibrationTime> calibrate(CalibrationKind kind, std::uint64_t passes) override {
    if (only && kind != *only) return std::nullopt;
    const double made = std::ceil(static_cast<double>(passes) / step) * step;
    double end = now_ + 500'000 + cost_(kind, made) + noise * normal();
    if (grid > 0) end = std::ceil(end / grid) * grid;
    const double ticks = end - now_;
    now_ = end;
    return CalibrationTime{.kind = kind,
                           .passes = static_cast<std::uint64_t>(made),
                           .ticks = static_cast<Ticks>(std::llround(ticks))};
  }

  SelftestSettings settings() {
    return {.pause = [this](std::chrono::nanoseconds time) { now_ += static_cast<double>(time.count()); }};
  }

 private:
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine::draw(7, 1, draws_++, 1'000'001)) / 1e6;
    return sum;
  }

  std::function<double(CalibrationKind, double)> cost_;
  std::uint64_t draws_ = 0;
  double now_ = 0;
};

double linear(CalibrationKind /*kind*/, double passes) {
  return 25 * passes;
}

void check_ratios(const Selftest& test, const std::vector<double>& truths) {
  REQUIRE(test.blocks.size() == truths.size());
  for (std::size_t b = 0; b < truths.size(); ++b) {
    CAPTURE(b);
    const SelftestBlock& block = test.blocks[b];
    CHECK(block.truth == Approx(truths[b]));
    CHECK(block.ratio.low <= block.truth);
    CHECK(block.truth <= block.ratio.high);
    CHECK_FALSE(block.is_off);
  }
}

}  // namespace

TEST_CASE("known ratios and a known extra are found within their intervals") {
  Loops target(linear);
  const Selftest test = selftest(target, target.settings());
  CHECK(test.complete);
  CHECK(test.loop == CalibrationKind::empty);
  check_ratios(test, {1, 2, 4, 0.1});
  // 4n passes take a millisecond.
  CHECK(test.blocks[0].passes == 10'000);
  CHECK(test.blocks[0].ticks.value == Approx(250'000).epsilon(0.02));
  CHECK(test.sigma == Approx(2000 * std::sqrt(2.0)).epsilon(0.25));
  CHECK(test.clock.method == Method::fine);
  CHECK(test.least_share == Approx(test.least_ticks / test.whole));
  CHECK(test.least_ticks < 3000);
  CHECK(test.shots < 200);
  CHECK(test.warnings.empty());
}

TEST_CASE("a target that passes thousands is asked for thousands") {
  Loops target(linear);
  target.step = 1000;
  target.of.unit = ClockUnit::cycles;  // no time: as soon as it is clear
  target.noise = 1;
  check_ratios(selftest(target, target.settings()), {1, 2, 4, 0.1});
  // The tenth of a block has to wait for whole thousands, unless commands get too long before that.
  target.of.unit = ClockUnit::ns;
  SelftestSettings brief = target.settings();
  brief.longest = std::chrono::microseconds{900};
  const Selftest test = selftest(target, brief);
  CHECK(test.blocks[0].passes == 2000);
  check_ratios(test, {1, 2, 4, 0.5});
}

TEST_CASE("blocks are made longer where there is more noise") {
  Loops target(linear);
  target.noise = 50'000;
  const Selftest test = selftest(target, target.settings());
  CHECK(test.blocks[0].passes >= 10'000);
  CHECK(4 * test.blocks[0].ticks.value >= 10 * test.sigma);
  CHECK(4 * test.blocks[0].ticks.value <= 60 * test.sigma);
  check_ratios(test, {1, 2, 4, 0.1});
}

TEST_CASE("a target whose loops do not take what they should is off") {
  Loops target([](CalibrationKind /*kind*/, double passes) { return 2 * std::pow(passes, 1.25); });
  const Selftest test = selftest(target, target.settings());
  REQUIRE(test.blocks.size() == 4);
  CHECK_FALSE(test.blocks[0].is_off);
  CHECK(test.blocks[1].is_off);
  CHECK(test.blocks[2].is_off);
  CHECK(test.blocks[2].error > 0.2);
}

TEST_CASE("a grid on which answers come is found, and looked through") {
  Loops target(linear);
  target.grid = 1e6;
  const Selftest test = selftest(target, target.settings());
  CHECK(test.grid == Approx(1e6).epsilon(0.05));
  CHECK(test.clock.method == Method::coarse);
  check_ratios(test, {1, 2, 4, 0.1});
  REQUIRE_FALSE(test.warnings.empty());
  CHECK(test.warnings[0].kind == WarningKind::grid);
}

TEST_CASE("an exact clock needs few shots, and resolves no less than its tick") {
  Loops target(linear);
  target.noise = 0;
  target.of.exact = true;
  target.of.unit = ClockUnit::instructions;
  const Selftest test = selftest(target, target.settings());
  CHECK(test.shots == 29);  // four of them behind the far end of the path
  CHECK(test.least_ticks == 1);
  check_ratios(test, {1, 2, 4, 0.1});
}

TEST_CASE("a loop of traps stands in where an empty one takes no time, and for agents") {
  Loops target(
      [](CalibrationKind kind, double passes) { return kind == CalibrationKind::empty ? 0 : 25 * passes; });
  const Selftest test = selftest(target, target.settings());
  CHECK(test.loop == CalibrationKind::unarmed);
  check_ratios(test, {1, 2, 4, 0.1});
  Loops agent(linear);
  agent.of.transport = "agent";
  agent.only = CalibrationKind::unarmed;
  CHECK(selftest(agent, agent.settings()).loop == CalibrationKind::unarmed);
}

TEST_CASE("what cannot be tested is said") {
  Loops mute(linear);
  mute.only = CalibrationKind::unwind;
  CHECK_THROWS_WITH(
      selftest(mute, mute.settings()),
      Catch::Contains("the target cannot calibrate, so there are no loops of known length to measure"));
  Loops flat([](CalibrationKind /*kind*/, double /*passes*/) { return 0; });
  CHECK_THROWS_WITH(selftest(flat, flat.settings()),
                    Catch::Contains("longer loops do not take more time on this target"));
  Loops target(linear);
  SelftestSettings impatient = target.settings();
  impatient.goes_on = [left = 100]() mutable { return --left > 0; };
  CHECK_THROWS_WITH(selftest(target, impatient), Catch::Contains("without a result"));
}
