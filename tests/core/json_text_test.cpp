// SPDX-License-Identifier: Apache-2.0
#include "src/core/json_text.hpp"

#include <catch2/catch.hpp>

#include "tests/core/fault_text.hpp"

namespace jcprof {
namespace {

JsonNode parsed(std::string_view text) {
  JsonFaults faults("x.json", text);
  JsonNode root = parse_json(text, faults);
  faults.throw_if_any();
  return root;
}

std::string fault_of(std::string_view text) {
  return test::fault_text([&] { parsed(text); });
}

std::string source_of(std::string_view text, const JsonNode& node) {
  return std::string(text.substr(node.offset, node.end - node.offset));
}

TEST_CASE("every node knows its bytes in the text") {
  const std::string_view text = R"({ "a\"\\" : [ 12, -1.5e3 ,true,/* c */ null],
 "é": {"x":"\\\"y\""} , "n": false })";
  const JsonNode root = parsed(text);
  CHECK(source_of(text, root) == text);
  REQUIRE(root.members.size() == 3);
  CHECK(root.members[0].key == "a\"\\");
  CHECK(text.substr(root.members[0].key_offset, 3) == "\"a\\");
  const JsonNode& list = root.members[0].value;
  CHECK(source_of(text, list) == "[ 12, -1.5e3 ,true,/* c */ null]");
  CHECK(source_of(text, list.elements[0]) == "12");
  CHECK(source_of(text, list.elements[1]) == "-1.5e3");
  CHECK(list.elements[1].text == "-1.5e3");
  CHECK(source_of(text, list.elements[2]) == "true");
  CHECK(source_of(text, list.elements[3]) == "null");
  CHECK(text.substr(root.members[1].key_offset, 4) == "\"é\"");
  CHECK(source_of(text, root.members[1].value.members[0].value) == R"("\\\"y\"")");
  CHECK(source_of(text, root.members[2].value) == "false");
}

TEST_CASE("what lies behind the text is not looked at, as the sanitizer would see") {
  const std::vector<char> colon{':'};
  CHECK(fault_of({colon.data(), colon.size()}) == "x.json:1: this is not JSON\n  1 | :\n    | ^");
  const std::string_view key = R"({"a":)";
  const std::vector<char> open(key.begin(), key.end());
  CHECK(fault_of({open.data(), open.size()}) ==
        "x.json:1: the file ends, but the \"{\" of line 1 is not closed\n  1 | {\"a\":\n    |      ^");
}

TEST_CASE("a number alone, an empty list and an empty object are documents") {
  CHECK(parsed("17").natural == 17);
  CHECK(source_of(" 17", parsed(" 17")) == "17");
  CHECK(parsed("[]").kind == JsonKind::array);
  CHECK(parsed("// c\n{}\n// d").kind == JsonKind::object);
}

TEST_CASE("only whole numbers from 0 that fit 64 bits are natural") {
  CHECK(parsed("18446744073709551615").natural == UINT64_MAX);
  for (const std::string_view text : {"-1", "1.0", "1e3", "18446744073709551616"}) {
    INFO(text);
    CHECK_FALSE(parsed(text).natural);
  }
}

TEST_CASE("a byte order mark is skipped") {
  CHECK(parsed("\xEF\xBB\xBF{}").kind == JsonKind::object);
}

TEST_CASE("a value is written again without blanks and comments") {
  CHECK(compact(parsed("{ \"a\" : [1.50, -2, \"x\\ny\"], /* c */ \"b\": {\"c\": null, \"d\": true} }")) ==
        R"({"a":[1.50,-2,"x\ny"],"b":{"c":null,"d":true}})");
  CHECK(json_string("\xFF\"") == "\"\xEF\xBF\xBD\\\"\"");
}

TEST_CASE("a key that occurs twice is shown where it does so again") {
  CHECK(fault_of("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}") ==
        "x.json:3: the key \"a\" occurs twice\n"
        "  3 |  \"a\": 3}\n"
        "    |  ^\n"
        "hint: the one before is in line 1");
}

TEST_CASE("what is not JSON is shown in words of ours") {
  struct Case {
    std::string_view text;
    std::string fault;
  };
  const std::vector<Case> cases{
      {"", "x.json:1: the file is empty"},
      {" \n // nothing\n", "x.json:2: the file is empty\n  2 |  // nothing\n    |            ^"},
      {"hello", "x.json:1: this is not JSON\n  1 | hello\n    | ^"},
      {"{\"a\": [1,\n2\n\n",
       "x.json:2: the file ends, but the \"[\" of line 1 is not closed\n  2 | 2\n    |  ^"},
      {"{\"a\": \"b", "x.json:1: the file ends inside a string\n  1 | {\"a\": \"b\n    |         ^"},
      {"{\"a\": 1 /* b",
       "x.json:1: the file ends inside a comment\n  1 | {\"a\": 1 /* b\n    |             ^"},
      {"{\"a\": \"b\n\"}", "x.json:1: a string must end on its line\n  1 | {\"a\": \"b\n    |         ^"},
      {"{\"a\": \"\\q\"}",
       "x.json:1: \"q\" has no place in an escape\n  1 | {\"a\": \"\\q\"}\n    |         ^"},
      {"{\"a\": 1,}", "x.json:1: a comma too many before \"}\"\n  1 | {\"a\": 1,}\n    |         ^"},
      {"[1, ]", "x.json:1: a comma too many before \"]\"\n  1 | [1, ]\n    |     ^"},
      {"{\"a\": 1\n \"b\": 2}", "x.json:2: \",\" or \"}\" is expected here\n  2 |  \"b\": 2}\n    |  ^"},
      {"[1 2]", "x.json:1: \",\" or \"]\" is expected here\n  1 | [1 2]\n    |    ^"},
      {"{\"a\" 1}", "x.json:1: \":\" is expected after the key \"a\"\n  1 | {\"a\" 1}\n    |      ^"},
      {"{\"a\": }", "x.json:1: a value is expected here\n  1 | {\"a\": }\n    |       ^"},
      {"{a: 1}", "x.json:1: a key in double quotes is expected here\n  1 | {a: 1}\n    |  ^"},
      {"{\"a\": 1,, \"b\": 2}",
       "x.json:1: a key in double quotes is expected here\n  1 | {\"a\": 1,, \"b\": 2}\n    |         ^"},
      {"{\"a\": 'b'}", "x.json:1: strings stand in double quotes\n  1 | {\"a\": 'b'}\n    |       ^"},
      {"{\"a\": True}",
       "x.json:1: \"True\" is not a value\n  1 | {\"a\": True}\n    |       ^\nhint: did you mean true?"},
      {"{\"a\": applet}",
       "x.json:1: \"applet\" is not a value\n  1 | {\"a\": applet}\n    |       ^\n"
       "hint: strings stand in double quotes"},
      {"{\"a\": 1e999}",
       "x.json:1: \"1e999\" is not a number of JSON, or too large\n  1 | {\"a\": 1e999}\n    |       ^"},
      {"{\"a\": -}",
       "x.json:1: \"-\" is not a number of JSON, or too large\n  1 | {\"a\": -}\n    |       ^"},
      {"{} {}", "x.json:1: something stands after the end of the document\n  1 | {} {}\n    |    ^"},
      {"{\"a\": \"\xE9\"}",
       "x.json:1: the byte 0xE9 is not UTF-8\n  1 | {\"a\": \"?\"}\n    |        ^\nhint: save the file "
       "as UTF-8"},
      {std::string_view("\x7F"
                        "ELF\0\0",
                        6),
       "x.json:1: not a text file: it holds the byte 0x7F\n  1 | ?ELF??\n    | ^"},
      {std::string_view("\xFF\xFE{\0}\0", 6),
       "x.json:1: the file is UTF-16\n  1 | ??{?}?\n    | ^\nhint: save it as UTF-8"},
  };
  for (const Case& faulty : cases) CHECK(fault_of(faulty.text) == faulty.fault);
}

TEST_CASE("a hundred thousand open brackets are refused, not followed") {
  CHECK(fault_of(std::string(100'000, '[')).starts_with("x.json:1: nested more than 64 levels deep\n"));
}

TEST_CASE("after fifty faults the rest is not shown") {
  std::string text = "{\"a\": 0";
  for (int i = 0; i < 100; ++i) text += ",\n\"a\": 0";
  const std::string fault = fault_of(text + "}");
  CHECK(std::ranges::count(fault, '^') == 50);
  CHECK(fault.ends_with("\nonly the first 50 faults are shown"));
}

}  // namespace
}  // namespace jcprof
