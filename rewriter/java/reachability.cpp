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

}  // namespace

JavaReachability::JavaReachability(const JavaSyntax& syntax) : syntax_(syntax) {
  constexpr auto declarations =
      std::to_array<std::string_view>({"variable_declarator", "formal_parameter", "catch_formal_parameter",
                                       "enhanced_for_statement", "resource", "spread_parameter"});
  for (NodeIndex i = 0; i < syntax_.count(); ++i) {
    const std::string_view type = syntax_[i].type;
    const NodeIndex name = is_one_of(type, declarations) ? syntax_.child(i, "name") : no_node;
    if (name == no_node) continue;
    const NodeIndex declaration = syntax_[i].parent;
    const NodeIndex modifiers =
        type == "variable_declarator" ? syntax_.child_of_type(declaration, "modifiers") : no_node;
    const bool is_final = modifiers != no_node && syntax_.has_child_of_type(modifiers, "final");
    const bool maybe_constant = syntax_.child(i, "value") != no_node && type == "variable_declarator" &&
                                (is_final || syntax_[declaration].type == "constant_declaration");
    variables_[syntax_.text(name)].push_back({scope_of(i), maybe_constant});
  }
}

/// The block, class body, method or statement that a declaration is known in.
NodeIndex JavaReachability::scope_of(NodeIndex declaration) const {
  if (syntax_[declaration].type == "enhanced_for_statement") return declaration;
  NodeIndex scope = syntax_[declaration].parent;
  while (is_one_of(syntax_[scope].type,
                   {"field_declaration", "constant_declaration", "local_variable_declaration",
                    "formal_parameters", "resource_specification"}))
    scope = syntax_[scope].parent;
  return scope;
}

Completes JavaReachability::sequence(const std::vector<NodeIndex>& statements) const {
  // Anything behind a statement that cannot complete would not have compiled: the last one decides.
  for (auto i = statements.rbegin(); i != statements.rend(); ++i)
    if (is_java_statement(syntax_[*i].type)) return statement(*i);
  return Completes::yes;
}

Completes JavaReachability::statement(NodeIndex node) const {
  const std::string_view type = syntax_[node].type;
  if (type == "block" || type == "constructor_body") return sequence(syntax_.children(node));
  if (is_one_of(type, {"return_statement", "throw_statement", "break_statement", "continue_statement",
                       "yield_statement"}))
    return Completes::no;
  if (type == "if_statement") return if_statement(node);
  if (type == "while_statement" || type == "for_statement") return loop_with_condition(node);
  if (type == "do_statement") return do_statement(node);
  if (type == "switch_expression") return switch_statement(node);
  if (type == "try_statement" || type == "try_with_resources_statement") return try_statement(node);
  if (type == "labeled_statement") return labeled(node);
  if (type == "synchronized_statement") return statement(syntax_.child(node, "body"));
  return Completes::yes;  // expressions, declarations, enhanced for, assert, ;
}

Completes JavaReachability::if_statement(NodeIndex node) const {
  Completes result = Completes::no;
  for (NodeIndex i = node; syntax_[i].type == "if_statement";) {
    result = either(result, statement(syntax_.child(i, "consequence")));
    i = syntax_.child(i, "alternative");
    if (i == no_node) return Completes::yes;  // whatever the condition: JLS makes an exception for `if`
    if (syntax_[i].type != "if_statement") return either(result, statement(i));
  }
  return result;
}

Completes JavaReachability::loop_with_condition(NodeIndex node) const {
  if (jumps(syntax_.child(node, "body"), node, Jump::break_out)) return Completes::yes;
  const NodeIndex condition = syntax_.child(node, "condition");
  if (condition == no_node) return Completes::no;  // for(;;)
  switch (constant(condition)) {
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

Completes JavaReachability::do_statement(NodeIndex node) const {
  const NodeIndex body = syntax_.child(node, "body");
  if (jumps(body, node, Jump::break_out)) return Completes::yes;
  const Completes to_condition = jumps(body, node, Jump::go_on) ? Completes::yes : statement(body);
  switch (constant(syntax_.child(node, "condition"))) {
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

Completes JavaReachability::switch_statement(NodeIndex node) const {
  const NodeIndex body = syntax_.child(node, "body");
  if (jumps(body, node, Jump::break_out)) return Completes::yes;
  bool has_default = false;
  Completes last = Completes::yes;
  Completes any_rule = Completes::no;
  bool has_rules = false;
  for (const NodeIndex group : syntax_.named_children(body)) {
    for (const NodeIndex label : syntax_.children(group))
      if (syntax_[label].type == "switch_label" && syntax_.has_child_of_type(label, "default"))
        has_default = true;
    last = sequence(syntax_.named_children(group));
    if (syntax_[group].type == "switch_rule") {
      has_rules = true;
      any_rule = either(any_rule, last);
    }
  }
  if (!has_default)
    return has_rules ? Completes::maybe : Completes::yes;  // rules over an enum may be exhaustive
  return has_rules ? any_rule : last;
}

Completes JavaReachability::try_statement(NodeIndex node) const {
  Completes result = statement(syntax_.child(node, "body"));
  for (const NodeIndex clause : syntax_.children(node)) {
    if (syntax_[clause].type == "catch_clause")
      result = either(result, statement(syntax_.child(clause, "body")));
    if (syntax_[clause].type == "finally_clause")
      result = both(result, statement(syntax_.child_of_type(clause, "block")));
  }
  return result;
}

Completes JavaReachability::labeled(NodeIndex node) const {
  const std::vector<NodeIndex> children = syntax_.named_children(node);
  const NodeIndex inner = children.size() > 1 ? children.back() : syntax_.child_of_type(node, ";");
  if (inner == no_node || jumps(inner, node, Jump::break_out)) return Completes::yes;
  return statement(inner);
}

bool JavaReachability::jumps(NodeIndex body, NodeIndex target, Jump jump) const {
  const std::string_view wanted = jump == Jump::break_out ? "break_statement" : "continue_statement";
  for (NodeIndex i = body; i < body + syntax_[body].subtree;) {
    if (is_one_of(syntax_[i].type, {"class_body", "lambda_expression"})) {  // no jump leaves these
      i += syntax_[i].subtree;
      continue;
    }
    if (syntax_[i].type == wanted && aims_at(i, target) && !held_by_finally(i, target)) return true;
    ++i;
  }
  return false;
}

bool JavaReachability::aims_at(NodeIndex jump, NodeIndex target) const {
  const NodeIndex label = syntax_.child_of_type(jump, "identifier");
  const bool is_continue = syntax_[jump].type == "continue_statement";
  for (NodeIndex i = syntax_[jump].parent; i != no_node; i = syntax_[i].parent) {
    const std::string_view type = syntax_[i].type;
    if (label == no_node) {
      if (is_java_loop(type) || (!is_continue && type == "switch_expression")) return i == target;
    } else if (type == "labeled_statement" &&
               syntax_.text(syntax_.child_of_type(i, "identifier")) == syntax_.text(label)) {
      // `continue label` goes on with the loop that the label names, `break label` leaves the labelled
      // statement.
      const bool names_target = syntax_[target].parent == i && is_continue;
      return i == target || names_target;
    }
  }
  return false;
}

/// A `finally` on the way that cannot complete swallows the jump.
bool JavaReachability::held_by_finally(NodeIndex jump, NodeIndex target) const {
  for (NodeIndex i = jump; i != target && i != no_node; i = syntax_[i].parent) {
    const NodeIndex parent = syntax_[i].parent;
    if (parent == no_node || !syntax_[parent].type.starts_with("try_") || syntax_[i].type == "finally_clause")
      continue;
    const NodeIndex clause = syntax_.child_of_type(parent, "finally_clause");
    if (clause != no_node && statement(syntax_.child_of_type(clause, "block")) != Completes::yes) return true;
  }
  return false;
}

JavaReachability::Constant JavaReachability::constant(NodeIndex node) const {
  const std::string_view type = syntax_[node].type;
  if (type == "true") return Constant::is_true;
  if (type == "false") return Constant::is_false;
  if (type == "parenthesized_expression") return constant(syntax_.named_children(node).front());
  if (type == "binary_expression") return constant_binary(node);
  if (type == "identifier") return is_variable(node) ? Constant::none : Constant::unknown;
  if (type.ends_with("_literal")) return Constant::unknown;
  if (type == "cast_expression")
    return constant(syntax_.child(node, "value")) == Constant::none ? Constant::none : Constant::unknown;
  if (type == "unary_expression") return constant_unary(node);
  if (type == "ternary_expression") {
    const auto parts = syntax_.named_children(node);
    const bool none =
        std::ranges::any_of(parts, [&](NodeIndex part) { return constant(part) == Constant::none; });
    return none ? Constant::none : Constant::unknown;
  }
  if (type == "field_access") return constant_field(node);
  return Constant::none;  // calls, assignments, array elements, new, instanceof
}

JavaReachability::Constant JavaReachability::constant_unary(NodeIndex node) const {
  const Constant operand = constant(syntax_.child(node, "operand"));
  if (operand == Constant::none) return operand;
  if (syntax_.text(syntax_.child(node, "operator")) != "!") return Constant::unknown;
  if (operand == Constant::is_true) return Constant::is_false;
  return operand == Constant::is_false ? Constant::is_true : operand;
}

/// Only TypeName.NAME can be constant; a variable's field never is.
JavaReachability::Constant JavaReachability::constant_field(NodeIndex node) const {
  const NodeIndex object = syntax_.child(node, "object");
  const bool variable = syntax_[object].type == "this" || is_variable(object);
  return variable ? Constant::none : Constant::unknown;
}

/// A name surely stands for a variable only where one of this file is in scope, and no constant of that name
/// is.
bool JavaReachability::is_variable(NodeIndex name) const {
  const auto declared = variables_.find(syntax_.text(name));
  if (declared == variables_.end()) return false;
  bool found = false;
  for (const auto& [scope, maybe_constant] : declared->second) {
    if (name < scope || name >= scope + syntax_[scope].subtree) continue;
    if (maybe_constant) return false;
    found = true;
  }
  return found;
}

JavaReachability::Constant JavaReachability::constant_binary(NodeIndex node) const {
  std::vector<NodeIndex> row;  // `a + b + c` leans to the left
  NodeIndex first = node;
  for (; syntax_[first].type == "binary_expression"; first = syntax_.child(first, "left"))
    row.push_back(first);
  Constant value = constant(first);
  for (auto i = row.rbegin(); i != row.rend(); ++i)
    value =
        combined(syntax_.text(syntax_.child(*i, "operator")), value, constant(syntax_.child(*i, "right")));
  return value;
}

JavaReachability::Constant JavaReachability::combined(std::string_view op, Constant left, Constant right) {
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

}  // namespace jcprof::rewriter
