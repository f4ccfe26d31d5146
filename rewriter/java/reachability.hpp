// SPDX-License-Identifier: Apache-2.0
// Can a statement complete normally? The rules of the Java Language Specification, 14.22 "Unreachable
// Statements" and 16.1 constant expressions as far as text alone shows them; what cannot be known from one
// file is `maybe`.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "rewriter/java/syntax.hpp"

namespace jcprof::rewriter {

enum class Completes : std::uint8_t { no, maybe, yes };

class JavaReachability {
 public:
  explicit JavaReachability(const JavaSyntax& syntax);

  Completes statement(NodeIndex statement) const;
  /// Statements in a row: a block's, a switch group's. Empty: yes.
  Completes sequence(const std::vector<NodeIndex>& statements) const;

 private:
  // Of a condition. `unknown`: it may be a constant, declared elsewhere or not evaluated here.
  enum class Constant : std::uint8_t { is_true, is_false, unknown, none };

  Constant constant(NodeIndex expression) const;
  Constant constant_unary(NodeIndex expression) const;
  Constant constant_binary(NodeIndex expression) const;
  static Constant combined(std::string_view op, Constant left, Constant right);
  Constant constant_field(NodeIndex expression) const;
  bool is_variable(NodeIndex name) const;
  NodeIndex scope_of(NodeIndex declaration) const;

  Completes if_statement(NodeIndex node) const;
  Completes loop_with_condition(NodeIndex node) const;
  Completes do_statement(NodeIndex node) const;
  Completes switch_statement(NodeIndex node) const;
  Completes try_statement(NodeIndex node) const;
  Completes labeled(NodeIndex node) const;

  enum class Jump : std::uint8_t { break_out, go_on };
  /// A reachable `break` (or `continue`) under `body` that leaves (or goes on with) the statement `target`.
  bool jumps(NodeIndex body, NodeIndex target, Jump jump) const;
  bool aims_at(NodeIndex jump, NodeIndex target) const;
  bool held_by_finally(NodeIndex jump, NodeIndex target) const;

  struct Declared {
    NodeIndex scope = no_node;
    bool maybe_constant = false;
  };

  const JavaSyntax& syntax_;
  std::unordered_map<std::string_view, std::vector<Declared>> variables_;  // declared in the file
};

}  // namespace jcprof::rewriter
