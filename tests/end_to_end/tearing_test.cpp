// SPDX-License-Identifier: Apache-2.0
// A card whose power is lost before or after two hundred commands, and which locks after three tries.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"

namespace jcprof {
namespace {

using test::PinBench;
using test::Running;

TEST_CASE("two hundred losses of power between commands lose no sample, no run and no PIN") {
  const int seed = static_cast<int>(std::random_device{}() % 1'000'000);
  INFO("jcprof.card.seed=" << seed);
  const PinBench bench("tearing", "ROUNDS = (short) 100", "ROUNDS = (short) 4");
  test::use_card_by_hand(bench.project);
  const std::uint16_t port = test::free_ports();
  test::replace_in(bench.project / "jcprof.json",
                   fmt::format("\"pcsc:{}\"", test::PrivatePcscd::names.front()),
                   fmt::format("\"vpcd:{}\"", port));
  Running run = bench.start();
  REQUIRE(test::becomes_true([&] { return test::is_listening(port); }));
  const BackgroundProcess card(
      test::card_by_hand(bench.project, port,
                         {"-Djcprof.card.tears=200", fmt::format("-Djcprof.card.seed={}", seed)}),
      LogPolicy{});
  const auto is_torn = [&] { return std::filesystem::exists(bench.project / "torn"); };
  while (!is_torn() && !run.ended()) std::this_thread::sleep_for(std::chrono::milliseconds{100});
  INFO(run.said());
  REQUIRE(is_torn());
  const int rounds = std::stoi(bench.ask(test::rounds_stored).value_or("0"));
  CHECK(rounds > 0);
  bench.wait_for_rounds(rounds + 3);
  ::kill(run.pid(), SIGINT);
  CHECK(run.wait() == 130);
  bench.kept(rounds, "interrupted");
  CHECK(bench.ask("SELECT count(*) - count(DISTINCT sequence) FROM sample") == "0");
  CHECK(bench.ask("SELECT count(*) FROM sample WHERE outcome NOT IN ('stopped', 'ended', 'lost')") == "0");
  CHECK(bench.ask("SELECT count(DISTINCT status) FROM sample WHERE outcome = 'ended'") == "1");
  CHECK(test::is_sound(bench.profile()));
}

}  // namespace
}  // namespace jcprof
