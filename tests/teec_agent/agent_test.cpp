// SPDX-License-Identifier: Apache-2.0
// What the agent says of a TA, over its protocol.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/teec_agent/fake_tee.hpp"

namespace jcprof::test {
namespace {

using nlohmann::json;

json error_of(const Faults& faults, const json& hello = json::object()) {
  return Conversation(faults, hello).greeted()["error"];
}

TEST_CASE("a hello opens the session and says what is measured") {
  CHECK(Conversation().greeted()["ok"] ==
        json::parse(R"({"protocol": 1, "agent": "jcprof-agent-teec/)" JCPROF_VERSION
                    R"(", "device": "a pretended TEE", "simulated": false,
          "clock": {"name": "CLOCK_MONOTONIC_RAW", "unit": "ns", "resolution": 1, "exact": false},
          "max_batch": 256, "can": ["trace", "calibrate", "reset"]})"));
  const Conversation counting(
      {}, json::object(),
      {.device = "qemu-virt", .is_simulated = true, .counts = teec::Counts::instructions});
  CHECK(counting.greeted()["ok"]["simulated"] == true);
  CHECK(counting.greeted()["ok"]["clock"] ==
        json::parse(
            R"({"name": "instruction counter", "unit": "instructions", "resolution": 4, "exact": true})"));
}

TEST_CASE("a TA that cannot be used is refused, and the message says what to do") {
  const std::string ta = "01234567-89ab-cdef-0123-456789abcdef";
  CHECK(error_of({.open_code = 0xFFFF0008}) ==
        json{{"message", "no session with the TA " + ta +
                             ": TEEC_ERROR_ITEM_NOT_FOUND (0xffff0008), from the trusted OS"},
             {"hint", "is " + ta +
                          ".ta in the folder of tee-supplicant (/lib/optee_armtz), that one running, and "
                          "\"ta\" in \"trigger\" the BINARY of the makefile?"}});
  CHECK(error_of({.open_code = 0xFFFF000F})["hint"] ==
        "its signature is not accepted: sign it with the key that this OP-TEE was built with");
  CHECK(error_of({.open_code = 0xFFFF3024})["hint"] == "it panics when it is opened");
  CHECK(error_of({.open_code = 0xDEADBEEF})["message"] ==
        "no session with the TA " + ta + ": 0xdeadbeef, from the trusted OS");
  CHECK(error_of({.is_plain = true}) ==
        json{{"message",
              "the TA does not serve the command 0x4d, by which it is armed: "
              "TEEC_ERROR_BAD_PARAMETERS (0xffff0006), from the TA"},
             {"hint", "is the " + ta + ".ta that is installed the one of jcprof's tree?"}});
  CHECK(error_of({.build = 8}) ==
        json{{"message", "the TA " + ta + " is of build 00000008, traps.json of 00000007"},
             {"hint", "build it from the tree that jcprof gen wrote last, and install that"}});
  CHECK(error_of({}, {{"arming", {{"command", nullptr}}}})["message"] ==
        "arming: \"command\" is null, no number of 32 bits");
  CHECK(error_of({}, {{"arming", 1}})["message"] == "the hello does not say how this TA is armed");
}

TEST_CASE("a stop says where it is, an end what the TA answered") {
  Conversation agent;
  CHECK(
      agent.measure({0, 2, 3}) ==
      std::vector<json>{{{"outcome", "ended"}, {"ticks", 1050}, {"status", 0}, {"reply", "0000000400000009"}},
                        {{"outcome", "stopped"}, {"ticks", 1020}, {"trap", 2}, {"hit", 1}},
                        {{"outcome", "stopped"}, {"ticks", 1030}, {"trap", 3}, {"hit", 1}}});
}

TEST_CASE("a trap that is not passed leaves the command to its end") {
  Conversation agent;
  CHECK(agent.measure({5})[0]["outcome"] == "ended");
}

TEST_CASE("an input that is no number is refused where one is wanted") {
  Conversation agent;
  CHECK(agent.measure({0}, "0102030405") ==
        std::vector<json>{{{"outcome", "lost"},
                           {"why",
                            "on a fresh session, with nothing armed: an input of 5 "
                            "bytes is no number of 32 bits"}}});
}

TEST_CASE("a panic is a loss with code and origin, and the shots behind it are good") {
  Conversation agent({.panics_at = 4});
  CHECK(agent.measure({0})[0]["why"] ==
        "on a fresh session, with nothing armed: the TA has died: TEEC_ERROR_TARGET_DEAD (0xffff3024), from "
        "the trusted OS");
  CHECK(agent.greeted().contains("ok"));
}

json traced(Conversation& agent, int from, int count) {
  return agent.ask({{"do", "trace"}, {"input", "03"}, {"from", from}, {"count", count}}).back()["ok"];
}

TEST_CASE("a path that the TA cannot keep is joined of several runs") {
  Conversation agent({.room = 2});
  CHECK(traced(agent, 0, 1000) ==
        json::parse(R"({"events": [1, 2, 3, 3, 3, 4], "more": false, "signature": 0, "total": 6,
                        "status": 0, "reply": "0000000600000009"})"));
  CHECK(traced(agent, 1, 3) ==
        json::parse(R"({"events": [2, 3, 3], "more": true, "signature": 65537, "total": 6,
                        "status": 0, "reply": "0000000600000009"})"));
}

TEST_CASE("of a path that varies only the first window is told") {
  Conversation agent({.room = 2, .varies = true});
  const json window = traced(agent, 0, 1000);
  CHECK(window["events"].size() == 2);
  CHECK(window["more"] == true);
}

TEST_CASE("a path with more ids than fit in one report is read whole") {
  Conversation agent({.room = 100'000});
  const json path =
      agent.ask({{"do", "trace"}, {"input", "9c40"}, {"from", 0}, {"count", 262'144}}).back()["ok"];
  CHECK(path["events"].size() == 40'003);
  CHECK(path["events"].back() == 4);
}

TEST_CASE("a calibration is what passes take beyond an empty loop, or what a stop takes") {
  Conversation agent;
  const auto calibrated = [&](const char* kind, int passes = 1000) {
    return agent.ask({{"do", "calibrate"}, {"kind", kind}, {"passes", passes}}).back();
  };
  CHECK(calibrated("unarmed")["ok"]["ticks"] == 1000);
  CHECK(calibrated("counting")["ok"]["ticks"] == 2000);
  // A whole call of our command.
  CHECK(calibrated("returned", 1)["ok"]["ticks"] == 58);
  CHECK(calibrated("stop", 1)["ok"]["ticks"] == 59);
  CHECK(calibrated("unwind").contains("error"));
}

TEST_CASE("a reset opens the session anew, that of the target after a panic") {
  Conversation agent;
  agent.log();
  CHECK(agent.ask({{"do", "reset"}, {"how", "session"}}).back()["ok"] == json::object());
  CHECK(agent.log() == std::vector<std::string>{"close", "open"});
  CHECK(agent.ask({{"do", "reset"}, {"how", "target"}}).back()["ok"] == json::object());
  CHECK(agent.log() == std::vector<std::string>{"panic", "close", "open"});
}

TEST_CASE("a ladder has a time for each rung and round") {
  Conversation agent;
  CHECK(agent.ask({{"do", "layers"}, {"rounds", 3}, {"trap", 1}, {"input", "02"}}).back()["ok"] ==
        json::parse(R"({"rungs": [{"name": "clock", "ticks": [100, 100, 100]},
                                  {"name": "driver", "ticks": [200, 200, 200]},
                                  {"name": "secure monitor, core", "ticks": [300, 300, 300]},
                                  {"name": "client library", "ticks": [400, 400, 400]},
                                  {"name": "TA entry", "ticks": [1010, 1010, 1010]},
                                  {"name": "command", "ticks": [1050, 1050, 1050]}]})"));
  const json plain = agent.ask({{"do", "layers"}, {"rounds", 2}, {"trap", 0}, {"input", "02"}}).back();
  CHECK(plain["ok"]["rungs"].size() == 5);
  CHECK(plain["ok"]["rungs"][4]["name"] == "command");
  CHECK(
      agent.ask({{"do", "layers"}, {"rounds", 1}, {"trap", 9}, {"input", "02"}}).back()["error"]["message"] ==
      "the trigger with trap 9 should be stopped, and was ended");
}

}  // namespace
}  // namespace jcprof::test
