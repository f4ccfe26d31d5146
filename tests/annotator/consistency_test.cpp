// SPDX-License-Identifier: Apache-2.0
// Times that contradict each other are found, and no others. The devices' costs are known; a state
// that stops leave behind is a model of its own.
#include "annotator/estimate/consistency.hpp"

#include <algorithm>
#include <functional>
#include <random>

#include <catch2/catch.hpp>

#include "tests/support/synthetic_device.hpp"

namespace jcprof::annotator {
namespace {

/// How a run goes: stops, rounds, and all that may befall them.
struct Course {
  std::size_t blocks = 20;
  std::uint32_t rounds = 24;
  std::size_t load_from = 0;  // shots: from here
  std::size_t load_to = 0;    // to there all takes twice as long
  std::size_t pause_at = 0;   // before this shot nothing is done for an hour
};

/// The work of a command up to its stop, of what is the whole work up to there.
using Work = std::function<double(double whole, std::size_t stop)>;

const Work as_it_is = [](double whole, std::size_t) { return whole; };

/// Rounds in twins, each from a random stop with wrap-around.
class Bench {
 public:
  Bench(const test::DeviceModel& model, std::uint64_t seed, test::Shape shape = test::Shape::skew)
      : device_(model, seed), random_(seed), shape_(shape) {}

  /// The parts that are contradicted.
  std::vector<std::size_t> contradictions(const Course& course, const Work& work = as_it_is) {
    costs_ = test::block_costs(course.blocks, device_.model().work, shape_);
    columns_.assign(course.blocks + 1, std::vector<double>(course.rounds, engine::missing));
    for (std::uint32_t round = 0; round < course.rounds; ++round) measure(round, course, work);
    std::vector<StretchRounds> parts;
    for (std::size_t b = 0; b < course.blocks; ++b) parts.push_back({difference(b + 1, b)});
    const std::vector<bool> found =
        contradicted(parts, {engine::median(engine::present(columns_.back())), difference(course.blocks, 0)});
    std::vector<std::size_t> result;
    for (std::size_t b = 0; b < found.size(); ++b)
      if (found[b]) result.push_back(b);
    return result;
  }

 private:
  void measure(std::uint32_t round, const Course& course, const Work& work) {
    const std::size_t stops = columns_.size();
    if (round % 2 == 0) start_ = random_() % stops;
    for (std::size_t i = 0; i < stops; ++i) {
      const std::size_t stop = (start_ + (round % 2 == 0 ? i : stops - 1 - i)) % stops;
      if (++shots_ == course.pause_at) device_.pause(3600e6);
      double whole = 0;
      for (std::size_t b = 0; b < stop; ++b) whole += costs_[b];
      const bool is_loaded = shots_ >= course.load_from && shots_ < course.load_to;
      const auto us = device_.execute((is_loaded ? 2 : 1) * work(whole, stop));
      if (us) columns_[stop][round] = is_loaded ? *us + device_.model().overhead : *us;
    }
  }

  std::vector<double> difference(std::size_t to, std::size_t from) const {
    std::vector<double> result;
    for (std::size_t r = 0; r < columns_[to].size(); ++r)
      result.push_back(columns_[to][r] - columns_[from][r]);
    return result;
  }

  test::SyntheticDevice device_;
  std::mt19937_64 random_;
  test::Shape shape_;
  std::vector<double> costs_;
  std::vector<std::vector<double>> columns_;
  std::size_t start_ = 0;
  std::size_t shots_ = 0;
};

std::vector<test::DeviceModel> all_devices() {
  std::vector<test::DeviceModel> models;
  for (const std::string_view name : test::device_names()) models.push_back(*test::device_named(name));
  for (const std::string_view noise : test::noise_names())
    for (const char* name : {"card", "sim"})
      models.push_back(*test::with_noise(*test::device_named(name), noise));
  return models;
}

/// Parts that are accused on healthy devices, with this many seeds each.
std::size_t false_alarms(const Course& course, std::uint64_t seeds) {
  std::size_t alarms = 0;
  for (const test::DeviceModel& model : all_devices())
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      alarms += Bench(model, seed).contradictions(course).size();
  return alarms;
}

constexpr std::size_t open = 12;  // from this event on, of twenty, a command is under way

bool is_under_way_at(std::size_t stop) {
  return stop >= open && stop < Course{}.blocks;
}

/// A command that is stopped under way is found so by the next one, which skips half of its work.
Work half_done() {
  return [is_found = false](double whole, std::size_t stop) mutable {
    const double work = is_found ? whole / 2 : whole;
    is_found = is_under_way_at(stop);
    return work;
  };
}

/// Each stop under way counts two up, at most to four. Each command counts one down, and one that finds a
/// count skips three quarters of its work.
Work counting() {
  return [count = 0](double whole, std::size_t stop) mutable {
    const double work = count > 0 ? whole / 4 : whole;
    count = std::max(0, count - 1);
    if (is_under_way_at(stop)) count = std::min(4, count + 2);
    return work;
  };
}

/// A part with the same value in each round but for the noise, and three more that make it a command of a
/// thousand.
std::vector<bool> judged(std::vector<double> first, double doubt = 0) {
  const std::vector<double> rest(first.size(), 300);
  std::vector<double> between = first;
  for (double& value : between) value += 900;
  return contradicted({{std::move(first), doubt}, {rest}, {rest}, {rest}}, {1000, between});
}

std::vector<double> repeated(double value, std::size_t rounds) {
  return std::vector<double>(rounds, value);
}

}  // namespace

TEST_CASE("healthy devices are never accused, with whatever noise they have") {
  CHECK(false_alarms({}, 100) == 0);
}

TEST_CASE("healthy devices are not accused after few rounds, nor of long paths") {
  CHECK(false_alarms({.rounds = 10}, 100) == 0);
  CHECK(false_alarms({.rounds = 12}, 100) == 0);
  CHECK(false_alarms({.blocks = 150, .rounds = 14}, 2) == 0);
  CHECK(false_alarms({.blocks = 3, .rounds = 10}, 100) == 0);
}

TEST_CASE("healthy devices are not accused where they pause, or where a load doubles all times for a while") {
  CHECK(false_alarms({.pause_at = 12 * 21 + 5}, 50) == 0);
  CHECK(false_alarms({.load_from = 7 * 21 + 3, .load_to = 15 * 21 + 9}, 50) == 0);
  CHECK(false_alarms({.rounds = 10, .load_from = 5 * 21, .load_to = 10 * 21}, 50) == 0);
  CHECK(false_alarms({.rounds = 10, .load_from = 40, .load_to = 50, .pause_at = 100}, 50) == 0);
}

TEST_CASE("where a stop makes the next command skip half of its work, the block behind it is accused") {
  for (const char* name : {"card", "sim", "ecall", "optee", "flaky", "therm"})
    for (const std::uint32_t rounds : {24U, 40U})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        INFO(name << ", " << rounds << " rounds, seed " << seed);
        Bench bench(*test::device_named(name), seed, test::Shape::flat);
        const auto found = bench.contradictions({.rounds = rounds}, half_done());
        // Along the path times fall behind event 12, on the way back before event 11.
        for (const std::size_t block : {open - 2, open - 1, open})
          CHECK(std::ranges::count(found, block) == 1);
        CHECK(found.size() <= 4);
      }
}

TEST_CASE("where stops count up and commands with a count skip work, the block where it begins is accused") {
  for (const char* name : {"card", "ecall", "optee"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO(name << ", seed " << seed);
      Bench bench(*test::device_named(name), seed, test::Shape::flat);
      const auto found = bench.contradictions({.rounds = 40}, counting());
      CHECK(std::ranges::count(found, open) == 1);
      CHECK(std::ranges::all_of(found, [](std::size_t block) { return block + 5 >= open && block <= open; }));
    }
}

TEST_CASE("a part is accused from a twentieth of the command on, and from ten rounds on") {
  CHECK(judged(repeated(-51, 10)) == std::vector{true, false, false, false});
  CHECK(judged(repeated(-49, 10)) == std::vector<bool>(4));
  CHECK(judged(repeated(-500, 9)) == std::vector<bool>(4));
  CHECK(judged({}) == std::vector<bool>(4));
}

TEST_CASE("the doubt of what traps cost keeps a part from being accused") {
  CHECK(judged(repeated(-100, 20), 24)[0]);
  CHECK_FALSE(judged(repeated(-100, 20), 26)[0]);
}

TEST_CASE("a part that is below nothing in one half of the run only is not accused") {
  std::vector<double> values = repeated(-100, 60);
  CHECK(judged(values)[0]);
  std::fill(values.begin() + 30, values.end(), -20.0);
  CHECK_FALSE(judged(values)[0]);
  std::ranges::reverse(values);
  CHECK_FALSE(judged(values)[0]);
}

TEST_CASE("a part must be below nothing in nearly every round") {
  std::vector<double> values = repeated(-100, 100);
  for (std::size_t r = 0; r < values.size(); r += 7) values[r] = 1;  // in 15 rounds
  CHECK(judged(values)[0]);
  values[1] = 1;
  CHECK_FALSE(judged(values)[0]);
}

TEST_CASE("noise that is as wide as a part is below nothing keeps it from being accused") {
  std::vector<double> values;
  for (int r = 0; r < 20; ++r) values.push_back(-100 + (r % 2 == 0 ? 15 : -15));
  CHECK(judged(values)[0]);
  values.clear();
  for (int r = 0; r < 20; ++r) values.push_back(-100 + (r % 2 == 0 ? 45 : -45));
  CHECK_FALSE(judged(values)[0]);
}

TEST_CASE("a part that takes more than the whole is accused with the one that takes less than nothing") {
  const std::vector<double> whole(20, 1000);
  CHECK(contradicted({{repeated(1200, 20)}, {repeated(-200, 20)}}, {1100, whole}) == std::vector{true, true});
  CHECK(contradicted({{repeated(1040, 20)}, {repeated(-40, 20)}}, {1100, whole}) == std::vector<bool>(2));
  CHECK(contradicted({{repeated(1200, 20)}}, {0, whole}) == std::vector<bool>(1));
}

TEST_CASE("the doubt of all others together keeps a part from being accused of taking more than the whole") {
  const std::vector<double> whole(20, 1000);
  const std::vector<StretchRounds> parts{{repeated(1200, 20)}, {repeated(-200, 20), 51}};
  CHECK(contradicted(parts, {1100, whole, 49}) == std::vector{true, false});
  CHECK(contradicted(parts, {1100, whole, 51}) == std::vector<bool>(2));
}

TEST_CASE("neighbours that are less than nothing together are all accused, and none that holds them") {
  // In turn the second and the fourth are below nothing.
  std::vector<StretchRounds> stretches{{repeated(500, 20)}, {}, {repeated(10, 20)}, {}, {repeated(500, 20)}};
  for (int r = 0; r < 20; ++r) {
    stretches[1].rounds.push_back(r % 2 == 0 ? -200 : 20);
    stretches[3].rounds.push_back(r % 2 == 0 ? 20 : -200);
  }
  CHECK(contradicted(stretches, {1000, repeated(830, 20)}) == std::vector{false, true, true, true, false});
  stretches[2].rounds = repeated(200, 20);
  CHECK(contradicted(stretches, {1000, repeated(1020, 20)}) == std::vector<bool>(5));
}

TEST_CASE("rounds that lack a part do not count") {
  std::vector<double> values = repeated(-100, 30);
  for (std::size_t r = 0; r < 21; ++r) values[r] = engine::missing;
  CHECK_FALSE(judged(values)[0]);
  values[20] = -100;
  CHECK(judged(values)[0]);
}

}  // namespace jcprof::annotator
