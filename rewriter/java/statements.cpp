// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <regex>

#include <fmt/format.h>

#include "rewriter/java/walk.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

bool statement(JavaWalk& walk, NodeIndex node, Position position);

bool is_compound(std::string_view type) {
  return is_java_loop(type) || is_one_of(type, {"if_statement", "switch_expression", "try_statement",
                                                "try_with_resources_statement", "labeled_statement",
                                                "synchronized_statement", "block"});
}

/// A value that takes no time of its own: one trap serves for its statement and for the return.
bool is_trivial(const JavaSyntax& syntax, NodeIndex node) {
  const std::string_view type = syntax[node].type;
  if (is_one_of(type, {"identifier", "this", "true", "false"}) || type.ends_with("_literal")) return true;
  if (type == "field_access") return is_trivial(syntax, syntax.child(node, "object"));
  if (type == "cast_expression") return is_trivial(syntax, syntax.child(node, "value"));
  if (type == "unary_expression") return is_trivial(syntax, syntax.child(node, "operand"));
  return type == "parenthesized_expression" && is_trivial(syntax, syntax.named_children(node).front());
}

/// A lambda or a method reference takes its type from where it stands, and would have none as an argument.
bool needs_target_type(const JavaSyntax& syntax, NodeIndex node) {
  for (NodeIndex i = node; i < node + syntax[node].subtree; ++i)
    if (is_one_of(syntax[i].type, {"lambda_expression", "method_reference"})) return true;
  return false;
}

bool has_initialiser(const JavaSyntax& syntax, NodeIndex declaration) {
  return std::ranges::any_of(syntax.named_children(declaration), [&](NodeIndex child) {
    return syntax[child].type == "variable_declarator" && syntax.child(child, "value") != no_node;
  });
}

/// The statement behind its labels.
NodeIndex labelled(const JavaSyntax& syntax, NodeIndex node) {
  while (syntax[node].type == "labeled_statement") node = syntax.named_children(node).back();
  return node;
}

// --- Traps ---

void block(JavaWalk& walk, NodeIndex node, Position first) {
  const std::size_t before = walk.model.sites.size();
  const ByteRange brace{walk.syntax[node].end - 1, walk.syntax[node].end};
  sequence(walk, walk.syntax.children(node), first);
  // The passes of a body without a statement count too.
  if (first.kind == TrapKind::loop_body && has_only_markers(walk.model, before)) put_trap(walk, first, brace);
  if (walk.reachability.statement(node) == Completes::yes) put_trap(walk, end_of_block, brace);
}

/// The body of a loop or an if: a block, or one statement that needs braces once it has a trap.
void branch(JavaWalk& walk, NodeIndex node, Position position) {
  if (walk.syntax[node].type == "block") {
    block(walk, node, position);
    return;
  }
  const bool empty = walk.syntax[node].type == ";";
  if (empty && position.kind != TrapKind::loop_body) return;
  const ByteRange range = walk.syntax.range(node);
  const std::size_t open = walk.model.slots.size();
  const auto first_site = static_cast<std::uint32_t>(walk.model.sites.size());
  add_slot(walk.model, range.begin, "{", {});
  bool trapped = true;
  if (empty)
    put_trap(walk, position, walk.syntax.range(node));
  else
    trapped = statement(walk, node, position);
  std::vector<std::uint32_t> wanted;
  if (trapped) wanted.push_back(first_site);
  if (!empty && walk.reachability.statement(node) == Completes::yes)
    wanted.push_back(put_trap(walk, end_of_block, {range.end, range.end}));
  // Without a trap the user's own call of one is all there is: nothing to brace.
  if (wanted.empty()) {
    walk.model.slots.erase(walk.model.slots.begin() + static_cast<std::ptrdiff_t>(open));
    return;
  }
  walk.model.slots[open].wanted_by = wanted;
  add_slot(walk.model, range.end, "}", wanted);
}

void return_statement(JavaWalk& walk, NodeIndex node, Position position) {
  const JavaSyntax& syntax = walk.syntax;
  const std::vector<NodeIndex> value = syntax.named_children(node);
  const bool leaves = value.empty() || is_trivial(syntax, value.front());
  put_trap(walk, leaves ? at_return : position, syntax.range(node));
  if (leaves || !walk.frame.returns.possible || needs_target_type(syntax, value.front())) {
    nested_bodies(walk, node);
    return;
  }
  const ReturnForm form = walk.frame.returns;
  const std::uint32_t done = java_site(walk, at_return, syntax.range(node));
  add_slot(walk.model, syntax[value.front()].begin, form.open, {done});
  nested_bodies(walk, value.front());
  add_slot(walk.model, syntax[value.front()].end, form.close, {done});
}

// --- Markers by hand ---

/// `// PM_CHECK` or `// PM_CHECK name`: the name, empty where there is none.
std::optional<std::string> marker_name(const JavaSyntax& syntax, NodeIndex node) {
  static const std::regex form(R"(//\s*PM_CHECK(?:[ \t]+([A-Za-z_]\w*))?\s*)");
  std::match_results<std::string_view::const_iterator> match;
  const std::string_view text = syntax.text(node);
  if (syntax[node].type != "line_comment" || text.size() > longest_marker ||
      !std::regex_match(text.begin(), text.end(), match, form))
    return std::nullopt;
  return match[1].str();
}

void marker_comment(JavaWalk& walk, NodeIndex comment, NodeIndex previous) {
  const std::optional<std::string> name = marker_name(walk.syntax, comment);
  if (!name || (previous != no_node && walk.reachability.statement(previous) != Completes::yes)) return;
  std::erase(walk.markers, comment);
  walk.model.sites[put_trap(walk, at_marker, walk.syntax.range(comment))].marker_name = *name;
}

/// "x" of the ancestor's `PM.check(PMC.TRAP_x);`; empty for any other statement.
std::string marker_call_name(const JavaSyntax& syntax, NodeIndex statement) {
  constexpr std::string_view prefix = "TRAP_";
  if (syntax[statement].type != "expression_statement") return {};
  const NodeIndex call = syntax.named_children(statement).front();
  const auto reads = [&](NodeIndex node, std::string_view role, std::string_view wanted) {
    const NodeIndex child = syntax.child(node, role);
    return child != no_node && syntax.text(child) == wanted;
  };
  if (syntax[call].type != "method_invocation" || !reads(call, "object", "PM") ||
      !reads(call, "name", "check"))
    return {};
  const std::vector<NodeIndex> arguments = syntax.named_children(syntax.child(call, "arguments"));
  if (arguments.size() != 1) return {};
  NodeIndex trap = arguments.front();
  while (syntax[trap].type == "parenthesized_expression") trap = syntax.named_children(trap).front();
  if (syntax[trap].type != "field_access") return {};
  const std::string_view name = syntax.text(syntax.child(trap, "field"));
  if (!(reads(trap, "object", "PMC") || reads(trap, "object", "PM")) || !name.starts_with(prefix)) return {};
  return std::string(name.substr(prefix.size()));
}

/// The user's own text stays and gets its number through PMC. Where it names the trap of another place, a
/// call of its own trap runs instead. False where it is no call of a trap.
bool marker_call(JavaWalk& walk, NodeIndex node) {
  std::string name = marker_call_name(walk.syntax, node);
  if (name.empty()) return false;
  const ByteRange range = walk.syntax.range(node);
  const std::uint32_t made = java_site(walk, at_marker, range);
  Site& site = walk.model.sites[made];
  site.marker_name = std::move(name);
  site.in_source = true;
  add_slot(walk.model, range.begin, fmt::format("{{{}if(false)", java_trap), {made});
  walk.model.slots.back().if_renamed = true;
  add_slot(walk.model, range.end, "}", {made});
  walk.model.slots.back().if_renamed = true;
  return true;
}

// --- Exceptions ---

/// The clause would swallow the ISOException by which a trap stops the command.
bool needs_guard(const JavaSyntax& syntax, NodeIndex clause) {
  if (syntax[clause].type == "finally_clause") return true;
  const NodeIndex parameter = syntax.child_of_type(clause, "catch_formal_parameter");
  const std::vector<NodeIndex> types = syntax.named_children(syntax.child_of_type(parameter, "catch_type"));
  // A qualified name may hold blanks and comments: its last part counts.
  return std::ranges::any_of(types, [&](NodeIndex type) {
    return is_one_of(syntax.text(type + syntax[type].subtree - 1),
                     {"ISOException", "CardRuntimeException", "RuntimeException", "Exception", "Throwable"});
  });
}

/// Guards of the `try` that a stop within `part` of it, its body or a clause, passes.
std::uint32_t guards_round(const JavaSyntax& syntax, NodeIndex part) {
  const NodeIndex statement = syntax[part].parent;
  if (!syntax[statement].type.starts_with("try_") || syntax[part].type == "finally_clause") return 0;
  std::uint32_t catches = 0;
  std::uint32_t finally = 0;
  for (const NodeIndex clause : syntax.children(statement)) {
    if (syntax[clause].type == "finally_clause") finally = 1;
    // Only one catch takes the stop; a stop that it throws leaves by the `finally`.
    if (syntax[clause].type == "catch_clause" && needs_guard(syntax, clause)) catches = 1;
  }
  return syntax[part].type == "catch_clause" ? finally : catches + finally;
}

void handler(JavaWalk& walk, NodeIndex clause) {
  guard(walk, clause);
  block(walk, walk.syntax.child_of_type(clause, "block"), at_handler);
}

// --- Compound statements ---

/// All of an if … else if … else row. Each `else if` is braced for the trap in front of its condition; at its
/// end there is none: its branches have theirs, and a last condition that fails is a block of its own.
void if_statement(JavaWalk& walk, NodeIndex node) {
  const JavaSyntax& syntax = walk.syntax;
  std::vector<std::uint32_t> braced;
  for (NodeIndex i = node; i != no_node;) {
    nested_bodies(walk, syntax.child(i, "condition"));
    branch(walk, syntax.child(i, "consequence"), first_of_block);
    i = syntax.child(i, "alternative");
    if (i == no_node) break;
    if (syntax[i].type != "if_statement") {
      branch(walk, i, first_of_block);
      break;
    }
    braced.push_back(static_cast<std::uint32_t>(walk.model.sites.size()));
    add_slot(walk.model, syntax[i].begin, "{", {braced.back()});
    put_trap(walk, first_of_block, walk.syntax.range(i));
  }
  close_braces(walk.model, syntax[node].end, braced);
}

/// `case X -> …`: only a block can take a trap without becoming something else.
void switch_rule(JavaWalk& walk, NodeIndex rule) {
  for (const NodeIndex child : walk.syntax.named_children(rule)) {
    if (walk.syntax[child].type == "block")
      block(walk, child, first_of_block);
    else if (!marker_call(walk, child))
      nested_bodies(walk, child);
  }
}

void switch_block(JavaWalk& walk, NodeIndex body) {
  const JavaSyntax& syntax = walk.syntax;
  std::vector<NodeIndex> last;  // statements of the group before
  bool in_groups = false;
  for (const NodeIndex child : syntax.children(body)) {
    if (syntax.is_comment(child)) {
      if (in_groups) marker_comment(walk, child, last.empty() ? no_node : last.back());
    } else if (syntax[child].type == "switch_block_statement_group") {
      in_groups = true;
      last = syntax.children(child);
      const auto is_colon = [&](NodeIndex i) { return syntax[i].type == ":"; };
      last.erase(last.begin(), std::ranges::find_if(last.rbegin(), last.rend(), is_colon).base());
      sequence(walk, last, first_of_block);
      std::erase_if(last, [&](NodeIndex i) { return !is_java_statement(syntax[i].type); });
    } else {
      switch_rule(walk, child);
    }
  }
  // This is the way out of the last group. The way out by a break ends at the break's own trap.
  if (!last.empty() && walk.reachability.sequence(last) == Completes::yes)
    put_trap(walk, end_of_block, {syntax[body].end - 1, syntax[body].end});
}

/// A loop, a switch, a try or a synchronized statement.
void parts_of(JavaWalk& walk, NodeIndex node) {
  const JavaSyntax& syntax = walk.syntax;
  const TrapKind kind = is_java_loop(syntax[node].type) ? TrapKind::loop_body : TrapKind::before;
  const std::uint32_t guards_outside = walk.frame.guards;
  for (const NodeIndex child : syntax.children(node)) {
    walk.frame.guards = guards_outside + guards_round(syntax, child);
    const std::string_view type = syntax[child].type;
    if (syntax[child].field == "body" && type == "switch_block")
      switch_block(walk, child);
    else if (syntax[child].field == "body")
      branch(walk, child, {kind, TrapLevel::block});
    else if (type == "catch_clause" || type == "finally_clause")
      handler(walk, child);
    else
      nested_bodies(walk, child);
  }
  walk.frame.guards = guards_outside;
}

/// The parts of a statement whose own trap is set.
void inside(JavaWalk& walk, NodeIndex node) {
  const std::string_view type = walk.syntax[node].type;
  if (type == "labeled_statement") {
    for (const NodeIndex child : walk.syntax.named_children(node)) inside(walk, child);
  } else if (marker_call(walk, node)) {
    return;
  } else if (!is_compound(type)) {
    nested_bodies(walk, node);
  } else if (type == "block") {
    block(walk, node, first_of_block);
  } else if (type == "if_statement") {
    if_statement(walk, node);
  } else {
    parts_of(walk, node);
  }
}

/// True when a site was made in front of it.
bool statement(JavaWalk& walk, NodeIndex node, Position position) {
  const JavaSyntax& syntax = walk.syntax;
  const std::string_view type = syntax[node].type;
  if (type == ";") return false;
  if (is_java_type(type)) {
    type_declaration(walk, node);
    return false;
  }
  if (type == "block") {
    block(walk, node, position);
    return true;
  }
  if (marker_call(walk, node)) return false;
  if (type == "local_variable_declaration" && !has_initialiser(syntax, node)) return false;
  if (type == "return_statement") {
    return_statement(walk, node, position);
    return true;
  }
  // A loop is told by the trap in front of it.
  if (is_java_loop(syntax[labelled(syntax, node)].type))
    position.level = std::min(position.level, TrapLevel::block);
  put_trap(walk, position, walk.syntax.range(node));
  inside(walk, node);
  return true;
}

}  // namespace

void sequence(JavaWalk& walk, const std::vector<NodeIndex>& nodes, Position first) {
  Position next = first;
  NodeIndex previous = no_node;
  for (const NodeIndex node : nodes) {
    if (walk.syntax.is_comment(node)) marker_comment(walk, node, previous);
    const std::string_view type = walk.syntax[node].type;
    if (!is_java_statement(type)) continue;
    if (statement(walk, node, next)) next = ordinary;
    if (is_compound(type)) next.level = std::min(next.level, TrapLevel::block);
    previous = node;
  }
}

std::uint32_t put_trap(JavaWalk& walk, Position position, ByteRange range) {
  const std::uint32_t made = java_site(walk, position, range);
  add_slot(walk.model, range.begin, std::string(java_trap), {made});
  return made;
}

void guard(JavaWalk& walk, NodeIndex clause) {
  if (needs_guard(walk.syntax, clause))
    add_slot(walk.model, walk.syntax[walk.syntax.child_of_type(clause, "block")].begin + 1, "{pm}.guard();",
             {});
}

void collect_markers(JavaWalk& walk) {
  for (NodeIndex i = 0; i < walk.syntax.count(); ++i) {
    if (!walk.syntax.is_comment(i) || walk.syntax.text(i).find("PM_CHECK") == std::string_view::npos)
      continue;
    if (marker_name(walk.syntax, i))
      walk.markers.push_back(i);
    else
      leave_alone(walk, i, R"(a marker reads "// PM_CHECK" or "// PM_CHECK name")");
  }
}

}  // namespace jcprof::rewriter
