// SPDX-License-Identifier: Apache-2.0
// The walk over a Java syntax tree that builds a SourceModel: sites and slots in the order of the text.
// Internal to front_end.cpp (declarations) and statements.cpp (what stands in bodies).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/java/reachability.hpp"
#include "rewriter/java/syntax.hpp"
#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

inline constexpr std::string_view trap_call = "{pm}.check({pmc}.{name});";

/// How a `return f(x);` can be held up between the value and the return.
struct ReturnForm {
  bool possible = false;
  std::string open;   // between `return` and the expression
  std::string close;  // between the expression and `;`
};

class JavaBuilder {
 public:
  JavaBuilder(SourceModel& model, const JavaSyntax& syntax, const std::set<std::string>* applets)
      : model_(model), syntax_(syntax), applets_(applets), reachability_(syntax) {}

  void build();

 private:
  /// The function being walked.
  struct Frame {
    std::uint32_t function = 0;
    ReturnForm returns;
  };

  /// What the next statement's trap is: the first of a body has a kind of its own.
  struct Position {
    TrapKind kind = TrapKind::before;
    TrapLevel level = TrapLevel::statement;
  };
  static constexpr Position ordinary{TrapKind::before, TrapLevel::statement};
  static constexpr Position first_of_block{TrapKind::before, TrapLevel::block};

  // Declarations, in front_end.cpp.

  void type_declaration(NodeIndex node);
  void in_class(const std::string& name, NodeIndex superclass, NodeIndex body);
  bool is_install(NodeIndex member) const;
  void members(NodeIndex body);
  void method(NodeIndex node);
  std::string why_no_trap(NodeIndex method) const;
  std::string apdu_parameter(NodeIndex method) const;
  bool calls_itself(std::string_view name, NodeIndex body) const;
  std::string parameter_types(NodeIndex method) const;
  std::uint32_t add_function(const std::string& simple_name, std::size_t offset);

  /// Functions that share a name are told apart by their parameters.
  void name_overloads();
  void function_body(const Frame& frame, NodeIndex name, NodeIndex body, const std::string& apdu);

  // Statements, in statements.cpp.

  /// Statements in a row. `first` is the position of the first one that can carry a trap.
  void sequence(const Frame& frame, const std::vector<NodeIndex>& nodes, Position first);

  /// True when a site was made in front of it.
  bool statement(const Frame& frame, NodeIndex node, Position position);
  /// The statement behind its labels.
  NodeIndex labelled(NodeIndex node) const;
  void before_trap(const Frame& frame, NodeIndex node, Position position);

  /// What stands within a statement whose own trap is set.
  void inside(const Frame& frame, NodeIndex node);
  void if_statement(const Frame& frame, NodeIndex node);
  void block(const Frame& frame, NodeIndex node, Position first);

  /// The body of a loop or an if: a block, or one statement that needs braces once it has a trap.
  void branch(const Frame& frame, NodeIndex node, Position position);
  /// [at, end) is the closing brace, or nothing behind a body without braces.
  std::uint32_t end_trap(const Frame& frame, Position position, std::size_t at, std::size_t end);
  void switch_block(const Frame& frame, NodeIndex body);

  /// `case X -> …`: only a block can take a trap without becoming something else.
  void switch_rule(const Frame& frame, NodeIndex rule);
  void handler(const Frame& frame, NodeIndex clause);
  bool needs_guard(NodeIndex clause) const;
  /// Guards of the `try` that a stop within `part` of it, its body or a clause, passes.
  std::uint32_t guards_round(NodeIndex part) const;
  /// The call that throws a stop again, first in a catch or finally that would swallow it.
  void guard(NodeIndex clause);
  void return_statement(const Frame& frame, NodeIndex node, Position position);

  /// A lambda or a method reference takes its type from where it stands, and would have none as an argument.
  bool needs_target_type(NodeIndex node) const;
  /// A value that takes no time of its own: one trap serves for its statement and for the return.
  bool is_trivial(NodeIndex node) const;
  bool has_initialiser(NodeIndex declaration) const;

  // Markers by hand, in statements.cpp.

  void collect_markers();

  /// `// PM_CHECK` or `// PM_CHECK name`: the name, empty where there is none.
  std::optional<std::string> marker_name(NodeIndex node) const;
  void marker_comment(const Frame& frame, NodeIndex comment, NodeIndex previous);

  /// The ancestor's `PM.check(PMC.TRAP_x);`: the user's own text stays and gets its number through PMC.
  bool is_marker_call(NodeIndex statement) const { return !marker_call_name(statement).empty(); }

  std::string marker_call_name(NodeIndex statement) const;
  void marker_call(const Frame& frame, NodeIndex node);

  /// Anonymous classes and lambdas anywhere under `node`, in the order of the text.
  void nested_bodies(NodeIndex node);

  // The model.

  std::uint32_t site(const Frame& frame, Position position, std::size_t begin, std::size_t end);
  void slot(std::size_t at, std::string text, std::vector<std::uint32_t> wanted_by);
  void leave_alone(NodeIndex node, std::string reason);
  void collect_literals();
  bool in_array(NodeIndex literal) const;
  /// What matters for the names of the runtime: SourceModel's `declared`, `called_constants` and
  /// `is_old_runtime`.
  void collect_names();
  void collect_constant(NodeIndex access);

  struct Class {
    std::string name;
    bool applet = false;
  };

  SourceModel& model_;
  const JavaSyntax& syntax_;
  const std::set<std::string>* applets_;  // see read_java()
  const JavaReachability reachability_;
  std::vector<Class> classes_;
  std::vector<std::string> parameters_;  // of each function: "(short,byte[])"
  std::vector<NodeIndex> markers_;       // not yet placed
  int anonymous_ = 0;
  std::uint32_t guards_ = 0;  // round what is being walked, in its function
};

}  // namespace jcprof::rewriter
