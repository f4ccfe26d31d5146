// SPDX-License-Identifier: Apache-2.0
// Answers of a card that end a run, and what the message says to mend.
#include <chrono>
#include <optional>

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "tests/harness/card_world.hpp"

namespace jcprof::test {
namespace {

using namespace harness;
using namespace std::chrono_literals;

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

/// Commands that begin so are answered with that.
void refuse(World& world, const std::string& command, const Bytes& status) {
  world.twist = [=](const std::string& apdu) -> std::optional<FakeReply> {
    if (apdu.starts_with(command)) return framed(status);
    return std::nullopt;
  };
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
        "hint: correct the INS: it is none of the applet that is selected; if that answer is right, put "
        "\"expect\": \"6D00\" into \"trigger\" of jcprof.json");
  const std::string sent = "the trigger b031000001ff was answered with ";
  CHECK_THAT(refused(0x6E00), Catch::StartsWith(sent + "6E00 (CLA not supported), expected was 9000\n"
                                                       "hint: correct the CLA"));
  CHECK_THAT(refused(0x6700), Catch::StartsWith(sent + "6700 (wrong length), expected was 9000\n"
                                                       "hint: correct Lc and data"));
  CHECK_THAT(refused(0x6A86), Catch::StartsWith(sent + "6A86 (wrong P1 or P2), expected was 9000\n"
                                                       "hint: correct P1 and P2"));
  CHECK_THAT(refused(0x6982),
             Catch::StartsWith(sent + "6982 (security status not satisfied)") &&
                 Catch::Contains("hint: send what the applet wants first (VERIFY, its set-up): "
                                 "\"after_reset\" or \"before_each\" in \"session\""));
  CHECK_THAT(refused(0x6985),
             Catch::StartsWith(sent + "6985 (") && Catch::Contains("hint: send what the applet wants first"));
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
    refuse(world, "00a404", {static_cast<std::uint8_t>(low == 0x99 ? 0x69 : 0x6A), low});
    CardSetup setup = basic_setup();
    setup.session.after_reset = {ApduStep{.apdu = "00A4040005A000000001", .expect = ""}};
    CHECK_THAT(refusal(world, setup),
               Catch::Contains("hint: there is no applet of the AID a000000001: correct it, or what installs "
                               "the applet (\"install\", \"start\", \"once\")"));
  }
}

TEST_CASE("an installation that a simulator refuses names the AID that it does not know") {
  World world;
  refuse(world, "80b8", {0x64, 0x44});
  CardSetup setup = basic_setup();
  setup.session.once = {ApduStep{.apdu = "80B800000905A00000000102 0000 00", .expect = ""}};
  CHECK_THAT(
      refusal(world, setup),
      Catch::Contains("was answered with 6444 (an error of the card)") &&
          Catch::Contains("hint: the applet of the AID a000000001 did not install: correct the AID and ") &&
          Catch::Contains("80B80000 Lc 05 a000000001 00 LENGTH DATA 00") &&
          Catch::Contains("or its constructor threw an exception"));
}

TEST_CASE("an applet that refuses its selection is there, and its own methods are named") {
  World world;
  refuse(world, "00a404", {0x6F, 0x00});
  CardSetup setup = basic_setup();
  setup.session.after_reset = {ApduStep{.apdu = "00A4040005A000000001", .expect = ""}};
  CHECK_THAT(refusal(world, setup),
             Catch::Contains("hint: the applet of the AID a000000001 refuses to be selected: look at its "
                             "select and process methods"));
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
    CHECK(std::string(error.what()) ==
          "session \"once\", step 2: 80b80000 was answered with 6A82 (file or applet not found), expected "
          "was 9000|61xx|62xx|63xx\n"
          "hint: correct the AID or file that it names; if that answer is right, say so: {\"apdu\": \"…\", "
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

TEST_CASE("an applet without traps and one of another build have messages of their own") {
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
  world.applet.protocol = 1;
  const auto older = transport_on(world, basic_setup());
  CHECK_THROWS_WITH(older->describe(), Catch::Contains("the applet on the card speaks version 1 of jcprof's "
                                                       "protocol, this jcprof speaks version 2"));
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

}  // namespace
}  // namespace jcprof::test
