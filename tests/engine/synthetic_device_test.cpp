// SPDX-License-Identifier: Apache-2.0
// The synthetic device gives the numbers that other implementations of it give, to the digit.
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "tests/support/synthetic_device.hpp"

namespace jcprof::test {
namespace {

constexpr std::size_t blocks = 20;

struct Sweeps {
  std::vector<double> readings;  // in the order made, without those lost
  int lost = 0;
  double time = 0;
};

/// Up and down in turn over all stops of twenty skewed blocks, seed 1.
Sweeps sweeps(std::string_view name, int count) {
  const DeviceModel model = device_named(name).value();
  SyntheticDevice device(model, 1);
  const std::vector<double> costs = block_costs(blocks, model.work, Shape::skew);
  std::vector<double> work{0};
  for (const double cost : costs) work.push_back(work.back() + cost);
  for (std::size_t k = 0; k <= blocks; ++k) work[k] += static_cast<double>(k) * model.trap;
  Sweeps result;
  for (int sweep = 0; sweep < count; ++sweep)
    for (std::size_t at = 0; at <= blocks; ++at) {
      const std::optional<double> reading = device.execute(work[sweep % 2 == 0 ? at : blocks - at]);
      if (reading) result.readings.push_back(*reading);
      if (!reading) ++result.lost;
    }
  result.time = device.state().time;
  return result;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// To the nanosecond, without zeros at the end.
std::string number(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string short_run(std::string_view name) {
  const Sweeps run = sweeps(name, 2);
  const auto at = [&](std::size_t i) { return number(run.readings.at(i)); };
  return fmt::format("{} {} {} {} {}; {} {} {}; {}; {}\n", name, at(0), at(1), at(10), at(20), at(21), at(22),
                     at(23), number(sum(run.readings)), number(run.time));
}

std::string numbers(const std::vector<double>& values, int digits) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.{}f}", text.empty() ? "" : " ", value, digits);
  return text;
}

TEST_CASE("random numbers are those of the counters") {
  CHECK(uniform(1, 0, 1) == 0.4567457521133071);
  CHECK(uniform(1, 1, 1) == 0.6938810305612728);
  CHECK(uniform(1, 2, 1) == 0.9632122267848462);
  CHECK(uniform(42, 7, 5) == 0.7167906316802488);
  CHECK(normal(42, 7, 5) == Approx(-0.7923635280796385).epsilon(1e-15));
}

TEST_CASE("blocks have the costs that they have elsewhere") {
  CHECK(numbers(block_costs(5, 1000, Shape::skew), 6) ==
        "32.850302 191.963037 79.410603 9.184564 686.591493");
  CHECK(numbers(block_costs(5, 1000, Shape::flat), 6) ==
        "189.056385 209.961757 199.235064 175.270448 226.476347");
}

TEST_CASE("a sweep up and a sweep down read on each device what they read elsewhere") {
  std::string all;
  for (const std::string_view name : device_names()) all += short_run(name);
  CHECK(all ==
        "card 9216 10078 29721 69904; 69947 63659 61110; 1403757; 1781757.947\n"
        "sim 449.2 515.1 2612 6786.9; 6787.1 6122.5 5845.7; 124294.2; 138994.206\n"
        "ecall 4.109 5.037 24.33 64.268; 64.284 58.028 55.533; 1172.678; 1172.679\n"
        "optee 274 278.192 780.24 1780.304; 1781.664 1626.768 1563.008; 36549.104; 44949.116\n"
        "bimod 9216 10078 29721 71904; 71947 65658 61109; 1442748; 1820748.105\n"
        "sticky 9216 10078 29721 69904; 69947 63658 61109; 1398748; 1776748.105\n"
        "coarse 9000 10000 30000 70000; 70000 64000 61000; 1398000; 1776748.83\n"
        "flaky 9216 10128 30344 71022; 71011 64566 61932; 1423140; 1801140.752\n"
        "therm 9216 10078 29724 69929; 69976 63686 61138; 1399208; 1777208.565\n");
}

TEST_CASE("a hundred sweeps read what they read elsewhere, spikes, modes, interrupts and losses included") {
  std::string all;
  for (const std::string_view name : device_names())
    all += fmt::format("{} {}\n", name, number(sum(sweeps(name, 100).readings)));
  CHECK(all ==
        "card 70536173\nsim 4282189.3\necall 59002.001\noptee 1834410.448\nbimod 72311258\nsticky 73705216\n"
        "coarse 70109000\nflaky 70507259\ntherm 70232277\n");
  CHECK(sweeps("flaky", 100).lost == 4);
  CHECK(number(sweeps("flaky", 100).time) == "97371259.713");
}

DeviceModel silent(const Situation& situation) {
  DeviceModel model;
  model.jitter = model.wander = model.mode_add = model.mode_enter = model.mode_leave = 0;
  model.spikes.rate = model.drift_per_hour = model.swing = 0;
  model.situation = situation;
  return model;
}

TEST_CASE("an answer that is polled for is seen when somebody looks", "[synthetic]") {
  SyntheticDevice sleeps(silent({.poll = 1000}), 1);
  CHECK(sleeps.execute(500) == 10000);
  CHECK(sleeps.execute(1000) == 10000);
  SyntheticDevice backs_off(silent({.poll = 1000, .poll_growth = 2}), 1);
  CHECK(backs_off.execute(500) == 15000);
  CHECK(backs_off.execute(20000) == 31000);
  SyntheticDevice with_timer(silent({.timer = 1000}), 1);
  CHECK(with_timer.execute(500) == 10000);
  CHECK(with_timer.execute(1500) == 11000);
}

TEST_CASE("an execution may cost what the one before has left", "[synthetic]") {
  SyntheticDevice late(silent({.left_over = 0.1}), 1);
  CHECK(late.execute(20000) == 29000);
  CHECK(late.execute(10000) == 21000);
  CHECK(late.execute(10000) == 20000);
  SyntheticDevice stopped(silent({.after_stop = 3000}), 1);
  CHECK(stopped.execute(10000, true) == 19000);
  CHECK(stopped.execute(10000) == 19000);
  CHECK(stopped.execute(10000) == 22000);
  SyntheticDevice caching(silent({.cold_caches = 0.1}), 1);
  CHECK(caching.execute(10000) == 20000);
  CHECK(caching.execute(20000) == 30000);
  CHECK(caching.execute(10000) == 19000);
}

}  // namespace
}  // namespace jcprof::test
