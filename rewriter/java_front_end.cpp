// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java_front_end.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <regex>

#include <fmt/format.h>

#include "rewriter/edits.hpp"
#include "rewriter/java_reachability.hpp"
#include "rewriter/java_syntax.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

// Nobody writes a longer one, and std::regex recurses over its text.
constexpr std::size_t longest_marker = 200;

constexpr std::string_view trap_call = "{pm}.check({pmc}.{name});";

template <std::size_t N>
bool one_of(std::string_view type, const std::array<std::string_view, N>& types) {
  return std::ranges::find(types, type) != types.end();
}

bool is_type_declaration(std::string_view type) {
  constexpr std::array<std::string_view, 4> types{"class_declaration", "interface_declaration",
                                                  "enum_declaration", "record_declaration"};
  return one_of(type, types);
}

bool is_compound(std::string_view type) {
  constexpr std::array<std::string_view, 11> types{
      "if_statement",      "while_statement",        "for_statement", "enhanced_for_statement",
      "do_statement",      "switch_expression",      "try_statement", "try_with_resources_statement",
      "labeled_statement", "synchronized_statement", "block"};
  return one_of(type, types);
}

/// A catch of one of these would swallow the ISOException by which a trap stops the command.
bool catches_the_stop(std::string_view type) {
  constexpr std::array<std::string_view, 5> types{"ISOException", "CardRuntimeException", "RuntimeException",
                                                  "Exception", "Throwable"};
  return one_of(type.substr(type.rfind('.') + 1), types);
}

/// How a `return f(x);` can be held up between the value and the return.
struct ReturnForm {
  bool possible = false;
  std::string open;   // between `return` and the expression
  std::string close;  // between the expression and `;`
};

ReturnForm return_form(std::string_view type) {
  constexpr std::array<std::string_view, 3> held{"boolean", "byte", "short"};
  constexpr std::array<std::string_view, 6> unknown_to_java_card{"int",   "long",   "char",
                                                                 "float", "double", "void"};
  if (type.empty() || one_of(type, unknown_to_java_card)) return {};
  // The cast makes a constant fit and picks the overload; for a class it takes the value back from Object.
  if (one_of(type, held)) return {true, fmt::format("{{pm}}.value(({})(", type), "),{pmc}.{name})"};
  return {true, fmt::format("({}){{pm}}.value(", type), ",{pmc}.{name})"};
}

class Builder {
 public:
  Builder(SourceModel& model, const JavaSyntax& syntax)
      : model_(model), syntax_(syntax), reachability_(syntax) {}

  void build() {
    collect_literals();
    collect_markers();
    const NodeIndex package = syntax_.child_of_type(syntax_.root(), "package_declaration");
    if (package != no_node) model_.scope = syntax_.text(syntax_.named_children(package).back());
    for (const NodeIndex node : syntax_.named_children(syntax_.root()))
      if (is_type_declaration(syntax_[node].type)) type_declaration(node);
    name_overloads();
    for (const NodeIndex comment : markers_)
      leave_alone(comment, "a marker must stand between two statements that run");
  }

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

  // ---- declarations

  void type_declaration(NodeIndex node) {
    const NodeIndex name = syntax_.child(node, "name");
    const NodeIndex superclass = syntax_.child(node, "superclass");
    const bool applet = superclass != no_node && syntax_.text(superclass).ends_with("Applet");
    in_class(std::string(syntax_.text(name)), applet, syntax_.child(node, "body"));
  }

  void in_class(const std::string& name, bool applet, NodeIndex body) {
    classes_.push_back({classes_.empty() ? name : classes_.back().name + "." + name, applet});
    members(body);
    classes_.pop_back();
  }

  void members(NodeIndex body) {
    for (const NodeIndex member : syntax_.named_children(body)) {
      const std::string_view type = syntax_[member].type;
      if (type == "method_declaration" || type == "constructor_declaration") {
        method(member);
      } else if (is_type_declaration(type)) {
        type_declaration(member);
      } else if (type == "static_initializer") {
        leave_alone(member, "a static initialiser: it runs before a trap can be armed");
      } else if (type == "block") {
        leave_alone(member, "an instance initialiser: it runs before a trap can be armed");
      } else if (type == "enum_body_declarations") {
        members(member);
      } else {
        nested_bodies(member);
      }
    }
  }

  void method(NodeIndex node) {
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
      nested_bodies(body);
      return;
    }
    Frame frame{.function = function, .returns = {}};
    const NodeIndex type = syntax_.child(node, "type");
    if (!constructor && syntax_.child(node, "dimensions") == no_node)
      frame.returns = return_form(syntax_.text(type));
    const bool is_void = constructor || syntax_.text(type) == "void";
    function_body(frame, name, body, is_void ? apdu_parameter(node) : "");
  }

  std::string why_no_trap(NodeIndex method) const {
    if (syntax_.child(method, "body") == no_node) return "it has no body";
    if (!classes_.back().applet) return {};
    const std::string_view name = syntax_.text(syntax_.child(method, "name"));
    if (syntax_[method].type == "constructor_declaration" || name == "install")
      return "it runs when the applet is installed, before a trap can be armed";
    if (name == "select" || name == "deselect") return "it runs outside of process, where no trap is armed";
    return {};
  }

  std::string apdu_parameter(NodeIndex method) const {
    for (const NodeIndex parameter : syntax_.named_children(syntax_.child(method, "parameters"))) {
      const NodeIndex type = syntax_.child(parameter, "type");
      const NodeIndex name = syntax_.child(parameter, "name");
      if (type == no_node || name == no_node) continue;
      const std::string_view text = syntax_.text(type);
      if (text.substr(text.rfind('.') + 1) == "APDU") return std::string(syntax_.text(name));
    }
    return {};
  }

  std::string parameter_types(NodeIndex method) const {
    std::string types;
    for (const NodeIndex parameter : syntax_.named_children(syntax_.child(method, "parameters"))) {
      const NodeIndex type = syntax_.child(parameter, "type");
      if (type != no_node) types += (types.empty() ? "" : ",") + std::string(syntax_.text(type));
    }
    return "(" + types + ")";
  }

  std::uint32_t add_function(const std::string& simple_name, std::size_t offset) {
    const std::string& owner = classes_.back().name;
    model_.functions.push_back({.name = owner + "." + simple_name,
                                .simple_name = simple_name,
                                .owner = owner,
                                .offset = offset,
                                .why_not = {}});
    return static_cast<std::uint32_t>(model_.functions.size() - 1);
  }

  /// Functions that share a name are told apart by their parameters.
  void name_overloads() {
    std::map<std::string, int> count;
    for (const Function& function : model_.functions) ++count[function.name];
    for (std::size_t i = 0; i < model_.functions.size(); ++i)
      if (count[model_.functions[i].name] > 1) model_.functions[i].name += parameters_[i];
  }

  void function_body(const Frame& frame, NodeIndex name, NodeIndex body, const std::string& apdu) {
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
      const auto entry0 =
          site(frame, {TrapKind::entry0, TrapLevel::function}, syntax_[name].begin, syntax_[name].end);
      slot(start, fmt::format("if({{pm}}.serve({}))return;{}", apdu, trap_call), {entry0});
    }
    const auto entry =
        site(frame, {TrapKind::entry, TrapLevel::function}, syntax_[name].begin, syntax_[name].end);
    slot(start, std::string(trap_call), {entry});
    sequence(frame, statements, ordinary);
    if (reachability_.statement(body) == Completes::yes)
      end_trap(frame, {TrapKind::exit, TrapLevel::function}, syntax_[body].end - 1, syntax_[body].end - 1);
  }

  // ---- statements

  /// Statements in a row. `first` is the position of the first one that can carry a trap.
  void sequence(const Frame& frame, const std::vector<NodeIndex>& nodes, Position first) {
    Position next = first;
    NodeIndex previous = no_node;
    for (const NodeIndex node : nodes) {
      if (syntax_.is_comment(node)) marker_comment(frame, node, previous);
      if (!is_java_statement(syntax_[node].type)) continue;
      if (statement(frame, node, next)) next = ordinary;
      if (is_compound(syntax_[node].type)) next.level = std::min(next.level, TrapLevel::block);
      previous = node;
    }
  }

  /// True when a site was made in front of it.
  bool statement(const Frame& frame, NodeIndex node, Position position) {
    const std::string_view type = syntax_[node].type;
    if (type == ";") return false;
    if (is_type_declaration(type)) {
      type_declaration(node);
      return false;
    }
    if (type == "block") {
      block(frame, node, position);
      return true;
    }
    if (is_marker_call(node)) {
      marker_call(frame, node);
      return false;
    }
    if (type == "local_variable_declaration" && !has_initialiser(node)) return false;
    if (type == "return_statement") {
      return_statement(frame, node, position);
      return true;
    }
    before_trap(frame, node, position);
    inside(frame, node);
    return true;
  }

  void before_trap(const Frame& frame, NodeIndex node, Position position) {
    slot(syntax_[node].begin, std::string(trap_call),
         {site(frame, position, syntax_[node].begin, syntax_[node].end)});
  }

  /// What stands within a statement whose own trap is set.
  void inside(const Frame& frame, NodeIndex node) {
    const std::string_view type = syntax_[node].type;
    if (type == "labeled_statement") {
      for (const NodeIndex child : syntax_.named_children(node)) inside(frame, child);
      return;
    }
    if (!is_compound(type)) {
      nested_bodies(node);
      return;
    }
    if (type == "block") {
      block(frame, node, first_of_block);
      return;
    }
    const bool loop = type == "while_statement" || type == "do_statement" || type.ends_with("for_statement");
    const Position position{loop ? TrapKind::loop_body : TrapKind::before, TrapLevel::block};
    for (const NodeIndex child : syntax_.children(node)) {
      const std::string_view role = syntax_[child].field;
      const std::string_view child_type = syntax_[child].type;
      if (role == "body" && child_type == "switch_block") {
        switch_block(frame, child);
      } else if (role == "body" || role == "consequence" || role == "alternative") {
        branch(frame, child, position);
      } else if (child_type == "catch_clause" || child_type == "finally_clause") {
        handler(frame, child);
      } else {
        nested_bodies(child);
      }
    }
  }

  void block(const Frame& frame, NodeIndex node, Position first) {
    sequence(frame, syntax_.children(node), first);
    if (reachability_.statement(node) == Completes::yes)
      end_trap(frame, {TrapKind::after, TrapLevel::block}, syntax_[node].end - 1, syntax_[node].end - 1);
  }

  /// The body of a loop or an if: a block, or one statement that needs braces once it has a trap.
  void branch(const Frame& frame, NodeIndex node, Position position) {
    if (syntax_[node].type == "block") {
      block(frame, node, position);
      return;
    }
    const bool empty = syntax_[node].type == ";";
    if (empty && position.kind != TrapKind::loop_body) return;
    const std::size_t open = model_.slots.size();
    const auto first_site = static_cast<std::uint32_t>(model_.sites.size());
    slot(syntax_[node].begin, "{", {});
    bool trapped = true;
    if (empty) {
      before_trap(frame, node, position);
    } else {
      trapped = statement(frame, node, position);
    }
    std::vector<std::uint32_t> wanted;
    if (trapped) wanted.push_back(first_site);
    if (!empty && reachability_.statement(node) == Completes::yes)
      wanted.push_back(
          end_trap(frame, {TrapKind::after, TrapLevel::block}, syntax_[node].end - 1, syntax_[node].end));
    // Without a trap the user's own call of one is all there is: nothing to brace.
    if (wanted.empty()) {
      model_.slots.erase(model_.slots.begin() + static_cast<std::ptrdiff_t>(open));
      return;
    }
    model_.slots[open].wanted_by = wanted;
    slot(syntax_[node].end, "}", wanted);
  }

  std::uint32_t end_trap(const Frame& frame, Position position, std::size_t begin, std::size_t at) {
    const std::uint32_t index = site(frame, position, begin, begin + 1);
    slot(at, std::string(trap_call), {index});
    return index;
  }

  void switch_block(const Frame& frame, NodeIndex body) {
    std::vector<NodeIndex> last;  // statements of the group before
    for (const NodeIndex child : syntax_.children(body)) {
      if (syntax_.is_comment(child)) {
        marker_comment(frame, child, last.empty() ? no_node : last.back());
      } else if (syntax_[child].type == "switch_block_statement_group") {
        last = syntax_.children(child);
        std::erase_if(last, [&](NodeIndex i) { return !is_java_statement(syntax_[i].type); });
        sequence(frame, syntax_.children(child), first_of_block);
      } else {
        switch_rule(frame, child);
      }
    }
    // Falling out of the last group, not out of the switch by a break: that way ends at the break's own trap.
    if (!last.empty() && reachability_.sequence(last) == Completes::yes)
      end_trap(frame, {TrapKind::after, TrapLevel::block}, syntax_[body].end - 1, syntax_[body].end - 1);
  }

  /// `case X -> …`: only a block can take a trap without becoming something else.
  void switch_rule(const Frame& frame, NodeIndex rule) {
    for (const NodeIndex child : syntax_.named_children(rule)) {
      if (syntax_[child].type == "block")
        block(frame, child, first_of_block);
      else
        nested_bodies(child);
    }
  }

  void handler(const Frame& frame, NodeIndex clause) {
    const NodeIndex body = syntax_.child_of_type(clause, "block");
    if (needs_guard(clause)) slot(syntax_[body].begin + 1, "{pm}.guard();", {});
    block(frame, body, {TrapKind::handler, TrapLevel::block});
  }

  bool needs_guard(NodeIndex clause) const {
    if (syntax_[clause].type == "finally_clause") return true;
    const NodeIndex parameter = syntax_.child_of_type(clause, "catch_formal_parameter");
    const std::vector<NodeIndex> types =
        syntax_.named_children(syntax_.child_of_type(parameter, "catch_type"));
    return std::ranges::any_of(types, [&](NodeIndex type) { return catches_the_stop(syntax_.text(type)); });
  }

  void return_statement(const Frame& frame, NodeIndex node, Position position) {
    const std::vector<NodeIndex> value = syntax_.named_children(node);
    if (value.empty() || is_trivial(value.front()) || !frame.returns.possible) {
      const bool leaves = value.empty() || is_trivial(value.front());
      before_trap(frame, node, leaves ? Position{TrapKind::returns, TrapLevel::function} : position);
      nested_bodies(node);
      return;
    }
    const SyntaxNode& expression = syntax_[value.front()];
    before_trap(frame, node, position);
    const std::uint32_t done =
        site(frame, {TrapKind::returns, TrapLevel::function}, syntax_[node].begin, syntax_[node].end);
    slot(expression.begin, frame.returns.open, {done});
    nested_bodies(value.front());
    slot(expression.end, frame.returns.close, {done});
  }

  /// A value that takes no time of its own: one trap serves for its statement and for the return.
  bool is_trivial(NodeIndex node) const {
    const std::string_view type = syntax_[node].type;
    if (type == "identifier" || type == "this" || type == "true" || type == "false" ||
        type.ends_with("_literal"))
      return true;
    if (type == "field_access") return is_trivial(syntax_.child(node, "object"));
    if (type == "cast_expression") return is_trivial(syntax_.child(node, "value"));
    if (type == "unary_expression") return is_trivial(syntax_.child(node, "operand"));
    return type == "parenthesized_expression" && is_trivial(syntax_.named_children(node).front());
  }

  bool has_initialiser(NodeIndex declaration) const {
    return std::ranges::any_of(syntax_.named_children(declaration), [&](NodeIndex child) {
      return syntax_[child].type == "variable_declarator" && syntax_.child(child, "value") != no_node;
    });
  }

  // ---- markers

  void collect_markers() {
    for (NodeIndex i = 0; i < syntax_.count(); ++i)
      if (marker_name(i)) markers_.push_back(i);
  }

  /// `// PM_CHECK` or `// PM_CHECK name`: the name, empty where there is none.
  std::optional<std::string> marker_name(NodeIndex node) const {
    static const std::regex form(R"(//\s*PM_CHECK(?:[ \t]+([A-Za-z_]\w*))?\s*)");
    std::match_results<std::string_view::const_iterator> match;
    const std::string_view text = syntax_.text(node);
    if (syntax_[node].type != "line_comment" || text.size() > longest_marker ||
        !std::regex_match(text.begin(), text.end(), match, form))
      return std::nullopt;
    return match[1].str();
  }

  void marker_comment(const Frame& frame, NodeIndex comment, NodeIndex previous) {
    const std::optional<std::string> name = marker_name(comment);
    if (!name || (previous != no_node && reachability_.statement(previous) != Completes::yes)) return;
    std::erase(markers_, comment);
    const auto marker =
        site(frame, {TrapKind::marker, TrapLevel::none}, syntax_[comment].begin, syntax_[comment].end);
    model_.sites[marker].marker_name = *name;
    slot(syntax_[comment].begin, std::string(trap_call), {marker});
  }

  /// The ancestor's `PM.check(PMC.TRAP_x);`: the user's own text stays and gets its number through PMC.
  bool is_marker_call(NodeIndex statement) const { return !marker_call_name(statement).empty(); }

  std::string marker_call_name(NodeIndex statement) const {
    static const std::regex form(R"(PM\s*\.\s*check\s*\(\s*PMC\s*\.\s*TRAP_(\w+)\s*\)\s*;)");
    std::match_results<std::string_view::const_iterator> match;
    const std::string_view text = syntax_.text(statement);
    if (syntax_[statement].type != "expression_statement" || text.size() > longest_marker ||
        !std::regex_match(text.begin(), text.end(), match, form))
      return {};
    return match[1].str();
  }

  void marker_call(const Frame& frame, NodeIndex node) {
    const auto marker =
        site(frame, {TrapKind::marker, TrapLevel::none}, syntax_[node].begin, syntax_[node].end);
    model_.sites[marker].marker_name = marker_call_name(node);
    model_.sites[marker].in_source = true;
  }

  // ---- bodies within expressions

  /// Anonymous classes and lambdas anywhere under `node`, in the order of the text.
  void nested_bodies(NodeIndex node) {
    for (NodeIndex i = node; i < node + syntax_[node].subtree;) {
      const std::string_view type = syntax_[i].type;
      const NodeIndex body = type == "lambda_expression" ? syntax_.child(i, "body") : no_node;
      if (type == "class_body") {
        in_class(fmt::format("${}", ++anonymous_), false, i);
      } else if (body != no_node && syntax_[body].type == "block") {
        const auto function = add_function(fmt::format("lambda${}", ++anonymous_), syntax_[i].begin);
        parameters_.emplace_back("()");
        function_body({.function = function, .returns = {}}, i, body, "");
      } else {
        ++i;
        continue;
      }
      i += syntax_[i].subtree;
    }
  }

  // ---- the model

  std::uint32_t site(const Frame& frame, Position position, std::size_t begin, std::size_t end) {
    model_.sites.push_back({.kind = position.kind,
                            .level = position.level,
                            .function = frame.function,
                            .begin = begin,
                            .end = end,
                            .marker_name = {},
                            .in_source = false});
    return static_cast<std::uint32_t>(model_.sites.size() - 1);
  }

  void slot(std::size_t at, std::string text, std::vector<std::uint32_t> wanted_by) {
    model_.slots.push_back({.at = at, .text = std::move(text), .wanted_by = std::move(wanted_by)});
  }

  void leave_alone(NodeIndex node, std::string reason) {
    model_.left_alone.push_back({.offset = syntax_[node].begin, .reason = std::move(reason)});
  }

  void collect_literals() {
    for (NodeIndex i = 0; i < syntax_.count(); ++i) {
      const bool hex = syntax_[i].type == "hex_integer_literal";
      if (!hex && syntax_[i].type != "decimal_integer_literal") continue;
      std::string text(syntax_.text(i).substr(hex ? 2 : 0));
      std::erase(text, '_');
      std::uint32_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
      model_.literals.push_back(value);
    }
  }

  struct Class {
    std::string name;
    bool applet = false;
  };

  SourceModel& model_;
  const JavaSyntax& syntax_;
  const JavaReachability reachability_;
  std::vector<Class> classes_;
  std::vector<std::string> parameters_;  // of each function: "(short,byte[])"
  std::vector<NodeIndex> markers_;       // not yet placed
  int anonymous_ = 0;
};

}  // namespace

SourceModel read_java(const std::string& path, std::string text) {
  if (carries_traps(text))
    throw UserError(Fault{.message = "the source carries jcprof's traps already",
                          .place = place_at(path, text, text.find("/*[j*/")),
                          .hint = "take them out with: jcprof strip " + path});
  SourceModel model;
  model.path = path;
  model.text = std::move(text);
  const JavaSyntax syntax(path, model.text);
  Builder(model, syntax).build();
  return model;
}

}  // namespace jcprof::rewriter
