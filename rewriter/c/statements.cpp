// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "rewriter/c/walk.hpp"

namespace jcprof::rewriter {
namespace {

constexpr std::string_view branches_differ =
    "its braces would stand in different #if branches, or in a macro";

bool statement(CWalk& walk, NodeIndex node, Position position, Spot spot);
void blocks_within(CWalk& walk, NodeIndex node);

bool is_compound(CKind kind) {
  return is_loop(kind) || kind == CKind::if_ || kind == CKind::switch_ || kind == CKind::try_ ||
         kind == CKind::label || kind == CKind::compound;
}

void block(CWalk& walk, NodeIndex node, Position first) {
  const std::size_t before = walk.fragment.sites.size();
  sequence(walk, node, first);
  // The passes of a body without a statement count too.
  if (first.kind == TrapKind::loop_body && has_only_markers(walk.fragment, before))
    end_trap(walk, first, node);
  if (completes(walk.syntax, node)) end_trap(walk, end_of_block, node);
  walk.assigned = {};
}

/// One statement that needs braces once it has a trap.
void braced_statement(CWalk& walk, NodeIndex node, Position position) {
  CFragment& fragment = walk.fragment;
  const CNode& n = walk.syntax[node];
  const bool empty = n.kind == CKind::null;
  const std::size_t open = fragment.slots.size();
  const auto first_site = static_cast<std::uint32_t>(fragment.sites.size());
  const std::uint32_t end = *end_of(walk.syntax, node);
  add_slot(fragment, n.begin, "{", {});
  if (empty)
    before_trap(walk, node, position, {.at = n.begin});
  else
    statement(walk, node, position, {.at = n.begin});
  std::vector<std::uint32_t> wanted;
  const std::uint32_t labelled = walk.syntax[behind_labels(walk.syntax, node, Labels::all)].begin;
  if (fragment.sites.size() > first_site &&
      (fragment.sites[first_site].begin == n.begin || fragment.sites[first_site].begin == labelled))
    wanted.push_back(first_site);
  if (!empty && completes(walk.syntax, node)) {
    wanted.push_back(c_site(walk, end_of_block, end, end));
    add_slot(fragment, end, trap_text(walk, wanted.back(), false), {wanted.back()});
  }
  walk.assigned = {};
  fragment.slots[open].wanted_by = wanted;
  add_slot(fragment, end, "}", wanted);
  if (empty) fragment.sites[first_site].counts = false;
}

/// The body of a loop or an if: a block, or one statement.
void branch(CWalk& walk, NodeIndex node, Position position) {
  walk.assigned = {};
  if (is_own_block(walk.syntax, node)) {
    block(walk, node, position);
    return;
  }
  const CNode& n = walk.syntax[node];
  const bool empty = n.kind == CKind::null;
  if (empty && position.kind != TrapKind::loop_body) return;
  if (can_be_braced(walk.syntax, node)) {
    braced_statement(walk, node, position);
    return;
  }
  if (!empty && n.kind != CKind::compound) count(walk, node);
  if (!empty) leave_alone(walk, n.begin, n.in_macro ? "it comes from a macro" : branches_differ);
  blocks_within(walk, node);
}

/// The trap of an `else if`. `braced` collects those that need a brace at the end.
void else_if(CWalk& walk, NodeIndex node, std::vector<std::uint32_t>& braced) {
  const IfParts parts = parts_of(walk.syntax, node);
  const std::uint32_t begin = walk.syntax[node].begin;
  const std::optional<std::uint32_t> end = end_of(walk.syntax, node);
  if (parts.declares) {
    if (!end || !walk.syntax.same_branch(begin, *end)) {
      leave_alone(walk, begin, branches_differ);
      return;
    }
    braced.push_back(c_site(walk, first_of_block, begin, *end));
    add_slot(walk.fragment, begin, "{" + trap_text(walk, braced.back(), false), {braced.back()});
  } else if (parts.open == 0) {
    leave_alone(walk, begin, "its condition comes from a macro");
    return;
  } else {
    add_slot(walk.fragment, parts.open, "JCPROF_TRAP_E({id}),",
             {c_site(walk, first_of_block, begin, end.value_or(walk.syntax[node].end))});
  }
  walk.fragment.sites.back().counts = true;
}

/// All of an if … else if … else row.
void if_statement(CWalk& walk, NodeIndex node) {
  const CSyntax& syntax = walk.syntax;
  std::vector<std::uint32_t> braced;
  for (std::optional<NodeIndex> i = node; i;) {
    const IfParts parts = parts_of(syntax, *i);
    if (!parts.then) {
      blocks_within(walk, *i);
      break;
    }
    for (const NodeIndex child : syntax.children(*i))
      if (child < *parts.then) nested(walk, child);
    branch(walk, *parts.then, first_of_block);
    i = parts.otherwise;
    if (!i) break;
    if (syntax[*i].kind != CKind::if_ || syntax[*i].in_macro ||
        syntax.word_before(syntax[*i].begin) != "else") {
      branch(walk, *i, first_of_block);
      break;
    }
    count(walk, *i);
    else_if(walk, *i, braced);
  }
  close_braces(walk.fragment, end_of(syntax, node).value_or(syntax[node].end), braced);
}

void try_statement(CWalk& walk, NodeIndex node) {
  for (const NodeIndex part : walk.syntax.children(node)) {
    const bool is_handler = walk.syntax[part].kind == CKind::catch_;
    const std::vector<NodeIndex> clause = is_handler ? walk.syntax.children(part) : std::vector{part};
    if (!clause.empty()) branch(walk, clause.back(), is_handler ? at_handler : first_of_block);
  }
}

void switch_block(CWalk& walk, NodeIndex body) {
  const CSyntax& syntax = walk.syntax;
  const std::vector<NodeIndex> parts = syntax.children(body);
  const auto first = std::ranges::find_if(parts, [&](NodeIndex i) { return is_case(syntax, i); });
  for (auto i = parts.begin(); i != first; ++i) {
    const CNode& n = syntax[*i];
    if (n.kind == CKind::null || (n.kind == CKind::declaration && n.value == CValue::none)) continue;
    count(walk, *i);
    leave_alone(walk, n.begin, "it stands in front of the first case of a switch");
  }
  if (first == parts.end()) return;
  sequence(walk, body, first_of_block, *first);
  // This is the way out of the last group. The way out by a break ends at the break's own trap.
  if (completes(syntax, parts.back())) end_trap(walk, end_of_block, body);
}

/// Blocks of the file's own in what a macro makes, or in what traps cannot be put into otherwise.
void blocks_within(CWalk& walk, NodeIndex node) {
  const CKind kind = walk.syntax[node].kind;
  for (const NodeIndex child : walk.syntax.children(node)) {
    if (walk.syntax[child].kind == CKind::function) {
      function(walk, child);
    } else if (!is_own_block(walk.syntax, child)) {
      if (walk.syntax[node].in_macro && is_executable(walk.syntax[child])) {
        count(walk, child);
        leave_alone(walk, walk.syntax[child].begin, "its loop or condition comes from a macro");
      }
      blocks_within(walk, child);
    } else if (kind == CKind::switch_) {
      switch_block(walk, child);
    } else {
      block(walk, child, is_loop(kind) ? in_loop : kind == CKind::catch_ ? at_handler : first_of_block);
    }
  }
}

void loop(CWalk& walk, NodeIndex node) {
  const std::vector<NodeIndex> parts = walk.syntax.children(node);
  if (parts.empty()) return;
  const NodeIndex body = walk.syntax[node].kind == CKind::do_ ? parts.front() : parts.back();
  for (const NodeIndex part : parts) {
    if (part == body)
      branch(walk, body, in_loop);
    else
      nested(walk, part);
  }
}

void switch_statement(CWalk& walk, NodeIndex node) {
  const std::vector<NodeIndex> parts = walk.syntax.children(node);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) nested(walk, parts[i]);
  if (!parts.empty() && is_own_block(walk.syntax, parts.back()))
    switch_block(walk, parts.back());
  else if (!parts.empty() && is_case(walk.syntax, parts.back()))
    branch(walk, parts.back(), first_of_block);
  else
    blocks_within(walk, node);
}

/// The parts of a statement whose own trap is set.
void inside(CWalk& walk, NodeIndex node) {
  const CNode& n = walk.syntax[node];
  if (n.in_macro || n.kind == CKind::other || n.kind == CKind::compound) return blocks_within(walk, node);
  if (n.kind == CKind::if_) return if_statement(walk, node);
  if (n.kind == CKind::try_) return try_statement(walk, node);
  if (n.kind == CKind::switch_) return switch_statement(walk, node);
  if (is_loop(n.kind)) return loop(walk, node);
  nested(walk, node);
}

/// The trap stands behind the label: a jump there passes it.
void labelled(CWalk& walk, NodeIndex node, Position position, Spot spot) {
  if (walk.syntax[node].kind == CKind::label && position.kind != TrapKind::before && spot.why_not.empty())
    before_trap(walk, node, position, spot);
  walk.assigned = {};
  const std::vector<NodeIndex> parts = walk.syntax.children(node);
  if (parts.empty()) return;
  const NodeIndex inner = parts.back();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) nested(walk, parts[i]);
  const CNode& n = walk.syntax[inner];
  Spot behind{.at = n.begin};
  const CRange* macro = walk.syntax.macro_at(n.begin);
  if (macro != nullptr && (macro->begin != n.begin || walk.syntax[node].begin == n.begin))
    behind.why_not = "it comes from a macro";
  statement(walk, inner, first_of_block, behind);
}

bool attributed(CWalk& walk, NodeIndex node, Position position, Spot spot) {
  const std::vector<NodeIndex> parts = walk.syntax.children(node);
  if (parts.size() != 1 || walk.syntax[parts[0]].kind == CKind::null) return false;
  const CKind inner = walk.syntax[parts[0]].kind;
  if (behind_labels(walk.syntax, node, Labels::named) != node)
    return statement(walk, parts[0], position, spot);
  // An attribute of a return or a loop must stand directly in front of it.
  count(walk, node);
  if (inner == CKind::compound) {
    branch(walk, parts[0], position);
    return true;
  }
  if (is_loop(inner)) position.level = std::min(position.level, TrapLevel::block);
  before_trap(walk, node, position, spot);
  walk.assigned = {};
  inside(walk, parts[0]);
  return true;
}

/// True when it is no mere declaration: what follows is not the first of its block.
bool statement(CWalk& walk, NodeIndex node, Position position, Spot spot) {
  const CNode& n = walk.syntax[node];
  const std::string assigned = end_of(walk.syntax, node) ? n.assigned : std::string{};
  switch (n.kind) {
    case CKind::null:
      marker(walk, node);
      return false;
    case CKind::label:
    case CKind::case_:
      labelled(walk, node, position, spot);
      return true;
    case CKind::attributed:
      return attributed(walk, node, position, spot);
    case CKind::declaration:
      if (n.value != CValue::none) break;
      nested(walk, node);
      return false;
    case CKind::compound:
      if (!is_own_block(walk.syntax, node)) break;
      walk.assigned = {};
      block(walk, node, position);
      return true;
    case CKind::return_:
      count(walk, node);
      return_statement(walk, node, position, spot);
      walk.assigned = {};
      return true;
    default:
      break;
  }
  // A loop is told by the trap in front of it.
  if (is_loop(n.kind)) position.level = std::min(position.level, TrapLevel::block);
  count(walk, node);
  before_trap(walk, node, position, spot);
  walk.assigned = {};
  inside(walk, node);
  walk.assigned = walk.frame.is_constexpr ? std::string{} : assigned;
  return true;
}

}  // namespace

void nested(CWalk& walk, NodeIndex node) {
  for (const NodeIndex child : walk.syntax.children(node)) {
    if (walk.syntax[child].kind == CKind::function)
      function(walk, child);
    else
      nested(walk, child);
  }
}

void before_trap(CWalk& walk, NodeIndex node, Position position, Spot spot) {
  const CNode& n = walk.syntax[node];
  if (!spot.why_not.empty()) {
    walk.assigned = {};
    // A macro that makes several statements has one trap, in front of the first.
    if (!n.in_macro || n.begin != walk.last_in_macro) leave_alone(walk, n.begin, spot.why_not);
    return;
  }
  if (n.in_macro) walk.last_in_macro = n.begin;
  const std::uint32_t made = c_site(walk, position, n.begin, end_of(walk.syntax, node).value_or(n.end));
  walk.fragment.sites[made].counts = !n.in_macro && n.kind != CKind::label;
  add_slot(walk.fragment, spot.at, trap_text(walk, made, n.kind == CKind::declaration), {made});
}

void sequence(CWalk& walk, NodeIndex compound, Position first, NodeIndex from) {
  const CSyntax& syntax = walk.syntax;
  Position next = first;
  std::uint32_t behind = syntax[compound].begin + 1;
  for (const NodeIndex node : syntax.children(compound)) {
    const std::optional<std::uint32_t> end = end_of(syntax, node);
    if (node >= from) {
      const Position here = is_case(syntax, node) ? first_of_block : next;
      if (statement(walk, node, here, spot_behind(syntax, node, behind))) next = ordinary;
      if (is_compound(syntax[node].kind)) next.level = std::min(next.level, TrapLevel::block);
    }
    behind = std::max(behind, end.value_or(syntax[node].end));
    if (!end && syntax.word_at(behind) == ";") behind = syntax.token(syntax.token_at(behind)).end;
  }
}

/// Directly behind the last token: a comment that says "fall through" stays the last thing in the block.
void end_trap(CWalk& walk, Position position, NodeIndex compound) {
  const CText& text = walk.syntax.text;
  const std::uint32_t brace = walk.syntax[compound].end - 1;
  const CToken* last = walk.syntax.token_before(brace);
  std::uint32_t where = brace;
  if (last != nullptr && last->begin >= walk.syntax[compound].begin &&
      text.at(last->begin) + 1 == text.at(brace)) {
    const CRange* macro = walk.syntax.macro_at(last->begin);
    where = macro != nullptr ? macro->end : last->end;
  }
  const std::uint32_t made = c_site(walk, position, brace, brace + 1);
  add_slot(walk.fragment, where, trap_text(walk, made, false), {made});
}

}  // namespace jcprof::rewriter
