// SPDX-License-Identifier: Apache-2.0
// What is sent to a card for shots, traces and calibrations, and what comes of a card that is lost.
#include "harness/card/transport.hpp"

#include <chrono>
#include <optional>

#include <catch2/catch.hpp>

#include "harness/path.hpp"
#include "src/core/error.hpp"
#include "tests/harness/card_world.hpp"

namespace jcprof::test {
namespace {

using namespace harness;
using namespace std::chrono_literals;

TEST_CASE("a shot stops at the event asked for, and the whole command answers what it answers") {
  World world;
  const auto transport = transport_on(world, basic_setup());
  const std::vector<Sample> samples = shoot(*transport, {at(2), at(0), at(9), at(2, 2)});
  REQUIRE(samples.size() == 4);
  CHECK(samples[0].outcome == Outcome::stopped);
  CHECK_FALSE(samples[0].status);
  CHECK(samples[0].ticks > 0);
  CHECK(samples[1].outcome == Outcome::ended);
  CHECK(samples[1].status == 0x9000U);
  CHECK(samples[1].reply == Bytes{0xAB});
  CHECK(samples[2].outcome == Outcome::ended);
  CHECK(samples[3].outcome == Outcome::ended);
}

TEST_CASE("what is sent: once, after_reset, hello, then for each shot the scripts, arming and the trigger") {
  World world;
  CardSetup setup = basic_setup();
  setup.session.once = {ApduStep{.apdu = "80B80000", .expect = ""}};
  setup.session.before_each = {ApduStep{.apdu = "B0AA0000", .expect = ""}};
  setup.session.after_each = {WaitStep{.time = 1ms}, ApduStep{.apdu = "B0BB0000{input}", .expect = "9000"}};
  const auto transport = transport_on(world, setup);
  transport->set_inputs({Bytes{1}, Bytes{2, 3}});
  shoot(*transport, {{.stop = {.trap = TrapId{3}, .hit = 70000}, .input = 1}});
  CHECK(world.seen == std::vector<std::string>{"80b80000", "00a4040000", "80f4000000", "b0aa0000",
                                               "80f40100070003"
                                               "0001117001",
                                               "b0310000020203", "b0bb0000020203"});
}

TEST_CASE("a reset before each shot is followed by after_reset") {
  World world;
  CardSetup setup = basic_setup();
  setup.session.reset = ResetMode::warm;
  const auto transport = transport_on(world, setup);
  transport->describe();
  world.seen.clear();
  CHECK(shoot(*transport, {at(1)})[0].outcome == Outcome::stopped);
  CHECK(world.seen.front() == "00a4040000");
  CHECK(world.starts == 2);  // the start itself, then the reset
}

TEST_CASE("the times of a trigger of several APDUs are summed, and it is left at the stop") {
  World world;
  world.applet.path = {1};
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B0310000", "B0320000"};
  const auto transport = transport_on(world, setup);
  const std::vector<Sample> samples = shoot(*transport, {at(0), at(1)});
  CHECK(samples[0].outcome == Outcome::ended);
  CHECK(samples[1].outcome == Outcome::stopped);
  CHECK(world.seen.back() == "b0310000");
  CHECK(world.seen[world.seen.size() - 2] ==
        "80f4010007000100000001"
        "02");
}

TEST_CASE("61xx of the applet is fetched, and from then on arming holds for GET RESPONSE too") {
  World world;
  world.twist = [](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == trigger) return framed({0x61, 0x02});
    if (apdu.starts_with("00c0")) return framed({0x01, 0x02, 0x90, 0x00});
    return std::nullopt;
  };
  const auto transport = transport_on(world, basic_setup());
  CHECK(shoot(*transport, {at(0)})[0].reply == Bytes{1, 2});
  shoot(*transport, {at(1)});
  CHECK(std::ranges::find(world.seen, "80f401000700010000000102") != world.seen.end());
}

TEST_CASE("any status word that the project expects is data") {
  World world;
  world.applet.answer = {0x6A, 0x80};
  CardSetup setup = basic_setup();
  setup.trigger.expect = "9000|6A8?";
  const auto transport = transport_on(world, setup);
  const Sample sample = shoot(*transport, {at(0)})[0];
  CHECK(sample.outcome == Outcome::ended);
  CHECK(sample.status == 0x6A80U);
}

TEST_CASE("a sink that says no ends the batch") {
  World world;
  const auto transport = transport_on(world, basic_setup());
  int delivered = 0;
  const std::vector<Shot> shots{at(0), at(0), at(0)};
  transport->measure(shots, [&delivered](const Shot&, const Sample&) { return ++delivered < 2; });
  CHECK(delivered == 2);
}

TEST_CASE("a card that dies in a command loses that shot and is brought back for the next") {
  World world;
  CardSetup setup = basic_setup();
  setup.session.once = {ApduStep{.apdu = "80B80000", .expect = ""}};
  world.twist = [&world](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == trigger && world.applet.pending().trap == TrapId{2})
      return FakeReply{.raw = {}, .dies = true};
    return std::nullopt;
  };
  const auto transport = transport_on(world, setup);
  const std::vector<Sample> samples = shoot(*transport, {at(1), at(2), at(3)});
  CHECK(samples[0].outcome == Outcome::stopped);
  CHECK(samples[1].outcome == Outcome::lost);
  CHECK(samples[1].why == "the card closed the connection");
  CHECK(samples[2].outcome == Outcome::stopped);
  CHECK(world.starts == 2);
  CHECK(std::ranges::count(world.seen, "80b80000") == 2);
}

TEST_CASE("a card that does not answer in time is started again") {
  World world;
  world.twist = [&world](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == trigger && world.applet.pending().trap == TrapId{2}) return FakeReply{};
    return std::nullopt;
  };
  const auto transport = transport_on(world, basic_setup());
  const std::vector<Sample> samples = shoot(*transport, {at(2), at(3)});
  CHECK(samples[0].outcome == Outcome::timed_out);
  CHECK(samples[1].outcome == Outcome::stopped);
}

TEST_CASE("a card that dies at each shot is given up after twenty starts") {
  World world;
  bool good = true;
  world.twist = [&good](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == trigger && !good) return FakeReply{.raw = {}, .dies = true};
    return std::nullopt;
  };
  const auto transport = transport_on(world, basic_setup());
  shoot(*transport, {at(0)});
  good = false;
  CHECK_THROWS_WITH(
      shoot(*transport, std::vector<Shot>(100, at(0))),
      Catch::Contains("the card was lost 20 times in a row without one good shot (the card closed the "
                      "connection)\nfake card"));
  CHECK(world.starts == 21);
}

TEST_CASE("a card that talks garbage never ends in a hang or a crash") {
  const std::vector<Bytes> garbage{
      {0, 0}, {0, 1, 7}, {0xFF}, {0xFF, 0xFF, 1, 2, 3}, {0, 2, 0x90, 0, 0, 2, 0x90}};
  for (const Bytes& raw : garbage) {
    World world;
    world.twist = [raw](const std::string& apdu) -> std::optional<FakeReply> {
      if (apdu == trigger) return FakeReply{.raw = raw};
      return std::nullopt;
    };
    const auto transport = transport_on(world, basic_setup());
    const Outcome outcome = shoot(*transport, {at(0)})[0].outcome;
    CHECK((outcome == Outcome::lost || outcome == Outcome::timed_out));
  }
}

TEST_CASE("a trace is read in pieces, and its windows join to the path") {
  World world;
  world.applet.path.clear();
  for (std::uint16_t i = 0; i < 30; ++i) world.applet.path.push_back(static_cast<std::uint16_t>(1 + i % 7));
  const auto transport = transport_on(world, basic_setup());
  const TraceWindow window = transport->trace(0, 10, 100);
  CHECK(window.traps.size() == 8);
  CHECK(window.traps.front() == TrapId{4});
  CHECK(window.run->events == 30);
  CHECK(window.more);
  const TracedPath path = trace_path(*transport, 0);
  CHECK(path.state == PathState::steady);
  CHECK(path.events.size() == 30);
  CHECK(path.events.back() == Event{.trap = TrapId{2}, .hit = 5});
}

TEST_CASE("a stop in another command of the trigger than the traced run's is no sample") {
  World world;
  world.applet.paths = {{1, 2}, {1, 3}};
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B0310000", "B0320000"};
  const auto transport = transport_on(world, setup);
  CHECK(trace_path(*transport, 0).events.size() == 4);
  const std::vector<Shot> shots{at(1), at(2), at(1, 2), at(3)};
  for (const Sample& sample : shoot(*transport, shots)) CHECK(sample.outcome == Outcome::stopped);
  // The first command goes on with what a stop has left, and comes to what the second one passes.
  world.applet.paths = {{1, 2, 1, 3}, {}};
  const std::vector<Sample> samples = shoot(*transport, shots);
  CHECK(samples[1].outcome == Outcome::stopped);
  for (const std::size_t late : {2, 3}) {
    CHECK(samples[late].outcome == Outcome::elsewhere);
    CHECK(samples[late].why == "it was passed in command 1 of the trigger, and by the traced run in 2");
  }
}

TEST_CASE("where runs take several paths a stop counts in whatever command it is") {
  World world;
  world.applet.paths = {{1, 2}, {1, 3}};
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B0310000", "B0320000"};
  const auto transport = transport_on(world, setup);
  transport->trace(0, 0, 100);
  world.applet.paths = {{1, 2, 1}, {3}};
  CHECK(shoot(*transport, {at(1, 2)})[0].outcome == Outcome::elsewhere);
  world.applet.paths = {{1, 2, 3}, {1, 3}};
  transport->trace(0, 0, 100);
  CHECK(shoot(*transport, {at(3)})[0].outcome == Outcome::stopped);
}

TEST_CASE("an applet that a look at the trace disturbs is measured without knowing its commands") {
  World world;
  world.applet.paths = {{1, 2}, {1, 3}};
  bool is_within = false;
  world.twist = [&](const std::string& apdu) -> std::optional<FakeReply> {
    // Reading the trace between the two commands makes the second one pass another path.
    const bool reads = apdu.starts_with("80f40300");
    if (apdu.starts_with("b031")) is_within = true;
    if (apdu.starts_with("b032")) is_within = false;
    if (reads && is_within) world.applet.paths[1] = {1, 4};
    if (apdu.starts_with("80f402")) world.applet.paths[1] = {1, 3};
    return std::nullopt;
  };
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B0310000", "B0320000"};
  const auto transport = transport_on(world, setup);
  CHECK(trace_path(*transport, 0).state == PathState::steady);
  world.applet.paths = {{1, 2, 1, 3}, {}};
  CHECK(shoot(*transport, {at(3)})[0].outcome == Outcome::stopped);
}

TEST_CASE("a trigger is sent to its end where the trace between its commands cannot be read") {
  World world;
  world.applet.paths = {{1, 2}, {1, 3}, {4}};
  bool is_within = false;
  int reads_within = 0;
  world.twist = [&](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu.starts_with("b0")) is_within = !apdu.starts_with("b033");
    if (!apdu.starts_with("80f40300") || !is_within) return std::nullopt;
    ++reads_within;
    return framed({0x6F, 0x00});
  };
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B0310000", "B0320000", "B0330000"};
  const auto transport = transport_on(world, setup);
  CHECK(trace_path(*transport, 0).state == PathState::steady);
  CHECK(reads_within == 1);
  const auto sent = [&](const std::string& apdu) {
    return std::ranges::count_if(world.seen, [&](const std::string& one) { return one.starts_with(apdu); });
  };
  CHECK(sent("b031") == sent("b033"));
}

TEST_CASE("passes of a calibration are rounded up to thousands") {
  World world;
  const auto transport = transport_on(world, basic_setup());
  const std::optional<CalibrationTime> time = transport->calibrate(CalibrationKind::unarmed, 1500);
  REQUIRE(time);
  CHECK(time->passes == 2000);
  CHECK(time->ticks > 0);
  CHECK(world.seen.back() ==
        "80f404000301"
        "0002");
}

TEST_CASE("a card that loses its power now and then in calibrations is not given up") {
  World world;
  bool dies = false;
  world.twist = [&dies](const std::string& apdu) -> std::optional<FakeReply> {
    if (!apdu.starts_with("80f40400")) return std::nullopt;
    dies = !dies;
    return dies ? std::optional(FakeReply{.raw = {}, .dies = true}) : std::nullopt;
  };
  const auto transport = transport_on(world, basic_setup());
  for (int i = 0; i < 25; ++i) CHECK(transport->calibrate(CalibrationKind::unarmed, 1000));
  CHECK(world.starts == 26);
}

TEST_CASE("a site is asked for by the number of traps before it") {
  World world;
  const auto transport = transport_on(world, basic_setup());
  (void)transport->calibrate(CalibrationKind::sites, 7);
  CHECK(world.seen.back() == "80f4040003060007");
}

}  // namespace
}  // namespace jcprof::test
