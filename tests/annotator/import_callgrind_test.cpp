// SPDX-License-Identifier: Apache-2.0
// Odd files of callgrind and cachegrind, and comments of what they become.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/check/check_texts.hpp"
#include "annotator/show/show.hpp"
#include "annotator/source_comments.hpp"
#include "tests/annotator/import_bench.hpp"

namespace jcprof::annotator {
using test_import::Bench, test_import::function_of, test_import::callgrind;

TEST_CASE("callgrind: addresses are no lines") {
  Bench bench;
  const Profile profile = bench.imported(
      "a.cg",
      "positions: instr\nevents: Ir\nfl=a.c\nfn=f\n0x1000 2\ncfn=g\ncalls=1 0x2000\n+3 5\nfn=g\n0x2000 5\n"
      "totals: 7\n");
  REQUIRE(function_of(profile, "g") != nullptr);
  CHECK(function_of(profile, "g")->line == 0);
  CHECK(profile.lines.empty());
  CHECK_THAT(profile.warnings.back(), Catch::Contains("positions that are no lines"));
  const Profile parts = bench.imported("a.cg",
                                       "positions: instr\nevents: Ir\nfl=a.c\nfn=f\n0x1000 2\n"
                                       "positions: line\nevents: Ir\nfn=f\n3 4\ntotals: 6\n");
  REQUIRE(parts.lines.size() == 1);
  CHECK(parts.lines[0].line == 3);
}

TEST_CASE("callgrind: jumps give names to numbers") {
  Bench bench;
  const Profile profile =
      bench.imported("a.cg",
                     "events: Ir\nfl=a.c\nfn=f\n1 2\njfi=(5) b.c\njfn=(6) g\njump=1 2\n1\nfl=(5)\nfn=(6)\n"
                     "4 1\ntotals: 3\n");
  REQUIRE(function_of(profile, "g") != nullptr);
  CHECK(function_of(profile, "g")->path == "b.c");
}

TEST_CASE("callgrind: counts, events and lines without meaning are refused with their line") {
  Bench bench;
  const std::string head = "events: Ir\nfl=a.c\nfn=f\n";
  const auto starts = [&](const std::string& text, const char* error) {
    INFO(text);
    CHECK_THAT(bench.error("a.cg", text), Catch::StartsWith(error));
  };
  starts(head + "1 9223372036854775807\n", "a.cg:4: the cost 9223372036854775807 is above 2^62");
  starts(head + "cfn=g\ncalls=4611686018427387904 1\n1 1\ncfn=h\ncalls=1 1\n",
         "a.cg:8: the numbers of calls add up to more than 2^62");
  starts(head + "hello\n", "a.cg:4: this is no line of the callgrind format");
  starts(head + "fx=(1) a\n", "a.cg:4: this is no line of the callgrind format");
  starts(head + "hello: 1\n", "a.cg:4: this is no line of the callgrind format");
  std::string events = "events: Ir";
  for (int i = 0; i < 20; ++i) events += fmt::format(" e{}", i);
  CHECK_THAT(bench.imported("a.cg", events + "\nfn=f\n1 2\ntotals: 2\n").warnings.front(),
             Catch::Contains("e7 and 12 more of the file are left out"));
}

TEST_CASE("cachegrind: the sum stands in \"summary:\"") {
  Bench bench;
  const std::string text = "desc: I1 cache\ncmd: ./x\nevents: Ir\nfl=a.c\nfn=f\n1 2\nsummary: ";
  CHECK(bench.imported("a.cg", text + "2\n").warnings.empty());
  CHECK_THAT(bench.error("a.cg", text + "3\n"),
             Catch::Contains("the costs add up to 2, and the file's sums"));
}

TEST_CASE("annotating twice replaces the comments of an imported profile") {
  Bench bench;
  const auto is_stable = [&](const Profile& profile) {
    const std::vector<LineComment> comments = comments_for(profile, "a.c");
    REQUIRE(!comments.empty());
    const std::string source = "a\nb\nc\nd\ne\nf\ng\n";
    const std::string once = annotate_text(source, "c", comments).text;
    INFO(once);
    CHECK(once.find("×0") == std::string::npos);
    CHECK(annotate_text(once, "c", comments).text == once);
    CHECK(without_comments(once) == source);
  };
  is_stable(bench.imported("a.cg", callgrind));
  is_stable(bench.imported("a.cg",
                           "events: Ir\nfl=a.c\nfn=even\n1 10\ncfn=odd\ncalls=5 2\n1 "
                           "90\nfn=odd\n2 20\ncfn=even\ncalls=5 1\n2 80\nfn=idle\n4 0\ntotals: 30\n"));
}

TEST_CASE("a program is refused where it is not used") {
  Bench bench;
  bench.reader.write("a.cg", callgrind);
  CHECK_THROWS_WITH(import_profile({.path = bench.path("a.cg"), .elf = "/bin/true"}),
                    Catch::Contains("needs no program"));
}

TEST_CASE("calls of a function to itself have no cost of their own") {
  Bench bench;
  const Profile profile =
      bench.imported("a.cg", "events: Ir\nfl=a.c\nfn=f\n1 5\ncfn=f\ncalls=3 1\n1 4\ntotals: 5\n");
  CHECK_THAT(line_json(profile, {.file = "a.c", .line = 1}), Catch::Contains("\"inclusive\": null"));
}

TEST_CASE("a check tells what is exact without ±, and a bound as one") {
  CHECK(measured_text({20, 0, 30}, BudgetUnit::instructions) == "< 30 instructions");
  CHECK(measured_text({30, 30, 30}, BudgetUnit::instructions) == "30.00 instructions");
  CHECK(measured_text({0.5, 0.5, 0.5}, BudgetUnit::share) == "50.0 %");
}

}  // namespace jcprof::annotator
