// SPDX-License-Identifier: Apache-2.0
#include "src/core/text.hpp"

#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"

namespace jcprof {
namespace {

TEST_CASE("blanks at both ends are cut") {
  CHECK(trimmed(" \t a b\r") == "a b");
  CHECK(trimmed("\r a", " ") == "\r a");
  CHECK(trimmed(" \t ").empty());
}

TEST_CASE("a path ends in whole names") {
  CHECK(is_end_of_path("src/Pin.java", "src/Pin.java"));
  CHECK(is_end_of_path("Pin.java", "src/Pin.java"));
  CHECK_FALSE(is_end_of_path("in.java", "src/Pin.java"));
  CHECK_FALSE(is_end_of_path("src/Pin.java", "Pin.java"));
}

TEST_CASE("markup is escaped once") {
  CHECK(markup_escaped("a<b> && &lt;") == "a&lt;b&gt; &amp;&amp; &amp;lt;");
}

TEST_CASE("a star stays within one folder, two stars cross folders") {
  CHECK(glob_matches("src/*.java", "src/A.java"));
  CHECK_FALSE(glob_matches("src/*.java", "src/a/A.java"));
  CHECK(glob_matches("src/**/*.java", "src/a/b/A.java"));
  CHECK(glob_matches("src/**/*.java", "src/A.java"));
  CHECK(glob_matches("src/**", "src/a/b/A.java"));
  CHECK_FALSE(glob_matches("src/**/*.java", "src/a/A.class"));
}

TEST_CASE("question marks, sets and plain characters match one character each") {
  CHECK(glob_matches("T?.c", "TA.c"));
  CHECK_FALSE(glob_matches("T?.c", "T.c"));
  CHECK(glob_matches("[a-c]x", "bx"));
  CHECK_FALSE(glob_matches("[a-c]x", "dx"));
  CHECK_FALSE(glob_matches("[a-c", "a"));
  CHECK(glob_matches("", ""));
  CHECK_FALSE(glob_matches("", "a"));
  CHECK(glob_matches("PinApplet.*", "PinApplet.verify"));
}

TEST_CASE("a pattern of many stars against a text that fits all but its end is refused at once") {
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "**a";
  CHECK_FALSE(glob_matches(pattern + "b", std::string(200, 'a')));
  CHECK(glob_matches(pattern + "b", std::string(200, 'a') + "b"));
}

TEST_CASE("a text is cut into lines, and the last one need not end") {
  using Lines = std::vector<std::string_view>;
  CHECK(lines_of("").empty());
  CHECK(lines_of("a\n\nb") == Lines{"a", "", "b"});
  CHECK(lines_of("a\r\n\n") == Lines{"a\r", ""});
}

TEST_CASE("each occurrence is replaced, and no replacement again") {
  const auto replaced = [](std::string text) {
    replace_all(text, "$$", "$");
    return text;
  };
  CHECK(replaced("").empty());
  CHECK(replaced("a$b") == "a$b");
  CHECK(replaced("$$a$$$$b$$$") == "$a$$b$$");
}

TEST_CASE("a near name is offered, a far one is not") {
  const std::vector<std::string> known{"pcsc", "vpcd", "exec"};
  CHECK(did_you_mean("pcsd", known) == "did you mean \"pcsc\"?");
  CHECK(did_you_mean("bluetooth", known).empty());
}

TEST_CASE("what drives a terminal, turns text or is no UTF-8 becomes one question mark a character") {
  CHECK(plain_line("µ-Grün 並 \xF0\x9F\x99\x82") == "µ-Grün 並 \xF0\x9F\x99\x82");
  CHECK(plain_line("\x1b[2J\t\n\x7F\xC2\x9B") == "?[2J????");
  for (const std::string point : {"\xD8\x9C", "\xE2\x80\x8B", "\xE2\x80\x8F", "\xE2\x80\xA8", "\xE2\x80\xAE",
                                  "\xE2\x81\xA6", "\xEF\xBB\xBF", "\xF3\xA0\x81\x81"})
    CHECK(plain_line(point + "a") == "?a");
  CHECK(plain_line("\xFF\xC3") == "??");
  CHECK(plain_line("\xED\xA0\x80 \xE0\x80\x80 \xF4\x90\x80\x80") ==
        "? ? ?");  // surrogate, overlong, too large
}

TEST_CASE("harmless text keeps its lines and tabs, and nothing else that is not plain") {
  CHECK(harmless("a\tb\nc\r\xC2\x9B\xE2\x80\xAE\xE9") == "a\tb\nc????");
}

TEST_CASE("the beginning of a text ends between characters") {
  CHECK(beginning_of("aé", 2) == "a");
  CHECK(beginning_of("aé", 3) == "aé");
  CHECK(beginning_of("", 3).empty());
  CHECK(beginning_of("並べ替え", 7) == "並べ");
}

TEST_CASE("hex is written in lower case and read in either") {
  CHECK(to_hex(Bytes{0x00, 0xA4, 0xFF}) == "00a4ff");
  CHECK(parse_hex("00 a4FF") == Bytes{0x00, 0xA4, 0xFF});
  CHECK(parse_hex("") == Bytes{});
}

TEST_CASE("what is not whole bytes of hex is no hex") {
  for (const std::string text : {"0", "0g", "g0", "0 0", "00a", "0x00", "-1", "+1"}) {
    INFO(text);
    CHECK_FALSE(parse_hex(text));
  }
}

TEST_CASE("a fault shows file, line, the source line and a caret, and a hint") {
  const std::string text = "{\n\t\"a\": 1\n}\n";
  const Fault fault{.message = "no", .place = place_at("dir/x.json", text, 8), .hint = "yes"};
  CHECK(render(fault) ==
        "dir/x.json:2: no\n"
        "  2 | \t\"a\": 1\n"
        "    | \t     ^\n"
        "hint: yes");
}

TEST_CASE("the caret counts characters, not bytes, and control bytes are shown harmless") {
  const std::string text = "\"é\x1b[2J\" x";
  const Fault fault{.message = "no \x1b", .place = place_at("x", text, 9)};
  CHECK(render(fault) ==
        "x:1: no ?\n"
        "  1 | \"é?[2J\" x\n"
        "    |         ^");
}

}  // namespace
}  // namespace jcprof
