// SPDX-License-Identifier: Apache-2.0
#include "src/core/trap_map.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "tests/core/fault_text.hpp"

namespace jcprof {
namespace {

TrapMap example() {
  TrapMap map{.language = "java",
              .sources = {{"src/Pin.java", std::string(64, 'a')}},
              .traps = {{.id = TrapId{1},
                         .key = "00ff",
                         .name = "TRAP_verify_1",
                         .kind = TrapKind::entry0,
                         .function = "Pin.verify",
                         .path = "src/Pin.java",
                         .line = 3,
                         .column = 5,
                         .offset = 40,
                         .end_line = 9,
                         .end_offset = 90,
                         .guards = 2},
                        {.id = TrapId{2},
                         .key = "01\"",
                         .name = "TRAP_verify_2",
                         .kind = TrapKind::loop_body,
                         .function = "Pin.vérify",
                         .path = "src/Pin.java",
                         .line = 4,
                         .column = 1,
                         .offset = 60,
                         .end_line = 4,
                         .end_offset = 70}},
              .card = {.cla = 0xB0, .ins = 0x0F, .stop_status = 0x6FB5}};
  map.build = build_of(map);
  return map;
}

const std::string example_text =
    "{\"format\":\"jcprof-traps\",\"version\":1,\"language\":\"java\",\n"
    "\"sources\":[\n"
    "{\"path\":\"src/"
    "Pin.java\",\"sha256\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}\n"
    "],\n"
    "\"traps\":[\n"
    "{\"id\":1,\"key\":\"00ff\",\"name\":\"TRAP_verify_1\",\"kind\":\"entry0\",\"function\":\"Pin.verify\","
    "\"path\":\"src/"
    "Pin.java\",\"line\":3,\"column\":5,\"offset\":40,\"end_line\":9,\"end_offset\":90,\"guards\":2},\n"
    "{\"id\":2,\"key\":\"01\\\"\",\"name\":\"TRAP_verify_2\",\"kind\":\"loop "
    "body\",\"function\":\"Pin.vérify\","
    "\"path\":\"src/"
    "Pin.java\",\"line\":4,\"column\":1,\"offset\":60,\"end_line\":4,\"end_offset\":70,\"guards\":0}\n"
    "],\n"
    "\"card\":{\"cla\":\"b0\",\"ins\":\"0f\",\"stop_status\":\"6fb5\"},\n";

/// The fault of the example's text after a replacement.
std::string fault_after(const std::string& what, const std::string& by) {
  std::string text = write_trap_map(example());
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  text.replace(at, what.size(), by);
  return test::fault_text([&] { parse_trap_map("out/traps.json", text); });
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

TEST_CASE("a trap map is written with one trap a line, and its build is the head of its digest") {
  const TrapMap map = example();
  CHECK(write_trap_map(map) == example_text + "\"build\":\"" + digest_of(map).substr(0, 8) + "\"}\n");
}

TEST_CASE("what was written is read again") {
  const TrapMap map = example();
  const TrapMap again = parse_trap_map("traps.json", write_trap_map(map));
  CHECK(again.language == map.language);
  CHECK(again.sources == map.sources);
  CHECK(again.traps == map.traps);
  CHECK(again.card == map.card);
  CHECK(again.build == map.build);
  CHECK(again.at(TrapId{2}).name == "TRAP_verify_2");
}

TEST_CASE("a map without traps is written and read") {
  const TrapMap map{.language = "c"};
  CHECK(parse_trap_map("traps.json", write_trap_map(map)).traps.empty());
}

TEST_CASE("a map written by hand needs neither ends, guards, card, build nor sources") {
  const TrapMap map =
      parse_trap_map("traps.json", R"({"format":"jcprof-traps","version":1,"language":"python","sources":[],
 "traps":[{"id":1,"key":"a","name":"TRAP_1","kind":"entry0","function":"f","path":"f.py","line":3,"column":5,"offset":40}]})");
  REQUIRE(map.traps.size() == 1);
  CHECK(map.traps[0].end_line == 3);
  CHECK(map.traps[0].end_offset == 40);
  CHECK(map.traps[0].guards == 0);
  CHECK(map.card == CardArming{});
  CHECK(map.build == build_of(map));
}

TEST_CASE("functions that have a part outside of their traps are named where they are passed") {
  TrapMap map = example();
  map.traps[0].unseen = map.traps[1].unseen = "members are destroyed late";
  CHECK(parse_trap_map("traps.json", write_trap_map(map)).traps == map.traps);
  CHECK(warnings_of_unseen(map, {false, false}).empty());
  CHECK(warnings_of_unseen(map, {false, true}) ==
        std::vector<Warning>{{.text = "Pin.vérify: members are destroyed late"}});
  CHECK(warnings_of_unseen(map, {true, true}) ==
        std::vector<Warning>{{.text = "Pin.verify, Pin.vérify: members are destroyed late"}});
}

TEST_CASE("functions that were left out are kept in the map and named, and make no other build of it") {
  TrapMap map = example();
  CHECK(warnings_of_left_out(map).empty());
  map.left_out = {{.function = "Pin.add", .calls = 4'000'000}};
  CHECK(parse_trap_map("traps.json", write_trap_map(map)).left_out == map.left_out);
  CHECK(digest_of(map) == digest_of(example()));
  CHECK(warnings_of_left_out(map).at(0).text ==
        "these functions have no traps, because they are called too often: Pin.add (about 4000000 calls). "
        "Their time counts for their callers");
  map.left_out.resize(7, {.function = "g", .calls = 1});
  CHECK_THAT(warnings_of_left_out(map).at(0).text,
             Catch::StartsWith("these functions have no traps, because they are called too often: Pin.add "
                               "(about 4000000 calls), g (about 1 calls), ") &&
                 Catch::Contains("g (about 1 calls) and 2 others."));
}

TEST_CASE("sources that were not read are kept in the map and named, and make no other build of it") {
  TrapMap map = example();
  map.unread = {{.path = "hot.c", .reason = "hot.c:1: 'defs.h' file not found"}};
  CHECK(parse_trap_map("traps.json", write_trap_map(map)).unread == map.unread);
  CHECK(digest_of(map) == digest_of(example()));
  const std::vector<Warning> warnings = warnings_of_left_out(map);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().text ==
        "these sources have no traps, because jcprof cannot read them: hot.c (hot.c:1: 'defs.h' file not "
        "found). Their time counts for their callers");
}

TEST_CASE("another card command gives another build") {
  TrapMap map = example();
  map.card.ins = 0x10;
  CHECK(build_of(map) != example().build);
}

TEST_CASE("the command of a trusted application's arming is in the map, and another is another build") {
  TrapMap map = example();
  map.card = {};
  map.command = 0x6A630001;
  const std::string text = write_trap_map(map);
  CHECK_THAT(text, Catch::Contains("\n],\n\"arming\":{\"command\":1784872961},\n\"build\""));
  CHECK(parse_trap_map("traps.json", text).command == 0x6A630001);
  const std::uint32_t build = build_of(map);
  map.command++;
  CHECK(build_of(map) != build);
}

TEST_CASE("a trap map that was edited is refused") {
  const std::string build = fmt::format("\"build\":\"{:08x}\"}}", example().build);
  CHECK(fault_after("\"line\":3", "\"line\":2") ==
        "out/traps.json:10: the trap map was changed after jcprof-gen wrote it\n"
        "  10 | " +
            build +
            "\n"
            "     |         ^\n"
            "hint: run jcprof-gen again");
}

TEST_CASE("a newer trap map is refused by name") {
  CHECK(fault_after("\"version\":1", "\"version\":2") ==
        "out/traps.json:1: version 2 of the trap map is newer than version 1, which this jcprof 0.1.0 reads\n"
        "  1 | {\"format\":\"jcprof-traps\",\"version\":2,\"language\":\"java\",\n"
        "    |                                    ^\n"
        "hint: use the jcprof that wrote it, or run jcprof-gen again");
}

TEST_CASE("a faulty trap map is refused with its line") {
  CHECK(first_line(fault_after("jcprof-traps", "jcprof-project")) ==
        "out/traps.json:1: \"format\" is not \"jcprof-traps\": this is no trap map");
  CHECK(first_line(fault_after("\"id\":2", "\"id\":3")) ==
        "out/traps.json:7: trap 2 is expected here, not 3");
  CHECK(first_line(fault_after("\"id\":2", "\"id\":1")) ==
        "out/traps.json:7: trap 2 is expected here, not 1");
  CHECK(first_line(fault_after("\"id\":1", "\"id\":0")) ==
        "out/traps.json:6: trap 1 is expected here, not 0");
  CHECK(first_line(fault_after("loop body", "loop")) == "out/traps.json:7: unknown kind of trap \"loop\"");
  CHECK(first_line(fault_after("src/Pin.java", "/etc/passwd")) ==
        "out/traps.json:3: \"/etc/passwd\" is not a path within the project");
  CHECK(first_line(fault_after("src/Pin.java", "src/../../x")) ==
        "out/traps.json:3: \"src/../../x\" is not a path within the project");
  CHECK(first_line(fault_after("src/Pin.java\",\"line\":4", "src/No.java\",\"line\":4")) ==
        "out/traps.json:7: \"src/No.java\" is not among the sources");
  CHECK(first_line(fault_after("\"aaaa", "\"AAAA")) ==
        "out/traps.json:3: 64 lower-case hexadecimal digits are expected here");
  CHECK(first_line(fault_after("\"end_line\":9", "\"end_line\":2")) ==
        "out/traps.json:6: trap 1 ends before it begins");
  CHECK(first_line(fault_after("\"offset\":40,", "")) == "out/traps.json:6: the key \"offset\" is missing");
  CHECK(first_line(fault_after("\"offset\":40", "\"offset\":-1")) ==
        "out/traps.json:6: a whole number from 0 on is expected here, not -1");
  CHECK(first_line(fault_after("\"key\"", "\"kex\"")) == "out/traps.json:6: the key \"key\" is missing");
  CHECK(first_line(fault_after("\"b0\"", "\"b\"")) ==
        "out/traps.json:9: 2 lower-case hexadecimal digits are expected here");
}

TEST_CASE("a trap map that was cut off is refused at every length") {
  const std::string text = write_trap_map(example());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    INFO(length);
    CHECK(test::fault_text([&] { parse_trap_map("t", text.substr(0, length)); }) != "(no error)");
  }
}

}  // namespace
}  // namespace jcprof
