// SPDX-License-Identifier: Apache-2.0
// The walk over a Java syntax tree that makes sites and slots, in the order of the text. Internal to
// front_end.cpp (declarations), initialisers.cpp and statements.cpp (bodies).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/java/reachability.hpp"
#include "rewriter/java/syntax.hpp"
#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

inline constexpr std::string_view java_trap = "{pm}.check({pmc}.{name});";

/// How a `return f(x);` can be held up between the value and the return.
struct ReturnForm {
  bool possible = false;
  std::string open;   // between `return` and the expression
  std::string close;  // between the expression and `;`
};

struct JavaWalk {
  struct Class {
    std::string name;
    bool applet = false;
  };
  /// The function that is being walked.
  struct Frame {
    std::uint32_t function = 0;
    ReturnForm returns = {};
    std::uint32_t guards = 0;  // round what is being walked
  };

  SourceModel& model;
  const JavaSyntax& syntax;
  const std::set<std::string>* applets = nullptr;  // see read_java()
  const JavaReachability reachability{syntax};
  std::vector<Class> classes = {};           // that are being walked, the innermost last
  std::vector<std::string> parameters = {};  // of each function: "(short,byte[])"
  std::vector<NodeIndex> markers = {};       // not yet placed
  int anonymous = 0;                         // classes and lambdas without a name so far
  Frame frame = {};
};

// In front_end.cpp.

/// A value of that type can pass through a function of the runtime.
bool can_pass_through(std::string_view type);
/// A function of the class that is being walked.
std::uint32_t add_function(JavaWalk& walk, const std::string& simple_name, std::size_t offset,
                           std::string parameters);
void type_declaration(JavaWalk& walk, NodeIndex node);
/// Anonymous classes and lambdas anywhere under `node`.
void nested_bodies(JavaWalk& walk, NodeIndex node);
std::uint32_t java_site(JavaWalk& walk, Position position, ByteRange range);
void leave_alone(JavaWalk& walk, NodeIndex node, std::string reason);

// In initialisers.cpp.

/// A declaration of fields: where their values call something, these are a function of their own.
void field(JavaWalk& walk, NodeIndex declaration);
/// super(…) or this(…) of the constructor of that name. True: its entry trap may stand in front of an
/// argument.
bool constructor_call(JavaWalk& walk, NodeIndex invocation, NodeIndex name);

// In statements.cpp.

/// Statements in a row. `first` is the position of the first one that can carry a trap.
void sequence(JavaWalk& walk, const std::vector<NodeIndex>& nodes, Position first);
/// A trap in front of `range`, which it stands for: a statement, a closing brace, or nothing behind a body
/// without braces.
std::uint32_t put_trap(JavaWalk& walk, Position position, ByteRange range);
/// The call that throws a stop again, first in a catch or finally that would swallow it.
void guard(JavaWalk& walk, NodeIndex clause);
/// Finds the comments that are markers.
void collect_markers(JavaWalk& walk);

}  // namespace jcprof::rewriter
