// SPDX-License-Identifier: Apache-2.0
// Java programs of nested statements for the rewriter's property test. A program is a value without any rule:
// rapidcheck generates and shrinks it. Writing it as Java is what makes it legal, by the rules of the
// language (JLS 11.2, 14.22, 16), known from how each statement was built and not from the rewriter's own
// reading of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

namespace jcprof::rewriter {

enum class Kind : std::uint8_t {
  step,
  assign,
  declare,
  call,
  marker,
  leave,  // return, throw
  jump,   // break, continue
  block,
  when,
  loop,
  labelled,
  choose,  // switch
  attempt,
  nested_class,
  assigned_late,  // a variable that gets its value in branches
  method
};

struct Shape;
using Body = std::vector<Shape>;

struct Shape {
  Kind kind = Kind::step;
  std::uint64_t pick = 0;   // everything about it that is to be chosen; 0 is the simplest
  std::vector<Body> parts;  // as many as the kind may need
};

/// Its methods; the first is what is run. Empty: nothing.
using Program = std::vector<Shape>;

rc::Gen<Program> programs();

/// Stands in front of the closing brace of each block that can be left there.
inline constexpr std::string_view reachable_end = "/* reachable */";

/// A class that implements World.Program (tests/rewriter/nestings), and that compiles.
std::string java_class(const std::string& name, const Program& program);

}  // namespace jcprof::rewriter
