// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/places.hpp"

#include <algorithm>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Kind = CToken::Kind;

bool in_macro(const CSyntax& syntax, std::uint32_t offset) {
  return syntax.macro_at(offset) != nullptr;
}

bool is_pragma(const CSyntax& syntax, const CToken& token) {
  return token.kind == Kind::directive && syntax.text.directive_name(token) == "pragma";
}

/// A `_Pragma("…")` that ends there holds for the statement behind it.
bool is_pragma_operator(const CSyntax& syntax, const CToken& closing) {
  const CToken* token = &closing;
  for (int i = 0; i < 3 && token != nullptr; ++i) token = syntax.token_before(token->begin);
  return token != nullptr && syntax.text.of(*token) == "_Pragma";
}

/// `while (1)`, and `for` without a condition.
bool is_endless(const CSyntax& syntax, NodeIndex loop) {
  std::size_t token = syntax.token_at(syntax[loop].begin);
  std::string head;
  for (std::size_t word = token; head.size() < 11 && syntax.is_token(word); word = syntax.next_token(word))
    head += syntax.word(word);
  if (head.starts_with("while(1)") || head.starts_with("while(true)")) return true;
  if (!head.starts_with("for(")) return false;
  // Its first two `;` between the parentheses follow each other.
  for (int depth = 0; syntax.is_token(token); token = syntax.next_token(token)) {
    const std::string_view word = syntax.word(token);
    if (word == ";" && depth == 1) return syntax.word(syntax.next_token(token)) == ";";
    if (is_one_of(word, {"(", "{"})) ++depth;
    if (is_one_of(word, {")", "}"}) && --depth == 0) return false;
  }
  return false;
}

bool has_break(const CSyntax& syntax, NodeIndex node) {
  const CKind kind = syntax[node].kind;
  if (kind == CKind::break_) return true;
  if (is_loop(kind) || kind == CKind::switch_ || kind == CKind::function) return false;
  return std::ranges::any_of(syntax.children(node),
                             [&](NodeIndex child) { return has_break(syntax, child); });
}

/// Of what a macro makes, any jump may be one.
bool has_continue(const CSyntax& syntax, NodeIndex node) {
  const CNode& n = syntax[node];
  if (n.kind == CKind::jump) return n.in_macro || syntax.word_at(n.begin) == "continue";
  if (is_loop(n.kind) || n.kind == CKind::function) return false;
  return std::ranges::any_of(syntax.children(node),
                             [&](NodeIndex child) { return has_continue(syntax, child); });
}

bool has_default(const CSyntax& syntax, NodeIndex switch_body) {
  for (NodeIndex i : syntax.children(switch_body))
    for (i = behind_labels(syntax, i, Labels::named); syntax[i].kind == CKind::case_;
         i = behind_labels(syntax, syntax.children(i).back(), Labels::named))
      if (syntax.word_at(syntax[i].begin) == "default") return true;
  return false;
}

bool is_label(CKind kind) {
  return kind == CKind::label || kind == CKind::attributed || kind == CKind::case_;
}

/// It ends with its last part, where it has one.
bool ends_with_part(CKind kind) {
  return is_label(kind) || kind == CKind::loop || kind == CKind::switch_ || kind == CKind::if_ ||
         kind == CKind::try_ || kind == CKind::catch_;
}

}  // namespace

std::vector<NodeIndex> CSyntax::children(NodeIndex node) const {
  std::vector<NodeIndex> result;
  const std::vector<CNode>& nodes = view.nodes;
  for (NodeIndex i = node + 1; i < node + nodes[node].subtree; i += nodes[i].subtree) result.push_back(i);
  return result;
}

std::size_t CSyntax::token_at(std::uint32_t offset) const {
  std::size_t index = text.at(offset);
  while (is_token(index)) {
    if (const CRange* skipped = skipped_at(token(index).begin))
      index = std::max(index + 1, text.at(skipped->end));
    else if (token(index).kind == Kind::directive)
      ++index;
    else
      break;
  }
  return index;
}

std::size_t CSyntax::next_token(std::size_t index) const {
  return is_token(index + 1) ? token_at(token(index + 1).begin) : text.tokens().size();
}

const CToken* CSyntax::token_before(std::uint32_t offset) const {
  for (std::size_t index = text.at(offset); index > 0;) {
    const CToken& candidate = token(--index);
    const CRange* skipped = skipped_at(candidate.begin);
    if (skipped != nullptr) index = std::min(index, text.at(skipped->begin));
    if (skipped == nullptr && candidate.kind != Kind::directive) return &candidate;
  }
  return nullptr;
}

std::string_view CSyntax::word(std::size_t index) const {
  return is_token(index) ? text.of(token(index)) : std::string_view{};
}

std::string_view CSyntax::word_before(std::uint32_t offset) const {
  const CToken* before = token_before(offset);
  return before == nullptr ? std::string_view{} : text.of(*before);
}

bool CSyntax::same_branch(std::uint32_t begin, std::uint32_t end) const {
  const std::size_t first = token_at(begin);
  const CToken* last = token_before(end);
  return is_token(first) && last != nullptr && token(first).branch == last->branch;
}

bool is_loop(CKind kind) {
  return kind == CKind::loop || kind == CKind::do_;
}

bool is_executable(const CNode& node) {
  switch (node.kind) {
    case CKind::null:
    case CKind::compound:
    case CKind::case_:
    case CKind::label:
    case CKind::attributed:
    case CKind::catch_:
    case CKind::function:
      return false;
    case CKind::declaration:
      return node.value != CValue::none && !node.in_macro;
    default:
      return !node.in_macro;
  }
}

bool is_own_block(const CSyntax& syntax, NodeIndex node) {
  const CNode& n = syntax[node];
  const std::string_view text = syntax.text.text();
  return n.kind == CKind::compound && !n.in_macro && text[n.begin] == '{' && n.end > n.begin + 1 &&
         text[n.end - 1] == '}' && !in_macro(syntax, n.end - 1);
}

Spot spot_behind(const CSyntax& syntax, NodeIndex node, std::uint32_t behind) {
  const CNode& n = syntax[node];
  if (n.begin < behind) return {.at = n.begin, .why_not = "it comes from a macro"};
  std::size_t token = syntax.token_at(behind);
  const std::uint32_t start = syntax.is_token(token) ? syntax.token(token).begin : n.begin;
  for (; syntax.is_token(token) && syntax.token(token).begin < n.begin; token = syntax.next_token(token))
    if (!in_macro(syntax, syntax.token(token).begin) && syntax.word(token) != "__extension__")
      return {.at = n.begin, .why_not = "it is not clear where it begins"};
  for (std::size_t i = syntax.text.at(behind); i < syntax.text.at(start); ++i) {
    const CToken& directive = syntax.token(i);
    if (!is_pragma(syntax, directive) || syntax.skipped_at(directive.begin) != nullptr) continue;
    const CToken* previous = syntax.token_before(behind);
    if (previous == nullptr || previous->branch != directive.branch)
      return {.at = start, .why_not = "a #pragma stands in front of it"};
    return {.at = behind};
  }
  return {.at = start};
}

bool can_be_braced(const CSyntax& syntax, NodeIndex node) {
  const CNode& n = syntax[node];
  const std::optional<std::uint32_t> end = end_of(syntax, node);
  const CToken* previous = syntax.token_before(n.begin);
  const CRange* macro = syntax.macro_at(n.begin);
  if (!end || previous == nullptr || (macro != nullptr && macro->begin != n.begin)) return false;
  const std::string_view control = syntax.text.of(*previous);
  if (!is_one_of(control, {")", "else", "do"}) || is_pragma_operator(syntax, *previous)) return false;
  // The macro that it ends in goes on to the next statement.
  const NodeIndex next = node + n.subtree;
  if (next < syntax.view.nodes.size() && syntax[next].begin >= n.begin && syntax[next].begin < *end)
    return false;
  // A #pragma holds for the statement behind it; clang has some begin there.
  for (std::size_t i = syntax.text.at(previous->begin); syntax.token(i).begin <= n.begin; ++i)
    if (is_pragma(syntax, syntax.token(i))) return false;
  return syntax.same_branch(n.begin, *end);
}

std::optional<std::uint32_t> end_of(const CSyntax& syntax, NodeIndex node) {
  // A row of thousands of else ifs is gone along for each of them: no lists of children here.
  while (ends_with_part(syntax[node].kind)) {
    const NodeIndex behind = node + syntax[node].subtree;
    NodeIndex last = node;
    for (NodeIndex i = node + 1; i < behind; i += syntax[i].subtree) last = i;
    if (last == node) return std::nullopt;
    node = last;
  }
  const CNode& n = syntax[node];
  const bool ends_in_macro = in_macro(syntax, n.end - 1);
  if (n.kind == CKind::compound) return ends_in_macro && !n.in_macro ? std::nullopt : std::optional(n.end);
  if (n.kind == CKind::null) return ends_in_macro ? std::nullopt : std::optional(n.end);
  if (n.kind == CKind::declaration && syntax.text.text()[n.end - 1] == ';' && !ends_in_macro) return n.end;
  const std::size_t token = syntax.token_at(n.end);
  if (syntax.word(token) != ";" || in_macro(syntax, syntax.token(token).begin)) return std::nullopt;
  return syntax.token(token).end;
}

bool completes(const CSyntax& syntax, NodeIndex node) {
  const std::vector<NodeIndex> parts = syntax.children(node);
  const auto last_completes = [&] { return parts.empty() || completes(syntax, parts.back()); };
  switch (syntax[node].kind) {
    case CKind::return_:
    case CKind::break_:
    case CKind::jump:
      return false;
    case CKind::attributed:
      // `[[fallthrough]];` must be the last thing in front of a case.
      return parts.empty() || (syntax[parts.back()].kind != CKind::null && last_completes());
    case CKind::compound:
    case CKind::label:
    case CKind::case_:
    case CKind::catch_:
      return last_completes();
    case CKind::try_:
      return std::ranges::any_of(parts, [&](NodeIndex part) { return completes(syntax, part); });
    case CKind::do_:  // its condition comes behind its body
      return parts.empty() || completes(syntax, parts.front()) || has_break(syntax, parts.front()) ||
             has_continue(syntax, parts.front());
    case CKind::loop:
      return !is_endless(syntax, node) || has_break(syntax, parts.back());
    case CKind::switch_:
      return !has_default(syntax, parts.back()) || has_break(syntax, parts.back()) || last_completes();
    case CKind::if_: {
      const IfParts branches = parts_of(syntax, node);
      return !branches.then || !branches.otherwise || completes(syntax, *branches.then) ||
             completes(syntax, *branches.otherwise);
    }
    default:
      return true;
  }
}

IfParts parts_of(const CSyntax& syntax, NodeIndex if_statement) {
  IfParts parts;
  std::size_t token = syntax.next_token(syntax.token_at(syntax[if_statement].begin));
  for (; is_one_of(syntax.word(token), {"constexpr", "consteval", "!"}); token = syntax.next_token(token))
    parts.declares = true;
  std::uint32_t behind = syntax.is_token(token) ? syntax.token(token).begin : 0;
  if (syntax.word(token) == "(") {
    parts.open = in_macro(syntax, behind) ? 0 : syntax.token(token).end;
    int depth = 0;
    do {
      const std::string_view word = syntax.word(token);
      depth += word == "(" ? 1 : word == ")" ? -1 : 0;
      parts.declares |= word == ";" && depth == 1;
      behind = syntax.token(token).end;
      token = syntax.next_token(token);
    } while (depth > 0 && syntax.is_token(token));
  } else if (const CRange* macro = syntax.macro_at(behind)) {
    behind = macro->end;
  }
  for (const NodeIndex child : syntax.children(if_statement)) {
    if (syntax[child].begin < behind)
      parts.declares |= syntax[child].kind == CKind::declaration;
    else if (!parts.then)
      parts.then = child;
    else if (!parts.otherwise)
      parts.otherwise = child;
  }
  return parts;
}

NodeIndex behind_labels(const CSyntax& syntax, NodeIndex node, Labels labels) {
  for (;;) {
    const CKind kind = syntax[node].kind;
    const bool passes = is_label(kind) && (kind != CKind::case_ || labels == Labels::all);
    if (!passes || syntax[node].subtree == 1) return node;
    const NodeIndex inner = syntax.children(node).back();
    // An attribute of a statement must stand directly in front of it.
    if (kind == CKind::attributed && !is_label(syntax[inner].kind)) return node;
    node = inner;
  }
}

bool is_case(const CSyntax& syntax, NodeIndex node) {
  return syntax[behind_labels(syntax, node, Labels::named)].kind == CKind::case_;
}

}  // namespace jcprof::rewriter
