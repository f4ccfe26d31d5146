// SPDX-License-Identifier: Apache-2.0
// The synthetic device behind the agent protocol: the same numbers, paths and costs as in process.
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/path.hpp"
#include "src/core/file.hpp"
#include "src/core/path_signature.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::test {
namespace {

using nlohmann::json;

/// The agent's answers to a file of requests, which it reads to its end.
std::vector<json> answers(const TemporaryFolder& folder, const std::vector<json>& requests) {
  std::string text;
  for (const json& request : requests) text += request.dump() + "\n";
  write_file(folder / "requests", text);
  const std::string agent = JCPROF_BINARY_DIR "/bin/synthetic_agent";
  const Command command{.argv = {"sh", "-c", "exec \"$0\" < requests > answers", agent},
                        .cwd = folder.path()};
  const ProcessResult result = run_and_wait(command, {}, std::chrono::seconds{60});
  REQUIRE(result.exit_status == 0);
  std::vector<json> lines;
  std::istringstream all(read_file(folder / "answers"));
  for (std::string line; std::getline(all, line);) lines.push_back(json::parse(line));
  return lines;
}

json hello(const json& trigger) {
  return {{"id", 1}, {"do", "hello"}, {"protocol", 1}, {"trigger", trigger}};
}

json measure(const std::vector<json>& shots) {
  return {{"id", 2}, {"do", "measure"}, {"shots", shots}};
}

std::vector<std::int64_t> ticks_in(const std::vector<json>& lines) {
  std::vector<std::int64_t> ticks;
  for (const json& line : lines)
    if (line.contains("sample")) ticks.push_back(line["sample"].value("ticks", std::int64_t{-1}));
  return ticks;
}

/// A sweep down: the end, then traps 20 to 1.
std::vector<json> sweep() {
  std::vector<json> shots{{{"trap", 0}}};
  for (int trap = 20; trap >= 1; --trap) shots.push_back({{"trap", trap}, {"hit", 1}});
  return shots;
}

TEST_CASE("the agent's ticks are the device's microseconds in nanoseconds") {
  const TemporaryFolder folder;
  const std::vector<std::int64_t> ticks =
      ticks_in(answers(folder, {hello({{"device", "ecall"}}), measure({{{"trap", 1}}, {{"trap", 2}}})}));
  CHECK(ticks == std::vector<std::int64_t>{4109, 5037});
}

TEST_CASE("a delay is waited by the device's clock, and is not in the ticks") {
  const TemporaryFolder folder;
  const json trigger{{"device", "coarse"}};
  const json shot{{"trap", 1}, {"delay_ns", 900'000}};
  // 9.2 ms from 0.9 ms on pass ten ticks of a millisecond; from 0 on they pass nine.
  CHECK(ticks_in(answers(folder, {hello(trigger), measure({{{"trap", 1}}})})).at(0) == 9'000'000);
  CHECK(ticks_in(answers(folder, {hello(trigger), measure({shot})})).at(0) == 10'000'000);
}

TEST_CASE("an agent that is started again goes on where it was") {
  const TemporaryFolder folder;
  const json plain{{"device", "sticky"}, {"noise", "steps"}};
  json kept = plain;
  kept["state"] = (folder / "state").string();
  const std::vector<std::int64_t> whole =
      ticks_in(answers(folder, {hello(plain), measure(sweep()), measure(sweep())}));
  std::vector<std::int64_t> pieces = ticks_in(answers(folder, {hello(kept), measure(sweep())}));
  for (const std::int64_t ticks : ticks_in(answers(folder, {hello(kept), measure(sweep())})))
    pieces.push_back(ticks);
  CHECK(pieces == whole);
}

TEST_CASE(
    "a loop of a hundred thousand passes counts its passes, and the block after it takes no time back") {
  const TemporaryFolder folder;
  const json trigger{{"device", "ecall"},
                     {"path", {1, 2, {{"loop", {3}}, {"passes", 100'000}}, 4}},
                     {"blocks", 4},
                     {"trap", 0.001},
                     {"counting", 0.002}};
  const std::vector<std::int64_t> ticks = ticks_in(answers(
      folder, {hello(trigger),
               measure({{{"trap", 3}, {"hit", 1}}, {{"trap", 3}, {"hit", 100'000}}, {{"trap", 4}}})}));
  // The last hit is later by all passes but one, and by 200 us of counting, which trap 4 does not see.
  CHECK(ticks.at(1) - ticks.at(0) > 300'000);
  CHECK(ticks.at(1) - ticks.at(2) > 150'000);
}

TEST_CASE(
    "traces tell the way that a run went; ways by chance differ from run to run, ways by input do not") {
  const TemporaryFolder folder;
  const json trigger{{"path", {1, {{"input", {{2}, {3, 3}}}}, {{"chance", {{4}, json::array()}}}, 5}}};
  std::vector<json> requests{hello(trigger)};
  for (const char* input : {"00", "01"})
    for (int i = 0; i < 20; ++i)
      requests.push_back({{"id", 3}, {"do", "trace"}, {"input", input}, {"from", 1}, {"count", 10}});
  std::set<std::string> ways;
  std::size_t line = 0;
  for (const json& answer : answers(folder, requests)) {
    if (answer.at("id") == 1) continue;
    ways.insert(std::string(line++ < 20 ? "00: " : "01: ") + answer.at("ok").at("events").dump());
    CHECK(answer.at("ok").at("signature") == path_signature(std::vector{TrapId{1}}));
    CHECK(answer.at("ok").at("more") == false);
  }
  CHECK(ways == std::set<std::string>{"00: [2,4,5]", "00: [2,5]", "01: [3,3,4,5]", "01: [3,3,5]"});
}

TEST_CASE("a shot is signed by the way before its stop, or by the whole way") {
  const TemporaryFolder folder;
  const std::vector<json> lines =
      answers(folder, {hello({{"blocks", 3}}), measure({{{"trap", 1}}, {{"trap", 3}}, {{"trap", 0}}})});
  const std::vector<TrapId> way{TrapId{1}, TrapId{2}, TrapId{3}};
  for (const std::size_t passed : {0U, 2U, 3U})
    CHECK(lines.at(1 + (passed + 1) / 2).at("sample").at("signature") ==
          path_signature(std::span(way).first(passed)));
}

TEST_CASE("a stop that is not on the way ends, and what cannot be done is an error with the request's id") {
  const TemporaryFolder folder;
  const std::vector<json> lines = answers(folder, {{{"id", 7}, {"do", "measure"}, {"shots", json::array()}},
                                                   hello({{"device", "card"}}),
                                                   measure({{{"trap", 21}}}),
                                                   {{"id", 8}, {"do", "dance"}},
                                                   hello({{"device", "abacus"}}),
                                                   {{"id", 9}, {"do", "bye"}}});
  REQUIRE(lines.size() == 7);
  CHECK(lines[0] == json{{"id", 7}, {"error", {{"message", "\"hello\" comes first"}}}});
  CHECK(lines[2].at("sample").at("outcome") == "ended");
  CHECK(lines[3] == json{{"id", 2}, {"ok", json::object()}});
  CHECK(lines[4] == json{{"id", 8}, {"error", {{"message", "cannot do \"dance\""}}}});
  CHECK(lines[5] == json{{"id", 1}, {"error", {{"message", "no device \"abacus\""}}}});
  CHECK(lines[6] == json{{"id", 9}, {"ok", json::object()}});
}

}  // namespace
}  // namespace jcprof::test
