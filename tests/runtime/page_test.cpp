// SPDX-License-Identifier: Apache-2.0
// The programs of docs/instrument-by-hand.md, as they stand on the page, do what the page says.
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/runtime/workshop.hpp"

namespace jcprof::test {
namespace {

/// The C of the page, block by block.
std::vector<std::string> c_blocks() {
  const std::string page = read_file(std::filesystem::path(JCPROF_SOURCE_DIR) / "docs/instrument-by-hand.md");
  const std::string opening = "```c\n";
  std::vector<std::string> blocks;
  for (std::size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at)) {
    at += opening.size();
    blocks.push_back(page.substr(at, page.find("```", at) - at));
  }
  return blocks;
}

}  // namespace

TEMPLATE_TEST_CASE("the programs of the page about marking by hand do what it says", "", Gcc, Clang) {
  REQUIRE_COMPILER(TestType::compilers());
  const Workshop workshop(TestType::compilers());
  const std::vector<std::string> blocks = c_blocks();
  REQUIRE(blocks.size() == 4);
  const std::vector<std::string> names = {"sum.c", "digest.c", "agent.c"};
  for (std::size_t i = 0; i < names.size(); i++) write_file(workshop.path(names[i]), blocks[i + 1]);
  const Flags flags = {"-O2", "-Wall", "-Wextra", "-Werror", "-DJCPROF"};

  const std::string sum = workshop.build("sum", {workshop.path("sum.c")}, flags + Flags{"-DJCPROF_PROGRAM"});
  CHECK(workshop.run({sum}, {{"JCPROF_TRACE", "path"}}) == Ran{0, "2430618481\n"});
  CHECK(in_words(workshop.report("path").ids) == "1 2 3 2 3 2 3 4");
  CHECK(workshop.run({sum}, {{"JCPROF_TRAP", "3"}, {"JCPROF_HIT", "2"}, {"JCPROF_REPORT", "where"}}) ==
        Ran{86, ""});
  CHECK((workshop.report("where").trap == 3 && workshop.report("where").hit == 2));

  const std::string agent =
      workshop.build("agent", {workshop.path("agent.c"), workshop.path("digest.c")}, flags);
  CHECK(workshop.run({"sh", "-c", agent + " | sed 's/^[0-9.]* us/some us/'"}) ==
        Ran{0, "1 2 3 2 3 2 3 \nsome us to the end\nsome us to the second hit of 3\n"});
}

}  // namespace jcprof::test
