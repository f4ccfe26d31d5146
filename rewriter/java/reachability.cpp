// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/reachability.hpp"

#include <algorithm>
#include <array>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

Completes either(Completes a, Completes b) {
  return std::max(a, b);
}
Completes both(Completes a, Completes b) {
  return std::min(a, b);
}

// A condition. `unknown`: it may be a constant that is declared elsewhere or not evaluated here.
enum class Constant : std::uint8_t { is_true, is_false, unknown, none };
enum class Jump : std::uint8_t { break_out, go_on };

Constant constant(const JavaReachability& in, NodeIndex node);

/// The block, class body, method or statement that a declaration is known in.
NodeIndex scope_of(const JavaReachability& in, NodeIndex declaration) {
  if (in.syntax[declaration].type == "enhanced_for_statement") return declaration;
  NodeIndex scope = in.syntax[declaration].parent;
  while (is_one_of(in.syntax[scope].type,
                   {"field_declaration", "constant_declaration", "local_variable_declaration",
                    "formal_parameters", "resource_specification"}))
    scope = in.syntax[scope].parent;
  return scope;
}

/// A name surely stands for a variable only where one of this file is in scope, and no constant of that name
/// is.
bool is_variable(const JavaReachability& in, NodeIndex name) {
  const auto declared = in.variables.find(in.syntax.text(name));
  if (declared == in.variables.end()) return false;
  bool found = false;
  for (const auto& [scope, maybe_constant] : declared->second) {
    if (name < scope || name >= scope + in.syntax[scope].subtree) continue;
    if (maybe_constant) return false;
    found = true;
  }
  return found;
}

Constant combined(std::string_view op, Constant left, Constant right) {
  if (left == Constant::none || right == Constant::none) return Constant::none;
  if (left == Constant::unknown || right == Constant::unknown) return Constant::unknown;
  const bool a = left == Constant::is_true;
  const bool b = right == Constant::is_true;
  const auto as_constant = [](bool value) { return value ? Constant::is_true : Constant::is_false; };
  if (op == "&&" || op == "&") return as_constant(a && b);
  if (op == "||" || op == "|") return as_constant(a || b);
  if (op == "==") return as_constant(a == b);
  if (op == "!=" || op == "^") return as_constant(a != b);
  return Constant::unknown;
}

Constant constant_binary(const JavaReachability& in, NodeIndex node) {
  std::vector<NodeIndex> row;  // `a + b + c` leans to the left
  NodeIndex first = node;
  for (; in.syntax[first].type == "binary_expression"; first = in.syntax.child(first, "left"))
    row.push_back(first);
  Constant value = constant(in, first);
  for (auto i = row.rbegin(); i != row.rend(); ++i)
    value = combined(in.syntax.text(in.syntax.child(*i, "operator")), value,
                     constant(in, in.syntax.child(*i, "right")));
  return value;
}

Constant constant_unary(const JavaReachability& in, NodeIndex node) {
  const Constant operand = constant(in, in.syntax.child(node, "operand"));
  if (operand == Constant::none) return operand;
  if (in.syntax.text(in.syntax.child(node, "operator")) != "!") return Constant::unknown;
  if (operand == Constant::is_true) return Constant::is_false;
  return operand == Constant::is_false ? Constant::is_true : operand;
}

/// Only TypeName.NAME can be constant; a variable's field never is.
Constant constant_field(const JavaReachability& in, NodeIndex node) {
  const NodeIndex object = in.syntax.child(node, "object");
  const bool variable = in.syntax[object].type == "this" || is_variable(in, object);
  return variable ? Constant::none : Constant::unknown;
}

Constant constant(const JavaReachability& in, NodeIndex node) {
  const std::string_view type = in.syntax[node].type;
  if (type == "true") return Constant::is_true;
  if (type == "false") return Constant::is_false;
  if (type == "parenthesized_expression") return constant(in, in.syntax.named_children(node).front());
  if (type == "binary_expression") return constant_binary(in, node);
  if (type == "identifier") return is_variable(in, node) ? Constant::none : Constant::unknown;
  if (type.ends_with("_literal")) return Constant::unknown;
  if (type == "cast_expression")
    return constant(in, in.syntax.child(node, "value")) == Constant::none ? Constant::none
                                                                          : Constant::unknown;
  if (type == "unary_expression") return constant_unary(in, node);
  if (type == "ternary_expression") {
    const auto parts = in.syntax.named_children(node);
    const bool none =
        std::ranges::any_of(parts, [&](NodeIndex part) { return constant(in, part) == Constant::none; });
    return none ? Constant::none : Constant::unknown;
  }
  if (type == "field_access") return constant_field(in, node);
  return Constant::none;  // calls, assignments, array elements, new, instanceof
}

/// A `finally` on the way that cannot complete swallows the jump.
bool held_by_finally(const JavaReachability& in, NodeIndex jump, NodeIndex target) {
  for (NodeIndex i = jump; i != target && i != no_node; i = in.syntax[i].parent) {
    const NodeIndex parent = in.syntax[i].parent;
    if (parent == no_node || !in.syntax[parent].type.starts_with("try_") ||
        in.syntax[i].type == "finally_clause")
      continue;
    const NodeIndex clause = in.syntax.child_of_type(parent, "finally_clause");
    if (clause != no_node && in.statement(in.syntax.child_of_type(clause, "block")) != Completes::yes)
      return true;
  }
  return false;
}

bool aims_at(const JavaReachability& in, NodeIndex jump, NodeIndex target) {
  const NodeIndex label = in.syntax.child_of_type(jump, "identifier");
  const bool is_continue = in.syntax[jump].type == "continue_statement";
  for (NodeIndex i = in.syntax[jump].parent; i != no_node; i = in.syntax[i].parent) {
    const std::string_view type = in.syntax[i].type;
    if (label == no_node) {
      if (is_java_loop(type) || (!is_continue && type == "switch_expression")) return i == target;
    } else if (type == "labeled_statement" &&
               in.syntax.text(in.syntax.child_of_type(i, "identifier")) == in.syntax.text(label)) {
      // `continue label` goes on with the loop that the label names, `break label` leaves the labelled
      // statement.
      const bool names_target = in.syntax[target].parent == i && is_continue;
      return i == target || names_target;
    }
  }
  return false;
}

/// A reachable `break` (or `continue`) under `body` that leaves (or goes on with) the statement `target`.
bool jumps(const JavaReachability& in, NodeIndex body, NodeIndex target, Jump jump) {
  const std::string_view wanted = jump == Jump::break_out ? "break_statement" : "continue_statement";
  for (NodeIndex i = body; i < body + in.syntax[body].subtree;) {
    if (is_one_of(in.syntax[i].type, {"class_body", "lambda_expression"})) {  // no jump leaves these
      i += in.syntax[i].subtree;
      continue;
    }
    if (in.syntax[i].type == wanted && aims_at(in, i, target) && !held_by_finally(in, i, target)) return true;
    ++i;
  }
  return false;
}

Completes if_statement(const JavaReachability& in, NodeIndex node) {
  Completes result = Completes::no;
  for (NodeIndex i = node; in.syntax[i].type == "if_statement";) {
    result = either(result, in.statement(in.syntax.child(i, "consequence")));
    i = in.syntax.child(i, "alternative");
    if (i == no_node) return Completes::yes;  // whatever the condition: JLS makes an exception for `if`
    if (in.syntax[i].type != "if_statement") return either(result, in.statement(i));
  }
  return result;
}

Completes loop_with_condition(const JavaReachability& in, NodeIndex node) {
  if (jumps(in, in.syntax.child(node, "body"), node, Jump::break_out)) return Completes::yes;
  const NodeIndex condition = in.syntax.child(node, "condition");
  if (condition == no_node) return Completes::no;  // for(;;)
  switch (constant(in, condition)) {
    case Constant::is_true:
      return Completes::no;
    case Constant::unknown:
      return Completes::maybe;
    case Constant::is_false:
    case Constant::none:
      return Completes::yes;
  }
  return Completes::maybe;
}

Completes do_statement(const JavaReachability& in, NodeIndex node) {
  const NodeIndex body = in.syntax.child(node, "body");
  if (jumps(in, body, node, Jump::break_out)) return Completes::yes;
  const Completes to_condition = jumps(in, body, node, Jump::go_on) ? Completes::yes : in.statement(body);
  switch (constant(in, in.syntax.child(node, "condition"))) {
    case Constant::is_true:
      return Completes::no;
    case Constant::unknown:
      return both(to_condition, Completes::maybe);
    case Constant::is_false:
    case Constant::none:
      return to_condition;
  }
  return Completes::maybe;
}

Completes switch_statement(const JavaReachability& in, NodeIndex node) {
  const NodeIndex body = in.syntax.child(node, "body");
  if (jumps(in, body, node, Jump::break_out)) return Completes::yes;
  bool has_default = false;
  Completes last = Completes::yes;
  Completes any_rule = Completes::no;
  bool has_rules = false;
  for (const NodeIndex group : in.syntax.named_children(body)) {
    for (const NodeIndex label : in.syntax.children(group))
      if (in.syntax[label].type == "switch_label" && in.syntax.has_child_of_type(label, "default"))
        has_default = true;
    last = in.sequence(in.syntax.named_children(group));
    if (in.syntax[group].type == "switch_rule") {
      has_rules = true;
      any_rule = either(any_rule, last);
    }
  }
  if (!has_default)
    return has_rules ? Completes::maybe : Completes::yes;  // rules over an enum may be exhaustive
  return has_rules ? any_rule : last;
}

Completes try_statement(const JavaReachability& in, NodeIndex node) {
  Completes result = in.statement(in.syntax.child(node, "body"));
  for (const NodeIndex clause : in.syntax.children(node)) {
    if (in.syntax[clause].type == "catch_clause")
      result = either(result, in.statement(in.syntax.child(clause, "body")));
    if (in.syntax[clause].type == "finally_clause")
      result = both(result, in.statement(in.syntax.child_of_type(clause, "block")));
  }
  return result;
}

Completes labeled(const JavaReachability& in, NodeIndex node) {
  const std::vector<NodeIndex> children = in.syntax.named_children(node);
  const NodeIndex inner = children.size() > 1 ? children.back() : in.syntax.child_of_type(node, ";");
  if (inner == no_node || jumps(in, inner, node, Jump::break_out)) return Completes::yes;
  return in.statement(inner);
}

}  // namespace

JavaReachability::JavaReachability(const JavaSyntax& read) : syntax(read) {
  constexpr auto declarations =
      std::to_array<std::string_view>({"variable_declarator", "formal_parameter", "catch_formal_parameter",
                                       "enhanced_for_statement", "resource", "spread_parameter"});
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    const std::string_view type = syntax[i].type;
    const NodeIndex name = is_one_of(type, declarations) ? syntax.child(i, "name") : no_node;
    if (name == no_node) continue;
    const NodeIndex declaration = syntax[i].parent;
    const NodeIndex modifiers =
        type == "variable_declarator" ? syntax.child_of_type(declaration, "modifiers") : no_node;
    const bool is_final = modifiers != no_node && syntax.has_child_of_type(modifiers, "final");
    const bool maybe_constant = syntax.child(i, "value") != no_node && type == "variable_declarator" &&
                                (is_final || syntax[declaration].type == "constant_declaration");
    variables[syntax.text(name)].push_back({scope_of(*this, i), maybe_constant});
  }
}

Completes JavaReachability::sequence(const std::vector<NodeIndex>& statements) const {
  // Anything behind a statement that cannot complete would not have compiled: the last one decides.
  for (auto i = statements.rbegin(); i != statements.rend(); ++i)
    if (is_java_statement(syntax[*i].type)) return statement(*i);
  return Completes::yes;
}

Completes JavaReachability::statement(NodeIndex node) const {
  const std::string_view type = syntax[node].type;
  if (type == "block" || type == "constructor_body") return sequence(syntax.children(node));
  if (is_one_of(type, {"return_statement", "throw_statement", "break_statement", "continue_statement",
                       "yield_statement"}))
    return Completes::no;
  if (type == "if_statement") return if_statement(*this, node);
  if (type == "while_statement" || type == "for_statement") return loop_with_condition(*this, node);
  if (type == "do_statement") return do_statement(*this, node);
  if (type == "switch_expression") return switch_statement(*this, node);
  if (type == "try_statement" || type == "try_with_resources_statement") return try_statement(*this, node);
  if (type == "labeled_statement") return labeled(*this, node);
  if (type == "synchronized_statement") return statement(syntax.child(node, "body"));
  return Completes::yes;  // expressions, declarations, enhanced for, assert, ;
}

}  // namespace jcprof::rewriter
