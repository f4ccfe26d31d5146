// SPDX-License-Identifier: Apache-2.0
#include "harness/card/apdu.hpp"

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"

using namespace jcprof;
using namespace jcprof::harness;

namespace {

std::string made(const std::string& text, const std::string& input = "",
                 std::optional<std::uint32_t> le = {}) {
  return to_hex(make_apdu({.text = text, .where = "\"trigger\"", .le = le}, {{"input", input}}));
}

std::string fault(const std::string& hex) {
  return fault_of_apdu(*parse_hex(hex));
}

/// Answers commands in turn and remembers them.
struct ScriptedCard {
  std::vector<std::string> answers;
  std::vector<std::string> asked = {};
  Bytes reply = {};

  Exchange operator()(std::span<const std::uint8_t> command) {
    REQUIRE(asked.size() < answers.size());
    reply = *parse_hex(answers[asked.size()]);
    asked.push_back(to_hex(command));
    const auto start = static_cast<std::int64_t>(asked.size()) * 1000;
    return {.state = ExchangeState::answered, .reply = reply, .start_ns = start, .stop_ns = start + 7};
  }
};

Answer whole(ScriptedCard& card, const std::string& command, StatusWord stop = 0) {
  Answer answer;
  exchange_whole(*parse_hex(command), stop, std::ref(card), answer);
  return answer;
}

}  // namespace

TEST_CASE("an APDU is encoded in the shortest of its forms") {
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .p1 = 1, .p2 = 2})) == "80100102");
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .le = 0})) == "8010000000");
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .le = 256})) == "8010000000");
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .data = {1, 2}})) == "80100000020102");
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .data = {1, 2}, .le = 5})) == "8010000002010205");
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .le = 257})) == "80100000000101");
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .le = 65536})) == "80100000000000");
  CHECK(to_hex(encode({.cla = 0x80, .ins = 0x10, .data = {1, 2}, .le = 300})) ==
        "8010000000000201"
        "02012c");
  const Bytes extended = encode({.cla = 0x80, .ins = 0x10, .data = Bytes(256, 0xAA), .le = 0});
  CHECK(extended.size() == 4 + 3 + 256 + 2);
  CHECK(fault_of_apdu(extended).empty());
}

TEST_CASE("input straight after the header gets its Lc") {
  CHECK(made("B0310000 {input}", "31323334") == "b03100000431323334");
  CHECK(made("B0310000{input}", "31323334", 0) == "b0310000043132333400");
  CHECK(made("B0310000 {input}", "") == "b0310000");
  CHECK(made("B0310000 {input}", "", 0) == "b031000000");
  const std::string longer(2 * 300, '7');
  CHECK(made("B0310000 {input}", longer) == "b031000000012c" + longer);
  CHECK(made("B0310000 {input}", longer, 0) == "b031000000012c" + longer + "0000");
}

TEST_CASE("elsewhere the project says the Lc, or has it counted by {lc}") {
  CHECK(made("B0310000 05 00 {input}", "31323334") == "b0310000050031323334");
  CHECK(made("B0310000 {lc} 00 {input}", "31323334") == "b0310000050031323334");
}

TEST_CASE("a malformed APDU is refused in words") {
  CHECK(fault("801000") == "3 bytes, it has at least 4");
  CHECK(fault("80100000").empty());
  CHECK(fault("8010000000").empty());
  CHECK(fault("801000000201") == "its Lc says 2 bytes of data, 1 follow");
  CHECK(fault("8010000002010203").empty());
  CHECK(fault("801000000201020304") == "its Lc says 2 bytes of data, 4 follow");
  CHECK(fault("801000000001") == "an extended length (5th byte 00) has two more bytes");
  CHECK(fault("8010000000000101").empty());
  CHECK(fault("8010000000000001") == "its extended Lc is 0");
  CHECK(fault("801000000000020101010101") == "its extended Lc says 2 bytes of data, 5 follow");
  CHECK_THROWS_WITH(made("B031000"),
                    "\"trigger\": \"B031000\" is no command APDU: not whole bytes of hex\n"
                    "hint: CLA INS P1 P2, then Lc and data, then Le, each as hex; {input} straight "
                    "after the header gets its Lc");
  CHECK_THROWS_WITH(made("B031000000", "", 5),
                    Catch::Contains("it ends with an Le, and \"le\" says another"));
  CHECK_THROWS_WITH(made("B0310000", "", 70000), Catch::Contains("at most 65536 can be asked for"));
}

TEST_CASE("status patterns match any digit at a question mark, and alternatives") {
  const StatusPattern pattern("9000|63C?|61xx", "here");
  CHECK(pattern.matches(0x9000));
  CHECK(pattern.matches(0x63C2));
  CHECK(pattern.matches(0x6110));
  CHECK_FALSE(pattern.matches(0x9001));
  CHECK_FALSE(pattern.matches(0x63D0));
  CHECK_THROWS_WITH(StatusPattern("900", "step 1"), Catch::Contains("step 1: \"900\" is no status word"));
  CHECK_THROWS_WITH(StatusPattern("9000|", "step 1"), Catch::Contains("is no status word"));
  CHECK_THROWS_WITH(StatusPattern("90G0", "step 1"), Catch::Contains("is no status word"));
}

TEST_CASE("what 61xx offers is fetched and put together, and its time counts") {
  ScriptedCard card{.answers = {"01026102", "03046101", "059000"}};
  const Answer answer = whole(card, "8110000000");
  CHECK(card.asked == std::vector<std::string>{"8110000000", "01c0000002", "01c0000001"});
  CHECK(to_hex(answer.data) == "0102030405");
  CHECK(answer.status == 0x9000);
  CHECK(answer.ticks == 21);
  CHECK(answer.exchanges == 3);
}

TEST_CASE("6Cxx repeats the command with the Le that the card wants") {
  ScriptedCard card{.answers = {"6C05", "01020304059000"}};
  CHECK(to_hex(whole(card, "80100000020102").data) == "0102030405");
  CHECK(card.asked.back() == "8010000002010205");
  ScriptedCard again{.answers = {"6C05", "6C05"}};
  CHECK(whole(again, "8010000000").status == 0x6C05);
}

TEST_CASE("6Cxx to a GET RESPONSE repeats the GET RESPONSE") {
  ScriptedCard card{.answers = {"6110", "6C08", "01029000"}};
  CHECK(to_hex(whole(card, "80100000").data) == "0102");
  CHECK(card.asked.back() == "00c0000008");
}

TEST_CASE("a stop is final even when its status word looks like an offer") {
  ScriptedCard card{.answers = {"6105"}};
  CHECK(whole(card, "80100000", 0x6105).status == 0x6105);
}

TEST_CASE("a card that offers more for ever is left after 64 KiB") {
  ScriptedCard card{.answers = std::vector<std::string>(1000, "016100")};
  CHECK(whole(card, "80100000").exchanges < 300);
}
