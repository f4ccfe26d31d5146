// SPDX-License-Identifier: Apache-2.0
// Which statements can complete normally: the rules of the Java language specification, section 14.22.
// "Maybe" is right where only the compiler knows a constant.
#include "rewriter/java/reachability.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace jcprof::rewriter {
namespace {

/// The answer for the first block of `source` with this text.
Completes block_in(const std::string& source, const std::string& block) {
  const JavaSyntax syntax("A.java", source);
  const JavaReachability reachability(syntax);
  for (NodeIndex i = 0; i < syntax.count(); ++i)
    if (syntax[i].type == "block" && syntax.text(i) == block) return reachability.statement(i);
  FAIL("no such block: " << block);
  return Completes::maybe;
}

/// The answer for a method of these statements. `x` is a parameter, and `list` has an unknown type.
Completes completes(const std::string& statements) {
  const std::string body = "{ " + statements + " }";
  return block_in("class A { void f(boolean x, Object list) " + body + " }", body);
}

/// The elements of `all` with a wrong answer.
std::vector<std::string> others_than(Completes wanted, const std::vector<std::string>& all) {
  std::vector<std::string> others;
  for (const std::string& statements : all)
    if (completes(statements) != wanted) others.push_back(statements);
  return others;
}

const std::vector<std::string> none;

}  // namespace

TEST_CASE("a jump does not complete, and a block does as its last statement does") {
  CHECK(others_than(Completes::yes, {"", "g();", "int y = 1;", ";", "{ g(); }", "assert x;"}) == none);
  CHECK(others_than(Completes::no, {"return;", "throw new Error();", "g(); return;", "{ return; }",
                                    "synchronized (this) { return; }"}) == none);
  CHECK(block_in("class A { int f(int x) { return switch (x) { default -> { yield 1; } }; } }",
                 "{ yield 1; }") == Completes::no);
}

TEST_CASE("an if completes unless all its branches do not and there is an else") {
  CHECK(others_than(Completes::yes, {"if (x) return;", "if (true) return;", "if (x) return; else g();",
                                     "if (x) g(); else return;", "if (x) return; else if (x) return;",
                                     "if (x) g(); else if (x) return; else return;"}) == none);
  CHECK(others_than(Completes::no, {"if (x) return; else return;",
                                    "if (x) return; else if (x) return; else return;"}) == none);
}

TEST_CASE("a loop for ever completes by a break of its own only") {
  CHECK(
      others_than(Completes::no,
                  {"while (true) { }", "for (;;) { g(); }", "for (; true; ) { }", "do { } while (true);",
                   "while (true) { while (x) { break; } }", "while (true) { switch (1) { case 1: break; } }",
                   "a: while (true) { while (x) { continue a; } }",
                   "while (true) { new Object() { void h(boolean y) { while (y) break; } }; }"}) == none);
  CHECK(others_than(Completes::yes, {"while (x) { }", "for (; x; ) { return; }", "while (true) { break; }",
                                     "for (;;) { if (x) break; }", "do { break; } while (true);",
                                     "a: while (true) { while (x) { break a; } }",
                                     "for (Object o : list) { return; }"}) == none);
}

TEST_CASE("a do completes when its condition is reached, or by a break") {
  CHECK(others_than(Completes::no, {"do { return; } while (x);", "do { g(); } while (true);",
                                    "do { if (x) continue; return; } while (true);"}) == none);
  CHECK(others_than(Completes::yes, {"do { g(); } while (x);", "do { if (x) continue; return; } while (x);",
                                     "do { switch (1) { default: continue; } } while (x);",
                                     "a: do { while (true) { continue a; } } while (x);"}) == none);
  CHECK(others_than(Completes::maybe, {"do { g(); } while (C);"}) == none);
  CHECK(others_than(Completes::no, {"do { return; } while (C);"}) == none);
}

TEST_CASE("a switch completes by its end, a break or for want of a default") {
  CHECK(others_than(Completes::yes, {"switch (1) { }", "switch (1) { case 1: return; }",
                                     "switch (1) { case 1: g(); break; default: return; }",
                                     "switch (1) { default: return; case 1: g(); }",
                                     "switch (1) { case 1: return; default: }",
                                     "switch (1) { case 1 -> { g(); } default -> { return; } }",
                                     "switch (1) { case 1 -> { return; } default -> { g(); } }"}) == none);
  CHECK(others_than(Completes::no, {"switch (1) { case 1: return; default: return; }",
                                    "switch (1) { case 1 -> { return; } default -> { return; } }"}) == none);
  // Rules without a default may be of an enumeration, and have all of it.
  CHECK(others_than(Completes::maybe, {"switch (1) { case 1 -> { return; } }"}) == none);
}

TEST_CASE("a try completes by its block or a handler, if its finally does") {
  CHECK(others_than(Completes::yes,
                    {"try { return; } catch (Error e) { g(); }", "try { g(); } catch (Error e) { return; }",
                     "try { g(); } finally { h(); }"}) == none);
  CHECK(others_than(Completes::no,
                    {"try { return; } catch (Error e) { return; }", "try { g(); } finally { return; }",
                     "try { return; } finally { g(); }"}) == none);
}

TEST_CASE("a finally that does not complete swallows the break that passes it, not its own") {
  CHECK(others_than(Completes::no, {"while (true) { try { break; } finally { return; } }"}) == none);
  CHECK(others_than(Completes::yes, {"while (true) { try { break; } finally { g(); } }",
                                     "while (true) { try { g(); } finally { break; } }"}) == none);
  CHECK(completes("while (true) { try { break; } finally { while (C) { } } }") != Completes::yes);
}

TEST_CASE("a labelled statement completes as what it labels, or by a break to it") {
  CHECK(others_than(Completes::yes, {"a: { if (x) break a; return; }", "a: { g(); }", "a: ;"}) == none);
  CHECK(others_than(Completes::no, {"a: { return; }", "a: { b: { break b; } return; }"}) == none);
}

TEST_CASE("constant conditions are evaluated as far as they are of true and false") {
  CHECK(others_than(Completes::no, {"do { } while (true && true);", "do { } while (false || true);",
                                    "do { } while (true == true);", "do { } while (true != false);",
                                    "do { } while (true ^ false);", "do { } while (!false);",
                                    "do { } while ((true));", "do { } while (false & false | true);"}) ==
        none);
  CHECK(others_than(Completes::yes, {"do { } while (true && false);", "do { } while (false || false);",
                                     "do { } while (true == false);", "do { } while (false != false);",
                                     "do { } while (true ^ true);", "do { } while (!true);"}) == none);
  CHECK(others_than(Completes::maybe, {"do { } while (1 == 1);", "do { } while (C);", "do { } while (A.C);",
                                       "do { } while (C && true);", "do { } while ((boolean) C);",
                                       "do { } while (true ? true : C);"}) == none);
  // An expression with a variable or a call is never constant.
  CHECK(others_than(Completes::yes,
                    {"do { } while (x && true);", "do { } while (true || x);", "do { } while (!x);",
                     "do { } while (g());", "do { } while (x ? true : true);", "do { } while (list.f);",
                     "do { } while (this.f);", "do { } while ((boolean) x);",
                     "do { } while (true == g());"}) == none);
}

TEST_CASE("a name is a variable where one is in scope that cannot be constant") {
  CHECK(others_than(Completes::yes,
                    {"boolean c = true; while (c) { }", "final boolean c; c = true; while (c) { }",
                     "for (boolean c : list) { while (c) { } }", "boolean c = g(); { while (c) { } }"}) ==
        none);
  CHECK(others_than(Completes::maybe,
                    {"final boolean c = true; while (c) { }", "{ boolean c = g(); } while (c) { }",
                     "for (boolean c : list) { } while (c) { }",
                     "for (boolean c = x; c; ) { } while (c) { }"}) == none);
  // Fields of interfaces are constant without saying so.
  CHECK(block_in("interface I { boolean C = true; default void f() { while (C) { } } }",
                 "{ while (C) { } }") == Completes::maybe);
  CHECK(block_in("class A { boolean c = true; void f() { while (c) { } } }", "{ while (c) { } }") ==
        Completes::yes);
}

}  // namespace jcprof::rewriter
