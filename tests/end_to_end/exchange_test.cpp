// SPDX-License-Identifier: Apache-2.0
// An applet that takes commands through a secure channel only, on jCardSim, and the hook that speaks it
// (tests/support/toy_hook.py).
#include <csignal>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::PrivatePcscd;
using test::replace_in;
using test::Running;
using test::Said;
using test::Workplace;

constexpr const char* channel_of_card = R"(package com.example.pin;

import javacard.framework.APDU;
import javacard.framework.ISOException;

final class Channel {
    private static boolean isOpen;
    private static int nonce = 0x40;
    private static int key;
    private static int counter;
    private static int chain;

    private static void add(byte[] text, int from, int size) {
        for (int i = from; i < from + size; i++) {
            chain = chain * 31 + (text[i] & 0xFF) + key;
        }
    }

    static boolean opens(APDU apdu, byte[] b) {
        if (b[1] != 0x50 && b[1] != (byte) 0x82) {
            return false;
        }
        apdu.setIncomingAndReceive();
        if (b[1] == 0x50) {
            nonce = nonce + 1 & 0xFF;
            key = 0x5A ^ b[5] & 0xFF ^ nonce;
            b[0] = (byte) nonce;
            apdu.setOutgoingAndSend((short) 0, (short) 1);
            return true;
        }
        isOpen = (b[5] & 0xFF) == (key ^ 0xFF);
        counter = 0;
        chain = 0;
        if (!isOpen) {
            ISOException.throwIt((short) 0x6982);
        }
        return true;
    }

    static short unwrap(APDU apdu, byte[] b) {
        int size = apdu.setIncomingAndReceive() - 5;
        boolean isGood = isOpen && (b[0] & 4) != 0 && size >= 0;
        if (isGood) {
            add(b, 0, 4);
            add(b, 5, size + 1);
            isGood = (b[5 + size] & 0xFF) == (++counter & 0xFF);
            for (int i = 0; i < 4; i++) {
                isGood &= (b[6 + size + i] & 0xFF) == (chain >>> (24 - 8 * i) & 0xFF);
            }
        }
        if (!isGood) {
            isOpen = false;
            ISOException.throwIt((short) 0x6988);
        }
        for (int i = 0; i < size; i++) {
            b[5 + i] ^= (byte) key;
        }
        return (short) size;
    }

    static void answer(APDU apdu, byte[] b) {
        add(new byte[] {(byte) 0x90, 0}, 0, 2);
        for (int i = 0; i < 4; i++) {
            b[i] = (byte) (chain >>> (24 - 8 * i));
        }
        apdu.setOutgoingAndSend((short) 0, (short) 4);
    }
}
)";

/// javacard-pin behind that channel, with a hook of these words.
fs::path guarded_pin(const fs::path& project, const std::string& words = "") {
  const fs::path applet = project / "src/PinApplet.java";
  fs::copy_file(JCPROF_SOURCE_DIR "/tests/support/toy_hook.py", project / "toy_hook.py");
  // Where javac looks for it, and no source is profiled.
  write_file(project / "src/com/example/pin/Channel.java", channel_of_card);
  replace_in(applet, "byte[] buffer = apdu.getBuffer();",
             "byte[] buffer = apdu.getBuffer();\n        if (Channel.opens(apdu, buffer)) {\n            "
             "return;\n        }\n        short size = Channel.unwrap(apdu, buffer);");
  replace_in(applet, "short length = apdu.setIncomingAndReceive();", "short length = size;");
  replace_in(applet, "ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);\n        }",
             "ISOException.throwIt(ISO7816.SW_INS_NOT_SUPPORTED);\n        }\n        Channel.answer(apdu, "
             "buffer);");
  replace_in(project / "jcprof.json", "\"after_reset\": [\"00A4040007 F0000000010101\"],",
             fmt::format("\"exchange\": {{\"run\": [\"python3\", \"{{project}}/toy_hook.py\", "
                         "\"aid=F0000000010101\"{}]}},",
                         words));
  return project;
}

/// The applet is measured, and all that needs the channel went through it.
void is_measured(const Workplace& place, const fs::path& project) {
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "8", "--max-time", "100h"});
  INFO(said.out << said.err);
  // 4: on a busy host times may contradict each other, while the simulator cools down behind the hook. What
  // went through the channel is looked at here.
  REQUIRE((said.status == 0 || said.status == 4));
  const fs::path profile = project / "jcprof-out/profile.jcprof";
  CHECK(test::value_of(profile, test::shots_gone) == "0");
  const std::string log = read_file(project / "jcprof-out/logs/exchange.log");
  CHECK_THAT(log, Catch::Contains("wrap b03100000431323334 False\n") &&
                      Catch::Contains("wrap b0330000 False\n") && Catch::Contains(" True\nopen reopen\n"));
  CHECK(std::stoi(
            test::value_of(profile, "SELECT count(*) FROM sample WHERE outcome = 'stopped'").value_or("0")) >
        100);
}

TEST_CASE("an applet behind a secure channel is tried and measured over vpcd:") {
  const Workplace place("exchange");
  const fs::path project = guarded_pin(place.example("javacard-pin", "pin"));
  test::use_virtual_card(project);
  const Said tried = place.run({"jcprof", "doctor", project.string()});
  INFO(tried.out << tried.err);
  CHECK(tried.status == 0);
  CHECK_THAT(tried.out, Catch::Contains("toy_hook.py aid=F0000000010101 opened the channel\n") &&
                            Catch::Contains("trigger: answered 9000 in"));
  is_measured(place, project);
  CHECK(place.processes("python3").empty());
}

TEST_CASE("an applet behind a secure channel is measured in a reader") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const Workplace place("exchange-pcsc");
  const fs::path project = guarded_pin(place.example("javacard-pin", "pin"));
  test::use_reader(project, daemon);
  is_measured(place, project);
  CHECK(place.processes("python3").empty());
}

TEST_CASE("doctor says what a hook did wrong") {
  const Workplace place("exchange-doctor");
  const fs::path project = guarded_pin(place.example("javacard-pin", "pin"), ", \"sent:error\"");
  test::use_virtual_card(project);
  const Said tried = place.run({"jcprof", "doctor", project.string()});
  CHECK(tried.status == 1);
  CHECK_THAT(tried.out, Catch::Contains("failed   target: the exchange hook says: no card key") &&
                            Catch::Contains("buy one"));
}

TEST_CASE("a hook that ends in the midst of a run loses no round, and the next run goes on") {
  const test::PinBench bench("exchange-lost");
  guarded_pin(bench.project);
  test::use_virtual_card(bench.project);
  REQUIRE(bench.place.run({"jcprof-gen", bench.project.string(), "-q"}).status == 0);
  bench.place.build(bench.project);
  Running run = bench.start();
  bench.wait_for_rounds(3);
  const std::vector<pid_t> hooks = bench.place.processes("python3");
  REQUIRE(hooks.size() == 1);
  ::kill(hooks.front(), SIGKILL);
  CHECK(run.wait() == 3);
  // The end of the hook's log stands before it.
  CHECK_THAT(run.said(), Catch::EndsWith("and write it the lines of docs/exchange-hook.md\n"));
  bench.kept(3, "interrupted");
  bench.goes_on();
}

TEST_CASE("a hook is ended with jcprof, however that ends") {
  const test::PinBench bench("exchange-killed");
  guarded_pin(bench.project);
  test::use_virtual_card(bench.project);
  REQUIRE(bench.place.run({"jcprof-gen", bench.project.string(), "-q"}).status == 0);
  bench.place.build(bench.project);
  for (const int signal : {SIGINT, SIGKILL}) {
    Running run = bench.start();
    REQUIRE(test::becomes_true([&] { return bench.place.processes("python3").size() == 1; }));
    ::kill(run.pid(), signal);
    run.wait();
    CHECK(test::becomes_true([&] { return bench.place.processes("python3").empty(); }));
  }
}

}  // namespace
}  // namespace jcprof
