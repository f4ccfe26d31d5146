// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rewriter/c/builder.hpp"
#include "rewriter/c/cursors.hpp"

namespace jcprof::rewriter {
namespace {

constexpr std::string_view trap_e = "JCPROF_TRAP_E({id}),";
constexpr std::string_view branches_differ =
    "its braces would stand in different #if branches, or in a macro";

bool is_compound(CKind kind) {
  return kind == CKind::if_ || kind == CKind::loop || kind == CKind::do_ || kind == CKind::switch_ ||
         kind == CKind::try_ || kind == CKind::label || kind == CKind::compound;
}

bool is_loop(CKind kind) {
  return kind == CKind::loop || kind == CKind::do_;
}

}  // namespace

CBuilder::NodeIndex CBuilder::behind_labels(NodeIndex node, Labels labels) const {
  for (;;) {
    const CKind kind = at(node).kind;
    const bool passes =
        kind == CKind::label || kind == CKind::attributed || (kind == CKind::case_ && labels == Labels::all);
    if (!passes || at(node).subtree == 1) return node;
    const NodeIndex inner = children(node).back();
    // What an attribute says of a statement holds where it follows directly.
    const CKind held = at(inner).kind;
    if (kind == CKind::attributed && held != CKind::label && held != CKind::case_ &&
        held != CKind::attributed)
      return node;
    node = inner;
  }
}

bool CBuilder::is_case(NodeIndex node) const {
  return at(behind_labels(node, Labels::named)).kind == CKind::case_;
}

void CBuilder::sequence(const Frame& frame, NodeIndex compound, Position first, NodeIndex from) {
  Position next = first;
  std::uint32_t behind = at(compound).begin + 1;
  for (const NodeIndex node : children(compound)) {
    if (node >= from) {
      const Position here = is_case(node) ? first_of_block : next;
      if (statement(frame, node, here, spot_behind(node, behind))) next = ordinary;
      if (is_compound(at(node).kind)) next.level = std::min(next.level, TrapLevel::block);
    }
    behind = std::max(behind, end_of(node).value_or(at(node).end));
    if (word_at(behind) == ";" && !end_of(node)) behind = text_.tokens()[token_at(behind)].end;
  }
}

void CBuilder::switch_block(const Frame& frame, NodeIndex body) {
  const std::vector<NodeIndex> parts = children(body);
  const auto first = std::ranges::find_if(parts, [&](NodeIndex i) { return is_case(i); });
  for (auto i = parts.begin(); i != first; ++i) {
    if (at(*i).kind == CKind::null || (at(*i).kind == CKind::declaration && at(*i).value == CValue::none))
      continue;
    count(frame, *i);
    leave_alone(at(*i).begin, "it stands in front of the first case of a switch");
  }
  if (first == parts.end()) return;
  sequence(frame, body, first_of_block, *first);
  // Falling out of the last group, not out of the switch by a break: that way ends at the break's own trap.
  if (completes(parts.back())) end_trap(frame, {TrapKind::after, TrapLevel::block}, body);
}

bool CBuilder::statement(const Frame& frame, NodeIndex node, Position position, Spot spot) {
  const CNode& n = at(node);
  const CRange assigned = end_of(node) ? n.assigned : CRange{};
  switch (n.kind) {
    case CKind::null:
      marker(frame, node);
      return false;
    case CKind::label:
    case CKind::case_:
      return labelled(frame, node, position, spot);
    case CKind::attributed:
      return attributed(frame, node, position, spot);
    case CKind::declaration:
      if (n.value != CValue::none) break;
      nested(frame, node);
      return false;
    case CKind::compound:
      if (!is_own_block(node)) break;
      assigned_ = {};
      block(frame, node, position);
      return true;
    case CKind::return_:
      count(frame, node);
      return_statement(frame, node, position, spot);
      assigned_ = {};
      return true;
    default:
      break;
  }
  // A loop is told by the trap in front of it.
  if (is_loop(n.kind)) position.level = std::min(position.level, TrapLevel::block);
  count(frame, node);
  before_trap(frame, node, position, spot);
  assigned_ = {};
  inside(frame, node);
  assigned_ = frame.is_constexpr ? CRange{} : assigned;
  return true;
}

/// The trap stands behind the label: who jumps there passes it.
bool CBuilder::labelled(const Frame& frame, NodeIndex node, Position position, Spot spot) {
  if (at(node).kind == CKind::label && position.kind != TrapKind::before && spot.why_not.empty())
    before_trap(frame, node, position, spot);
  assigned_ = {};
  const std::vector<NodeIndex> parts = children(node);
  if (parts.empty()) return true;
  const NodeIndex inner = parts.back();
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) nested(frame, parts[i]);
  const CNode& n = at(inner);
  if (n.kind == CKind::declaration && !view_.is_cpp) {
    if (n.value == CValue::none) return true;
    count(frame, inner);
    leave_alone(n.begin, "a declaration directly behind a label");
    return true;
  }
  Spot behind{.at = n.begin, .why_not = {}};
  const CRange* macro = range_over(view_.macros, n.begin);
  if (macro != nullptr && (macro->begin != n.begin || at(node).begin == n.begin))
    behind.why_not = "it comes from a macro";
  statement(frame, inner, first_of_block, behind);
  return true;
}

bool CBuilder::attributed(const Frame& frame, NodeIndex node, Position position, Spot spot) {
  const std::vector<NodeIndex> parts = children(node);
  if (parts.size() != 1 || at(parts[0]).kind == CKind::null) return false;
  const CNode& inner = at(parts[0]);
  if (behind_labels(node, Labels::named) != node) return statement(frame, parts[0], position, spot);
  // What an attribute says of a return or a loop holds where it follows directly.
  count(frame, node);
  if (inner.kind == CKind::compound) {
    branch(frame, parts[0], position);
    return true;
  }
  if (is_loop(inner.kind)) position.level = std::min(position.level, TrapLevel::block);
  before_trap(frame, node, position, spot);
  assigned_ = {};
  inside(frame, parts[0]);
  return true;
}

std::optional<std::uint32_t> CBuilder::before_trap(const Frame& frame, NodeIndex node, Position position,
                                                   Spot spot) {
  const CNode& n = at(node);
  if (!spot.why_not.empty()) {
    assigned_ = {};
    // A macro that makes several statements has one trap, in front of the first.
    if (!n.in_macro || n.begin != last_in_macro_) leave_alone(n.begin, spot.why_not);
    return std::nullopt;
  }
  if (n.in_macro) last_in_macro_ = n.begin;
  const std::uint32_t made = site(frame, position, n.begin, end_of(node).value_or(n.end));
  fragment_.sites[made].counts = !n.in_macro && n.kind != CKind::label;
  slot(spot.at, trap_text(frame, n.kind == CKind::declaration), {made});
  return made;
}

void CBuilder::inside(const Frame& frame, NodeIndex node) {
  const CNode& n = at(node);
  const std::vector<NodeIndex> parts = children(node);
  if (n.in_macro || n.kind == CKind::other) {
    blocks_within(frame, node);
    return;
  }
  switch (n.kind) {
    case CKind::if_:
      if_statement(frame, node);
      return;
    case CKind::try_:
      try_statement(frame, node);
      return;
    case CKind::loop:
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) nested(frame, parts[i]);
      if (!parts.empty()) branch(frame, parts.back(), {TrapKind::loop_body, TrapLevel::block});
      return;
    case CKind::do_:
      if (!parts.empty()) branch(frame, parts.front(), {TrapKind::loop_body, TrapLevel::block});
      for (std::size_t i = 1; i < parts.size(); ++i) nested(frame, parts[i]);
      return;
    case CKind::switch_:
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) nested(frame, parts[i]);
      if (!parts.empty() && is_own_block(parts.back()))
        switch_block(frame, parts.back());
      else if (!parts.empty() && is_case(parts.back()))
        branch(frame, parts.back(), first_of_block);
      else
        blocks_within(frame, node);
      return;
    case CKind::compound:
      blocks_within(frame, node);
      return;
    default:
      nested(frame, node);
  }
}

/// All of an if … else if … else row.
void CBuilder::if_statement(const Frame& frame, NodeIndex node) {
  std::vector<std::uint32_t> braced;
  for (std::optional<NodeIndex> i = node; i;) {
    const IfParts parts = parts_of(*i);
    if (!parts.then) {
      blocks_within(frame, *i);
      break;
    }
    for (const NodeIndex child : children(*i))
      if (child < *parts.then) nested(frame, child);
    branch(frame, *parts.then, first_of_block);
    i = parts.otherwise;
    if (!i) break;
    const CToken* previous = token_before(at(*i).begin);
    if (at(*i).kind != CKind::if_ || at(*i).in_macro || previous == nullptr ||
        text_.of(*previous) != "else") {
      branch(frame, *i, first_of_block);
      break;
    }
    count(frame, *i);
    else_if(frame, *i, braced);
  }
  const std::uint32_t end = end_of(node).value_or(at(node).end);
  for (auto made = braced.rbegin(); made != braced.rend(); ++made) slot(end, "}", {*made});
}

void CBuilder::else_if(const Frame& frame, NodeIndex node, std::vector<std::uint32_t>& braced) {
  const IfParts parts = parts_of(node);
  const std::uint32_t begin = at(node).begin;
  const std::optional<std::uint32_t> end = end_of(node);
  if (parts.declares) {
    if (!end || !same_branch(begin, *end)) {
      leave_alone(begin, branches_differ);
      return;
    }
    braced.push_back(site(frame, first_of_block, begin, *end));
    slot(begin, "{" + trap_text(frame, false), {braced.back()});
  } else if (parts.open == 0) {
    leave_alone(begin, "its condition comes from a macro");
    return;
  } else {
    slot(parts.open, std::string(trap_e), {site(frame, first_of_block, begin, end.value_or(at(node).end))});
  }
  fragment_.sites.back().counts = true;
}

void CBuilder::try_statement(const Frame& frame, NodeIndex node) {
  for (const NodeIndex part : children(node)) {
    if (at(part).kind != CKind::catch_) {
      branch(frame, part, first_of_block);
      continue;
    }
    const std::vector<NodeIndex> clause = children(part);
    if (!clause.empty()) branch(frame, clause.back(), {TrapKind::handler, TrapLevel::block});
  }
}

void CBuilder::block(const Frame& frame, NodeIndex node, Position first) {
  const auto before = static_cast<std::ptrdiff_t>(fragment_.sites.size());
  sequence(frame, node, first);
  // The passes of a body without a statement count too.
  if (first.kind == TrapKind::loop_body &&
      std::all_of(fragment_.sites.begin() + before, fragment_.sites.end(),
                  [](const Site& made) { return made.kind == TrapKind::marker; }))
    end_trap(frame, first, node);
  if (completes(node)) end_trap(frame, {TrapKind::after, TrapLevel::block}, node);
  assigned_ = {};
}

void CBuilder::branch(const Frame& frame, NodeIndex node, Position position) {
  assigned_ = {};
  if (is_own_block(node)) {
    block(frame, node, position);
    return;
  }
  const CNode& n = at(node);
  const bool empty = n.kind == CKind::null;
  const bool counts = !empty && n.kind != CKind::compound && !n.in_macro;
  if (empty && position.kind != TrapKind::loop_body) return;
  if (!can_be_braced(node)) {
    if (counts) count(frame, node);
    if (!empty) leave_alone(n.begin, n.in_macro ? "it comes from a macro" : branches_differ);
    blocks_within(frame, node);
    return;
  }
  const std::size_t open = fragment_.slots.size();
  const auto first_site = static_cast<std::uint32_t>(fragment_.sites.size());
  slot(n.begin, "{", {});
  const Spot spot{.at = n.begin, .why_not = {}};
  const std::uint32_t end = *end_of(node);
  if (empty)
    before_trap(frame, node, position, spot);
  else
    statement(frame, node, position, spot);
  std::vector<std::uint32_t> wanted;
  const std::uint32_t labelled = at(behind_labels(node, Labels::all)).begin;
  if (fragment_.sites.size() > first_site &&
      (fragment_.sites[first_site].begin == n.begin || fragment_.sites[first_site].begin == labelled))
    wanted.push_back(first_site);
  if (!empty && completes(node)) {
    wanted.push_back(site(frame, {TrapKind::after, TrapLevel::block}, end, end));
    slot(end, trap_text(frame, false), {wanted.back()});
  }
  assigned_ = {};
  fragment_.slots[open].wanted_by = wanted;
  slot(end, "}", wanted);
  if (empty) fragment_.sites[first_site].counts = false;
}

void CBuilder::blocks_within(const Frame& frame, NodeIndex node) {
  const CKind kind = at(node).kind;
  for (const NodeIndex child : children(node)) {
    if (at(child).kind == CKind::function) {
      function(child, &frame);
    } else if (is_own_block(child)) {
      Position position = first_of_block;
      if (is_loop(kind)) position.kind = TrapKind::loop_body;
      if (kind == CKind::catch_) position.kind = TrapKind::handler;
      if (kind == CKind::switch_)
        switch_block(frame, child);
      else
        block(frame, child, position);
    } else {
      if (at(node).in_macro && is_executable(at(child))) {
        count(frame, child);
        leave_alone(at(child).begin, "what it hangs on comes from a macro");
      }
      blocks_within(frame, child);
    }
  }
}

/// Directly behind the last token: a comment that says "fall through" stays the last thing in the block.
std::uint32_t CBuilder::end_trap(const Frame& frame, Position position, NodeIndex compound) {
  const std::uint32_t brace = at(compound).end - 1;
  const CToken* last = token_before(brace);
  std::uint32_t where = brace;
  if (last != nullptr && last->begin >= at(compound).begin && text_.at(last->begin) + 1 == text_.at(brace)) {
    const CRange* macro = range_over(view_.macros, last->begin);
    where = macro != nullptr ? macro->end : last->end;
  }
  const std::uint32_t made = site(frame, position, brace, brace + 1);
  slot(where, trap_text(frame, false), {made});
  return made;
}

void CBuilder::return_statement(const Frame& frame, NodeIndex node, Position position, Spot spot) {
  const CNode& n = at(node);
  const std::optional<std::uint32_t> end = end_of(node);
  const bool leaves = n.value != CValue::computed;
  const CResult result = frame.source->returns;
  const bool held = !leaves && !n.in_macro && end && same_branch(n.begin, *end) && !frame.is_constexpr &&
                    result != CResult::nothing && result != CResult::unnamed;
  before_trap(frame, node, leaves ? Position{TrapKind::returns, TrapLevel::function} : position, spot);
  if (!held || !spot.why_not.empty()) {
    nested(frame, node);
    return;
  }
  const std::uint32_t done = site(frame, {TrapKind::returns, TrapLevel::function}, n.begin, *end);
  if (view_.is_cpp) {
    slot(n.begin, "{JCPROF_AFTER({id});", {done});
    nested(frame, node);
    slot(*end, "}", {done});
    return;
  }
  const std::size_t value = next_token(token_at(n.begin));
  slot(text_.tokens()[value].begin,
       fmt::format("__extension__({{__typeof__({}) jcprof_r{{id}}=(", frame.source->signature.result),
       {done});
  slot(*end - 1,
       result == CResult::scalar ? ");JCPROF_TRAP_V({id},jcprof_r{id});jcprof_r{id};})"
                                 : ");JCPROF_TRAP({id});jcprof_r{id};})",
       {done});
}

void CBuilder::nested(const Frame& frame, NodeIndex node) {
  for (const NodeIndex child : children(node)) {
    if (at(child).kind == CKind::function)
      function(child, &frame);
    else
      nested(frame, child);
  }
}

}  // namespace jcprof::rewriter
