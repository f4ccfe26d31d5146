// SPDX-License-Identifier: Apache-2.0
// Memory mode over a card whose free memory the test decides.
#include "harness/memory.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "harness/card/protocol.hpp"
#include "src/core/error.hpp"
#include "tests/harness/card_world.hpp"
#include "tests/support/fake_card.hpp"

namespace jcprof::harness {
namespace {

using test::World;

/// Free memory of each kind before and after the commands, one after the other.
struct Answers {
  std::vector<std::string> each;
  std::size_t next = 0;
};

/// Tracing memory is tracing to the fake applet; `answers` is what the card says of its memory.
void tell_memory(World& world, Answers& answers) {
  world.twist = [&](const std::string& apdu) -> std::optional<test::FakeReply> {
    if (apdu.starts_with("80f40600")) {
      Bytes plain = parse_hex(apdu).value();
      plain[2] = 2;
      return test::framed(world.applet.process(plain));
    }
    if (apdu.starts_with("80f40700"))
      return test::framed(parse_hex(answers.each.at(answers.next++) + "9000").value());
    return std::nullopt;
  };
}

TrapMap map_of_three() {
  TrapMap map;
  for (std::uint32_t id = 1; id <= 3; ++id)
    map.traps.push_back({.id = TrapId{id}, .key = std::to_string(id), .kind = TrapKind::before});
  return map;
}

const std::string still = "03e803e803e8";  // 1000 bytes of each kind

TEST_CASE("memory mode reads the first command's changes and what each later command leaves") {
  World world;
  Answers answers{.each = {still + "03e803e803a80002" + "0000000203e803e803b8", "", "", "", ""}};
  // The second change comes in an answer of its own.
  answers.each[1] = still + "03e803e803a80002" + "0000000303e803e803a8";
  for (std::size_t i = 2; i < 5; ++i) answers.each[i] = still + "03e803e8039" + std::to_string(i) + "0000";
  tell_memory(world, answers);
  const auto transport = test::transport_on(world, test::basic_setup());
  transport->set_inputs({{}});
  const MemoryRun run = measure_memory(map_of_three(), *transport, {StoredInput{}});
  CHECK(run.path.size() == 3);
  CHECK(run.log.before == FreeMemory{1000, 1000, 1000});
  CHECK(run.log.after == FreeMemory{1000, 1000, 0x3a8});
  CHECK(run.log.changes == std::vector<MemoryChange>{{.event = 1, .free = {1000, 1000, 0x3b8}},
                                                     {.event = 2, .free = {1000, 1000, 0x3a8}}});
  CHECK_FALSE(run.log.is_cut);
  CHECK(run.after == std::vector<FreeMemory>{{1000, 1000, 0x392}, {1000, 1000, 0x393}, {1000, 1000, 0x394}});
  CHECK(world.applet.commands == 4);
}

TEST_CASE("a path behind the card's window is that of later commands, if they take the same") {
  World world;
  world.applet.path.assign(20, 1);
  world.applet.path.back() = 3;
  Answers answers{.each = std::vector<std::string>(4, still + still + "0000")};
  tell_memory(world, answers);
  const auto transport = test::transport_on(world, test::basic_setup());
  transport->set_inputs({{}});
  CHECK(measure_memory(map_of_three(), *transport, {StoredInput{}}).path.size() == 20);

  World other;
  other.applet.path.assign(20, 1);
  answers = {.each = std::vector<std::string>(4, still + still + "0000")};
  answers.each.front() = still + still + "0002" + "0000000803e803e803e7" + "0000000903e803e803e8";
  tell_memory(other, answers);
  other.twist = [&, tell = other.twist](const std::string& apdu) {
    if (answers.next == answers.each.size()) other.applet.path.back() = 2;
    return tell(apdu);
  };
  const auto second = test::transport_on(other, test::basic_setup());
  second->set_inputs({{}});
  const MemoryRun run = measure_memory(map_of_three(), *second, {StoredInput{}});
  CHECK(run.path.size() == 8);
  CHECK(run.log.is_cut);
  CHECK(run.log.changes == std::vector<MemoryChange>{{.event = 7, .free = {1000, 1000, 999}}});
}

TEST_CASE("a command that is answered otherwise is the last one, as it may have tried a PIN") {
  World world;
  world.applet.path.assign(20, 1);
  Answers answers{.each = std::vector<std::string>(4, still + still + "0000")};
  tell_memory(world, answers);
  const auto transport = test::transport_on(world, test::basic_setup());
  transport->set_inputs({{}});
  world.twist = [&, tell = world.twist](const std::string& apdu) {
    if (answers.next == 1) world.applet.answer = {0x6A, 0x80};
    return tell(apdu);
  };
  const MemoryRun run = measure_memory(map_of_three(), *transport, {StoredInput{}});
  CHECK(world.applet.commands == 2);
  CHECK(run.after.empty());
  CHECK(run.log.is_cut);
  CHECK(run.path.size() == 8);
}

TEST_CASE("a run ends with the reason if the card cannot note its memory") {
  World world;
  world.twist = [](const std::string& apdu) -> std::optional<test::FakeReply> {
    if (apdu.starts_with("80f40600")) return test::framed({0x6A, 0x84});
    return std::nullopt;
  };
  const auto transport = test::transport_on(world, test::basic_setup());
  transport->set_inputs({{}});
  CHECK_THROWS_WITH(measure_memory(map_of_three(), *transport, {StoredInput{}}),
                    Catch::Contains("the free memory of the command could not be traced (refused: arming was "
                                    "answered with 6A84)"));
}

TEST_CASE("what a card says of its memory is read strictly") {
  const auto parsed = [](const std::string& hex) { return parse_memory(parse_hex(hex).value()); };
  CHECK(parsed(still + still + "0000"));
  CHECK(parsed(still + still + "0001" + "00000001" + still));
  CHECK_FALSE(parsed(still + still));
  CHECK_FALSE(parsed(still + still + "0001" + "00000000" + still));  // events count from 1
  CHECK_FALSE(parsed(still + still + "0000" + "00000001" + still));  // more than there are
  CHECK_FALSE(parsed(still + still + "0001" + "000000"));
}

}  // namespace
}  // namespace jcprof::harness
