// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/front_end.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rewriter/edits.hpp"
#include "rewriter/java/applets.hpp"
#include "rewriter/java/builder.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

ReturnForm return_form(std::string_view type) {
  // No small card has the first six. A constant that is returned as one of the others would be boxed as an
  // Integer on its way through Object.
  if (type.empty() ||
      is_one_of(type, {"int", "long", "char", "float", "double", "void", "Byte", "Short", "Character",
                       "java.lang.Byte", "java.lang.Short", "java.lang.Character"}))
    return {};
  // The cast makes a constant fit and picks the overload; for a class it takes the value back from Object.
  if (is_one_of(type, {"boolean", "byte", "short"}))
    return {true, fmt::format("{{pm}}.value(({})(", type), "),{pmc}.{name})"};
  return {true, fmt::format("({}){{pm}}.value(", type), ",{pmc}.{name})"};
}

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

}  // namespace

void JavaBuilder::build() {
  collect_literals();
  collect_markers();
  const NodeIndex package = syntax_.child_of_type(syntax_.root(), "package_declaration");
  if (package != no_node) model_.scope = syntax_.text(syntax_.named_children(package).back());
  for (const NodeIndex node : syntax_.named_children(syntax_.root()))
    if (is_java_type(syntax_[node].type)) type_declaration(node);
  name_overloads();
  collect_names();
  for (const NodeIndex comment : markers_)
    leave_alone(comment, "a marker must stand between two statements that run");
}

void JavaBuilder::type_declaration(NodeIndex node) {
  const NodeIndex superclass = syntax_.child(node, "superclass");
  in_class(std::string(syntax_.text(syntax_.child(node, "name"))),
           superclass == no_node ? no_node : syntax_.named_children(superclass).front(),
           syntax_.child(node, "body"));
}

void JavaBuilder::in_class(const std::string& name, NodeIndex superclass, NodeIndex body) {
  ClassInfo info{.name = classes_.empty() ? name : classes_.back().name + "." + name, .superclass = {}};
  if (superclass != no_node) info.superclass = syntax_.words(superclass);
  info.superclass.resize(std::min(info.superclass.find('<'), info.superclass.size()));
  for (const NodeIndex member : syntax_.named_children(body)) info.installs |= is_install(member);
  info.applet = applets_ == nullptr ? info.superclass.ends_with("Applet")
                                    : applets_->contains(qualified_name(model_.scope, info.name));
  classes_.push_back({info.name, info.applet});
  model_.classes.push_back(std::move(info));
  members(body);
  classes_.pop_back();
}

bool JavaBuilder::is_install(NodeIndex member) const {
  return syntax_[member].type == "method_declaration" &&
         syntax_.text(syntax_.child(member, "name")) == "install" &&
         parameter_types(member) == "(byte[],short,byte)";
}

void JavaBuilder::members(NodeIndex body) {
  for (const NodeIndex member : syntax_.named_children(body)) {
    const std::string_view type = syntax_[member].type;
    if (type == "method_declaration" || type == "constructor_declaration") {
      method(member);
    } else if (is_java_type(type)) {
      type_declaration(member);
    } else if (type == "static_initializer") {
      leave_alone(member, "a static initialiser: it runs before a trap can be armed");
    } else if (type == "block") {
      leave_alone(member, "an instance initialiser: it runs before a trap can be armed");
      nested_bodies(member);
    } else if (type == "enum_body_declarations") {
      members(member);
    } else {
      nested_bodies(member);
    }
  }
}

void JavaBuilder::method(NodeIndex node) {
  const NodeIndex name = syntax_.child(node, "name");
  const NodeIndex body = syntax_.child(node, "body");
  const bool constructor = syntax_[node].type == "constructor_declaration";
  const std::uint32_t function = add_function(std::string(syntax_.text(name)), syntax_[name].begin);
  parameters_.push_back(parameter_types(node));
  model_.functions[function].why_not = why_no_trap(node);
  if (body == no_node) return;
  if (!model_.functions[function].why_not.empty()) {
    leave_alone(name,
                fmt::format("{}: {}", model_.functions[function].name, model_.functions[function].why_not));
    if (!constructor) slot(syntax_[body].begin + 1, "{pm}.outside();", {});
    nested_bodies(body);
    return;
  }
  Frame frame{.function = function, .returns = {}};
  const NodeIndex type = syntax_.child(node, "type");
  if (!constructor && syntax_.child(node, "dimensions") == no_node)
    frame.returns = return_form(syntax_.words(type));
  const bool is_void = constructor || syntax_.text(type) == "void";
  function_body(frame, name, body, is_void ? apdu_parameter(node) : "");
}

std::string JavaBuilder::why_no_trap(NodeIndex method) const {
  if (syntax_.child(method, "body") == no_node) return "it has no body";
  if (!classes_.back().applet) return {};
  const std::string_view name = syntax_.text(syntax_.child(method, "name"));
  if (syntax_[method].type == "constructor_declaration" || is_install(method))
    return "it runs when the applet is installed, before a trap can be armed";
  // A select(APDU), say, is the applet's own.
  std::string signature = std::string(name) + parameter_types(method);
  if (const std::size_t package = signature.find("javacard.framework."); package != std::string::npos)
    signature.erase(package, std::string_view("javacard.framework.").size());
  if (is_one_of(signature, {"select()", "select(boolean)", "deselect()", "deselect(boolean)", "uninstall()",
                            "getShareableInterfaceObject(AID,byte)"}))
    return "it runs outside of process, where no trap is armed";
  return {};
}

std::string JavaBuilder::apdu_parameter(NodeIndex method) const {
  for (const NodeIndex parameter : syntax_.named_children(syntax_.child(method, "parameters"))) {
    const NodeIndex type = syntax_.child(parameter, "type");
    const NodeIndex name = syntax_.child(parameter, "name");
    if (type == no_node || name == no_node) continue;
    const std::string_view text = syntax_.text(type);
    if (text.substr(text.rfind('.') + 1) == "APDU") return std::string(syntax_.text(name));
  }
  return {};
}

std::string JavaBuilder::parameter_types(NodeIndex method) const {
  std::string types;
  for (const NodeIndex parameter : syntax_.named_children(syntax_.child(method, "parameters"))) {
    // `byte... x` names its type by no role.
    const bool spread = syntax_[parameter].type == "spread_parameter";
    if (!spread && syntax_.child(parameter, "type") == no_node) continue;  // a receiver: `A this`
    types += types.empty() ? "" : ",";
    if (!spread) types += syntax_.words(syntax_.child(parameter, "type"));
    if (const NodeIndex behind = syntax_.child(parameter, "dimensions"); behind != no_node)
      types += syntax_.words(behind);
    if (spread) {
      const std::vector<NodeIndex> parts = syntax_.named_children(parameter);
      types += syntax_.words(parts[parts.size() - 2]) + "...";
    }
  }
  return "(" + types + ")";
}

std::uint32_t JavaBuilder::add_function(const std::string& simple_name, std::size_t offset) {
  const std::string& owner = classes_.back().name;
  model_.functions.push_back({.name = owner + "." + simple_name,
                              .simple_name = simple_name,
                              .owner = owner,
                              .offset = offset,
                              .why_not = {}});
  return static_cast<std::uint32_t>(model_.functions.size() - 1);
}

void JavaBuilder::name_overloads() {
  std::map<std::string, int> count;
  for (const Function& function : model_.functions) ++count[function.name];
  for (std::size_t i = 0; i < model_.functions.size(); ++i)
    if (count[model_.functions[i].name] > 1) model_.functions[i].name += parameters_[i];
  // Two local classes of one name, say.
  std::map<std::string, int> same;
  for (Function& function : model_.functions)
    if (const int n = ++same[function.name]; n > 1) function.name += fmt::format("${}", n);
}

void JavaBuilder::function_body(const Frame& frame, NodeIndex name, NodeIndex body, const std::string& apdu) {
  const std::uint32_t guards_outside = std::exchange(guards_, 0);
  std::size_t start = syntax_[body].begin + 1;
  std::vector<NodeIndex> statements = syntax_.children(body);
  const auto invocation = std::ranges::find_if(
      statements, [&](NodeIndex i) { return syntax_[i].type == "explicit_constructor_invocation"; });
  if (invocation != statements.end()) {
    nested_bodies(*invocation);
    start = syntax_[*invocation].end;
    statements.erase(statements.begin(), invocation + 1);
  }
  if (!apdu.empty()) {
    model_.functions[frame.function].calls_itself = calls_itself(syntax_.text(name), body);
    const auto entry0 =
        site(frame, {TrapKind::entry0, TrapLevel::function}, syntax_[name].begin, syntax_[name].end);
    slot(start, fmt::format("if({{pm}}.serve({}))return;{}", apdu, trap_call), {entry0});
    const bool by_the_card =
        parameters_.back() == "(APDU)" || parameters_.back() == "(javacard.framework.APDU)";
    if (classes_.back().applet && syntax_.text(name) == "process" && by_the_card) {
      // Of another applet of the package: the card calls it when a stop of the entry's is over.
      slot(start, "{pm}.outside();", {});
      model_.slots.back().unless = entry0;
    }
  }
  const auto entry =
      site(frame, {TrapKind::entry, TrapLevel::function}, syntax_[name].begin, syntax_[name].end);
  slot(start, std::string(trap_call), {entry});
  sequence(frame, statements, ordinary);
  if (reachability_.statement(body) == Completes::yes)
    end_trap(frame, {TrapKind::exit, TrapLevel::function}, syntax_[body].end - 1, syntax_[body].end);
  guards_ = guards_outside;
}

/// With one argument, as what takes an APDU does, and on the same object.
bool JavaBuilder::calls_itself(std::string_view name, NodeIndex body) const {
  for (NodeIndex i = body; i < body + syntax_[body].subtree; ++i) {
    if (syntax_[i].type != "method_invocation" || syntax_.text(syntax_.child(i, "name")) != name) continue;
    const NodeIndex object = syntax_.child(i, "object");
    if ((object == no_node || syntax_[object].type == "this") &&
        syntax_.named_children(syntax_.child(i, "arguments")).size() == 1)
      return true;
  }
  return false;
}

void JavaBuilder::nested_bodies(NodeIndex node) {
  for (NodeIndex i = node; i < node + syntax_[node].subtree;) {
    const std::string_view type = syntax_[i].type;
    const NodeIndex body = type == "lambda_expression" ? syntax_.child(i, "body") : no_node;
    if (type == "class_body") {
      const NodeIndex made = syntax_[syntax_[i].parent].type == "object_creation_expression"
                                 ? syntax_.child(syntax_[i].parent, "type")
                                 : no_node;
      in_class(fmt::format("${}", ++anonymous_), made, i);
    } else if (body != no_node && syntax_[body].type == "block") {
      const auto function = add_function(fmt::format("lambda${}", ++anonymous_), syntax_[i].begin);
      parameters_.emplace_back("()");
      function_body({.function = function, .returns = {}}, i, body, "");
    } else {
      // Code that carries no trap may still call code that does.
      if (type == "catch_clause" || type == "finally_clause") guard(i);
      ++i;
      continue;
    }
    i += syntax_[i].subtree;
  }
}

std::uint32_t JavaBuilder::site(const Frame& frame, Position position, std::size_t begin, std::size_t end) {
  model_.sites.push_back({.kind = position.kind,
                          .level = position.level,
                          .function = frame.function,
                          .begin = begin,
                          .end = end,
                          .guards = guards_,
                          .marker_name = {},
                          .in_source = false});
  return static_cast<std::uint32_t>(model_.sites.size() - 1);
}

void JavaBuilder::slot(std::size_t at, std::string text, std::vector<std::uint32_t> wanted_by) {
  model_.slots.push_back({.at = at, .text = std::move(text), .wanted_by = std::move(wanted_by)});
}

void JavaBuilder::leave_alone(NodeIndex node, std::string reason) {
  model_.left_alone.push_back({.offset = syntax_[node].begin, .reason = std::move(reason)});
}

void JavaBuilder::collect_literals() {
  for (NodeIndex i = 0; i < syntax_.count(); ++i) {
    const std::optional<std::uint32_t> value = integer_literal(syntax_[i].type, syntax_.text(i));
    if (!value) continue;
    std::vector<std::uint32_t>& literals = in_array(i) ? model_.table_literals : model_.literals;
    literals.push_back(*value);
    literals.push_back(0U - *value);  // -12 is the byte F4
  }
}

/// An element as it stands, or with signs, casts and parentheses round it.
bool JavaBuilder::in_array(NodeIndex literal) const {
  NodeIndex parent = syntax_[literal].parent;
  while (is_one_of(syntax_[parent].type, {"cast_expression", "unary_expression", "parenthesized_expression"}))
    parent = syntax_[parent].parent;
  return syntax_[parent].type == "array_initializer";
}

void JavaBuilder::collect_constant(NodeIndex access) {
  const std::string_view owner = syntax_.text(syntax_.child(access, "object"));
  const std::string_view name = syntax_.text(syntax_.child(access, "field"));
  if ((owner == "PMC" || owner == "PM") && name != "m_perfStop")
    model_.called_constants.insert(fmt::format("{}.{}", owner, name));
}

void JavaBuilder::collect_names() {
  constexpr auto variables =
      std::to_array<std::string_view>({"variable_declarator", "formal_parameter", "catch_formal_parameter",
                                       "enhanced_for_statement", "resource", "type_parameter"});
  for (NodeIndex i = 1; i < syntax_.count(); ++i) {
    const std::string_view type = syntax_[i].type;
    if (type == "field_access") collect_constant(i);
    if (type == "method_invocation" && syntax_.words(i).starts_with("PM.set("))
      model_.called_constants.insert("PM.set()");
    if (type != "identifier" && type != "type_identifier") continue;
    const NodeIndex parent = syntax_[i].parent;
    const std::string_view in = syntax_[parent].type;
    const bool declares = (is_one_of(in, variables) || is_java_type(in)) &&
                          (syntax_[i].field == "name" || in == "type_parameter");
    const bool imports = in == "scoped_identifier" && syntax_[i].field == "name" &&
                         syntax_[syntax_[parent].parent].type == "import_declaration";
    if (declares || imports) model_.declared.emplace(syntax_.text(i));
  }
  const std::string_view file = std::string_view(model_.path).substr(model_.path.rfind('/') + 1);
  const auto has = [&](const auto& is_wanted) { return std::ranges::any_of(model_.functions, is_wanted); };
  const bool checks =
      has([](const Function& f) { return f.simple_name == "check"; }) &&
      !has([](const Function& f) { return f.simple_name != "check" && f.simple_name != "set"; });
  const bool numbers =
      std::ranges::any_of(model_.declared, [](const auto& name) { return name.starts_with("TRAP_"); });
  model_.is_old_runtime = (file == "PM.java" && model_.declared.contains("PM") && checks) ||
                          (file == "PMC.java" && model_.declared.contains("PMC") && numbers);
}

SourceModel read_java(const std::string& path, std::string text, const std::set<std::string>* applets) {
  if (carries_traps(text))
    throw UserError(Fault{.message = "the source carries jcprof's traps already",
                          .place = place_at(path, text, text.find("/*[j*/")),
                          .hint = "take them out with: jcprof strip " + path});
  SourceModel model;
  model.path = path;
  model.text = std::move(text);
  const JavaSyntax syntax(path, model.text);
  JavaBuilder(model, syntax, applets).build();
  return model;
}

}  // namespace jcprof::rewriter
