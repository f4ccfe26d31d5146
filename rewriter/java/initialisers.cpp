// SPDX-License-Identifier: Apache-2.0
// Java that runs where no statement stands: values of fields, and arguments of super(…) and this(…).
#include <algorithm>
#include <utility>

#include "rewriter/java/walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// It calls or makes something, though perhaps only in a lambda that it makes.
bool costs(const JavaSyntax& syntax, NodeIndex value) {
  for (NodeIndex i = value; i < value + syntax[value].subtree; ++i)
    if (is_one_of(syntax[i].type,
                  {"method_invocation", "object_creation_expression", "array_creation_expression"}))
      return true;
  return false;
}

bool is_static(const JavaSyntax& syntax, NodeIndex member) {
  const NodeIndex modifiers = syntax.child_of_type(member, "modifiers");
  return modifiers != no_node && syntax.has_child_of_type(modifiers, "static");
}

// --- Types, as far as the text alone tells them; empty: it does not ---

std::string type_with_dimensions(const JavaSyntax& syntax, NodeIndex declared) {
  const NodeIndex type = syntax.child(declared, "type");
  const NodeIndex behind = syntax.child(declared, "dimensions");
  if (type == no_node) return {};
  return syntax.words(type) + (behind == no_node ? "" : syntax.words(behind));
}

std::string type_of_parameter(const JavaSyntax& syntax, NodeIndex constructor, std::string_view name) {
  for (const NodeIndex parameter : syntax.named_children(syntax.child(constructor, "parameters"))) {
    const NodeIndex named = syntax.child(parameter, "name");
    if (named != no_node && syntax.text(named) == name) return type_with_dimensions(syntax, parameter);
  }
  return {};
}

/// All methods of that name in the class of the constructor must have it.
std::string type_of_call(const JavaSyntax& syntax, NodeIndex constructor, NodeIndex call) {
  if (syntax.child(call, "object") != no_node) return {};
  const std::string_view name = syntax.text(syntax.child(call, "name"));
  std::string type;
  for (const NodeIndex member : syntax.named_children(syntax[constructor].parent)) {
    if (syntax[member].type != "method_declaration" || syntax.text(syntax.child(member, "name")) != name)
      continue;
    const std::string known = type_with_dimensions(syntax, member);
    if (!is_static(syntax, member) || (!type.empty() && type != known)) return {};
    type = known;
  }
  return type;
}

std::string type_of_array(const JavaSyntax& syntax, NodeIndex creation) {
  std::string type = syntax.words(syntax.child(creation, "type"));
  for (const NodeIndex part : syntax.children(creation)) {
    if (syntax[part].type == "dimensions_expr") type += "[]";
    if (syntax[part].type == "dimensions") type += syntax.words(part);
  }
  return type;
}

std::string type_of(const JavaSyntax& syntax, NodeIndex constructor, NodeIndex value) {
  const std::string_view kind = syntax[value].type;
  if (kind == "parenthesized_expression")
    return type_of(syntax, constructor, syntax.named_children(value).front());
  if (is_one_of(kind, {"true", "false"})) return "boolean";
  if (kind == "cast_expression") return syntax.words(syntax.child(value, "type"));
  if (kind == "identifier") return type_of_parameter(syntax, constructor, syntax.text(value));
  if (kind == "method_invocation") return type_of_call(syntax, constructor, value);
  if (kind == "array_creation_expression") return type_of_array(syntax, value);
  const bool is_plain = kind == "object_creation_expression" &&
                        !syntax.has_child_of_type(value, "class_body") &&
                        syntax.text(syntax.children(value).front()) == "new";
  return is_plain ? syntax.words(syntax.child(value, "type")) : "";
}

/// A class or a method round it has types for parameters.
bool is_generic(const JavaSyntax& syntax, NodeIndex node) {
  for (NodeIndex i = node; i != syntax.root(); i = syntax[i].parent)
    if (syntax.has_child_of_type(i, "type_parameters")) return true;
  return false;
}

bool is_primitive(std::string_view type) {
  return is_one_of(type, {"boolean", "byte", "short"});
}

bool can_be_handed_on(const JavaSyntax& syntax, NodeIndex constructor, std::string_view type) {
  return can_pass_through(type) && (is_primitive(type) || (type.find('<') == std::string_view::npos &&
                                                           !is_generic(syntax, constructor)));
}

/// The argument in front of which nothing costs, and which can carry a trap.
NodeIndex argument_for_entry(const JavaSyntax& syntax, NodeIndex constructor,
                             const std::vector<NodeIndex>& arguments) {
  for (const NodeIndex argument : arguments) {
    if (can_be_handed_on(syntax, constructor, type_of(syntax, constructor, argument))) return argument;
    if (costs(syntax, argument)) break;
  }
  return no_node;
}

}  // namespace

void field(JavaWalk& walk, NodeIndex declaration) {
  const JavaSyntax& syntax = walk.syntax;
  if (walk.classes.back().applet || is_static(syntax, declaration) || !costs(syntax, declaration))
    return nested_bodies(walk, declaration);
  const NodeIndex name = syntax.child(syntax.child(declaration, "declarator"), "name");
  const auto function = add_function(walk, std::string(syntax.text(name)), syntax[name].begin, "");
  JavaWalk::Frame outside = std::exchange(walk.frame, {.function = function});
  const std::string block = "{" + std::string(java_trap) + "}";
  const std::uint32_t entry = java_site(walk, at_entry, syntax.range(name));
  add_slot(walk.model, syntax[declaration].begin, block, {entry});
  nested_bodies(walk, declaration);
  const std::size_t end = syntax[declaration].end;
  const std::uint32_t exit = java_site(walk, at_exit, {end - 1, end});
  add_slot(walk.model, end, block, {exit});
  walk.frame = std::move(outside);
}

bool constructor_call(JavaWalk& walk, NodeIndex invocation, NodeIndex name) {
  const JavaSyntax& syntax = walk.syntax;
  const NodeIndex constructor = syntax[name].parent;
  const NodeIndex list = syntax.child(invocation, "arguments");
  const std::vector<NodeIndex> arguments = syntax.named_children(list);
  const bool is_needed =
      std::ranges::any_of(arguments, [&](NodeIndex argument) { return costs(syntax, argument); });
  const NodeIndex chosen = is_needed ? argument_for_entry(syntax, constructor, arguments) : no_node;
  if (chosen == no_node) {
    nested_bodies(walk, invocation);
    if (!is_needed) return false;
    Function& function = walk.model.functions[walk.frame.function];
    function.unseen =
        "arguments of super or this run ahead of the first trap, and their time counts for the caller";
    leave_alone(walk, name, function.name + ": " + function.unseen);
    return false;
  }
  const NodeIndex object = syntax.child(invocation, "object");
  if (object != no_node) nested_bodies(walk, object);
  const std::string type = type_of(syntax, constructor, chosen);
  const std::uint32_t entry = java_site(walk, at_entry, syntax.range(name));
  for (const NodeIndex argument : arguments) {
    if (argument == chosen)
      add_slot(walk.model, syntax[argument].begin,
               (is_primitive(type) ? "" : "(" + type + ")") + "{pm}.entered({pm}.enter({pmc}.{name}),",
               {entry});
    nested_bodies(walk, argument);
    if (argument == chosen) add_slot(walk.model, syntax[argument].end, ")", {entry});
  }
  return true;
}

}  // namespace jcprof::rewriter
