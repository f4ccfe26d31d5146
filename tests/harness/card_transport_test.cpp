// SPDX-License-Identifier: Apache-2.0
#include "harness/card/transport.hpp"

#include <chrono>
#include <optional>

#include <catch2/catch.hpp>

#include "harness/card/vpcd.hpp"
#include "harness/path.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "tests/support/fake_card.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using namespace std::chrono_literals;
using jcprof::test::FakeApplet;
using jcprof::test::FakeReply;
using jcprof::test::framed;

namespace {

/// An applet on a fake card, and all that was sent to it. `twist` may answer in the applet's place.
struct World {
  FakeApplet applet;
  std::vector<std::string> seen;
  int starts = 0;
  std::function<std::optional<FakeReply>(const std::string& apdu)> twist = [](const std::string&) {
    return std::nullopt;
  };

  FakeReply operator()(std::span<const std::uint8_t> apdu) {
    seen.push_back(to_hex(apdu));
    if (std::optional<FakeReply> reply = twist(seen.back())) return *reply;
    return framed(applet.process(apdu));
  }
};

CardSetup basic_setup() {
  CardSetup setup;
  setup.session.timeout = 150ms;
  setup.session.after_reset = {ApduStep{.apdu = "00A4040000", .expect = ""}};
  setup.trigger.apdus = {"B0310000 {input}"};
  setup.arming = FakeApplet{}.arming;
  setup.build = FakeApplet{}.build;
  return setup;
}

std::unique_ptr<Transport> transport_on(World& world, const CardSetup& setup) {
  std::unique_ptr<ApduChannel> channel = make_vpcd_channel({.port = {}, .timeout = setup.session.timeout});
  const auto port = static_cast<std::uint16_t>(std::stoi(channel->port()));
  auto device = std::make_unique<test::FakeDevice>(
      port, [&world](std::span<const std::uint8_t> apdu) { return world(apdu); },
      [&world] {
        ++world.starts;
        world.applet.reset();
      });
  return make_card_transport(setup, std::move(channel), std::move(device));
}

std::vector<Sample> shoot(Transport& transport, const std::vector<Shot>& shots) {
  std::vector<Sample> samples;
  transport.measure(shots, [&samples](const Shot&, const Sample& sample) {
    samples.push_back(sample);
    return true;
  });
  return samples;
}

Shot at(std::uint32_t trap, std::uint32_t hit = 1) {
  return {.stop = {.trap = TrapId{trap}, .hit = hit}};
}

const std::string trigger = "b0310000";

}  // namespace

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

/// What ends a run at its first shot; empty: nothing does.
std::string refusal(World& world, const CardSetup& setup) {
  const auto transport = transport_on(world, setup);
  try {
    shoot(*transport, {at(0)});
  } catch (const UserError& error) {
    CHECK(error.exit_code() == ExitCode::check_failed);
    return error.what();
  }
  return "";
}

TEST_CASE("a trigger that is answered with an error is not measured: the message says what to mend") {
  World world;
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B031000001FF"};
  const auto refused = [&](std::uint16_t status) {
    world.applet.answer = {static_cast<std::uint8_t>(status >> 8), static_cast<std::uint8_t>(status)};
    return refusal(world, setup);
  };
  CHECK(refused(0x9000).empty());
  CHECK(refused(0x6D00) ==
        "the trigger b031000001ff was answered with 6D00 (INS not supported), expected was 9000\n"
        "hint: mend the INS: it is none of the applet that is selected; if that answer is right, put "
        "\"expect\": \"6D00\" into \"trigger\" of jcprof.json");
  const std::string sent = "the trigger b031000001ff was answered with ";
  CHECK_THAT(refused(0x6E00), Catch::StartsWith(sent + "6E00 (CLA not supported), expected was 9000\n"
                                                       "hint: mend the CLA"));
  CHECK_THAT(refused(0x6700), Catch::StartsWith(sent + "6700 (wrong length), expected was 9000\n"
                                                       "hint: mend Lc and data"));
  CHECK_THAT(refused(0x6A86), Catch::StartsWith(sent + "6A86 (wrong P1 or P2), expected was 9000\n"
                                                       "hint: mend P1 and P2"));
  CHECK_THAT(refused(0x6982), Catch::StartsWith(sent + "6982 (security status not satisfied)"));
  CHECK_THAT(refused(0x6F42), Catch::StartsWith(sent + "6F42 (no precise diagnosis)"));
  CHECK_THAT(refused(0x1234), Catch::StartsWith(sent + "1234 (a status word of the applet's own)"));
  setup.trigger.expect = "9000|6A8?";
  CHECK(refused(0x6A86).empty());
  CHECK_THAT(refused(0x6D00), Catch::Contains("(INS not supported), expected was 9000|6A8?"));
}

TEST_CASE("each command of a trigger must be answered well, and the message names the one that is not") {
  World world;
  world.twist = [](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == "b0310000") return framed({0x6A, 0x86});
    return std::nullopt;
  };
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B0310000", "B0320000"};
  CHECK_THAT(refusal(world, setup),
             Catch::StartsWith("the trigger's command b0310000 was answered with 6A86 (wrong P1 or P2)"));
  CHECK(world.seen.back() == "b0310000");
}

TEST_CASE("each input must be answered well at first, and an answer that changes later ends nothing") {
  World world;
  world.twist = [](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == "b031000001bb") return framed({0x67, 0x00});
    return std::nullopt;
  };
  const auto transport = transport_on(world, basic_setup());
  transport->set_inputs({Bytes{0xAA}, Bytes{0xBB}});
  CHECK(shoot(*transport, {at(0)})[0].status == 0x9000U);
  world.applet.answer = {0x6F, 0x00};
  CHECK(shoot(*transport, {at(0)})[0].status == 0x6F00U);
  CHECK_THROWS_WITH(shoot(*transport, {{.stop = {}, .input = 1}}),
                    Catch::StartsWith("the trigger b031000001bb was answered with 6700"));
}

TEST_CASE("a SELECT of an applet that is not there names the AID") {
  for (const std::uint8_t low : std::to_array<std::uint8_t>({0x99, 0x82})) {
    World world;
    world.twist = [low](const std::string& apdu) -> std::optional<FakeReply> {
      if (apdu.starts_with("00a404"))
        return framed({static_cast<std::uint8_t>(low == 0x99 ? 0x69 : 0x6A), low});
      return std::nullopt;
    };
    CardSetup setup = basic_setup();
    setup.session.after_reset = {ApduStep{.apdu = "00A4040005A000000001", .expect = ""}};
    CHECK_THAT(
        refusal(world, setup),
        Catch::Contains("hint: there is no applet of the AID a000000001: mend it, or what installs the "
                        "applet (\"install\", \"start\", \"once\")"));
  }
}

TEST_CASE("an installation that a simulator refuses names the AID that it does not know") {
  World world;
  world.twist = [](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu.starts_with("80b8")) return framed({0x64, 0x44});
    return std::nullopt;
  };
  CardSetup setup = basic_setup();
  setup.session.once = {ApduStep{.apdu = "80B800000905A00000000102 0000 00", .expect = ""}};
  CHECK_THAT(refusal(world, setup), Catch::Contains("was answered with 6444 (an error of the card)") &&
                                        Catch::Contains("there is no applet of the AID a000000001"));
}

TEST_CASE("where nothing selects the applet, that is said") {
  World world;
  world.applet.is_instrumented = false;
  CardSetup setup = basic_setup();
  setup.session.after_reset.clear();
  const auto transport = transport_on(world, setup);
  CHECK_THROWS_WITH(transport->describe(), Catch::Contains("INS not supported): nothing selects it\nhint: "
                                                           "\"after_reset\" in \"session\" must SELECT it"));
}

TEST_CASE("a SELECT on another logical channel, or of another class, is one") {
  for (const std::string apdu : {"01a4040000", "40A4 0400 00"}) {
    World world;
    world.applet.is_instrumented = false;
    CardSetup setup = basic_setup();
    setup.session.after_reset = {ApduStep{.apdu = apdu, .expect = "6D00|9000"}};
    const auto transport = transport_on(world, setup);
    CHECK_THROWS_WITH(transport->describe(), Catch::Contains("was the instrumented build installed?"));
  }
}

TEST_CASE("abort_on ends the run after the sample was delivered") {
  World world;
  world.applet.answer = {0x63, 0xC2};
  const auto transport = transport_on(world, basic_setup());
  int delivered = 0;
  const std::vector<Shot> shots{at(0), at(0)};
  CHECK_THROWS_WITH(
      transport->measure(shots,
                         [&delivered](const Shot&, const Sample&) {
                           ++delivered;
                           return true;
                         }),
      Catch::Contains("the trigger was answered with 63C2: the run is ended, as \"abort_on\" asks"));
  CHECK(delivered == 1);
}

TEST_CASE("a sink that says no ends the batch") {
  World world;
  const auto transport = transport_on(world, basic_setup());
  int delivered = 0;
  const std::vector<Shot> shots{at(0), at(0), at(0)};
  transport->measure(shots, [&delivered](const Shot&, const Sample&) { return ++delivered < 2; });
  CHECK(delivered == 2);
}

TEST_CASE("a step of once that is not answered as expected names step, APDU, answer and expectation") {
  World world;
  world.twist = [](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == "80b80000") return framed({0x6A, 0x82});
    return std::nullopt;
  };
  CardSetup setup = basic_setup();
  setup.session.once = {ApduStep{.apdu = "00A4040000", .expect = "9000"},
                        ApduStep{.apdu = "80B80000", .expect = ""}};
  const auto transport = transport_on(world, setup);
  try {
    transport->describe();
    FAIL("it was accepted");
  } catch (const UserError& error) {
    CHECK(
        std::string(error.what()) ==
        "session \"once\", step 2: 80b80000 was answered with 6A82 (file or applet not found), expected was "
        "9000|61xx|62xx|63xx\n"
        "hint: mend the AID or file that it names; if that answer is right, say so: {\"apdu\": \"…\", "
        "\"expect\": \"6A82\"}");
    CHECK(error.exit_code() == ExitCode::check_failed);
  }
}

TEST_CASE("steps between shots are checked only where they say what they expect") {
  World world;
  world.twist = [](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu == "b0aa0000") return framed({0x6A, 0x82});
    return std::nullopt;
  };
  CardSetup setup = basic_setup();
  setup.session.before_each = {ApduStep{.apdu = "B0AA0000", .expect = ""}};
  const auto fine = transport_on(world, setup);
  CHECK(shoot(*fine, {at(0)})[0].outcome == Outcome::ended);
  setup.session.before_each = {ApduStep{.apdu = "B0AA0000", .expect = "9000"}};
  const auto checked = transport_on(world, setup);
  CHECK_THROWS_WITH(shoot(*checked, {at(0)}), Catch::Contains("session \"before_each\", step 1: b0aa0000"));
}

TEST_CASE("an applet without traps is told from one of another build") {
  World world;
  world.applet.is_instrumented = false;
  const auto plain = transport_on(world, basic_setup());
  CHECK_THROWS_WITH(plain->describe(),
                    Catch::Contains("the applet on the card does not answer jcprof (6D00, INS not "
                                    "supported): was the instrumented build installed?"));
  world.applet.is_instrumented = true;
  world.applet.build = 0xCAFE;
  const auto other = transport_on(world, basic_setup());
  CHECK_THROWS_WITH(
      other->describe(),
      Catch::Contains("the applet on the card is build 0000cafe, traps.json is of build 12345678"));
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

TEST_CASE("abort_on ends the extra traced run that tells commands apart, at once") {
  World world;
  world.applet.paths = {{1, 2}, {1, 3}};
  int first = 0;
  world.twist = [&](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu.starts_with("b031") && ++first == 2) return framed({0x63, 0xC2});
    return std::nullopt;
  };
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B0310000", "B0320000"};
  const auto transport = transport_on(world, setup);
  CHECK_THROWS_WITH(transport->trace(0, 0, 100), Catch::Contains("the trigger was answered with 63C2"));
  CHECK(world.seen.back().starts_with("b031"));
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

TEST_CASE("a malformed trigger is refused before a device is started") {
  World world;
  CardSetup setup = basic_setup();
  setup.trigger.apdus = {"B031000"};
  CHECK_THROWS_WITH(transport_on(world, setup), Catch::Contains("\"B031000\" is no command APDU"));
  CHECK(world.starts == 0);
}

TEST_CASE("no card in time is an error of the environment that says where it was waited for") {
  class Nobody final : public Device {
   public:
    void start() override {}
    void stop() override {}
    bool has_ended() override { return false; }
    std::string account() const override { return "nobody"; }
    std::chrono::milliseconds patience() const override { return 10ms; }
  };
  const auto transport =
      make_card_transport(basic_setup(), make_vpcd_channel({}), std::make_unique<Nobody>());
  CHECK_THROWS_WITH(transport->describe(), Catch::Contains("no card within 0 s on 127.0.0.1:") &&
                                               Catch::Contains("nobody\nhint: a virtual card must connect"));
}
