// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/front_end.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rewriter/edits.hpp"
#include "rewriter/java/walk.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

ReturnForm return_form(std::string_view type) {
  if (!can_pass_through(type)) return {};
  // The cast makes a constant fit and picks the overload; for a class it takes the value back from Object.
  if (is_one_of(type, {"boolean", "byte", "short"}))
    return {true, fmt::format("{{pm}}.value(({})(", type), "),{pmc}.{name})"};
  return {true, fmt::format("({}){{pm}}.value(", type), ",{pmc}.{name})"};
}

// --- Functions ---

std::string parameter_types(const JavaSyntax& syntax, NodeIndex method) {
  std::string types;
  for (const NodeIndex parameter : syntax.named_children(syntax.child(method, "parameters"))) {
    // `byte... x` names its type by no role.
    const bool spread = syntax[parameter].type == "spread_parameter";
    if (!spread && syntax.child(parameter, "type") == no_node) continue;  // a receiver: `A this`
    types += types.empty() ? "" : ",";
    if (!spread) types += syntax.words(syntax.child(parameter, "type"));
    if (const NodeIndex behind = syntax.child(parameter, "dimensions"); behind != no_node)
      types += syntax.words(behind);
    if (spread) {
      const std::vector<NodeIndex> parts = syntax.named_children(parameter);
      types += syntax.words(parts[parts.size() - 2]) + "...";
    }
  }
  return "(" + types + ")";
}

bool is_install(const JavaSyntax& syntax, NodeIndex member) {
  return syntax[member].type == "method_declaration" &&
         syntax.text(syntax.child(member, "name")) == "install" &&
         parameter_types(syntax, member) == "(byte[],short,byte)";
}

/// Why a method of an applet, or of another class, can have no traps; empty: it can.
std::string why_no_trap(const JavaSyntax& syntax, NodeIndex method, bool of_applet) {
  if (syntax.child(method, "body") == no_node) return "it has no body";
  if (!of_applet) return {};
  if (syntax[method].type == "constructor_declaration" || is_install(syntax, method))
    return "it runs when the applet is installed, before a trap can be armed";
  std::string signature =
      std::string(syntax.text(syntax.child(method, "name"))) + parameter_types(syntax, method);
  if (const std::size_t package = signature.find("javacard.framework."); package != std::string::npos)
    signature.erase(package, std::string_view("javacard.framework.").size());
  // The card calls these. A select(APDU), say, is the applet's own.
  if (is_one_of(signature, {"select()", "select(boolean)", "deselect()", "deselect(boolean)", "uninstall()",
                            "getShareableInterfaceObject(AID,byte)"}))
    return "it runs outside of process, where no trap is armed";
  return {};
}

/// The name of a parameter of type APDU; empty: there is none.
std::string apdu_parameter(const JavaSyntax& syntax, NodeIndex method) {
  for (const NodeIndex parameter : syntax.named_children(syntax.child(method, "parameters"))) {
    const NodeIndex type = syntax.child(parameter, "type");
    const NodeIndex name = syntax.child(parameter, "name");
    if (type == no_node || name == no_node) continue;
    const std::string_view text = syntax.text(type);
    if (text.substr(text.rfind('.') + 1) == "APDU") return std::string(syntax.text(name));
  }
  return {};
}

/// With one argument, as a method that takes an APDU does, and on the same object.
bool calls_itself(const JavaSyntax& syntax, std::string_view name, NodeIndex body) {
  for (NodeIndex i = body; i < body + syntax[body].subtree; ++i) {
    if (syntax[i].type != "method_invocation" || syntax.text(syntax.child(i, "name")) != name) continue;
    const NodeIndex object = syntax.child(i, "object");
    if ((object == no_node || syntax[object].type == "this") &&
        syntax.named_children(syntax.child(i, "arguments")).size() == 1)
      return true;
  }
  return false;
}

/// The trap that a command of an applet begins with, in a method that takes the APDU.
void entry_trap(JavaWalk& walk, NodeIndex name, NodeIndex body, std::size_t start, const std::string& apdu) {
  const JavaSyntax& syntax = walk.syntax;
  walk.model.functions[walk.frame.function].calls_itself = calls_itself(syntax, syntax.text(name), body);
  const auto entry0 = java_site(walk, at_entry0, syntax.range(name));
  add_slot(walk.model, start, fmt::format("if({{pm}}.serve({}))return;{}", apdu, java_trap), {entry0});
  const bool by_the_card =
      is_one_of(walk.parameters[walk.frame.function], {"(APDU)", "(javacard.framework.APDU)"});
  if (!walk.classes.back().applet || syntax.text(name) != "process" || !by_the_card) return;
  // In another applet of the package the card calls it when a stop of the entry's is over.
  add_slot(walk.model, start, "{pm}.outside();", {});
  walk.model.slots.back().unless = entry0;
}

/// `apdu`: the parameter that makes it a possible entry; empty: it is none.
void function_body(JavaWalk& walk, JavaWalk::Frame frame, NodeIndex name, NodeIndex body,
                   const std::string& apdu) {
  JavaWalk::Frame outside = std::exchange(walk.frame, std::move(frame));
  const JavaSyntax& syntax = walk.syntax;
  std::size_t start = syntax[body].begin + 1;
  std::vector<NodeIndex> statements = syntax.children(body);
  const auto invocation = std::ranges::find_if(
      statements, [&](NodeIndex i) { return syntax[i].type == "explicit_constructor_invocation"; });
  bool enters_early = false;
  if (invocation != statements.end()) {
    enters_early = constructor_call(walk, *invocation, name);
    start = syntax[*invocation].end;
    statements.erase(statements.begin(), invocation + 1);
  }
  if (!apdu.empty()) entry_trap(walk, name, body, start, apdu);
  const auto entry = java_site(walk, at_entry, syntax.range(name));
  walk.model.sites[entry].instead = enters_early;
  add_slot(walk.model, start, std::string(java_trap), {entry});
  sequence(walk, statements, ordinary);
  if (walk.reachability.statement(body) == Completes::yes)
    put_trap(walk, at_exit, {syntax[body].end - 1, syntax[body].end});
  walk.frame = std::move(outside);
}

void method(JavaWalk& walk, NodeIndex node) {
  const JavaSyntax& syntax = walk.syntax;
  const NodeIndex name = syntax.child(node, "name");
  const NodeIndex body = syntax.child(node, "body");
  const bool constructor = syntax[node].type == "constructor_declaration";
  const std::uint32_t index =
      add_function(walk, std::string(syntax.text(name)), syntax[name].begin, parameter_types(syntax, node));
  Function& function = walk.model.functions[index];
  function.why_not = why_no_trap(syntax, node, walk.classes.back().applet);
  if (body == no_node) return;
  if (!function.why_not.empty()) {
    leave_alone(walk, name, fmt::format("{}: {}", function.name, function.why_not));
    if (!constructor) add_slot(walk.model, syntax[body].begin + 1, "{pm}.outside();", {});
    nested_bodies(walk, body);
    return;
  }
  JavaWalk::Frame frame{.function = index};
  const NodeIndex type = syntax.child(node, "type");
  if (!constructor && syntax.child(node, "dimensions") == no_node)
    frame.returns = return_form(syntax.words(type));
  const bool is_void = constructor || syntax.text(type) == "void";
  function_body(walk, std::move(frame), name, body, is_void ? apdu_parameter(syntax, node) : "");
}

// --- Classes ---

/// A block that runs in each constructor, in front of its first statement.
void instance_initialiser(JavaWalk& walk, NodeIndex block) {
  if (walk.classes.back().applet) {
    leave_alone(walk, block, "an instance initialiser of an applet: it runs before a trap can be armed");
    nested_bodies(walk, block);
    return;
  }
  const auto function =
      add_function(walk, fmt::format("initialiser${}", ++walk.anonymous), walk.syntax[block].begin, "()");
  function_body(walk, {.function = function}, walk.syntax.children(block).front(), block, "");
}

void members(JavaWalk& walk, NodeIndex body) {
  for (const NodeIndex member : walk.syntax.named_children(body)) {
    const std::string_view type = walk.syntax[member].type;
    if (type == "method_declaration" || type == "constructor_declaration") {
      method(walk, member);
    } else if (is_java_type(type)) {
      type_declaration(walk, member);
    } else if (type == "static_initializer") {
      leave_alone(walk, member, "a static initialiser: it runs before a trap can be armed");
    } else if (type == "block") {
      instance_initialiser(walk, member);
    } else if (type == "field_declaration") {
      field(walk, member);
    } else if (type == "enum_body_declarations") {
      members(walk, member);
    } else {
      nested_bodies(walk, member);
    }
  }
}

void in_class(JavaWalk& walk, const std::string& name, NodeIndex superclass, NodeIndex body) {
  ClassInfo info{.name = walk.classes.empty() ? name : walk.classes.back().name + "." + name,
                 .superclass = superclass == no_node ? "" : walk.syntax.words(superclass)};
  info.superclass.resize(std::min(info.superclass.find('<'), info.superclass.size()));
  for (const NodeIndex member : walk.syntax.named_children(body))
    info.installs |= is_install(walk.syntax, member);
  info.applet = walk.applets == nullptr ? info.superclass.ends_with("Applet")
                                        : walk.applets->contains(qualified_name(walk.model.scope, info.name));
  walk.classes.push_back({info.name, info.applet});
  walk.model.classes.push_back(std::move(info));
  members(walk, body);
  walk.classes.pop_back();
}

// --- Names and numbers of the text ---

/// The value of a whole number or a plain character, as its text says it.
std::optional<std::uint32_t> integer_literal(std::string_view type, std::string_view text) {
  if (type == "character_literal" && text.size() == 3) return static_cast<unsigned char>(text[1]);
  int base = 0;
  std::size_t prefix = 0;
  if (type == "decimal_integer_literal") base = 10;
  if (type == "hex_integer_literal") base = 16, prefix = 2;
  if (type == "binary_integer_literal") base = 2, prefix = 2;
  if (type == "octal_integer_literal") base = 8, prefix = 1;
  if (base == 0) return std::nullopt;
  std::string digits(text.substr(prefix));
  std::erase(digits, '_');
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return value;
}

/// An element as it stands, or with signs, casts and parentheses round it.
bool in_array(const JavaSyntax& syntax, NodeIndex literal) {
  NodeIndex parent = syntax[literal].parent;
  while (is_one_of(syntax[parent].type, {"cast_expression", "unary_expression", "parenthesized_expression"}))
    parent = syntax[parent].parent;
  return syntax[parent].type == "array_initializer";
}

void collect_literals(const JavaSyntax& syntax, SourceModel& model) {
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    const std::optional<std::uint32_t> value = integer_literal(syntax[i].type, syntax.text(i));
    if (!value) continue;
    std::vector<std::uint32_t>& literals = in_array(syntax, i) ? model.table_literals : model.literals;
    literals.push_back(*value);
    literals.push_back(0U - *value);  // -12 is the byte F4
  }
}

/// The identifier names a type, a variable or an import.
bool is_declared(const JavaSyntax& syntax, NodeIndex identifier) {
  const NodeIndex parent = syntax[identifier].parent;
  const std::string_view in = syntax[parent].type;
  const bool is_name = syntax[identifier].field == "name";
  if (in == "type_parameter") return true;
  if (in == "scoped_identifier") return is_name && syntax[syntax[parent].parent].type == "import_declaration";
  return is_name && (is_java_type(in) ||
                     is_one_of(in, {"variable_declarator", "formal_parameter", "catch_formal_parameter",
                                    "enhanced_for_statement", "resource"}));
}

bool is_old_runtime(const SourceModel& model) {
  const std::string_view file = std::string_view(model.path).substr(model.path.rfind('/') + 1);
  const auto is_check = [](const Function& f) { return f.simple_name == "check"; };
  const auto is_old = [](const Function& f) { return f.simple_name == "check" || f.simple_name == "set"; };
  const bool checks =
      std::ranges::any_of(model.functions, is_check) && std::ranges::all_of(model.functions, is_old);
  const bool numbers =
      std::ranges::any_of(model.declared, [](const auto& name) { return name.starts_with("TRAP_"); });
  return (file == "PM.java" && model.declared.contains("PM") && checks) ||
         (file == "PMC.java" && model.declared.contains("PMC") && numbers);
}

/// Fills in what the names of the runtime hang on.
void collect_names(const JavaSyntax& syntax, SourceModel& model) {
  const auto is_text = [&](NodeIndex node, std::string_view role, std::string_view text) {
    const NodeIndex child = syntax.child(node, role);
    return child != no_node && syntax.text(child) == text;
  };
  for (NodeIndex i = 1; i < syntax.count(); ++i) {
    const std::string_view type = syntax[i].type;
    if (type == "field_access") {
      const std::string_view owner = syntax.text(syntax.child(i, "object"));
      const std::string_view name = syntax.text(syntax.child(i, "field"));
      if ((owner == "PMC" || owner == "PM") && name != "m_perfStop")
        model.called_constants.insert(fmt::format("{}.{}", owner, name));
    }
    if (type == "method_invocation" && is_text(i, "object", "PM") && is_text(i, "name", "set"))
      model.called_constants.insert("PM.set()");
    if ((type == "identifier" || type == "type_identifier") && is_declared(syntax, i))
      model.declared.emplace(syntax.text(i));
  }
  model.is_old_runtime = is_old_runtime(model);
}

}  // namespace

bool can_pass_through(std::string_view type) {
  // No small card has the first six. A constant that is one of the others would be boxed as an Integer on its
  // way through Object.
  return !type.empty() &&
         !is_one_of(type, {"int", "long", "char", "float", "double", "void", "Byte", "Short", "Character",
                           "java.lang.Byte", "java.lang.Short", "java.lang.Character"});
}

std::uint32_t add_function(JavaWalk& walk, const std::string& simple_name, std::size_t offset,
                           std::string parameters) {
  const std::string& owner = walk.classes.back().name;
  walk.model.functions.push_back(
      {.name = owner + "." + simple_name, .simple_name = simple_name, .owner = owner, .offset = offset});
  walk.parameters.push_back(std::move(parameters));
  return static_cast<std::uint32_t>(walk.model.functions.size() - 1);
}

void type_declaration(JavaWalk& walk, NodeIndex node) {
  const NodeIndex superclass = walk.syntax.child(node, "superclass");
  in_class(walk, std::string(walk.syntax.text(walk.syntax.child(node, "name"))),
           superclass == no_node ? no_node : walk.syntax.named_children(superclass).front(),
           walk.syntax.child(node, "body"));
}

void nested_bodies(JavaWalk& walk, NodeIndex node) {
  const JavaSyntax& syntax = walk.syntax;
  for (NodeIndex i = node; i < node + syntax[node].subtree;) {
    const std::string_view type = syntax[i].type;
    const NodeIndex body = type == "lambda_expression" ? syntax.child(i, "body") : no_node;
    if (type == "class_body") {
      const NodeIndex made = syntax[syntax[i].parent].type == "object_creation_expression"
                                 ? syntax.child(syntax[i].parent, "type")
                                 : no_node;
      in_class(walk, fmt::format("${}", ++walk.anonymous), made, i);
    } else if (body != no_node && syntax[body].type == "block") {
      const auto function =
          add_function(walk, fmt::format("lambda${}", ++walk.anonymous), syntax[i].begin, "()");
      function_body(walk, {.function = function}, i, body, "");
    } else {
      // Code that carries no trap may still call code that does.
      if (type == "catch_clause" || type == "finally_clause") guard(walk, i);
      ++i;
      continue;
    }
    i += syntax[i].subtree;
  }
}

std::uint32_t java_site(JavaWalk& walk, Position position, ByteRange range) {
  return add_site(walk.model, {.kind = position.kind,
                               .level = position.level,
                               .function = walk.frame.function,
                               .begin = range.begin,
                               .end = range.end,
                               .guards = walk.frame.guards});
}

void leave_alone(JavaWalk& walk, NodeIndex node, std::string reason) {
  walk.model.left_alone.push_back({.offset = walk.syntax[node].begin, .reason = std::move(reason)});
}

SourceModel read_java(const std::string& path, std::string text, const std::set<std::string>* applets) {
  if (carries_traps(text)) throw UserError(traps_already(path, text));
  SourceModel model;
  model.path = path;
  model.text = std::move(text);
  const JavaSyntax syntax(path, model.text);
  JavaWalk walk{.model = model, .syntax = syntax, .applets = applets};
  collect_literals(syntax, model);
  collect_markers(walk);
  const NodeIndex package = syntax.child_of_type(syntax.root(), "package_declaration");
  if (package != no_node) model.scope = syntax.text(syntax.named_children(package).back());
  for (const NodeIndex node : syntax.named_children(syntax.root()))
    if (is_java_type(syntax[node].type)) type_declaration(walk, node);
  tell_namesakes_apart(model.functions, walk.parameters);
  collect_names(syntax, model);
  for (const NodeIndex comment : walk.markers)
    leave_alone(walk, comment, "a marker must stand between two statements that run");
  return model;
}

}  // namespace jcprof::rewriter
