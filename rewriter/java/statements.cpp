// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <regex>

#include "rewriter/java/builder.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

// Nobody writes a longer one, and std::regex recurses over its text.
constexpr std::size_t longest_marker = 200;

bool is_compound(std::string_view type) {
  return is_java_loop(type) || is_one_of(type, {"if_statement", "switch_expression", "try_statement",
                                                "try_with_resources_statement", "labeled_statement",
                                                "synchronized_statement", "block"});
}

/// A catch of one of these would swallow the ISOException by which a trap stops the command.
bool catches_the_stop(std::string_view type) {
  return is_one_of(type,
                   {"ISOException", "CardRuntimeException", "RuntimeException", "Exception", "Throwable"});
}

}  // namespace

void JavaBuilder::sequence(const Frame& frame, const std::vector<NodeIndex>& nodes, Position first) {
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

bool JavaBuilder::statement(const Frame& frame, NodeIndex node, Position position) {
  const std::string_view type = syntax_[node].type;
  if (type == ";") return false;
  if (is_java_type(type)) {
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
  // A loop is told by the trap in front of it.
  if (is_java_loop(syntax_[labelled(node)].type)) position.level = std::min(position.level, TrapLevel::block);
  before_trap(frame, node, position);
  inside(frame, node);
  return true;
}

NodeIndex JavaBuilder::labelled(NodeIndex node) const {
  while (syntax_[node].type == "labeled_statement") node = syntax_.named_children(node).back();
  return node;
}

void JavaBuilder::before_trap(const Frame& frame, NodeIndex node, Position position) {
  slot(syntax_[node].begin, std::string(trap_call),
       {site(frame, position, syntax_[node].begin, syntax_[node].end)});
}

void JavaBuilder::inside(const Frame& frame, NodeIndex node) {
  const std::string_view type = syntax_[node].type;
  if (type == "labeled_statement") {
    for (const NodeIndex child : syntax_.named_children(node)) inside(frame, child);
    return;
  }
  if (is_marker_call(node)) {
    marker_call(frame, node);
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
  if (type == "if_statement") {
    if_statement(frame, node);
    return;
  }
  const Position position{is_java_loop(type) ? TrapKind::loop_body : TrapKind::before, TrapLevel::block};
  const std::uint32_t guards_outside = guards_;
  for (const NodeIndex child : syntax_.children(node)) {
    guards_ = guards_outside + guards_round(child);
    const std::string_view role = syntax_[child].field;
    const std::string_view child_type = syntax_[child].type;
    if (role == "body" && child_type == "switch_block") {
      switch_block(frame, child);
    } else if (role == "body") {
      branch(frame, child, position);
    } else if (child_type == "catch_clause" || child_type == "finally_clause") {
      handler(frame, child);
    } else {
      nested_bodies(child);
    }
  }
  guards_ = guards_outside;
}

/// All of an if … else if … else row. Each `else if` is braced for the trap in front of its condition; at its
/// end there is none: its branches have theirs, and a last condition that fails is a block of its own.
void JavaBuilder::if_statement(const Frame& frame, NodeIndex node) {
  std::vector<std::uint32_t> braced;
  for (NodeIndex i = node; i != no_node;) {
    nested_bodies(syntax_.child(i, "condition"));
    branch(frame, syntax_.child(i, "consequence"), first_of_block);
    i = syntax_.child(i, "alternative");
    if (i == no_node) break;
    if (syntax_[i].type != "if_statement") {
      branch(frame, i, first_of_block);
      break;
    }
    braced.push_back(static_cast<std::uint32_t>(model_.sites.size()));
    slot(syntax_[i].begin, "{", {braced.back()});
    before_trap(frame, i, first_of_block);
  }
  for (auto site = braced.rbegin(); site != braced.rend(); ++site) slot(syntax_[node].end, "}", {*site});
}

void JavaBuilder::block(const Frame& frame, NodeIndex node, Position first) {
  const auto before = static_cast<std::ptrdiff_t>(model_.sites.size());
  sequence(frame, syntax_.children(node), first);
  // The passes of a body without a statement count too.
  if (first.kind == TrapKind::loop_body &&
      std::all_of(model_.sites.begin() + before, model_.sites.end(),
                  [](const Site& made) { return made.kind == TrapKind::marker; }))
    end_trap(frame, first, syntax_[node].end - 1, syntax_[node].end);
  if (reachability_.statement(node) == Completes::yes)
    end_trap(frame, {TrapKind::after, TrapLevel::block}, syntax_[node].end - 1, syntax_[node].end);
}

void JavaBuilder::branch(const Frame& frame, NodeIndex node, Position position) {
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
        end_trap(frame, {TrapKind::after, TrapLevel::block}, syntax_[node].end, syntax_[node].end));
  // Without a trap the user's own call of one is all there is: nothing to brace.
  if (wanted.empty()) {
    model_.slots.erase(model_.slots.begin() + static_cast<std::ptrdiff_t>(open));
    return;
  }
  model_.slots[open].wanted_by = wanted;
  slot(syntax_[node].end, "}", wanted);
}

std::uint32_t JavaBuilder::end_trap(const Frame& frame, Position position, std::size_t at, std::size_t end) {
  const std::uint32_t index = site(frame, position, at, end);
  slot(at, std::string(trap_call), {index});
  return index;
}

void JavaBuilder::switch_block(const Frame& frame, NodeIndex body) {
  std::vector<NodeIndex> last;  // statements of the group before
  bool in_groups = false;
  for (const NodeIndex child : syntax_.children(body)) {
    if (syntax_.is_comment(child)) {
      if (in_groups) marker_comment(frame, child, last.empty() ? no_node : last.back());
    } else if (syntax_[child].type == "switch_block_statement_group") {
      in_groups = true;
      last = syntax_.children(child);
      const auto is_colon = [&](NodeIndex i) { return syntax_[i].type == ":"; };
      last.erase(last.begin(), std::ranges::find_if(last.rbegin(), last.rend(), is_colon).base());
      sequence(frame, last, first_of_block);
      std::erase_if(last, [&](NodeIndex i) { return !is_java_statement(syntax_[i].type); });
    } else {
      switch_rule(frame, child);
    }
  }
  // Falling out of the last group, not out of the switch by a break: that way ends at the break's own trap.
  if (!last.empty() && reachability_.sequence(last) == Completes::yes)
    end_trap(frame, {TrapKind::after, TrapLevel::block}, syntax_[body].end - 1, syntax_[body].end);
}

void JavaBuilder::switch_rule(const Frame& frame, NodeIndex rule) {
  for (const NodeIndex child : syntax_.named_children(rule)) {
    if (syntax_[child].type == "block")
      block(frame, child, first_of_block);
    else if (is_marker_call(child))
      marker_call(frame, child);
    else
      nested_bodies(child);
  }
}

void JavaBuilder::handler(const Frame& frame, NodeIndex clause) {
  const NodeIndex body = syntax_.child_of_type(clause, "block");
  guard(clause);
  block(frame, body, {TrapKind::handler, TrapLevel::block});
}

bool JavaBuilder::needs_guard(NodeIndex clause) const {
  if (syntax_[clause].type == "finally_clause") return true;
  const NodeIndex parameter = syntax_.child_of_type(clause, "catch_formal_parameter");
  const std::vector<NodeIndex> types = syntax_.named_children(syntax_.child_of_type(parameter, "catch_type"));
  // A qualified name may hold blanks and comments: what counts is its last part.
  return std::ranges::any_of(types, [&](NodeIndex type) {
    return catches_the_stop(syntax_.text(type + syntax_[type].subtree - 1));
  });
}

std::uint32_t JavaBuilder::guards_round(NodeIndex part) const {
  const NodeIndex statement = syntax_[part].parent;
  if (!syntax_[statement].type.starts_with("try_") || syntax_[part].type == "finally_clause") return 0;
  std::uint32_t catches = 0;
  std::uint32_t finally = 0;
  for (const NodeIndex clause : syntax_.children(statement)) {
    if (syntax_[clause].type == "finally_clause") finally = 1;
    // Only one catch takes the stop; what it throws leaves by the `finally`.
    if (syntax_[clause].type == "catch_clause" && needs_guard(clause)) catches = 1;
  }
  return syntax_[part].type == "catch_clause" ? finally : catches + finally;
}

void JavaBuilder::guard(NodeIndex clause) {
  if (needs_guard(clause))
    slot(syntax_[syntax_.child_of_type(clause, "block")].begin + 1, "{pm}.guard();", {});
}

void JavaBuilder::return_statement(const Frame& frame, NodeIndex node, Position position) {
  const std::vector<NodeIndex> value = syntax_.named_children(node);
  if (value.empty() || is_trivial(value.front()) || !frame.returns.possible ||
      needs_target_type(value.front())) {
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

bool JavaBuilder::needs_target_type(NodeIndex node) const {
  for (NodeIndex i = node; i < node + syntax_[node].subtree; ++i)
    if (syntax_[i].type == "lambda_expression" || syntax_[i].type == "method_reference") return true;
  return false;
}

bool JavaBuilder::is_trivial(NodeIndex node) const {
  const std::string_view type = syntax_[node].type;
  if (type == "identifier" || type == "this" || type == "true" || type == "false" ||
      type.ends_with("_literal"))
    return true;
  if (type == "field_access") return is_trivial(syntax_.child(node, "object"));
  if (type == "cast_expression") return is_trivial(syntax_.child(node, "value"));
  if (type == "unary_expression") return is_trivial(syntax_.child(node, "operand"));
  return type == "parenthesized_expression" && is_trivial(syntax_.named_children(node).front());
}

bool JavaBuilder::has_initialiser(NodeIndex declaration) const {
  return std::ranges::any_of(syntax_.named_children(declaration), [&](NodeIndex child) {
    return syntax_[child].type == "variable_declarator" && syntax_.child(child, "value") != no_node;
  });
}

void JavaBuilder::collect_markers() {
  for (NodeIndex i = 0; i < syntax_.count(); ++i) {
    if (!syntax_.is_comment(i) || syntax_.text(i).find("PM_CHECK") == std::string_view::npos) continue;
    if (marker_name(i))
      markers_.push_back(i);
    else
      leave_alone(i, R"(a marker reads "// PM_CHECK" or "// PM_CHECK name")");
  }
}

std::optional<std::string> JavaBuilder::marker_name(NodeIndex node) const {
  static const std::regex form(R"(//\s*PM_CHECK(?:[ \t]+([A-Za-z_]\w*))?\s*)");
  std::match_results<std::string_view::const_iterator> match;
  const std::string_view text = syntax_.text(node);
  if (syntax_[node].type != "line_comment" || text.size() > longest_marker ||
      !std::regex_match(text.begin(), text.end(), match, form))
    return std::nullopt;
  return match[1].str();
}

void JavaBuilder::marker_comment(const Frame& frame, NodeIndex comment, NodeIndex previous) {
  const std::optional<std::string> name = marker_name(comment);
  if (!name || (previous != no_node && reachability_.statement(previous) != Completes::yes)) return;
  std::erase(markers_, comment);
  const auto marker =
      site(frame, {TrapKind::marker, TrapLevel::none}, syntax_[comment].begin, syntax_[comment].end);
  model_.sites[marker].marker_name = *name;
  slot(syntax_[comment].begin, std::string(trap_call), {marker});
}

std::string JavaBuilder::marker_call_name(NodeIndex statement) const {
  constexpr std::string_view prefix = "TRAP_";
  if (syntax_[statement].type != "expression_statement") return {};
  const NodeIndex call = syntax_.named_children(statement).front();
  const auto reads = [&](NodeIndex node, std::string_view role, std::string_view wanted) {
    const NodeIndex child = syntax_.child(node, role);
    return child != no_node && syntax_.text(child) == wanted;
  };
  if (syntax_[call].type != "method_invocation" || !reads(call, "object", "PM") ||
      !reads(call, "name", "check"))
    return {};
  const std::vector<NodeIndex> arguments = syntax_.named_children(syntax_.child(call, "arguments"));
  if (arguments.size() != 1) return {};
  NodeIndex trap = arguments.front();
  while (syntax_[trap].type == "parenthesized_expression") trap = syntax_.named_children(trap).front();
  if (syntax_[trap].type != "field_access") return {};
  const std::string_view name = syntax_.text(syntax_.child(trap, "field"));
  if (!(reads(trap, "object", "PMC") || reads(trap, "object", "PM")) || !name.starts_with(prefix)) return {};
  return std::string(name.substr(prefix.size()));
}

void JavaBuilder::marker_call(const Frame& frame, NodeIndex node) {
  const auto marker =
      site(frame, {TrapKind::marker, TrapLevel::none}, syntax_[node].begin, syntax_[node].end);
  model_.sites[marker].marker_name = marker_call_name(node);
  model_.sites[marker].in_source = true;
}

}  // namespace jcprof::rewriter
