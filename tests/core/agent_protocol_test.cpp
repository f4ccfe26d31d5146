// SPDX-License-Identifier: Apache-2.0
#include "src/core/agent_protocol.hpp"

#include <string>

#include <catch2/catch.hpp>

namespace jcprof {
namespace {

constexpr std::uint64_t id = 7;

std::string breach_of(std::string_view line) {
  const auto answer = read_shot(line, id);
  const auto* breach = std::get_if<Breach>(&answer);
  return breach == nullptr ? "(no breach)" : breach->why;
}

/// Why a sample with these fields is none.
std::string fault_of(const std::string& sample) {
  const std::string why = breach_of(R"({"id":7,"n":0,"sample":)" + sample + "}");
  return why.substr(0, why.find(": the agent wrote"));
}

Sample sample_of(const std::string& sample) {
  const auto answer = read_shot(R"({"id":7,"n":3,"sample":)" + sample + "}", id);
  REQUIRE(std::holds_alternative<AgentShot>(answer));
  CHECK(std::get<AgentShot>(answer).n == 3);
  return std::get<AgentShot>(answer).sample;
}

std::string hello_with(const std::string& clock, const std::string& rest = "") {
  return R"({"id":7,"ok":{"protocol":1,"clock":{)" + clock + "}" + rest + "}}";
}

std::string fault_of_hello(const std::string& line) {
  const auto answer = read_answer<AgentDescription>(line, id);
  const auto* breach = std::get_if<Breach>(&answer);
  return breach == nullptr ? "(no breach)" : breach->why.substr(0, breach->why.find(": the agent wrote"));
}

TEST_CASE("requests are written as the protocol has them") {
  CHECK(
      request_line(1, AgentGreeting{.project = "a \"b\"",
                                    .target = "program",
                                    .trigger = R"({"command":7})",
                                    .session = R"({"timeout":"2s"})"}) ==
      R"({"id":1,"do":"hello","protocol":1,"project":{"name":"a \"b\"","target":"program"},"trigger":{"command":7},"session":{"timeout":"2s"},"options":{}})"
      "\n");
  CHECK(
      request_line(2, AgentGreeting{.project = "p",
                                    .target = "optee-ta",
                                    .arming = R"({"command":5,"build":6})",
                                    .unanswered = 2}) ==
      R"({"id":2,"do":"hello","protocol":1,"project":{"name":"p","target":"optee-ta"},"trigger":{},"session":{},"options":{},"arming":{"command":5,"build":6},"unanswered":2})"
      "\n");
  const Bytes input{0x31, 0x32, 0x33, 0x34};
  const MeasureRequest measure{.shots = {{.stop = {.trap = TrapId{17}, .hit = 2}, .input = input},
                                         {.stop = {}, .input = {}, .delay_ns = 250'000}}};
  CHECK(
      request_line(7, measure) ==
      R"({"id":7,"do":"measure","shots":[{"trap":17,"hit":2,"input":"31323334"},{"trap":0,"hit":1,"input":"","delay_ns":250000}]})"
      "\n");
  CHECK(request_line(9, TraceRequest{.input = {0x31}, .from = 4096, .count = 262144}) ==
        R"({"id":9,"do":"trace","input":"31","from":4096,"count":262144})"
        "\n");
  CHECK(request_line(11, CalibrateRequest{.kind = "unwind", .passes = 64}) ==
        R"({"id":11,"do":"calibrate","kind":"unwind","passes":64})"
        "\n");
  CHECK(request_line(14, LayersRequest{.rounds = 2, .trap = TrapId{1}, .input = {0x31}}) ==
        R"({"id":14,"do":"layers","rounds":2,"trap":1,"input":"31"})"
        "\n");
  CHECK(request_line(12, ResetRequest{.how = "target"}) == R"({"id":12,"do":"reset","how":"target"})"
                                                           "\n");
  CHECK(request_line(13, ByeRequest{}) == R"({"id":13,"do":"bye"})"
                                          "\n");
}

TEST_CASE("what an agent in front of a card is told and asked goes both ways") {
  const AgentGreeting greeting{
      .project = "p", .target = "applet", .input = {0x31}, .expect = "6A80", .seed = "7"};
  const std::string line = request_line(1, greeting);
  CHECK_THAT(line, Catch::EndsWith(R"("input":"31","expect":"6A80","seed":"7"})"
                                   "\n"));
  const auto read = std::get<AgentRequest>(read_request(line).request);
  CHECK(std::get<AgentGreeting>(read).input == Bytes{0x31});
  CHECK(std::get<AgentGreeting>(read).expect == "6A80");
  CHECK(request_line(2, MemoryRequest{.input = {0x31}}) == R"({"id":2,"do":"memory","input":"31"})"
                                                           "\n");
  CHECK(request_line(3, PathRequest{.input = {}, .events = {TrapId{1}, TrapId{2}}}) ==
        R"({"id":3,"do":"path","input":"","events":[1,2]})"
        "\n");
}

TEST_CASE("what an agent in front of a card answers goes both ways") {
  const AgentDescription described{
      .card = CardBehind{
          .reader = "R", .protocol = "T=1", .atr = "3b00", .counts_tries = true, .patience_ms = 9}};
  const auto hello =
      std::get<AgentDescription>(read_answer<AgentDescription>(answer_line(id, described), id));
  REQUIRE(hello.card);
  CHECK(hello.card->reader == "R");
  CHECK(hello.card->counts_tries);
  CHECK(hello.card->patience_ms == 9);
  const AgentWindow window{.events = {TrapId{1}},
                           .mix = 3,
                           .run = AgentWholeRun{.events = 5, .signature = 6, .mix = 7},
                           .outcome = Outcome::refused,
                           .why = "no"};
  const AgentMemory told{
      .window = window,
      .log = {.before = {1, 2, 3}, .after = {4, 5, 6}, .changes = {{.event = 0, .free = {7, 8, 9}}}}};
  const auto memory = std::get<AgentMemory>(read_answer<AgentMemory>(answer_line(id, told), id));
  CHECK(memory.window.events == window.events);
  CHECK(memory.window.mix == 3);
  REQUIRE(memory.window.run);
  CHECK(memory.window.run->events == 5);
  CHECK(memory.window.run->mix == 7);
  CHECK(memory.window.outcome == Outcome::refused);
  CHECK(memory.log.before == FreeMemory{1, 2, 3});
  CHECK(memory.log.changes == told.log.changes);
  CHECK(std::get<AgentError>(
            read_answer<AgentMemory>(answer_line(id, AgentError{.message = "m", .exit = 3}), id))
            .exit == 3U);
  CHECK(std::holds_alternative<Breach>(read_answer<AgentMemory>(
      R"({"id":7,"ok":{"window":{"events":[]},"before":[1,2],"after":[1,2,3],"changes":[]}})", id)));
}

TEST_CASE("an answer that is nested deeper than any program writes is a breach, whoever reads it") {
  const auto deep = [](std::size_t levels) {
    return R"({"id":7,"ok":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  CHECK(std::get<Breach>(read_answer<AgentDescription>(deep(100'000), id))
            .why.starts_with("this JSON is nested more than 64 levels deep"));
  CHECK(std::get<Breach>(read_shot(deep(64), id))
            .why.starts_with("this JSON is nested more than 64 levels deep"));
  CHECK(std::holds_alternative<AgentDone>(read_shot(deep(63), id)));
}

TEST_CASE("rungs are read, each with its name and ticks") {
  const auto answer = read_answer<AgentRungs>(
      R"({"id":7,"ok":{"rungs":[{"name":"clock","ticks":[1,2]},{"name":"command","ticks":[30,40]}]}})", id);
  REQUIRE(std::holds_alternative<AgentRungs>(answer));
  const std::vector<Rung>& rungs = std::get<AgentRungs>(answer).rungs;
  REQUIRE(rungs.size() == 2);
  CHECK(rungs[0].name == "clock");
  CHECK(rungs[1].ticks == std::vector<Ticks>{30, 40});
  const auto fault_of_rungs = [](const std::string& ok) {
    const auto bad = read_answer<AgentRungs>(R"({"id":7,"ok":)" + ok + "}", id);
    const std::string why = std::holds_alternative<Breach>(bad) ? std::get<Breach>(bad).why : "(no breach)";
    return why.substr(0, why.find(": the agent wrote"));
  };
  CHECK(fault_of_rungs("{}") == "\"rungs\" is missing");
  CHECK(fault_of_rungs(R"({"rungs":[7]})") == "an object is expected, not 7");
  CHECK(fault_of_rungs(R"({"rungs":[{"ticks":[1,2]}]})") == "\"name\" is missing");
  CHECK(fault_of_rungs(R"({"rungs":[{}]})") == "\"name\" is missing");  // and "ticks"
  CHECK(fault_of_rungs(R"({"rungs":[{"name":"a","ticks":[1,-2]}]})") ==
        "\"ticks\" as a whole number from 0 to 9007199254740992 is expected, not -2");
}

TEST_CASE("a request comes back as it was written") {
  const auto again = [](const AgentRequest& request) {
    const std::string line = request_line(3, request);
    const ReadRequest read = read_request(line);
    REQUIRE(std::holds_alternative<AgentRequest>(read.request));
    CHECK(read.id == 3U);
    return request_line(3, std::get<AgentRequest>(read.request)) == line;
  };
  CHECK(again(AgentGreeting{.project = "p",
                            .target = "applet",
                            .trigger = R"({"a":[1.5,null],"b":{}})",
                            .arming = R"({"build":6})",
                            .unanswered = 2}));
  CHECK(
      again(MeasureRequest{.shots = {{.stop = {.trap = TrapId{5}, .hit = 9}, .input = {1}, .delay_ns = 7}}}));
  CHECK(again(TraceRequest{.input = {1, 2}, .from = 3, .count = 4}));
  CHECK(again(CalibrateRequest{.kind = "unarmed", .passes = 9}));
  CHECK(again(ResetRequest{.how = "session"}));
  CHECK(again(LayersRequest{.rounds = 4, .trap = TrapId{3}, .input = {5}}));
  CHECK(again(RecordRequest{.inputs = {{1}, {}}, .log = "/proc/1/fd/5"}));
  CHECK(again(ByeRequest{}));
}

TEST_CASE("what is no request is told why") {
  const auto fault = [](std::string_view line) {
    const ReadRequest read = read_request(line);
    return std::holds_alternative<Breach>(read.request) ? std::get<Breach>(read.request).why : "(no breach)";
  };
  CHECK(fault("") == "this is no JSON");
  CHECK(fault("[]") == "an object is expected, not []");
  CHECK(fault("{}") == "\"do\" is missing");
  CHECK(fault(R"({"do":"dance"})") == "cannot do \"dance\"");
  CHECK(fault(R"({"do":"measure"})") == "\"shots\" is missing");
  CHECK(fault(R"({"id":-1,"do":"bye"})") ==
        "\"id\" as a whole number from 0 to 9007199254740992 is expected, not -1");
  CHECK(fault(R"({"do":"record","inputs":["0"]})") == "\"inputs\" is not hexadecimal");
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  CHECK(fault(R"({"do":"bye","x":)" + deep + "}") == "this JSON is nested more than 64 levels deep");
}

TEST_CASE("an answer is written as the protocol has it, and read again") {
  CHECK(answer_line(7, AgentDone{}) == R"({"id":7,"ok":{}})");
  CHECK(answer_line({}, AgentError{.message = "no\x1b[31m"}) ==
        R"({"id":null,"error":{"message":"no?[31m"}})");
  const AgentShot shot{.n = 3,
                       .sample = {.outcome = Outcome::ended, .ticks = 9, .status = 0x9000U, .reply = {10}}};
  CHECK(answer_line(7, shot) ==
        R"({"id":7,"n":3,"sample":{"outcome":"ended","ticks":9,"status":36864,"reply":"0a"}})");
  CHECK(answer_line(7, AgentWindow{.events = {TrapId{1}}, .more = true, .signature = 5, .total = 2}) ==
        R"({"id":7,"ok":{"events":[1],"more":true,"signature":5,"total":2}})");
  const AgentDescription agent{
      .agent = "a", .device = "d", .clock = "c", .hz = 2, .exact = true, .can = {"reset"}};
  const auto again = read_answer<AgentDescription>(answer_line(7, agent), 7);
  REQUIRE(std::holds_alternative<AgentDescription>(again));
  CHECK(answer_line(7, std::get<AgentDescription>(again)) == answer_line(7, agent));
}

TEST_CASE("a stop carries where it was, an end its answer") {
  const Sample stop = sample_of(
      R"({"outcome":"stopped","trap":17,"hit":2,"ticks":48211,"signature":1838293,"colour":"red"})");
  CHECK(stop.outcome == Outcome::stopped);
  CHECK(stop.reached == Event{.trap = TrapId{17}, .hit = 2});
  CHECK(stop.ticks == 48211);
  CHECK(stop.signature == 1838293U);
  const Sample end =
      sample_of(R"({"outcome":"ended","ticks":9.0,"status":36864,"reply":"0a0B","trap":null})");
  CHECK(end.outcome == Outcome::ended);
  CHECK(end.ticks == 9);
  CHECK(end.status == 0x9000U);
  CHECK(end.reply == Bytes{0x0A, 0x0B});
  CHECK_FALSE(end.signature);
  CHECK_FALSE(end.reached);
  const Sample lost = sample_of(R"({"outcome":"lost","why":"it\u001b[31m burns","ticks":7})");
  CHECK(lost.why == "it?[31m burns");
  CHECK(lost.ticks == 0);
}

TEST_CASE("a digest that is no number of 32 bits is folded into one, the same always") {
  const auto signature = [](const std::string& text) {
    return sample_of(R"({"outcome":"ended","ticks":1,"signature":)" + text + "}").signature.value();
  };
  CHECK(signature("\"9f3a\"") == signature("\"9f3a\""));
  CHECK(signature("\"9f3a\"") != signature("\"9f3b\""));
  CHECK(signature("18446744073709551615") == signature("18446744073709551615"));
  CHECK(signature("-1") != signature("-2"));
}

TEST_CASE("what is no sample is told why") {
  CHECK(fault_of(R"({"outcome":"exploded","ticks":1})") == "there is no outcome \"exploded\"");
  CHECK(fault_of(R"({"ticks":1})") == "\"outcome\" is missing");
  CHECK(fault_of(R"({"outcome":"ended"})") == "\"ticks\" is missing");
  const std::string range = "\"ticks\" as a whole number from 0 to 9007199254740992 is expected, not ";
  CHECK(fault_of(R"({"outcome":"ended","ticks":-5})") == range + "-5");
  CHECK(fault_of(R"({"outcome":"ended","ticks":0.5})") == range + "0.5");
  CHECK(fault_of(R"({"outcome":"ended","ticks":"12"})") == range + "\"12\"");
  CHECK(fault_of(R"({"outcome":"ended","ticks":1e300})") == range + "1e+300");
  CHECK(fault_of(R"({"outcome":"ended","ticks":9007199254740993})") == range + "9007199254740993");
  CHECK(fault_of(R"({"outcome":"ended","ticks":1,"reply":"0"})") == "\"reply\" is not hexadecimal");
  CHECK(fault_of(R"({"outcome":"ended","ticks":1,"why":[]})") == "\"why\" as a string is expected, not []");
  CHECK(fault_of(R"([1])") == "an object is expected, not [1]");
}

TEST_CASE("a line that is not of this answer is a breach, with what it was") {
  CHECK(breach_of("Segmentation fault") == "this is no JSON: the agent wrote \"Segmentation fault\"");
  CHECK(breach_of("\x1b[31m\xff") == "this is no JSON: the agent wrote \"?[31m?\"");
  CHECK(breach_of("") == "this is no JSON: the agent wrote \"\"");
  CHECK(
      breach_of(R"({"id":7,"n":0,"sample":{"outcome":"ended","ticks":NaN}})").starts_with("this is no JSON"));
  CHECK(breach_of(std::string(100, 'x')) ==
        "this is no JSON: the agent wrote \"" + std::string(80, 'x') + "…\"");
  CHECK(breach_of(R"({"id":8,"ok":{}})") == R"("id" is 8, 7 was asked: the agent wrote "{"id":8,"ok":{}}")");
  CHECK(breach_of(R"({"ok":{}})") == R"("id" is missing: the agent wrote "{"ok":{}}")");
  CHECK(breach_of(R"({"id":7,"n":0})") == R"("sample" is missing: the agent wrote "{"id":7,"n":0}")");
  CHECK(breach_of("[7]") == R"(an object is expected, not [7]: the agent wrote "[7]")");
  CHECK(breach_of(std::string(1'000'000, '[')).starts_with("this is no JSON"));
  CHECK(breach_of(R"({"id":7,"n":0,"sample":{"outcome":"ended","ticks":1e999}})")
            .starts_with("this is no JSON"));
}

TEST_CASE("numbers are read up to what every double holds, and up to what they are kept in") {
  const auto ticks = [](const std::string& text) {
    return sample_of(R"({"outcome":"ended","ticks":)" + text + "}").ticks;
  };
  CHECK(ticks("9007199254740992") == Ticks{1} << 53);
  CHECK(ticks("9007199254740992.0") == Ticks{1} << 53);
  CHECK(fault_of(R"({"outcome":"ended","ticks":1,"status":4294967296})") ==
        "\"status\" as a whole number from 0 to 4294967295 is expected, not 4294967296");
  CHECK(sample_of(R"({"outcome":"ended","ticks":1,"status":4294967295})").status == UINT32_MAX);
  CHECK(fault_of(R"({"outcome":"ended","ticks":1,"status":4294967296.0})") ==
        "\"status\" as a whole number from 0 to 4294967295 is expected, not 4294967296.0");
  const auto signature = [](const std::string& text) {
    return sample_of(R"({"outcome":"ended","ticks":1,"signature":)" + text + "}").signature.value();
  };
  CHECK(signature("4294967295") == UINT32_MAX);
  // FNV-1a of "4294967296" and of "-1", by its definition.
  CHECK(signature("4294967296") == 0xA5D2F78FU);
  CHECK(signature("-1") == 0x14CD0A2BU);
}

TEST_CASE("only a stop has a place that it came to") {
  CHECK_FALSE(sample_of(R"({"outcome":"ended","ticks":1,"trap":17,"hit":2})").reached);
  CHECK_FALSE(sample_of(R"({"outcome":"stopped","ticks":1,"trap":17})").reached);
  const Sample other = sample_of(R"({"outcome":"elsewhere","trap":17,"hit":2,"why":"an open chain"})");
  CHECK(other.outcome == Outcome::elsewhere);
  CHECK(other.reached == Event{.trap = TrapId{17}, .hit = 2});
  CHECK(other.why == "an open chain");
  CHECK_FALSE(sample_of(R"({"outcome":"elsewhere"})").reached);
}

TEST_CASE("texts are kept up to a thousand bytes, and no character is cut") {
  const auto why = [](const std::string& text) {
    return sample_of(R"({"outcome":"lost","why":")" + text + "\"}").why;
  };
  CHECK(why(std::string(1000, 'x')) == std::string(1000, 'x'));
  CHECK(why(std::string(1001, 'x')) == std::string(1000, 'x') + "…");
  CHECK(why(std::string(998, 'x') + "€€") == std::string(998, 'x') + "…");
  CHECK(why(std::string(997, 'x') + "€€") == std::string(997, 'x') + "€…");
}

TEST_CASE("a breach takes one line") {
  CHECK(breach_of("one\ntwo") == "this is no JSON: the agent wrote \"one?two\"");
}

TEST_CASE("an agent of another protocol is recognised, whatever else it says") {
  const auto answer = read_answer<AgentDescription>(R"({"id":7,"ok":{"protocol":2,"clock":"sundial"}})", id);
  REQUIRE(std::holds_alternative<AgentDescription>(answer));
  CHECK(std::get<AgentDescription>(answer).protocol == 2);
}

TEST_CASE("an agent that does not say so takes one shot at a time and reads a clock of single ticks") {
  const auto answer = read_answer<AgentDescription>(hello_with(R"("unit":"ns")"), id);
  REQUIRE(std::holds_alternative<AgentDescription>(answer));
  CHECK(std::get<AgentDescription>(answer).max_batch == 1);
  CHECK(std::get<AgentDescription>(answer).resolution == 1);
  CHECK_FALSE(does(std::get<AgentDescription>(answer), "trace"));
}

TEST_CASE("ok and error end an answer") {
  CHECK(std::holds_alternative<AgentDone>(read_shot(R"({"id":7,"ok":{}})", id)));
  const auto answer = read_shot(R"({"id":7,"error":{"message":"no","hint":"plug it in"}})", id);
  REQUIRE(std::holds_alternative<AgentError>(answer));
  CHECK(std::get<AgentError>(answer).message == "no");
  CHECK(std::get<AgentError>(answer).hint == "plug it in");
}

TEST_CASE("hello says what the agent is") {
  const auto answer = read_answer<AgentDescription>(
      R"({"id":7,"ok":{"protocol":1,"agent":"x/1","device":"board","simulated":true,"clock":{"name":"PMCCNTR","unit":"cycles","resolution":64,"hz":1.5e9,"exact":true},"max_batch":256,"can":["trace","reset","dance"]}})",
      id);
  REQUIRE(std::holds_alternative<AgentDescription>(answer));
  const auto& agent = std::get<AgentDescription>(answer);
  CHECK(agent.agent == "x/1");
  CHECK(agent.device == "board");
  CHECK(agent.simulated);
  CHECK(agent.clock == "PMCCNTR");
  CHECK(agent.unit == ClockUnit::cycles);
  CHECK(agent.resolution == 64);
  CHECK(agent.hz == 1.5e9);
  CHECK(agent.exact);
  CHECK(agent.max_batch == 256);
  CHECK(does(agent, "trace"));
  CHECK_FALSE(does(agent, "calibrate"));
  CHECK(does(agent, "reset"));
}

TEST_CASE("a hello with what cannot be is a breach") {
  CHECK(fault_of_hello(hello_with(R"("unit":"ns")")) == "(no breach)");
  CHECK(fault_of_hello(hello_with(R"("unit":"ns","hz":0)")) == "(no breach)");
  CHECK(fault_of_hello(hello_with(R"("unit":"days")")) == "there is no unit \"days\"");
  CHECK(fault_of_hello(hello_with(R"("unit":"ns","resolution":0)")) ==
        "\"resolution\" as a number above 0 is expected, not 0");
  CHECK(fault_of_hello(hello_with(R"("unit":"ns")", R"(,"max_batch":0)")) ==
        "\"max_batch\" as a whole number from 1 to 9007199254740992 is expected, not 0");
  CHECK(fault_of_hello(hello_with(R"("unit":"ns")", R"(,"can":"trace")")) ==
        "\"can\" as a list is expected, not \"trace\"");
  CHECK(fault_of_hello(R"({"id":7,"ok":{"protocol":1}})") == "\"clock\" is missing");
  CHECK(fault_of_hello(R"({"id":7,"ok":{}})") == "\"protocol\" is missing");
  CHECK(fault_of_hello(R"({"id":7})") == "neither \"ok\" nor \"error\"");
}

TEST_CASE("a window holds numbers of traps") {
  const auto answer =
      read_answer<AgentWindow>(R"({"id":7,"ok":{"events":[1,2,2],"more":true,"signature":5,"total":9}})", id);
  REQUIRE(std::holds_alternative<AgentWindow>(answer));
  const auto& window = std::get<AgentWindow>(answer);
  CHECK(window.events == std::vector{TrapId{1}, TrapId{2}, TrapId{2}});
  CHECK(window.more);
  CHECK(window.signature == 5);
  CHECK(window.total == 9U);
  for (const char* events : {"[0]", "[-1]", "[1.5]", "[4294967296]", "[\"1\"]", "[[1]]", "{}", "1"})
    CHECK(std::holds_alternative<Breach>(read_answer<AgentWindow>(
        R"({"id":7,"ok":{"more":false,"signature":0,"events":)" + std::string(events) + "}}", id)));
  CHECK(std::holds_alternative<Breach>(read_answer<AgentTicks>(R"({"id":7,"ok":{}})", id)));
  CHECK(std::get<AgentTicks>(read_answer<AgentTicks>(R"({"id":7,"ok":{"ticks":12}})", id)).ticks == 12);
}

}  // namespace
}  // namespace jcprof
