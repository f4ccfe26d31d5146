// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rewriter/c/builder.hpp"
#include "rewriter/c/cursors.hpp"

namespace jcprof::rewriter {

using Kind = CToken::Kind;

std::vector<CBuilder::NodeIndex> CBuilder::children(NodeIndex node) const {
  std::vector<NodeIndex> result;
  for (NodeIndex i = node + 1; i < node + at(node).subtree; i += at(i).subtree) result.push_back(i);
  return result;
}

bool CBuilder::in_macro(std::uint32_t offset) const {
  return range_over(view_.macros, offset) != nullptr;
}

std::size_t CBuilder::token_at(std::uint32_t offset) const {
  std::size_t token = text_.at(offset);
  while (token < text_.tokens().size()) {
    const CToken& candidate = text_.tokens()[token];
    if (const CRange* skipped = range_over(view_.skipped, candidate.begin))
      token = std::max(token + 1, text_.at(skipped->end));
    else if (candidate.kind == Kind::directive)
      ++token;
    else
      break;
  }
  return token;
}

std::size_t CBuilder::next_token(std::size_t token) const {
  return token + 1 < text_.tokens().size() ? token_at(text_.tokens()[token + 1].begin)
                                           : text_.tokens().size();
}

const CToken* CBuilder::token_before(std::uint32_t offset) const {
  for (std::size_t token = text_.at(offset); token > 0;) {
    const CToken& candidate = text_.tokens()[--token];
    const CRange* skipped = range_over(view_.skipped, candidate.begin);
    if (skipped != nullptr) token = std::min(token, text_.at(skipped->begin));
    if (skipped == nullptr && candidate.kind != Kind::directive) return &candidate;
  }
  return nullptr;
}

std::string_view CBuilder::word(std::size_t token) const {
  return token < text_.tokens().size() ? text_.of(text_.tokens()[token]) : std::string_view{};
}

std::string_view CBuilder::word_at(std::uint32_t offset) const {
  return word(token_at(offset));
}

bool CBuilder::same_branch(std::uint32_t begin, std::uint32_t end) const {
  const std::size_t first = token_at(begin);
  const CToken* last = token_before(end);
  return first < text_.tokens().size() && last != nullptr && text_.tokens()[first].branch == last->branch;
}

bool CBuilder::is_own_block(NodeIndex node) const {
  const CNode& n = at(node);
  return n.kind == CKind::compound && !n.in_macro && text_.text()[n.begin] == '{' && n.end > n.begin + 1 &&
         text_.text()[n.end - 1] == '}' && !in_macro(n.end - 1);
}

/// Where a statement begins for the file, given the end of what precedes it: macros that make nothing, or
/// only attributes, stand in front of it.
CBuilder::Spot CBuilder::spot_behind(NodeIndex node, std::uint32_t behind) const {
  constexpr std::string_view from_macro = "it comes from a macro";
  const CNode& n = at(node);
  if (n.begin < behind) return {.at = n.begin, .why_not = from_macro};
  std::size_t token = token_at(behind);
  const std::uint32_t start = token < text_.tokens().size() ? text_.tokens()[token].begin : n.begin;
  for (; token < text_.tokens().size() && text_.tokens()[token].begin < n.begin; token = next_token(token))
    if (!in_macro(text_.tokens()[token].begin) && word(token) != "__extension__")
      return {.at = n.begin, .why_not = "it is not clear where it begins"};
  for (std::size_t i = text_.at(behind); i < text_.at(start); ++i) {
    const CToken& directive = text_.tokens()[i];
    if (directive.kind != Kind::directive || text_.directive_name(directive) != "pragma" ||
        range_over(view_.skipped, directive.begin) != nullptr)
      continue;
    const CToken* previous = token_before(behind);
    if (previous == nullptr || previous->branch != directive.branch)
      return {.at = start, .why_not = "a #pragma stands in front of it"};
    return {.at = behind, .why_not = {}};
  }
  return {.at = start, .why_not = {}};
}

/// Does a `_Pragma("…")` end there? It holds for the statement behind it.
bool CBuilder::is_pragma_operator(const CToken& closing) const {
  const CToken* token = &closing;
  for (int i = 0; i < 3 && token != nullptr; ++i) token = token_before(token->begin);
  return token != nullptr && text_.of(*token) == "_Pragma";
}

/// One statement that is all there is behind its `)`, `else` or `do`; a macro's use that is one will do.
bool CBuilder::can_be_braced(NodeIndex node) const {
  const CNode& n = at(node);
  const std::optional<std::uint32_t> end = end_of(node);
  const CToken* previous = token_before(n.begin);
  const CRange* macro = range_over(view_.macros, n.begin);
  if (!end || previous == nullptr || (macro != nullptr && macro->begin != n.begin)) return false;
  const std::string_view control = text_.of(*previous);
  if (control == ")" && is_pragma_operator(*previous)) return false;
  if (control != ")" && control != "else" && control != "do") return false;
  // The macro that it ends in goes on to the next statement.
  const NodeIndex next = node + n.subtree;
  if (next < view_.nodes.size() && at(next).begin >= n.begin && at(next).begin < *end) return false;
  // A #pragma holds for the statement behind it; clang has some begin there.
  for (std::size_t i = text_.at(previous->begin); text_.tokens()[i].begin <= n.begin; ++i)
    if (text_.tokens()[i].kind == Kind::directive && text_.directive_name(text_.tokens()[i]) == "pragma")
      return false;
  return same_branch(n.begin, *end);
}

std::optional<std::uint32_t> CBuilder::end_of(NodeIndex node) const {
  const CNode& n = at(node);
  const std::vector<NodeIndex> parts = children(node);
  switch (n.kind) {
    case CKind::compound:
      return in_macro(n.end - 1) && !n.in_macro ? std::nullopt : std::optional(n.end);
    case CKind::null:
      return in_macro(n.end - 1) ? std::nullopt : std::optional(n.end);
    case CKind::loop:
    case CKind::switch_:
    case CKind::if_:
    case CKind::label:
    case CKind::case_:
    case CKind::attributed:
    case CKind::try_:
    case CKind::catch_:
      return parts.empty() ? std::nullopt : end_of(parts.back());
    case CKind::declaration:
      if (text_.text()[n.end - 1] == ';' && !in_macro(n.end - 1)) return n.end;
      break;
    default:
      break;
  }
  const std::size_t token = token_at(n.end);
  if (word(token) != ";" || in_macro(text_.tokens()[token].begin)) return std::nullopt;
  return text_.tokens()[token].end;
}

bool CBuilder::completes(NodeIndex node) const {
  const std::vector<NodeIndex> parts = children(node);
  switch (at(node).kind) {
    case CKind::return_:
    case CKind::break_:
    case CKind::jump:
      return false;
    case CKind::attributed:
      // `[[fallthrough]];` must be the last thing in front of a case.
      return parts.empty() || (at(parts.back()).kind != CKind::null && completes(parts.back()));
    case CKind::compound:
    case CKind::label:
    case CKind::case_:
    case CKind::catch_:
      return parts.empty() || completes(parts.back());
    case CKind::try_:
      return std::ranges::any_of(parts, [&](NodeIndex part) { return completes(part); });
    case CKind::loop:
      return !is_endless(node) || has_break(parts.back());
    case CKind::switch_:
      return !has_default(parts.back()) || has_break(parts.back()) || completes(parts.back());
    case CKind::if_: {
      const IfParts branches = parts_of(node);
      return !branches.then || !branches.otherwise || completes(*branches.then) ||
             completes(*branches.otherwise);
    }
    default:
      return true;
  }
}

/// `for (;;)` and `while (1)`
bool CBuilder::is_endless(NodeIndex loop) const {
  const std::size_t first = token_at(at(loop).begin);
  std::string head;
  std::size_t token = first;
  for (int i = 0; i < 5; ++i, token = next_token(token)) head += word(token);
  return head == "for(;;)" || head.starts_with("while(1)") || head.starts_with("while(true)");
}

bool CBuilder::has_break(NodeIndex node) const {
  if (at(node).kind == CKind::break_) return true;
  if (at(node).kind == CKind::loop || at(node).kind == CKind::do_ || at(node).kind == CKind::switch_ ||
      at(node).kind == CKind::function)
    return false;
  return std::ranges::any_of(children(node), [&](NodeIndex child) { return has_break(child); });
}

bool CBuilder::has_default(NodeIndex switch_body) const {
  for (NodeIndex i : children(switch_body))
    for (i = behind_labels(i, Labels::named); at(i).kind == CKind::case_;
         i = behind_labels(children(i).back(), Labels::named))
      if (word_at(at(i).begin) == "default") return true;
  return false;
}

CBuilder::IfParts CBuilder::parts_of(NodeIndex if_statement) const {
  IfParts parts;
  std::size_t token = next_token(token_at(at(if_statement).begin));
  while (word(token) == "constexpr" || word(token) == "consteval" || word(token) == "!") {
    parts.declares = true;
    token = next_token(token);
  }
  std::uint32_t behind = token < text_.tokens().size() ? text_.tokens()[token].begin : 0;
  if (word(token) == "(") {
    parts.open = in_macro(text_.tokens()[token].begin) ? 0 : text_.tokens()[token].end;
    int depth = 0;
    do {
      if (word(token) == "(") ++depth;
      if (word(token) == ")") --depth;
      parts.declares |= word(token) == ";" && depth == 1;
      behind = text_.tokens()[token].end;
      token = next_token(token);
    } while (depth > 0 && token < text_.tokens().size());
  } else if (in_macro(behind)) {
    behind = range_over(view_.macros, behind)->end;
  }
  for (const NodeIndex child : children(if_statement)) {
    if (at(child).begin < behind)
      parts.declares |= at(child).kind == CKind::declaration;
    else if (!parts.then)
      parts.then = child;
    else if (!parts.otherwise)
      parts.otherwise = child;
  }
  return parts;
}

}  // namespace jcprof::rewriter
