// SPDX-License-Identifier: Apache-2.0
#include "src/core/shell_words.hpp"

#include <catch2/catch.hpp>

namespace jcprof {
namespace {

using Words = std::vector<std::string>;

Words words(std::string_view text) {
  return split_command(text).words;
}

TEST_CASE("a command is split at blanks, and what is quoted may hold them") {
  CHECK(words(" cc\t-c  a.c\r\n") == Words{"cc", "-c", "a.c"});
  CHECK(words(R"('a b'"c d"e\ f '' "")") == Words{"a bc de f", "", ""});
  CHECK(words("").empty());
}

TEST_CASE(
    "a backslash quotes by the shell's rules: all outside, nothing in '…', four and the line's end in "
    "\"…\"") {
  CHECK(words(R"(\a\'\\ '\n' "\"\\\$\`\n")") == Words{R"(a'\)", R"(\n)", R"("\$`\n)"});
  CHECK(words("a\\\nb \"c\\\nd\" '\\\n' \\\n") == Words{"ab", "cd", "\\\n"});
  CHECK(words("a\\") == Words{"a\\"});
}

TEST_CASE("nothing in a command is expanded") {
  CHECK(words("$HOME `x` *.c ~ a;b") == Words{"$HOME", "`x`", "*.c", "~", "a;b"});
}

TEST_CASE("a quote without an end is told by its place") {
  CHECK(split_command("cc 'x \"y").open_quote == 3);
  CHECK(split_command("cc \"x\\\"").open_quote == 3);
  CHECK_FALSE(split_command("cc 'x' \\\"").open_quote);
}

TEST_CASE("a shell takes any text for one word, and what is plain stays as it is") {
  CHECK(shell_word("/a-b/c_d.9+") == "/a-b/c_d.9+");
  CHECK(shell_word("my cards") == "'my cards'");
  for (const std::string text : {"", " ", "it's", "$HOME;`x`*", "a\nb", "\\\"&"})
    CHECK(words(shell_word(text)) == Words{text});
}

}  // namespace
}  // namespace jcprof
