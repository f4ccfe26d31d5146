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
#include "annotator/import/traced.hpp"
#include "annotator/record/profile.hpp"
#include "annotator/source_comments.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"
#include "tests/annotator/foreign_reader.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::string_view words =
    "static int twice(int n) { return 2 * n; }\n"
    "static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
    "static int odd(int n);\n"
    "static int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
    "static int odd(int n) { return n == 0 ? 0 : even(n - 1); }\n"
    "static int sum(int n) {\n"
    "  int s = 0;\n"
    "  for (int i = 0; i < n; ++i)\n"
    "    s += twice(i);\n"
    "  return s;\n"
    "}\n"
    "int main(int argc, char** argv) { return sum(1000 * argc) + fib(10) + even(20) == (argv == 0); }\n";

class Bench {
 public:
  Profile imported(const std::string& name, std::string_view text = {}, const std::string& elf = {}) {
    if (!text.empty()) reader.write(name, text);
    const Imported profile =
        import_profile({.path = reader.folder() / name, .elf = elf.empty() ? elf : path(elf)});
    Store store(reader.folder() / "profile.jcprof", OpenMode::fresh);
    store_imported(store, profile);
    run = newest_run(store);
    return run.profile;
  }
  std::string error(const std::string& name, std::string_view text) {
    try {
      imported(name, text);
    } catch (const UserError& error) {
      return std::regex_replace(std::string(error.what()), std::regex(reader.folder().string() + "/"), "");
    }
    return "";
  }
  /// The program `words`; false, and said, where `tool` is not there.
  bool build(const std::string& tool, std::vector<std::string> flags) {
    try {
      reader.says({tool, "--version"});
    } catch (const UserError&) {
      WARN("SKIPPED: " << tool << " is missing (scripts/setup --test)");
      return false;
    }
    reader.write("words.c", words);
    flags.insert(flags.begin(), {"gcc", "-g", "-O0", "words.c", "-o", "words"});
    reader.says(flags);
    return true;
  }
  std::string path(const std::string& name) const { return (reader.folder() / name).string(); }

  test::ForeignReader reader;
  NewestRun run;
};

const FunctionEstimate* function_of(const Profile& profile, const std::string& name) {
  const auto found = std::ranges::find(profile.functions, name, &FunctionEstimate::function);
  return found == profile.functions.end() ? nullptr : &*found;
}

constexpr std::string_view callgrind =
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\ncmd: ./words a.txt\n"
    "positions: instr line\nevents: Dr Ir\nsummary: 9 60\n\n"
    "ob=(1) /bin/words\nfl=(1) a.c\nfn=(1) main\n0x10 5 1 10\n+4 +1 1 10\n"
    "cfi=(2) b.c\ncfn=(2) f\ncalls=3 0x40 8\n* * 5 25\n"
    "fi=(3) c.h\n+4 2 1 5\njump=2 0x10 5\n* *\nfe=(1)\n+4 7 0 5\n\n"
    "fl=(2)\nfn=(2)\n0x40 8 4 20\n+4 * 1 5\n\n"
    "part: 2\nevents: Dr Ir\nfl=(1)\nfn=(1)\n0x10 5 1 5\ntotals: 9 60\n";

}  // namespace

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
  CHECK(line_table(profile, {.rows = 9, .width = 80}) ==
        "              cost   share  hits  line   function\n"
        " 25.0 instructions  41.7 %        b.c:8  f\n"
        "15.00 instructions  25.0 %        a.c:5  main\n"
        "10.00 instructions  16.7 %        a.c:6  main\n"
        " 5.00 instructions   8.3 %        a.c:7  main\n"
        " 5.00 instructions   8.3 %        c.h:2  main\n");
  CHECK_THAT(
      header(profile, {.rows = 9, .width = 80}),
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
    // Of a recursion callgrind_annotate counts the inner calls again.
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
  CHECK(profile.run.resolution == 1e7);
  const std::string flat = bench.reader.says({"gprof", "-b", "-p", "words", "gmon.out"});
  CHECK(std::regex_search(flat, std::regex(" 1000 [^\n]* twice\n")));
  CHECK_THAT(profile.warnings.back(), Catch::Contains("samples, one each 10 ms"));
}

namespace {

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

const std::string gmon_head = "gmon" + little_endian(1, 4) + std::string(12, '\0');

/// `counts`: of bins between the addresses, at 100 Hz.
std::string histogram(std::uint64_t low, std::uint64_t high, const std::vector<std::uint64_t>& counts) {
  std::string text = little_endian(0, 1) + little_endian(low, 8) + little_endian(high, 8) +
                     little_endian(counts.size(), 4) + little_endian(100, 4) +
                     std::string("seconds\0\0\0\0\0\0\0\0s", 16);
  for (const std::uint64_t count : counts) text += little_endian(count, 2);
  return text;
}

}  // namespace

TEST_CASE("gmon.out: a bin is the time of the functions in it, by their bytes") {
  Bench bench;
  if (!bench.build("gprof", {})) return;
  std::smatch match;
  const std::string names = bench.reader.says({"nm", "-S", "words"});
  REQUIRE(std::regex_search(names, match, std::regex("([0-9a-f]{16}) ([0-9a-f]{16}) t twice")));
  const std::uint64_t at = std::stoull(match[1].str(), nullptr, 16);
  const std::uint64_t end = at + std::stoull(match[2].str(), nullptr, 16);
  const std::string bins = gmon_head + histogram(at, at + 4, {3, 4});
  const Profile profile = bench.imported("gmon.out", bins, "words");
  REQUIRE(function_of(profile, "twice") != nullptr);
  CHECK(function_of(profile, "twice")->exclusive.ticks.value == 70e6);
  const Profile both = bench.imported("gmon.out", gmon_head + histogram(end - 4, end + 4, {3}), "words");
  REQUIRE(function_of(both, "fib") != nullptr);
  CHECK(function_of(both, "twice")->exclusive.ticks.value == 15e6);
  CHECK(function_of(both, "fib")->exclusive.ticks.value == 15e6);
  const Profile none = bench.imported("gmon.out", gmon_head + histogram(16, 20, {3}), "words");
  CHECK_THAT(none.warnings.back(),
             Catch::Contains("100.0 % of the time lies where the program has no symbol"));
  bench.reader.write("arcs", gmon_head + little_endian(1, 1) + little_endian(at, 8) + little_endian(16, 8) +
                                 little_endian(1, 4));
  CHECK_THROWS_WITH(import_profile({.path = bench.path("arcs"), .elf = bench.path("words")}),
                    Catch::Contains("no call of the file leads to a function"));
  CHECK(bench.error("gmon.out", bins).starts_with("gmon.out: gmon.out holds addresses and no names"));
  bench.reader.write("cut", bins.substr(0, 50));
  CHECK_THROWS_WITH(import_profile({.path = bench.path("cut"), .elf = bench.path("words")}),
                    Catch::Contains("the file is cut off (byte 45)"));
}

TEST_CASE("a traced call whose return was lost has no end, and the first event is of any kind") {
  CallTracer tracer;
  tracer.leave(1, "x", 100);
  tracer.enter(1, "f", 110);
  tracer.enter(1, "g", 112);
  tracer.leave(1, "f", 120);
  const RecordedRun run = std::move(tracer).finish({.info = {.unit = ClockUnit::ns, .rounds = 1}});
  CHECK(run.recording.threads.at(0).last == 20);
  REQUIRE(!run.recording.slow.empty());
  CHECK(run.recording.slow[0].at == 10);
  const Profile profile = recorded_profile(run);
  CHECK(function_of(profile, "f")->inclusive.ticks.value == 10);
  CHECK(cost_cells(function_of(profile, "g")->inclusive, ClockUnit::ns).value == "not measured");
  CHECK(profile.warnings ==
        std::vector<std::string>{"1 call has no end: its time is that until the last event inside",
                                 "1 return has no call: it is left out"});
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
  CHECK_THAT(to_csv(cut), Catch::Contains("pool,1,,,,"));
  CHECK_THAT(cut.warnings.back(), Catch::Contains("2 calls have no end"));
}

TEST_CASE("OP-TEE's ftrace: milliseconds, a return to depth 0, and a thread for each TA") {
  Bench bench;
  const std::string head = "Function graph for TA: ";
  const Profile profile = bench.imported(
      "f.txt", head + "abc @ 80085000\n 9.000 us |   0 |  }\n 1.250 ms |   1 |  get()\n |   1 |  hang() {\n" +
                   head + "def @ 80085000\n 2.000 us |   1 |  get()\n");
  CHECK(profile.recorded->threads == 2);
  CHECK(function_of(profile, "get")->exclusive.ticks.value == 1'252'000);
  CHECK(profile.warnings.size() == 3);
  CHECK_THAT(profile.warnings[1], Catch::Contains("1 call has no end"));
  CHECK_THAT(profile.warnings[2], Catch::Contains("1 return has no call"));
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

TEST_CASE("a text that is cut off anywhere is read or refused") {
  Bench bench;
  for (std::size_t size = 1; size < callgrind.size(); size += 3) {
    INFO(size);
    bench.error("cut.cg", callgrind.substr(0, size));
  }
  SUCCEED();
}

}  // namespace jcprof::annotator
