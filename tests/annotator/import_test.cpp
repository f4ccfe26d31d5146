// SPDX-License-Identifier: Apache-2.0
// Profiles of other tools: small texts of our own, and what the tools themselves write and say.
#include "annotator/import/import.hpp"

#include <cmath>
#include <functional>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "annotator/check/check.hpp"
#include "annotator/compare/comparison.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"
#include "tests/annotator/import_bench.hpp"

namespace jcprof::annotator {
using test_import::Bench, test_import::function_of, test_import::callgrind;

TEST_CASE("callgrind: names and positions are compressed, parts add up, jumps cost nothing") {
  Bench bench;
  const Profile profile = bench.imported("a.cg", callgrind);
  const FunctionEstimate* main = function_of(profile, "main");
  const FunctionEstimate* f = function_of(profile, "f");
  REQUIRE(main != nullptr);
  REQUIRE(f != nullptr);
  CHECK(fmt::format("{}:{}", main->path, main->line) == "a.c:5");
  CHECK(main->exclusive.ticks.value == 35);
  CHECK(main->inclusive.ticks.value == 60);
  CHECK(f->exclusive.ticks.value == 25);
  CHECK(f->calls == 3);
  CHECK(fmt::format("{}:{}", f->path, f->line) == "b.c:8");
  CHECK(profile.run.unit == ClockUnit::instructions);
  CHECK(profile.run.project == "words");
  CHECK(line_table(profile, {.width = 80, .rows = 9}) ==
        "              cost   share  hits  line   function\n"
        " 25.0 instructions  41.7 %        b.c:8  f\n"
        "15.00 instructions  25.0 %        a.c:5  main\n"
        "10.00 instructions  16.7 %        a.c:6  main\n"
        " 5.00 instructions   8.3 %        a.c:7  main\n"
        " 5.00 instructions   8.3 %        c.h:2  main\n");
  CHECK_THAT(
      header(profile, {.width = 80, .rows = 9}),
      Catch::StartsWith("words, imported from ") &&
          Catch::Contains(" of callgrind-3.19.0: functions\ntotal 60.0 instructions\n± is not known: one"));
  CHECK(profile.warnings ==
        std::vector<std::string>{"the events Dr of the file are left out: this profile has Ir"});
}

TEST_CASE("callgrind: without a call tree there are callers, and stacks of one function") {
  Bench bench;
  const Profile profile = bench.imported("a.cg", callgrind);
  CHECK(to_folded(profile) ==
        "thread 1 without a call tree;main (a.c:5);a.c:5 15\n"
        "thread 1 without a call tree;main (a.c:5);a.c:6 10\n"
        "thread 1 without a call tree;main (a.c:5);a.c:7 5\n"
        "thread 1 without a call tree;main (a.c:5);c.h:2 5\n"
        "thread 1 without a call tree;f (b.c:8);b.c:8 25\n");
  const QueryResult callers = query(bench.path("profile.jcprof"), "SELECT * FROM caller");
  REQUIRE(callers.rows.size() == 1);
  CHECK(callers.rows[0] == std::vector<std::optional<std::string>>{"main", "f", "3", "25.0"});
  CHECK_THAT(to_callgrind(profile), Catch::Contains("cfn=(2) f\ncalls=3 8\n6 25\n"));
}

TEST_CASE("callgrind: functions that call each other have an upper bound with their calls") {
  Bench bench;
  const Profile profile = bench.imported("a.cg",
                                         "events: Ir\nfl=a.c\nfn=even\n1 10\ncfn=odd\ncalls=5 2\n1 "
                                         "90\nfn=odd\n2 20\ncfn=even\ncalls=5 1\n2 80\ntotals: 30\n");
  const FunctionEstimate* even = function_of(profile, "even");
  REQUIRE(even != nullptr);
  CHECK(is_bound(even->inclusive));
  CHECK(even->inclusive.ticks.high == 30);
  // The total, though the sums of a function are below it.
  const Profile small =
      bench.imported("a.cg",
                     "events: Ir\nfl=a.c\nfn=even\n1 10\ncfn=odd\ncalls=5 2\n1 "
                     "5\nfn=odd\n2 20\ncfn=even\ncalls=5 1\n2 1\nfn=idle\n9 0\ntotals: 30\n");
  CHECK(function_of(small, "even")->inclusive.ticks.high == 30);
  REQUIRE(function_of(small, "idle") != nullptr);
  CHECK(cost_cells(function_of(small, "idle")->inclusive, ClockUnit::instructions).value == "0 instructions");
  CHECK(!is_bound(even->exclusive));
}

TEST_CASE("callgrind: a broken file is refused with its line") {
  Bench bench;
  const std::string hint = "\nhint: jcprof reads version 1 of the callgrind format, as valgrind writes it";
  const std::string head = "events: Ir\nfl=a.c\nfn=f\n";
  CHECK(bench.error("a.cg", head + "1 x\n") == "a.cg:4: \"x\" is no cost" + hint);
  CHECK(bench.error("a.cg", head + "+y 1\n") == "a.cg:4: \"+y\" is no position" + hint);
  CHECK(bench.error("a.cg", head + "fn=(7)\n") == "a.cg:4: \"(7)\" has no name yet" + hint);
  CHECK(bench.error("a.cg", "events: Ir\n1 2\n") == "a.cg:2: a cost belongs to no function" + hint);
  CHECK(bench.error("a.cg", "events: Bc Bi\n") ==
        "a.cg:1: none of the events is instructions, cycles or ns: \"Bc Bi\"" + hint);
  CHECK(bench.error("a.cg", head + "1 2\ntotals: 3\n") ==
        "a.cg:5: the costs add up to 2, and the file's totals are 3" + hint);
  CHECK(bench.error("a.cg", head + "calls=1 1\n") == "a.cg:4: a call of no function" + hint);
  CHECK(bench.error("a.cg", head + "cfn=g\ncalls=1 1\n") == "a.cg:5: the file ends in a call" + hint);
  CHECK(bench.error("a.cg", "version: 2\n" + head) ==
        "a.cg:1: this is version 2 of the callgrind format" + hint);
  CHECK(bench.error("a.txt", "hello\n") ==
        "a.txt: this is no profile in a format that jcprof knows\nhint: docs/import.md lists the formats");
}

TEST_CASE("of instructions any difference is one, and a budget holds or not") {
  Bench before;
  Bench after;
  std::string more(callgrind);
  replace_all(more, "0x40 8 4 20", "0x40 8 4 21");
  replace_all(more, "totals: 9 60", "totals: 9 61");
  before.imported("a.cg", callgrind);
  after.imported("a.cg", more);
  const Compared old{.profile = before.run.profile, .map = before.run.map};
  const Compared young{.profile = after.run.profile, .map = after.run.map};
  const Comparison comparison = compare({old}, {young});
  CHECK(comparison.whole.verdict == Verdict::slower);
  REQUIRE(comparison.functions.size() == 2);
  CHECK(comparison.functions[0].function == "f");
  CHECK(comparison.functions[0].verdict == Verdict::slower);
  CHECK(comparison.functions[1].verdict == Verdict::same);
  CHECK(comparison.lines.empty());
  const auto holding = [&](const char* budget) {
    return check_budgets({parse_budget(budget)}, young, &comparison).front().holding;
  };
  CHECK(holding("own f <= 26 instructions") == Holding::held);
  CHECK(holding("own f <= 25 instructions") == Holding::broken);
  CHECK(holding("main <= 61 instructions") == Holding::held);
  CHECK(holding("f <= 3 hits") == Holding::held);
  CHECK(holding("main <= 3 hits") == Holding::unresolved);
}

TEST_CASE("functions of valgrind's callgrind are those of callgrind_annotate") {
  Bench bench;
  if (!bench.build("valgrind", {})) return;
  bench.reader.says({"valgrind", "--tool=callgrind", "--callgrind-out-file=out.cg", "./words"});
  const Profile profile = bench.imported("out.cg");
  const std::string said =
      bench.reader.says({"callgrind_annotate", "--threshold=100", "--inclusive=no", "--auto=no", "out.cg"});
  const std::string with_calls =
      bench.reader.says({"callgrind_annotate", "--threshold=100", "--inclusive=yes", "--auto=no", "out.cg"});
  const auto told = [](const std::string& text, const std::string& function) {
    std::smatch match;
    const std::regex row("\n *([0-9,]+) [^\n]*words.c:" + function + " \\[");
    if (!std::regex_search(text, match, row)) return -1.0;
    return std::stod(std::regex_replace(match[1].str(), std::regex(","), ""));
  };
  for (const char* name : {"main", "sum", "twice", "fib", "fib'2", "even", "odd"}) {
    INFO(name);
    const FunctionEstimate* function = function_of(profile, name);
    REQUIRE(function != nullptr);
    CHECK(function->exclusive.ticks.value == told(said, name));
    // callgrind_annotate counts the inner calls of a recursion again.
    if (std::string(name) != "fib'2") CHECK(function->inclusive.ticks.high == told(with_calls, name));
  }
  CHECK(function_of(profile, "twice")->calls == 1000);
}

TEST_CASE("functions of uftrace are those of uftrace report") {
  Bench bench;
  if (!bench.build("uftrace", {"-pg"})) return;
  bench.reader.says({"uftrace", "record", "--no-event", "-d", "data", "./words"});
  const Profile profile = bench.imported("data");
  CHECK(profile.run.project == "words");
  std::istringstream rows(bench.reader.says(
      {"uftrace", "report", "--no-pager", "--no-event", "-d", "data", "-f", "total,self,call"}));
  const std::map<std::string, double> units{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  std::size_t compared = 0;
  for (std::string row; std::getline(rows, row);) {
    std::istringstream cells(row);
    double total = 0;
    double self = 0;
    std::uint64_t calls = 0;
    std::string unit;
    std::string unit_of_self;
    std::string name;
    if (!(cells >> total >> unit >> self >> unit_of_self >> calls >> name)) continue;
    INFO(row);
    const FunctionEstimate* function = function_of(profile, name);
    REQUIRE(function != nullptr);
    CHECK(function->calls == calls);
    CHECK(function->exclusive.ticks.value == Approx(self * units.at(unit_of_self)).margin(1));
    CHECK(function->inclusive.ticks.value == Approx(total * units.at(unit)).margin(1));
    ++compared;
  }
  CHECK(compared >= 6);
}

TEST_CASE("calls of gmon.out are those that gprof prints, and its samples are times") {
  Bench bench;
  if (!bench.build("gprof", {"-pg"})) return;
  bench.reader.says({"./words"});
  const Profile profile = bench.imported("gmon.out", {}, "words");
  const auto calls = [&](const char* name) {
    const FunctionEstimate* function = function_of(profile, name);
    return function == nullptr ? 0 : function->calls;
  };
  CHECK(calls("twice") == 1000);
  CHECK(calls("fib") == 177);
  CHECK(calls("even") == 11);
  CHECK(calls("sum") == 1);
  const QueryResult callers =
      query(bench.path("profile.jcprof"), "SELECT caller, calls FROM caller WHERE callee = 'sum'");
  REQUIRE(callers.rows.size() == 1);
  CHECK(callers.rows[0] == std::vector<std::optional<std::string>>{"main", "1"});
  CHECK(cost_cells(function_of(profile, "sum")->inclusive, ClockUnit::ns).value == "not measured");
  const QueryResult sum =
      query(bench.path("profile.jcprof"), "SELECT inclusive FROM function WHERE function = 'sum'");
  CHECK(!sum.rows.at(0).at(0));
  CHECK_THAT(to_callgrind(profile), Catch::Contains("desc: Note: calls without a cost"));
  CHECK(profile.run.resolution == 1e7);
  const std::string flat = bench.reader.says({"gprof", "-b", "-p", "words", "gmon.out"});
  CHECK(std::regex_search(flat, std::regex(" 1000 [^\n]* twice\n")));
  CHECK_THAT(profile.warnings.back(), Catch::Contains("samples, one each 10 ms"));
}

TEST_CASE("measurements of JCProfilerNext are rounds of stops, with intervals") {
  std::string text =
      "# mode,type#signature,ATR,elapsedTime,APDUHeader,inputType:value,inputDivision\n"
      "time,\"a.Pin#verify(byte,short)\",3B80,0 days,00EE0000,regex:00,none\n# input1,input2,input3,...\n";
  const auto row = [](const std::string& name, const std::function<std::string(int)>& cell) {
    std::string line = name;
    for (int round = 0; round < 40; ++round) line += (line.empty() ? "" : ",") + cell(round);
    return line + "\n";
  };
  text += row("", [](int round) { return fmt::format("00{:02X}", round); });
  text += "# trapName,measurement1,measurement2,...\n";
  text += row("TRAP_1", [](int round) { return std::to_string(9'000'000 + 100 * (round % 7)); });
  text += row("TRAP_2", [](int round) { return std::to_string(200'000 + 100 * (round % 5)); });
  text += row("TRAP_3", [](int) { return std::string(); });
  text += row("TRAP_4", [](int round) { return std::to_string(500'000 - 100 * (round % 3)); });
  Bench bench;
  const Profile profile = bench.imported("m.csv", text);
  CHECK(profile.rounds == 40);
  CHECK(profile.run.project == "a.Pin.verify");
  REQUIRE(profile.lines.size() >= 2);
  CHECK(profile.lines[0].line == 7);
  CHECK(profile.lines[0].cost.ticks.value == Approx(499'900).epsilon(0.01));
  CHECK(profile.lines[0].cost.ticks.low < 499'900);
  CHECK(!profile.lines[0].cost.of_one_run);
  CHECK(profile.lines[1].cost.ticks.value == Approx(200'200).epsilon(0.01));
  CHECK_THAT(bench.error("m.csv", text.substr(0, text.size() - 30)),
             Catch::StartsWith("m.csv:9: the trap has ") && Catch::Contains(" measurements for 40 inputs"));
  bench.reader.write(
      "sources_instr/Pin.java",
      "class Pin {\n  void verify() {\n    PM.check(PMC.TRAP_1);\n    a();\n    PM.check(PMC.TRAP_2);\n"
      "    b();\n    PM.check(PMC.TRAP_4);\n  }\n}\n");
  const Profile placed = bench.imported("m.csv", text);
  CHECK(fmt::format("{}:{}", placed.lines[0].path, placed.lines[0].line) == "sources_instr/Pin.java:5");
}

TEST_CASE("a function graph of OP-TEE's ftrace is a call tree") {
  Bench bench;
  const std::string text =
      "TEE load address @ 0x5ab04000\nFunction graph for TA: cb3e5ba0-adf1 @ 80085000\n"
      "             |   1 |  entry() {\n    1.500 us |   2 |   get()\n             |   2 |   pool() {\n"
      "   10.000 us |   3 |    bget()\n   12.000 us |   2 |   }\n   20.000 us |   1 |  }\n";
  const Profile profile = bench.imported("f.txt", text);
  CHECK(to_folded(profile) ==
        "thread_1;entry 6500\nthread_1;entry;pool 2000\nthread_1;entry;pool;bget 10000\nthread_1;entry;get "
        "1500\n");
  CHECK(function_of(profile, "pool")->inclusive.ticks.value == 12'000);
  CHECK(bench.error("f.txt", text + "  x us |  1 |  f()\n") ==
        "f.txt:9: \"x us\" is no time in us or ms\n"
        "hint: jcprof reads what OP-TEE's scripts ftrace_format.py and symbolize.py print");
  // A buffer that was full ends in calls.
  const Profile cut = bench.imported("f.txt", text.substr(0, text.find("   12.000")));
  CHECK(cost_cells(function_of(cut, "pool")->exclusive, ClockUnit::ns).value == "not measured");
  CHECK_THAT(to_csv(cut), Catch::Contains(R"("pool",1,,,,)"));
  CHECK_THAT(cut.warnings.back(), Catch::Contains("2 calls have no end"));
}

TEST_CASE("a text that is cut off anywhere is read or refused") {
  Bench bench;
  for (std::size_t size = 1; size < callgrind.size(); size += 3) {
    INFO(size);
    bench.error("cut.cg", callgrind.substr(0, size));
  }
  SUCCEED();
}

}  // namespace jcprof::annotator
