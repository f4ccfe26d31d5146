// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/attribution.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

using enum TrapKind;

/// "1→2 f:10" for each block: from trap, to trap, function and line of its owner.
std::string owners(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  const Attribution result = attribute(map, path_of(traps));
  std::string text;
  for (std::size_t i = 0; i < traps.size(); ++i) {
    const Block& block = result.blocks[i];
    const std::string owner = block.is_between() ? "nobody"
                                                 : fmt::format("{}:{}", result.functions[block.function].name,
                                                               result.lines[block.line].line);
    text += fmt::format("{}→{} {}\n", traps[i], i + 1 < traps.size() ? traps[i + 1] : 0, owner);
  }
  return text;
}

/// "f [2,5)" for each call.
std::string calls(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  const Attribution result = attribute(map, path_of(traps));
  std::string text;
  for (const Invocation& call : result.invocations)
    text +=
        fmt::format("{}{} [{},{})", text.empty() ? "" : " ",
                    result.functions[call.function].name + (call.outermost ? "" : "'"), call.begin, call.end);
  return text;
}

/// p: 10 f();      f: 20 entry  21 try { 22 f(); 23 return;  } finally { 24 c; }
TrapMap recursion_with_finally() {
  return MapMaker()
      .trap(entry, "p", 9)
      .trap(before, "p", 10)
      .trap(exit, "p", 11)
      .trap(entry, "f", 20)
      .trap(before, "f", 21, 25)
      .trap(before, "f", 22)
      .trap(returns, "f", 23)
      .trap(handler, "f", 24)
      .map("java");
}

}  // namespace

TEST_CASE("what runs after a return belongs to the calling statement, with several calls in it") {
  CHECK(owners(two_calls(), {1, 2, 3, 4, 8, 9, 6, 7, 5}) ==
        "1→2 p:1\n2→3 p:1\n3→4 p:10\n4→8 p:20\n8→9 g:50\n9→6 p:20\n6→7 f:40\n7→5 p:20\n5→0 p:30\n");
  CHECK(calls(two_calls(), {1, 2, 3, 4, 8, 9, 6, 7, 5}) == "p [0,9) g [4,5) f [6,7)");
}

TEST_CASE("a callee without traps is part of the statement that calls it") {
  CHECK(owners(two_calls(), {1, 2, 3, 4, 5}) == "1→2 p:1\n2→3 p:1\n3→4 p:10\n4→5 p:20\n5→0 p:30\n");
}

TEST_CASE("what runs after the end of a loop's body belongs to the loop") {
  // 10 for (…) {   11 if (x) {  12 a;  13 }   14 b;   15 }   16 }
  const TrapMap map = MapMaker()
                          .trap(entry, "p", 9)
                          .trap(before, "p", 10, 15)
                          .trap(loop_body, "p", 11, 13)
                          .trap(before, "p", 12)
                          .trap(after, "p", 13)
                          .trap(before, "p", 14)
                          .trap(after, "p", 15)
                          .trap(exit, "p", 16)
                          .map();
  CHECK(owners(map, {1, 2, 3, 4, 5, 6, 7, 3, 6, 7, 8}) ==
        "1→2 p:9\n2→3 p:10\n3→4 p:11\n4→5 p:12\n5→6 p:11\n6→7 p:14\n7→3 p:10\n3→6 p:11\n6→7 p:14\n7→8 p:10\n"
        "8→0 p:16\n");
}

TEST_CASE("without braces the ends of nested bodies stand at one place, and each belongs to its statement") {
  // 10 for (…)   11 if (x)   12 b;
  const TrapMap map = MapMaker()
                          .trap(entry, "p", 9)
                          .trap(before, "p", 10, 12)
                          .trap(loop_body, "p", 11, 12)
                          .trap(before, "p", 12)
                          .end_of(4)
                          .end_of(3)
                          .trap(exit, "p", 13)
                          .map();
  CHECK(owners(map, {1, 2, 3, 4, 5, 6, 3, 6, 7}) ==
        "1→2 p:9\n2→3 p:10\n3→4 p:11\n4→5 p:12\n5→6 p:11\n6→3 p:10\n3→6 p:11\n6→7 p:10\n7→0 p:13\n");
}

TEST_CASE("the end of a block whose statement has no trap belongs to its own line") {
  const TrapMap map = MapMaker().trap(entry, "p", 1).trap(loop_body, "p", 3).trap(after, "p", 4).map();
  CHECK(owners(map, {1, 2, 3, 2, 3}) == "1→2 p:1\n2→3 p:3\n3→2 p:4\n2→3 p:3\n3→0 p:4\n");
}

TEST_CASE("recursion: each call has its own statement to come back to") {
  // 10 f() {  11 if (n > 0) {  12 f(n - 1);  13 }  14 return;  }
  const TrapMap map = MapMaker()
                          .trap(entry, "f", 10)
                          .trap(before, "f", 11, 13)
                          .trap(before, "f", 12)
                          .trap(after, "f", 13)
                          .trap(returns, "f", 14)
                          .map();
  CHECK(owners(map, {1, 2, 3, 1, 2, 5, 4, 5}) ==
        "1→2 f:10\n2→3 f:11\n3→1 f:12\n1→2 f:10\n2→5 f:11\n5→4 f:12\n4→5 f:11\n5→0 f:14\n");
  CHECK(calls(map, {1, 2, 3, 1, 2, 5, 4, 5}) == "f [0,8) f' [3,5)");
}

TEST_CASE("an exception leaves all calls up to the one that catches it") {
  // p: 10 try {  11 f();  } catch {  13 h;  }  14 }     f: 20 entry 21 g();     g: 30 entry 31 throw
  const TrapMap map = MapMaker()
                          .trap(entry, "p", 9)
                          .trap(before, "p", 10, 14)
                          .trap(before, "p", 11)
                          .trap(handler, "p", 13)
                          .trap(after, "p", 14)
                          .trap(exit, "p", 15)
                          .trap(entry, "f", 20)
                          .trap(before, "f", 21)
                          .trap(entry, "g", 30)
                          .trap(before, "g", 31)
                          .map();
  const std::vector<std::uint32_t> path{1, 2, 3, 7, 8, 9, 10, 4, 5, 6};
  CHECK(owners(map, path) ==
        "1→2 p:9\n2→3 p:10\n3→7 p:11\n7→8 f:20\n8→9 f:21\n9→10 g:30\n10→4 g:31\n4→5 p:13\n5→6 p:10\n6→0 "
        "p:15\n");
  CHECK(calls(map, path) == "p [0,10) f [3,7) g [5,7)");
}

TEST_CASE("an exception in a recursion is caught by the call that is inside the try") {
  // 10 f() {  11 if (n == 0) throw  12 try {  13 f(n - 1);  14 } catch {  15 h;  16 }  }
  const TrapMap map = MapMaker()
                          .trap(entry, "f", 10)
                          .trap(before, "f", 11)
                          .trap(before, "f", 12, 16)
                          .trap(before, "f", 13)
                          .trap(handler, "f", 15)
                          .trap(exit, "f", 17)
                          .map();
  CHECK(calls(map, {1, 2, 3, 4, 1, 2, 5, 6}) == "f [0,8) f' [4,6)");
}

TEST_CASE("a finally block still belongs to the function that is returning") {
  // p: 10 f();      f: 20 entry  21 try { 22 return;  } finally { 24 c; }
  const TrapMap map = MapMaker()
                          .trap(entry, "p", 9)
                          .trap(before, "p", 10)
                          .trap(exit, "p", 11)
                          .trap(entry, "f", 20)
                          .trap(before, "f", 21, 25)
                          .trap(returns, "f", 22)
                          .trap(handler, "f", 24)
                          .map();
  CHECK(owners(map, {1, 2, 4, 5, 6, 7, 3}) ==
        "1→2 p:9\n2→4 p:10\n4→5 f:20\n5→6 f:21\n6→7 f:22\n7→3 f:24\n3→0 p:11\n");
  CHECK(calls(map, {1, 2, 4, 5, 6, 7, 3}) == "p [0,7) f [2,6)");
}

TEST_CASE(
    "in a recursion a finally block belongs to the call that is returning, not to the one further out") {
  const TrapMap map = recursion_with_finally();
  const std::vector<std::uint32_t> path{1, 2, 4, 5, 6, 4, 5, 7, 8, 3};
  CHECK(calls(map, path) == "p [0,9) f [2,9) f' [5,9)");
  CHECK(owners(map, path) ==
        "1→2 p:9\n2→4 p:10\n4→5 f:20\n5→6 f:21\n6→4 f:22\n4→5 f:20\n5→7 f:21\n7→8 f:23\n8→3 f:24\n"
        "3→0 nobody\n");
}

TEST_CASE("in a recursion each call runs its own finally after its return, and no other's") {
  const TrapMap map = recursion_with_finally();
  const std::vector<std::uint32_t> path{1, 2, 4, 5, 6, 4, 5, 7, 8, 7, 8, 3};
  CHECK(calls(map, path) == "p [0,11) f [2,11) f' [5,9)");
}

TEST_CASE("a return outside of the try passes no handler, though both stand in one statement") {
  // 20 f() {  21 if (n > 0) {  22 if (n == 1)  23 return;   24 try {  25 f();  } finally {  26 c;  } 27 }  }
  const TrapMap map = MapMaker()
                          .trap(entry, "f", 20)
                          .trap(before, "f", 21, 27)
                          .trap(before, "f", 22, 23)
                          .trap(returns, "f", 23)
                          .trap(before, "f", 24, 26)
                          .trap(before, "f", 25)
                          .trap(handler, "f", 26)
                          .trap(after, "f", 27)
                          .trap(exit, "f", 28)
                          .map();
  CHECK(calls(map, {1, 2, 3, 5, 6, 1, 2, 3, 4, 7, 8, 9}) == "f [0,12) f' [5,8)");
}

TEST_CASE("an exception that leaves a finally has passed that try") {
  // 20 f() {  21 try {  22 f() or throw;  } finally {  23 c;  }  }
  const TrapMap map = MapMaker()
                          .trap(entry, "f", 20)
                          .trap(before, "f", 21, 24)
                          .trap(before, "f", 22)
                          .trap(handler, "f", 23)
                          .trap(after, "f", 24)
                          .map();
  CHECK(calls(map, {1, 2, 3, 1, 2, 3, 4, 5, 4, 5}) == "f [0,10) f' [3,8)");
}

TEST_CASE(
    "what a return passes without a handler is still of its call where no other call of the function is") {
  // p: 10 f();      f: 20 entry  22 return; and behind it, in a finally without a trap at its beginning, 24
  // c;
  const TrapMap map = MapMaker()
                          .trap(entry, "p", 9)
                          .trap(before, "p", 10)
                          .trap(exit, "p", 11)
                          .trap(entry, "f", 20)
                          .trap(returns, "f", 22)
                          .trap(before, "f", 24)
                          .map();
  CHECK(calls(map, {1, 2, 4, 5, 6, 3}) == "p [0,6) f [2,5)");
}

TEST_CASE("a stop leaves the guards of all calls that lead to it, however deep") {
  // Each calls the next one under a guard of its own; h has two more round its trap.
  const TrapMap map = MapMaker()
                          .trap(entry0, "p", 9)
                          .trap(before, "p", 10)
                          .guards(1)
                          .trap(entry, "f", 20)
                          .trap(before, "f", 21)
                          .guards(3)
                          .trap(entry, "g", 30)
                          .trap(before, "g", 31)
                          .trap(entry, "h", 40)
                          .trap(before, "h", 41)
                          .guards(2)
                          .map();
  std::string text;
  for (const Unwinding& left : attribute(map, path_of({1, 2, 3, 4, 5, 6, 7, 8})).unwinding)
    text += fmt::format("{}+{} ", left.frames, left.guards);
  CHECK(text == "0+0 0+1 1+1 1+4 2+4 2+4 3+4 3+6 ");
}

TEST_CASE("the end of a branch without braces does not end the statement that goes on behind it") {
  // 10 if (x)   11 a;   else   13 b;   where a has no trap of its own but its end has one
  TrapMap map = MapMaker()
                    .trap(entry, "p", 9)
                    .trap(before, "p", 10, 13)
                    .trap(after, "p", 11)
                    .trap(before, "p", 13)
                    .trap(exit, "p", 14)
                    .map();
  map.traps[2].end_offset = map.traps[2].offset;
  CHECK(owners(map, {1, 2, 3, 5}) == "1→2 p:9\n2→3 p:10\n3→5 p:10\n5→0 p:14\n");
}

TEST_CASE("a stop leaves the calls that lead to it, with the guards round them and round itself") {
  // p: 10 try {  11 f();  } finally { 13 x;  14 }     f: 20 entry  21 try {  22 s;  } catch (Exception e) …
  const TrapMap map = MapMaker()
                          .trap(entry0, "p", 9)
                          .trap(entry, "p", 9)
                          .trap(before, "p", 10, 14)
                          .trap(before, "p", 11)
                          .guards(1)
                          .trap(handler, "p", 13)
                          .trap(entry, "f", 20)
                          .trap(before, "f", 21, 23)
                          .trap(before, "f", 22)
                          .guards(2)
                          .trap(exit, "f", 24)
                          .map();
  const Attribution result = attribute(map, path_of({1, 2, 3, 4, 6, 7, 8, 9, 5}));
  std::string text;
  for (const Unwinding& left : result.unwinding) text += fmt::format("{}+{} ", left.frames, left.guards);
  CHECK(text == "0+0 0+0 0+0 0+1 1+1 1+1 1+3 1+1 0+0 ");
}

namespace {

/// "10 ×2 ×5 [2,9) [12,15)" for each loop: line, entries, passes and runs; ' behind those within another run.
std::string loops(const TrapMap& map, const std::vector<std::uint32_t>& traps) {
  const Attribution result = attribute(map, path_of(traps));
  std::string text;
  for (std::uint32_t i = 0; i < result.loops.size(); ++i) {
    text += fmt::format("{} ×{} ×{}", result.loops[i].line, result.loops[i].entries, result.loops[i].passes);
    for (const LoopRun& run : result.loop_runs)
      if (run.loop == i) text += fmt::format(" [{},{}){}", run.begin, run.end, run.outermost ? "" : "'");
    text += "\n";
  }
  return text;
}

/// 9 p() { 10 for (…) { 11 while (…) { 12 b; 13 } 14 } 15 f(); 16 }     f: 20 entry 21 do { 22 f(); 23 } … 24
/// }
TrapMap nested_loops() {
  return MapMaker()
      .trap(entry, "p", 9)
      .trap(before, "p", 10, 14)
      .trap(loop_body, "p", 11, 13)
      .trap(loop_body, "p", 12)
      .trap(after, "p", 13)
      .trap(after, "p", 14)
      .trap(before, "p", 15)
      .trap(exit, "p", 16)
      .trap(entry, "f", 20)
      .trap(before, "f", 21, 23)
      .trap(loop_body, "f", 22)
      .trap(after, "f", 23)
      .trap(exit, "f", 24)
      .map();
}

}  // namespace

TEST_CASE("loops are counted with their passes, from their begin to what comes behind them") {
  CHECK(loops(nested_loops(), {1, 2, 3, 4, 5, 4, 5, 6, 3, 6, 3, 4, 5, 6, 7, 8}) ==
        "10 ×1 ×3 [1,14)\n11 ×2 ×3 [2,7) [10,13)\n");
  CHECK(loops(nested_loops(), {1, 2, 7, 8}).empty());
}

TEST_CASE("a loop that recurs within itself is one run with others inside") {
  CHECK(loops(nested_loops(), {1, 2, 7, 9, 10, 11, 9, 10, 11, 12, 11, 12, 13, 12, 13, 8}) ==
        "21 ×2 ×3 [4,14) [7,12)'\n");
}

TEST_CASE("a loop that an exception leaves ends there") {
  CHECK(loops(nested_loops(), {1, 2, 3, 7, 9, 10, 11, 1, 8}) == "10 ×1 ×1 [1,3)\n21 ×1 ×1 [5,9)\n");
}

TEST_CASE("between markers a block is shown at the later one, after a statement's trap it stays there") {
  const TrapMap map = MapMaker()
                          .trap(entry, "p", 1)
                          .trap(marker, "p", 5)
                          .trap(marker, "p", 8)
                          .trap(before, "p", 9)
                          .trap(marker, "p", 12)
                          .map();
  CHECK(owners(map, {1, 2, 3, 4, 5}) == "1→2 p:5\n2→3 p:8\n3→4 p:8\n4→5 p:9\n5→0 p:12\n");
}

TEST_CASE("markers alone, without entries: a function is entered at its first marker") {
  const TrapMap map = MapMaker().trap(marker, "p", 1).trap(marker, "f", 5).trap(marker, "f", 6).map();
  CHECK(owners(map, {1, 2, 3, 1}) == "1→2 p:1\n2→3 f:6\n3→1 f:6\n1→0 p:1\n");
  CHECK(calls(map, {1, 2, 3, 1}) == "p [0,4) f [1,3)");
}

TEST_CASE("a command that was left by an exception does not hold on to the next one") {
  CHECK(calls(two_calls("java"), {1, 2, 4, 6, 1, 2, 3}) == "p [0,3) f [3,3) p [4,7)");
}

TEST_CASE(
    "in C an entry that is called while a command runs is a call, and the calling line owns the way to it") {
  TrapMap map = two_calls();
  map.language = "c";
  const std::vector<std::uint32_t> traps{1, 2, 4, 1, 2, 3, 5, 1, 2, 5, 3, 5};
  CHECK(owners(map, traps) ==
        "1→2 p:1\n2→4 p:1\n4→1 p:20\n1→2 p:1\n2→3 p:1\n3→5 p:10\n5→1 p:20\n1→2 p:1\n2→5 p:1\n5→3 p:20\n"
        "3→5 p:10\n5→0 p:30\n");
  CHECK(calls(map, traps) == "p [0,12) p' [3,6) p' [7,9)");
}

TEST_CASE("hits and what was never reached come from the path") {
  const TrapMap map = MapMaker()
                          .trap(entry, "p", 1)
                          .trap(loop_body, "p", 2)
                          .trap(before, "p", 3)
                          .trap(after, "p", 4)
                          .trap(before, "p", 3)
                          .map();
  const Attribution result = attribute(map, path_of({1, 2, 2, 2}));
  REQUIRE(result.lines.size() == 2);
  CHECK(result.lines[1].hits == 3);
  CHECK(result.unreached == std::vector<UnreachedLine>{{"A.java", 3, "p"}});
  CHECK(attribute(map, {}).unreached.empty());
  // Where a function ends is no line that a reader asks about.
  const Attribution calls_nobody = attribute(two_calls(), path_of({1, 2, 3, 4, 6, 7}));
  CHECK(calls_nobody.unreached == std::vector<UnreachedLine>{{"A.java", 50, "g"}, {"A.java", 51, "g"}});
}

}  // namespace jcprof::annotator
