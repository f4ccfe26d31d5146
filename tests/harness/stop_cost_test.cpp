// SPDX-License-Identifier: Apache-2.0
// A calibration that leaves the cost of stops unknown goes on as long as that helps.
#include <cmath>

#include <catch2/catch.hpp>

#include "annotator/estimate/figures.hpp"
#include "src/engine/statistics.hpp"
#include "tests/harness/measure_bench.hpp"
#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {
namespace {

/// A command of 700,000 ticks in blocks of 100,000, whose stops cost nothing but for what `stop_costs` says.
struct NoisyCalibration : MeasureBench {
  explicit NoisyCalibration(Ticks stop_costs = 0) {
    target.calibration_noise = 1'500'000;
    target.calibration_slopes[static_cast<std::size_t>(harness::CalibrationKind::stop)] = stop_costs;
    target.whole.ticks = 700'000;
    target.twist = [](const Shot& shot, std::uint64_t n, Sample& sample) {
      sample.ticks =
          (shot.stop.trap == run_to_end ? 1 : 100) * sample.ticks + std::llround(2000 * normal(1, n, 0));
    };
    options.rounds.reset();
    options.calibrations = 20;
    options.figures = [this](const std::vector<Event>& events, std::vector<std::size_t> positions) {
      return annotator::figures_of(map, events, std::move(positions), [this] {
        const Store store(folder / "profile.jcprof", OpenMode::read_only);
        return annotator::trap_cost(store.calibrations(store.last_run()->id), engine::Precision{}.alpha);
      });
    };
  }

  std::size_t timed_stops() const {
    return static_cast<std::size_t>(std::ranges::count(calibrations, "stop", &StoredCalibration::kind));
  }
};

}  // namespace

TEST_CASE("a noisy calibration of stops goes on until it hides no line any more") {
  NoisyCalibration bench;
  const harness::Measured measured = bench.run();
  for (const Warning& one : measured.warnings) UNSCOPED_INFO(to_text(one));
  CHECK(measured.is_done);
  CHECK_FALSE(has(measured.warnings, "cannot be known"));
  CHECK(bench.timed_stops() > 200);
}

TEST_CASE("a call that resumes calibrates stops further") {
  NoisyCalibration bench;
  bench.options.max_shots = 300;
  while (!bench.run().is_done) REQUIRE(bench.samples.size() < 10'000);
  CHECK(bench.timed_stops() > 200);
  const auto before = bench.timed_stops();
  CHECK(bench.run().is_done);
  CHECK(bench.timed_stops() == before);
}

TEST_CASE("stops that are known to cost much are not calibrated once more") {
  NoisyCalibration bench(1'000'000);
  const harness::Measured measured = bench.run();
  for (const Warning& one : measured.warnings) UNSCOPED_INFO(to_text(one));
  CHECK(has(measured.warnings, "A.run cannot be known better than"));
  CHECK(bench.timed_stops() <= 200);
}

}  // namespace jcprof::test
