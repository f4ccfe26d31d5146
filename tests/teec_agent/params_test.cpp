// SPDX-License-Identifier: Apache-2.0
// Parameters as the project file has them: their values, and what is wrong with others.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agents/teec/params.hpp"
#include "src/core/hex.hpp"
#include "tests/teec_agent/fake_tee.hpp"

namespace jcprof::test {
namespace {

using nlohmann::json;
using teec::Direction;

teec::Params params_of(const char* text, const Bytes& input) {
  std::uint32_t next_block = teec::first_block;
  return teec::filled(teec::read_params(json::parse(text), "params", next_block), input);
}

std::string fault_of(const char* hello) {
  const json answer = Conversation({}, json::parse(hello)).greeted();
  return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
}

TEST_CASE("values are numbers, in C's spelling too, or the input") {
  const teec::Params params = params_of(
      R"([{"value": "in", "a": 7, "b": "0x10"}, null, {"value": "inout", "a": "{input}", "b": "010"}])",
      {1, 2, 3});
  const auto& first = std::get<teec::Value>(params[0]);
  CHECK(first.direction == Direction::in);
  CHECK(first.a == 7);
  CHECK(first.b == 16);
  CHECK(std::holds_alternative<std::monostate>(params[1]));
  CHECK(std::get<teec::Value>(params[2]).a == 0x010203);
  CHECK(std::get<teec::Value>(params[2]).b == 8);
  CHECK(std::holds_alternative<std::monostate>(params[3]));
}

TEST_CASE("memory is hex round the input, with zeros behind it") {
  const teec::Params params = params_of(
      R"([{"memref": "in", "bytes": "00{input}ff"}, {"memref": "out", "size": 4}, {"memref": "inout", "bytes": "{input}{input}", "size": 6, "shared": true}, {"memref": "in"}])",
      {0xAB, 0xCD});
  CHECK(to_hex(std::get<teec::Memory>(params[0]).bytes) == "00abcdff");
  CHECK(to_hex(std::get<teec::Memory>(params[1]).bytes) == "00000000");
  CHECK(to_hex(std::get<teec::Memory>(params[2]).bytes) == "abcdabcd0000");
  CHECK(std::get<teec::Memory>(params[2]).block == teec::first_block);
  CHECK(std::get<teec::Memory>(params[1]).block == 0);
  CHECK(std::get<teec::Memory>(params[3]).bytes.empty());
}

TEST_CASE("a reply is what comes back: values big-endian, memory as long as it is") {
  teec::Params params{teec::Value{.direction = Direction::in, .a = 1, .b = 2},
                      teec::Value{.direction = Direction::out, .a = 1, .b = 0x01020304},
                      teec::Memory{.direction = Direction::in, .bytes = {9}},
                      teec::Memory{.direction = Direction::inout, .bytes = {0xAA, 0xBB}}};
  CHECK(to_hex(teec::reply_of(params)) == "0000000101020304aabb");
}

TEST_CASE("memory may be a part of a shared block, or nothing at all") {
  const teec::Params params = params_of(
      R"([{"memref": "inout", "bytes": "{input}", "size": 8, "part_of": 4096, "at": 64}, {"memref": "out", "null": true}, {"memref": "in", "null": true, "size": 5}])",
      {0xAB});
  const auto& part = std::get<teec::Memory>(params[0]);
  CHECK(to_hex(part.bytes) == "ab00000000000000");
  CHECK(part.block == teec::first_block);
  CHECK(part.whole == 4096);
  CHECK(part.at == 64);
  CHECK(std::get<teec::Memory>(params[1]).is_null);
  CHECK(std::get<teec::Memory>(params[1]).size == 0);
  CHECK(std::get<teec::Memory>(params[2]).size == 5);
  CHECK(std::get<teec::Memory>(params[2]).bytes.empty());
}

TEST_CASE("the reply of a reference to nothing is the size that the TA asks for") {
  const teec::Params params{teec::Memory{.direction = Direction::out, .is_null = true, .size = 0x0102},
                            teec::Memory{.direction = Direction::in, .is_null = true, .size = 3},
                            std::monostate{}, std::monostate{}};
  CHECK(to_hex(teec::reply_of(params)) == "00000102");
}

TEST_CASE("a session is opened as whom the trigger says") {
  const auto opened = [](const char* trigger) {
    return Conversation({}, json::parse(trigger)).log().front();
  };
  CHECK(opened(R"({"trigger": {}})") == "open");
  CHECK(opened(R"({"trigger": {"login": "public"}})") == "open");
  CHECK(opened(R"({"trigger": {"login": "user"}})") == "open as 1 of 0");
  CHECK(opened(R"({"trigger": {"login": "group", "group": 1000}})") == "open as 2 of 1000");
  CHECK(opened(R"({"trigger": {"login": "application"}})") == "open as 4 of 0");
  CHECK(opened(R"({"trigger": {"login": "group-application", "group": "0x10"}})") == "open as 6 of 16");
  CHECK(fault_of(R"({"trigger": {"login": "root"}})") == "trigger: \"login\" is \"root\"");
  CHECK(fault_of(R"({"trigger": {"login": "group"}})") == "trigger: which \"group\"?");
  CHECK(fault_of(R"({"trigger": {"group": 3}})") == "trigger: \"group\" is for a login as a group");
}

TEST_CASE("faults of a trigger are told by their place") {
  const auto trigger = [](const std::string& params) {
    return fault_of((R"({"trigger": {"params": )" + params + "}}").c_str());
  };
  CHECK(trigger("3") == "trigger: \"params\" is no list of at most four parameters");
  CHECK(trigger("[null, null, null, null, null]") ==
        "trigger: \"params\" is no list of at most four parameters");
  CHECK(trigger("[4]") == "trigger: \"params\"[0] is neither a value nor a memref, nor null");
  CHECK(trigger(R"([{"value": "up"}])") == "trigger: \"params\"[0]: \"value\" is \"up\"");
  CHECK(trigger(R"([{"value": "in", "c": 1}])") == "trigger: \"params\"[0] has no \"c\"");
  CHECK(trigger(R"([{"value": "in", "a": -1}])") ==
        "trigger: \"params\"[0]: \"a\" is -1, no number of 32 bits");
  CHECK(trigger(R"([{"value": "in", "a": "0x100000000"}])") ==
        "trigger: \"params\"[0]: \"a\" is \"0x100000000\", no number of 32 bits");
  CHECK(trigger(R"([{"memref": "in", "bytes": "0"}])") ==
        "trigger: \"params\"[0]: \"bytes\": \"0\" is no hex of whole bytes");
  CHECK(trigger(R"([{"memref": "in", "bytes": "{seed}"}])") ==
        "trigger: \"params\"[0]: \"bytes\": \"{seed}\" is not known here");
  CHECK(trigger(R"([{"memref": "in", "shared": 1}])") ==
        "trigger: \"params\"[0]: \"shared\" is true or false");
  CHECK(trigger(R"([{"memref": "in", "at": 8}])") == "trigger: \"params\"[0]: \"at\" without \"part_of\"");
  CHECK(trigger(R"([{"memref": "in", "part_of": 0}])") ==
        "trigger: \"params\"[0]: \"part_of\" is 0: a part of nothing");
  CHECK_THROWS_WITH(params_of(R"([{"memref": "in", "size": 8, "part_of": 8, "at": 1}])", {}),
                    "a reference of 8 bytes at 1 is no part of a block of 8");
  CHECK(trigger(R"([{"memref": "in", "null": true, "bytes": "00"}])") ==
        "trigger: \"params\"[0]: \"null\" has no bytes and is not shared");
  CHECK(trigger(R"([{"memref": "in", "size": 1e9}])") == "\"size\" is not a whole number from 0 to 16777216");
}

TEST_CASE("faults of the rest of a hello are told by their place") {
  CHECK(fault_of(R"({"trigger": {"ta": "01234567"}})") == "trigger: \"ta\": \"01234567\" is no UUID");
  CHECK(fault_of(R"({"trigger": {"ta": "01234567-89ab-cdef-0123-456789abcde "}})") ==
        "trigger: \"ta\": \"01234567-89ab-cdef-0123-456789abcde \" is no UUID");
  CHECK(fault_of(R"({"trigger": {"command": "x"}})") ==
        "trigger: \"command\" is \"x\", no number of 32 bits");
  CHECK(fault_of(R"({"trigger": {"uuid": "x"}})") == "the trigger of a TA has no \"uuid\"");
  CHECK(fault_of(R"({"session": {"once": 1}})") == "session: \"once\" is no list");
  CHECK(fault_of(R"({"session": {"once": ["00A4"]}})") == "session: \"once\"[0] is no step for a TA");
  CHECK(fault_of(R"({"session": {"before_each": [{"command": 1, "expect": "123456789"}]}})") ==
        "session: \"before_each\"[0]: \"expect\" is \"123456789\", not up to eight hexadecimal digits");
  CHECK(fault_of(R"({"session": {"before_each": [{"reset": "cold"}]}})") ==
        "session: \"before_each\"[0]: \"reset\" is \"cold\"");
  CHECK(fault_of(R"({"session": {"once": [{"reset": "session"}]}})") ==
        "session: a reset within \"once\" would never end");
}

}  // namespace
}  // namespace jcprof::test
