// SPDX-License-Identifier: Apache-2.0
#include "annotator/hops/layers.hpp"

#include <array>
#include <cmath>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/engine/random.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::array names{"clock",          "driver",   "secure monitor, core",
                           "client library", "TA entry", "command"};

LadderRun exact_run() {
  return {.project = "hmac",
          .device = "qemu\x1b[31m",
          .agent = "jcprof-agent-teec/0.1.0",
          .unit = ClockUnit::instructions,
          .simulated = true,
          .exact = true};
}

/// In (0, 1).
double uniform(std::uint64_t stream, std::uint64_t index) {
  constexpr std::uint64_t steps = 1U << 30U;
  return (static_cast<double>(engine::draw(7, stream, index, steps)) + 0.5) / steps;
}

/// Layers of 50, 1000, 30000, 2000, 20000 and 300000 ns, each rung late by a skewed noise of its own, all of
/// a round by the same drift, and now and then one of them by an interrupt.
std::vector<Rung> noisy_ladder(std::uint64_t trial, std::uint64_t rounds) {
  const std::array<double, 6> depths{50, 1050, 31'050, 33'050, 53'050, 353'050};
  std::vector<Rung> rungs;
  for (std::size_t r = 0; r < depths.size(); ++r) {
    rungs.push_back({names.at(r), {}});
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const double drift = 500 * std::sin(static_cast<double>(round) / 9);
      const double noise = -200 * std::log(uniform(10 * trial + r, round));
      const double interrupt = uniform(10 * trial + r, round + rounds) < 0.03 ? 1e6 : 0;
      rungs.back().ticks.push_back(std::llround(1000 + depths.at(r) + drift + noise + interrupt));
    }
  }
  return rungs;
}

}  // namespace

TEST_CASE("layers of an exact clock are told to the tick, and add up as they are printed") {
  const std::vector<Rung> rungs{{"clock", {16, 16, 16, 16}},
                                {"driver", {2384, 2384, 2400, 2384}},
                                {"secure monitor, core", {52'144, 52'144, 52'160, 52'145}},
                                {"client library", {52'144, 52'144, 52'144, 52'144}},
                                {"command", {766'688, 766'704, 766'704, 770'160}}};
  CHECK(to_text(layers_of(exact_run(), rungs)) ==
        "hmac on qemu?[31m, SIMULATED: 4 rounds\n"
        "layer                 instructions     least to most     share\n"
        "clock                           16          16 to 16    0.00 %\n"
        "driver                        2368      2368 to 2384    0.31 %\n"
        "secure monitor, core         49761    49760 to 49761     6.5 %\n"
        "client library                 < 1          -16 to 0  < 0.00 %\n"
        "command                     714560  714544 to 718016    93.2 %\n"
        "round trip                  766704  766688 to 770160\n");
}

TEST_CASE("layers as JSON") {
  const std::vector<Rung> rungs{{"clock", {10, 12}}, {"command", {110, 113}}};
  const auto json = nlohmann::json::parse(
      to_json(layers_of({.project = "p", .device = "board", .agent = "a/1", .unit = ClockUnit::ns}, rungs)));
  CHECK(json == nlohmann::json::parse(R"({
    "format": "jcprof-layers", "version": 1, "project": "p", "device": "board", "agent": "a/1", "unit": "ns",
    "hz": 0.0, "simulated": false, "exact": false, "rounds": 2,
    "layers": [{"name": "clock", "ticks": {"value": 11.0, "low": null, "high": null},
                "share": 0.09865470852017937, "resolved": false},
               {"name": "command", "ticks": {"value": 100.5, "low": null, "high": null},
                "share": 0.9013452914798207, "resolved": false}],
    "total": {"value": 111.5, "low": null, "high": null}})"));
}

TEST_CASE("rounds too few for an interval give values without one") {
  const std::vector<Rung> rungs{{"clock", {50, 52, 51}}, {"command", {1050, 1060, 1051}}};
  CHECK(to_text(layers_of({.project = "p"}, rungs)) ==
        "p on an unknown device: 3 rounds\n"
        "layer         ns  95 % interval   share\n"
        "clock         51              ?   4.9 %\n"
        "command     1000              ?  95.1 %\n"
        "round trip  1051              ?\n");
}

TEST_CASE("layers sum to the round trip, whatever the noise") {
  for (std::uint64_t trial = 1; trial <= 20; ++trial) {
    const Layers layers = layers_of({}, noisy_ladder(trial, 31));
    double sum = 0;
    for (const Layer& layer : layers.layers) sum += layer.ticks.value;
    CHECK(sum == layers.total.value);
  }
}

TEST_CASE("intervals of layers hold the truth under skewed noise, drift and interrupts", "[statistics]") {
  constexpr std::array<double, 6> truth{50, 1000, 30'000, 2000, 20'000, 300'000};
  std::size_t held = 0;
  std::size_t all = 0;
  for (std::uint64_t trial = 1; trial <= 40; ++trial) {
    const Layers layers = layers_of({}, noisy_ladder(trial, 60));
    for (std::size_t l = 1; l < truth.size(); ++l, ++all) {
      const Interval& ticks = layers.layers[l].ticks;
      if (ticks.low <= truth.at(l) && truth.at(l) <= ticks.high) ++held;
      CHECK(std::abs(ticks.value - truth.at(l)) < 400);
    }
  }
  CHECK(static_cast<double>(held) >= 0.93 * static_cast<double>(all));
}

}  // namespace jcprof::annotator
