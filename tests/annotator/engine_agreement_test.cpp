// SPDX-License-Identifier: Apache-2.0
// The engine ends a measurement by looking at its intervals; the annotator fits all stops together, from what
// was stored. They must agree, and blocks and lines must hold the truth.
#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include "annotator/estimate/estimates.hpp"
#include "annotator/estimate/figures.hpp"
#include "src/engine/engine.hpp"
#include "tests/annotator/trap_maps.hpp"
#include "tests/support/synthetic_device.hpp"
#include "tests/support/trial.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::uint32_t blocks = 20;
constexpr std::uint32_t lines = 5;
constexpr double ns_per_us = 1000;

/// Passes five statements four times, in turn.
std::vector<Event> round_robin() {
  std::vector<std::uint32_t> traps;
  for (std::uint32_t i = 0; i < blocks; ++i) traps.push_back(1 + i % lines);
  return path_of(traps);
}

struct Measured {
  RunData data;
  engine::Look look;
  std::vector<double> truth;  // share of each block
};

enum class EndsBy : std::uint8_t { blocks, lines };

TrapMap statements() {
  MapMaker maker;
  for (std::size_t i = 0; i < lines; ++i) maker.trap(TrapKind::before, "p", 10 + i);
  return maker.map();
}

engine::FigureSource lines_of_all() {
  std::vector<std::size_t> positions(blocks + 1);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return figures_of(statements(), round_robin(), positions);
}

class Recorder {
 public:
  Recorder(const test::DeviceModel& model, std::uint64_t seed, EndsBy end = EndsBy::blocks)
      : work_(test::work_at_stops(model, blocks, test::Shape::skew)),
        device_(model, seed),
        engine_({.stops = work_.size(),
                 .groups = groups(),
                 .seed = seed,
                 .figures = end == EndsBy::lines ? lines_of_all() : nullptr}) {
    data_.map = statements();
    data_.inputs = {{}};
    data_.paths = {{.events = round_robin()}};
  }

  Measured record() {
    while (engine_.next().phase != engine::Phase::done) take(engine_.next());
    const engine::Clock clock = engine_.clock();
    const bool is_coarse = clock.method == Method::coarse;
    data_.looks = {{.number = 1,
                    .first_round = engine_.first_round(),
                    .method = is_coarse ? Method::coarse : Method::fine,
                    .tick = clock.tick}};
    Measured measured{.data = data_, .look = *engine_.look()};
    for (std::size_t b = 0; b < blocks; ++b)
      measured.truth.push_back((work_[b + 1] - work_[b]) / (work_.back() - work_.front()));
    return measured;
  }

 private:
  static std::vector<std::uint32_t> groups() {
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < blocks; ++i) result.push_back(i % lines);
    return result;
  }

  void take(const engine::Batch& batch) {
    std::vector<engine::Reading> readings;
    for (const engine::PlannedShot& shot : batch.shots) {
      device_.pause(static_cast<double>(shot.pause_ns) / ns_per_us);
      const std::optional<double> us = device_.execute(work_.at(shot.stop));
      StoredSample sample{.sequence = data_.samples.size(), .round = shot.prepares ? 0 : batch.round};
      if (shot.stop < blocks) sample.asked = data_.paths.front().events[shot.stop];
      if (us) {
        sample.ticks = std::llround(*us * ns_per_us);
        sample.outcome = shot.stop < blocks ? Outcome::stopped : Outcome::ended;
      }
      readings.push_back({.kind = us ? engine::Reading::Kind::timed : engine::Reading::Kind::lost,
                          .ticks = static_cast<double>(sample.ticks)});
      data_.samples.push_back(sample);
    }
    engine_.take(readings);
  }

  std::vector<double> work_;
  test::SyntheticDevice device_;
  engine::Engine engine_;
  RunData data_;
};

test::DeviceModel device(std::string_view name, std::string_view noise) {
  const test::DeviceModel model = *test::device_named(name);
  return noise.empty() ? model : *test::with_noise(model, noise);
}

}  // namespace

TEST_CASE("what is published agrees with what ended the measurement, and holds the truth") {
  std::size_t asked = 0;
  std::size_t covered = 0;
  std::size_t blocks_covered = 0;
  std::size_t agreed = 0;
  for (const auto& [name, noise] : {std::pair{"card", ""},
                                    {"sim", ""},
                                    {"ecall", ""},
                                    {"bimod", ""},
                                    {"sticky", ""},
                                    {"coarse", ""},
                                    {"flaky", ""},
                                    {"therm", ""},
                                    {"card", "every-2nd"},
                                    {"card", "grid-1ms"}})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      INFO(name << " " << noise << ", seed " << seed);
      const Measured measured = Recorder(device(name, noise), seed).record();
      const Profile profile = estimate(measured.data);
      REQUIRE(profile.blocks.size() == blocks);
      std::vector<double> truth(lines);
      for (std::size_t b = 0; b < blocks; ++b) {
        const engine::BlockLook& seen = measured.look.blocks[b];
        const Estimate& published = profile.blocks[b].cost;
        agreed += seen.ticks.low <= published.raw && published.raw <= seen.ticks.high ? 1 : 0;
        const Interval& share = published.share;
        blocks_covered += share.low <= measured.truth[b] && measured.truth[b] <= share.high ? 1 : 0;
        CHECK(profile.blocks[b].hot == seen.hot);
        truth[b % lines] += measured.truth[b];
      }
      for (const LineEstimate& line : profile.lines) {
        ++asked;
        const Interval& share = line.cost.share;
        covered += share.low <= truth[line.line - 10] && truth[line.line - 10] <= share.high ? 1 : 0;
      }
    }
  CHECK(asked == 10 * 4 * lines);
  CHECK(static_cast<double>(covered) / static_cast<double>(asked) >= 0.93);
  CHECK(static_cast<double>(blocks_covered) >= 0.94 * 10 * 4 * blocks);
  CHECK(static_cast<double>(agreed) >= 0.99 * 10 * 4 * blocks);
}

TEST_CASE("a run that ends by its lines publishes each as well as was asked for") {
  std::size_t asked = 0;
  std::size_t met = 0;
  std::size_t covered = 0;
  // A simulator gets faster while it is measured, and its intervals have room for that.
  for (const std::string_view name : {"card", "flaky", "ecall", "bimod", "therm"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Measured measured = Recorder(device(name, ""), seed, EndsBy::lines).record();
      std::vector<double> truth(lines);
      for (std::size_t b = 0; b < blocks; ++b) truth[b % lines] += measured.truth[b];
      for (const LineEstimate& line : estimate(measured.data).lines) {
        ++asked;
        const Interval& share = line.cost.share;
        // With few rounds Student's factor is a third above that of many.
        met += half_width(share) <= 1.35 * std::max(0.005, 0.05 * share.value) ? 1 : 0;
        covered += share.low <= truth[line.line - 10] && truth[line.line - 10] <= share.high ? 1 : 0;
      }
    }
  CHECK(asked == 5 * 20 * lines);
  CHECK(static_cast<double>(met) >= 0.95 * static_cast<double>(asked));
  CHECK(static_cast<double>(covered) >= 0.93 * static_cast<double>(asked));
}

}  // namespace jcprof::annotator
