// SPDX-License-Identifier: Apache-2.0
// The agent in front of a card: its answers, and a real card's PIN, which no second wrong command reaches.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agents/card/card_service.hpp"
#include "harness/agent/card_answers.hpp"
#include "harness/card/transport.hpp"
#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "tests/support/fake_card.hpp"

namespace jcprof {
namespace {

using card_agent::CardService;
using card_agent::CardTarget;
using harness::ApduChannel;
using harness::Exchange;
using harness::ExchangeState;
using nlohmann::json;

constexpr std::uint8_t verify = 0x20;

/// A real card that counts tries, and answers to the right PIN with the path of the fake applet.
struct Counting {
  test::FakeApplet applet;
  Bytes right{0x31, 0x32, 0x33, 0x34};
  int tries = 3;
  int cut = 0;  // so many tries from now on are not answered
};

class CountingReader final : public ApduChannel {
 public:
  explicit CountingReader(Counting& card) : card_(card) {}

  std::optional<harness::Absence> connect(std::chrono::milliseconds) override {
    card_.applet.reset();
    return std::nullopt;
  }
  Exchange exchange(std::span<const std::uint8_t> command) override {
    if (command[1] == verify) {
      --card_.tries;
      if (card_.cut > 0 && card_.cut-- > 0) return {.state = ExchangeState::lost, .why = "it was unplugged"};
      const bool is_right = card_.tries >= 0 && std::ranges::equal(command.subspan(5), card_.right);
      if (is_right) card_.tries = 3;
      card_.applet.answer = is_right ? Bytes{0x90, 0x00} : Bytes{0x69, 0x82};
    }
    reply_ = card_.applet.process(command);
    return {.state = ExchangeState::answered, .reply = reply_, .start_ns = 1, .stop_ns = 43};
  }
  bool reset(ResetMode) override { return true; }
  harness::ChannelDescription describe() const override {
    return {.transport = "pcsc",
            .agent = "jcprof/1 x/2",
            .reader = "Reader A",
            .protocol = "T=1",
            .atr = {0x3B, 0x00}};
  }
  std::string port() const override { return ""; }

 private:
  Counting& card_;
  Bytes reply_;
};

/// The agent, and what it says.
class Agent {
 public:
  explicit Agent(Counting& card)
      : service_([&card](const AgentGreeting& greeting) { return made(card, greeting); },
                 [this](const std::string& line) { said_.push_back(json::parse(line)); }) {}

  std::vector<json> ask(const std::string& request) {
    said_.clear();
    service_.serve(request);
    return said_;
  }
  json hello() { return ask(R"({"id": 1, "do": "hello", "protocol": 1, "input": "31323334"})").back(); }
  std::vector<json> measure(const std::string& input, int trap = 0) {
    return ask(R"({"id": 2, "do": "measure", "shots": [{"trap": )" + std::to_string(trap) +
               R"(, "hit": 1, "input": ")" + input + "\"}]}");
  }

 private:
  static CardTarget made(Counting& card, const AgentGreeting& greeting) {
    harness::CardSetup setup;
    setup.trigger.apdus = {"00200081 {input}"};
    setup.arming = card.applet.arming;
    setup.build = card.applet.build;
    setup.sample_input = greeting.input;
    CardTarget target{.transport = {}, .card = {.counts_tries = true, .patience_ms = 1000}};
    target.transport = harness::make_card_transport(setup, std::make_unique<CountingReader>(card),
                                                    harness::make_foreign_device(std::chrono::seconds{1}));
    return target;
  }

  std::vector<json> said_;
  CardService service_;
};

constexpr const char* right = "31323334";
constexpr const char* wrong = "39393939";

TEST_CASE("an agent in front of a card says which one, and that its commands count tries") {
  Counting card;
  Agent agent(card);
  const json ok = agent.hello()["ok"];
  CHECK(ok["card"] == json{{"reader", "Reader A"},
                           {"protocol", "T=1"},
                           {"atr", "3b00"},
                           {"counts_tries", true},
                           {"patience_ms", 1000}});
  CHECK(ok["clock"]["unit"] == "ns");
  CHECK(ok["simulated"] == false);
  CHECK(ok["can"] == json{"trace", "calibrate", "memory"});
}

TEST_CASE("an agent in front of a card measures, traces and calibrates as jcprof does at the reader") {
  Counting card;
  Agent agent(card);
  agent.hello();
  const std::vector<json> ended = agent.measure(right);
  REQUIRE(ended.size() == 2);
  CHECK(ended[0]["sample"] == json{{"outcome", "ended"}, {"ticks", 42}, {"status", 0x9000}, {"reply", ""}});
  CHECK(ended[1]["ok"] == json::object());
  const json stopped = agent.measure(right, 2).front()["sample"];
  CHECK(stopped == json{{"outcome", "stopped"}, {"ticks", 42}, {"trap", 2}, {"hit", 1}});
  const json window =
      agent.ask(R"({"id": 3, "do": "trace", "input": "31323334", "from": 0, "count": 10})").back()["ok"];
  CHECK(window["events"] == json{1, 2, 3});
  CHECK(window["run"]["events"] == 3);
  CHECK(window["run"].contains("mix"));
  const json ticks = agent.ask(R"({"id": 4, "do": "calibrate", "kind": "empty", "passes": 1500})").back();
  CHECK(ticks["ok"]["passes"] == 2000);
  CHECK(agent.ask(R"({"id": 5, "do": "calibrate", "kind": "unwind", "passes": 1})").back().contains("error"));
}

TEST_CASE("after one failed VERIFY behind an agent no second one is sent, whatever is asked") {
  Counting card;
  Agent agent(card);
  agent.hello();
  CHECK(agent.measure(wrong).size() == 2);  // the sample, and the end of the run
  CHECK(card.tries == 2);
  for (const auto& ask : {std::string(R"({"id": 3, "do": "trace", "input": "39393939", "count": 9})"),
                          std::string(R"({"id": 4, "do": "reset", "how": "target"})")}) {
    const json error = agent.ask(ask).back()["error"];
    CHECK(error["exit"] == 1);
    CHECK_THAT(error["message"].get<std::string>(),
               Catch::Contains("it may have used up a try of a PIN or key"));
  }
  CHECK(agent.measure(right).back()["error"]["exit"] == 1);
  CHECK(agent.hello()["error"]["exit"] == 1);
  CHECK(card.tries == 2);
  CHECK(agent.ask(R"({"id": 9, "do": "bye"})").back()["ok"] == json::object());
}

TEST_CASE("a try behind an agent that is not answered is excused once, after a right one") {
  Counting card{.cut = 1};
  {
    Agent agent(card);
    agent.hello();
    CHECK(agent.measure(right).back()["error"]["exit"] == 1);
    CHECK(card.tries == 2);
  }
  Counting good;
  Agent agent(good);
  agent.hello();
  agent.measure(right);
  good.cut = 2;
  CHECK(agent.measure(right).front()["sample"]["outcome"] == "lost");
  CHECK(agent.measure(right).back()["error"]["exit"] == 1);
  CHECK(good.tries == 1);
}

TEST_CASE("an agent that is lost in tries is excused once, after a whole right one of the same input") {
  const Bytes input{0x31};
  const Bytes other{0x32};
  const auto is_excused = [](harness::LostTries& tries) {
    try {
      tries.lose("the agent exited with status 255");
      return true;
    } catch (const UserError&) {
      return false;
    }
  };
  harness::LostTries tries;
  CHECK_FALSE(is_excused(tries));
  tries.judge(input, Outcome::ended, 0x9000);
  tries.send({input});
  CHECK(is_excused(tries));
  CHECK_FALSE(is_excused(tries));
  tries.judge(input, Outcome::stopped, std::nullopt);
  CHECK_FALSE(is_excused(tries));
  tries.judge(input, Outcome::ended, 0x6982);
  CHECK_FALSE(is_excused(tries));
  tries.judge(input, Outcome::ended, 0x9000);
  tries.send({input, other});
  CHECK_FALSE(is_excused(tries));
  tries.judge(input, Outcome::ended, 0x9000);
  tries.judge(input, Outcome::lost, std::nullopt);  // excused by the agent
  tries.send({input});
  CHECK_FALSE(is_excused(tries));
  tries.judge(input, Outcome::ended, 0x9000);
  tries.send({});
  CHECK(is_excused(tries));
}

TEST_CASE("an agent's end of a run has the exit code of a run at the reader") {
  const auto code_of = [](std::uint32_t exit) {
    try {
      harness::end_if_asked({.message = "m", .hint = "h", .exit = exit});
    } catch (const UserError& error) {
      return static_cast<int>(error.exit_code());
    }
    return 0;
  };
  CHECK(code_of(1) == 1);
  CHECK(code_of(2) == 2);
  CHECK(code_of(3) == 3);
  CHECK(code_of(99) == 3);
  harness::end_if_asked({.message = "m"});
}

}  // namespace
}  // namespace jcprof
