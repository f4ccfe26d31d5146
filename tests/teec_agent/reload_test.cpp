// SPDX-License-Identifier: Apache-2.0
// When the session is opened anew, and what runs round an opening and round a shot.
#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/teec_agent/fake_tee.hpp"

namespace jcprof::test {
namespace {

using nlohmann::json;
using Log = std::vector<std::string>;

std::size_t count(const Log& log, const std::string& what) {
  return static_cast<std::size_t>(std::ranges::count(log, what));
}

/// Samples of stops at trap 2 that are not what they should be.
std::size_t wrong_stops(Conversation& agent, std::size_t shots) {
  const std::vector<json> samples = agent.measure(std::vector<std::uint32_t>(shots, 2));
  return static_cast<std::size_t>(std::ranges::count_if(
      samples, [](const json& sample) { return sample["outcome"] != "stopped" || sample["trap"] != 2; }));
}

TEST_CASE("a TA that bears its stops is opened after one, two, four of them, and so on") {
  Conversation agent;
  agent.log();
  CHECK(wrong_stops(agent, 127) == 0);
  CHECK(count(agent.log(), "open") == 6);
  CHECK(agent.account() == "7 loads, 127 stops, 0 suspects (0 by the stops before), 0 deviations, 0 losses");
}

TEST_CASE("a TA that wears out answers nothing wrong") {
  for (const bool panics : {false, true}) {
    Conversation agent({.bears = 5, .panics_then = panics});
    CHECK(wrong_stops(agent, 100) == 0);
    const std::vector<json> whole = agent.measure(std::vector<std::uint32_t>(3, 0));
    for (const json& sample : whole) CHECK(sample["status"] == 0);
    INFO(agent.account());
    CHECK(count(agent.log(), "open") >= 20);
  }
}

TEST_CASE("an instance that outlives its sessions is made to panic") {
  Conversation agent({.outlives_sessions = true, .bears = 5});
  agent.log();
  CHECK(wrong_stops(agent, 20) == 0);
  const Log log = agent.log();
  CHECK(count(log, "panic") > 0);
  const auto closed = std::ranges::find(log, "close");
  REQUIRE(log.end() - closed >= 5);
  CHECK(Log(closed, closed + 5) == Log{"close", "open", "panic", "close", "open"});
}

TEST_CASE("scripts run round openings and shots") {
  const json script{{{"command", 2}}};
  Conversation agent({}, {{"session",
                           {{"once", {{{"command", 2}}, {{"command", 2}}}},
                            {"after_reset", script},
                            {"before_each", script},
                            {"after_each", script}}}});
  CHECK(agent.log() == Log{"open", "2", "2", "2"});
  agent.measure({0});
  agent.log();
  agent.measure({0});
  CHECK(agent.log() == Log{"2", "1", "2"});
}

TEST_CASE("a command of a script must return what is expected") {
  const auto session = [](const char* expect) {
    return json{{"session", {{"once", {{{"command", 3}, {"expect", expect}}}}}}};
  };
  CHECK(Conversation({}, session("ffff0006")).greeted().contains("ok"));
  CHECK(Conversation({}, session("FFFF00??")).greeted().contains("ok"));
  CHECK(Conversation({}, session("6")).greeted()["error"]["message"] ==
        "\"once\"[0] of the session: the command 3 returned TEEC_ERROR_BAD_PARAMETERS (0xffff0006), from the "
        "TA, "
        "not 00000006");
}

TEST_CASE("a script before each shot that fails refuses the shot") {
  Conversation agent({}, {{"session", {{"before_each", {{{"command", 3}}}}}}});
  const json sample = agent.measure({0})[0];
  CHECK(sample["outcome"] == "lost");
  CHECK(sample["why"].get<std::string>().find("\"before_each\"[0] of the session") != std::string::npos);
}

TEST_CASE("a reset in a script opens a session of its own for each shot") {
  Conversation agent({}, {{"session", {{"before_each", {{{"reset", "session"}}}}}}});
  agent.measure({0});
  agent.log();
  agent.measure({0});
  CHECK(agent.log() == Log{"close", "open", "1"});
}

}  // namespace
}  // namespace jcprof::test
