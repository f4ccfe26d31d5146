// SPDX-License-Identifier: Apache-2.0
// What the agent says of bridges, good ones and others, over its protocol.
#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agents/ecall/clock.hpp"
#include "agents/ecall/hello.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/ecall_agent/bridges.hpp"

namespace jcprof::test {
namespace {

using nlohmann::json;

/// The last answer to a hello with these fields, and to a request after it.
json answered(const std::string& bridge, json hello, const json& request = nullptr) {
  std::vector<json> answers;
  agents::Service service(
      [&](const AgentGreeting& greeting, const auto&) { return ecall::greet(bridge, greeting); },
      [&](const std::string& line) { answers.push_back(json::parse(line)); });
  hello.update({{"id", 1}, {"do", "hello"}, {"protocol", 1}});
  service.serve(hello.dump());
  if (!request.is_null()) service.serve(request.dump());
  json last = answers.back();
  last.erase("id");
  return last;
}

json error_of(const std::string& bridge, const json& hello = json::object()) {
  return answered(bridge, hello)["error"];
}

TEST_CASE("a bridge that is none is refused with what to do about it") {
  const TemporaryFolder folder;
  const std::string path = (folder / "bridge.so").string();
  CHECK(error_of(path) == json{{"message", "there is no bridge \"" + path + "\""},
                               {"hint", "it is built from edge/bridge.c; docs/sgx.md, \"The bridge\""}});
  write_file(path, "not an object");
  CHECK(
      error_of(path)["message"].get<std::string>().starts_with("cannot load the bridge \"" + path + "\": "));
  write_file(folder / "none.c", "int nothing;\n");
  const ProcessResult built = run_and_wait(
      {.argv = {"gcc", "-shared", "-o", path, "none.c"}, .cwd = folder.path()}, {}, std::chrono::seconds{60});
  REQUIRE(built.exit_status == 0);
  CHECK(error_of(path) == json{{"message", "\"" + path + "\" is no bridge: it has no \"jcprof_plugin\""},
                               {"hint", "jcprof_plugin.h declares what it must define"}});
}

TEST_CASE("a bridge of another version is refused by name") {
  const Shop shop({"VERSION=2"});
  CHECK(error_of(shop.bridge()) ==
        json{{"message", "the bridge \"" + shop.bridge() +
                             "\" is of version 2, this jcprof " JCPROF_VERSION " knows version 1"},
             {"hint", "build it with the jcprof_plugin.h of this jcprof"}});
}

TEST_CASE("the trigger names one of the bridge's ecalls, or there is only one") {
  const Shop shop;
  CHECK(error_of(shop.bridge(), {{"trigger", {{"ecall", "ecall_word"}}}}) ==
        json{{"message", "the bridge makes no ecall \"ecall_word\""},
             {"hint", "did you mean \"ecall_work\"?"}});
  CHECK(answered(shop.bridge(), {{"trigger", {{"ecall", "ecall_work"}}}}).contains("ok"));
  CHECK(error_of(shop.bridge(), {{"trigger", {{"ecal", "ecall_work"}}}}) ==
        json{{"message", "the trigger of an ecall has no \"ecal\""}, {"hint", "did you mean \"ecall\"?"}});
  const Shop two({R"(ECALLS="ecall_work","ecall_other")"});
  CHECK(error_of(two.bridge()) ==
        json{{"message", "the bridge makes 2 ecalls, and the trigger names none"},
             {"hint", R"("trigger": {"ecall": "ecall_work"}; it makes ecall_work, ecall_other)"}});
}

TEST_CASE("a session's script is refused, not left out") {
  const Shop shop;
  CHECK(error_of(shop.bridge(), {{"session", {{"once", json::array()}}}}) ==
        json{{"message", "the session of an ecall has no \"once\""}});
}

TEST_CASE("an enclave that cannot be created ends the hello with the reason") {
  const Shop shop({"FAULT=NO_LOAD"});
  CHECK(error_of(shop.bridge()) == json{{"message", "the enclave cannot be created: out of enclave memory"}});
}

TEST_CASE("an enclave of another build than the traps is refused, and both builds are named") {
  const Shop shop({"BUILD=0xCAFE"});
  const auto with_build = [](std::uint32_t build) { return json{{"arming", {{"build", build}}}}; };
  CHECK(error_of(shop.bridge(), with_build(0x12345678)) ==
        json{{"message", "the enclave is build 0000cafe, traps.json is of build 12345678"},
             {"hint", "build what jcprof-gen wrote last: \"jcprof profile\" does all of it"}});
  CHECK(answered(shop.bridge(), with_build(0xCAFE)).contains("ok"));
  CHECK(answered(Shop().bridge(), with_build(0x12345678)).contains("ok"));  // it does not say
}

TEST_CASE("hello says what is measured, and by which clock") {
  const Shop shop({"FLAGS=JCPROF_PLUGIN_SIMULATED"});
  const json answer = answered(shop.bridge(), {{"options", {{"clock", "monotonic"}}}});
  CHECK(answer == json::parse(R"({"ok": {"protocol": 1, "agent": "jcprof-agent-ecall/)" JCPROF_VERSION
                              R"(", "device": "a shop, no enclave", "simulated": true,
                    "clock": {"name": "CLOCK_MONOTONIC", "unit": "ns", "resolution": 1, "exact": false},
                    "max_batch": 256, "can": ["trace", "calibrate", "reset"]}})"));
  CHECK(error_of(shop.bridge(), {{"options", {{"clock", "sundial"}}}}) ==
        json{{"message", "there is no clock \"sundial\""}, {"hint", "there are \"tsc\" and \"monotonic\""}});
}

TEST_CASE("a bridge may have a note on an ecall, which the agent hands on") {
  const auto note = [](const std::string& flags, const std::string& ecall) {
    const Shop shop({R"(ECALLS="ecall_work","ecall_other")", "FLAGS=" + flags});
    const json ok = answered(shop.bridge(), {{"trigger", {{"ecall", ecall}}}})["ok"];
    return ok.value("note", "none");
  };
  CHECK(note("JCPROF_PLUGIN_NOTES", "ecall_other") == "ecall_other gets null for host");
  CHECK(note("JCPROF_PLUGIN_NOTES", "ecall_work") == "none");
  CHECK(note("0", "ecall_other") == "none");
}

TEST_CASE("the time-stamp counter counts cycles, at a speed that is told") {
  if (!ecall::has_invariant_tsc()) {
    WARN("SKIPPED: this processor has no invariant time-stamp counter");
    return;
  }
  const Shop shop;
  const json clock = answered(shop.bridge(), {{"options", {{"clock", "tsc"}}}})["ok"]["clock"];
  CHECK(clock["unit"] == "cycles");
  CHECK(clock["hz"] > 1e8);
  CHECK(clock["hz"] < 1e11);
}

TEST_CASE("the path comes in windows, with the signature of what is before") {
  const Shop shop;
  const auto window = [&](int from, int count) {
    return answered(shop.bridge(), json::object(),
                    {{"do", "trace"}, {"input", "02"}, {"from", from}, {"count", count}})["ok"];
  };
  CHECK(window(0, 100) ==
        json::parse(R"({"events": [1, 2, 3, 4, 3, 4, 5, 6], "more": false, "signature": 0, "total": 8,
                        "status": 42, "reply": "07"})"));
  CHECK(window(1, 3) == json::parse(R"({"events": [2, 3, 4], "more": true, "signature": 65537, "total": 8,
                        "status": 42, "reply": "07"})"));
  CHECK(window(100, 3)["events"] == json::array());
}

TEST_CASE("a request that is wrong is answered with what is wrong in it") {
  const Shop shop;
  const auto said = [&](const json& request) {
    return answered(shop.bridge(), json::object(), request)["error"]["message"];
  };
  CHECK(said({{"do", "dance"}}) == "cannot do \"dance\"");
  CHECK(said({{"do", "measure"}}) == "\"shots\" is missing");
  CHECK(said({{"do", "measure"}, {"shots", {{{"trap", -1}}}}}) ==
        "\"trap\" as a whole number from 0 to 4294967295 is expected, not -1");
  CHECK(said({{"do", "measure"}, {"shots", {{{"hit", 0}}}}}) ==
        "\"hit\" as a whole number from 1 to 4294967295 is expected, not 0");
  CHECK(said({{"do", "measure"}, {"shots", {{{"input", "0x"}}}}}) == "\"input\" is not hexadecimal");
  CHECK(said({{"do", "calibrate"}, {"kind", "unwind"}}) ==
        "nothing to calibrate of \"unwind\": a stop unwinds nothing");
  CHECK(said(json::array()) == "an object is expected, not []");
}

TEST_CASE("a stop is calibrated, and refused by an enclave that does not know how") {
  const auto calibrated = [](const Shop& shop, const std::string& kind) {
    return answered(shop.bridge(), json::object(), {{"do", "calibrate"}, {"kind", kind}, {"passes", 1}});
  };
  const Shop shop;
  CHECK(calibrated(shop, "returned")["ok"]["ticks"] > 0);
  CHECK(calibrated(shop, "stop")["ok"]["ticks"] > 0);
  CHECK(calibrated(Shop({"FAULT=NO_STOPS"}), "stop")["error"]["message"] ==
        "the enclave was lost in a calibration: the enclave does not stop to be calibrated");
}

TEST_CASE("an input that the bridge does not take is told of the shot") {
  const Shop shop({"FAULT=NO_PREPARE"});
  const json answer = answered(shop.bridge(), json::object(), {{"do", "trace"}, {"input", ""}});
  CHECK(answer["error"]["message"] == "on a fresh enclave, with nothing armed: no such ecall");
}

TEST_CASE("an enclave whose thread-local storage is the host's is refused with the flag that it needs") {
  const Shop shop({"FAULT=FOREIGN_TLS"});
  const json error = answered(shop.bridge(), json::object(), {{"do", "trace"}, {"input", ""}})["error"];
  CHECK_THAT(error["message"].get<std::string>(),
             Catch::EndsWith("the thread-local storage of the enclave's code is the host's, as the SDK's "
                             "simulation leaves the base of %fs as it is"));
  CHECK(error["hint"] == "compile the trusted sources with -mno-tls-direct-seg-refs (docs/sgx.md)");
}

}  // namespace
}  // namespace jcprof::test
