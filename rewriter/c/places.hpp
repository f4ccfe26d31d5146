// SPDX-License-Identifier: Apache-2.0
// Questions about what a unit sees of a file: where a statement begins and ends in the text, and whether
// something can be put there. Knows no libclang, and neither sites nor slots.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rewriter/c/syntax.hpp"
#include "rewriter/c/text.hpp"

namespace jcprof::rewriter {

using NodeIndex = std::uint32_t;

/// A file's text with one unit's view of it.
struct CSyntax {
  const CText& text;
  const CView& view;

  const CNode& operator[](NodeIndex node) const { return view.nodes[node]; }
  std::vector<NodeIndex> children(NodeIndex node) const;

  /// The use of a macro that holds `offset`, or the run of lines that are not compiled; null: none.
  const CRange* macro_at(std::uint32_t offset) const { return range_over(view.macros, offset); }
  const CRange* skipped_at(std::uint32_t offset) const { return range_over(view.skipped, offset); }

  /// Index of the first compiled token at `offset` or behind it, directives left out; tokens().size(): none.
  std::size_t token_at(std::uint32_t offset) const;
  std::size_t next_token(std::size_t token) const;
  /// The last compiled token that ends at `offset` or in front of it; null at the begin of the file.
  const CToken* token_before(std::uint32_t offset) const;
  const CToken& token(std::size_t index) const { return text.tokens()[index]; }
  bool is_token(std::size_t index) const { return index < text.tokens().size(); }
  // Empty where there is no such token.
  std::string_view word(std::size_t token) const;
  std::string_view word_at(std::uint32_t offset) const { return word(token_at(offset)); }
  std::string_view word_before(std::uint32_t offset) const;

  /// Both stand in the same branch of every #if.
  bool same_branch(std::uint32_t begin, std::uint32_t end) const;
};

/// The place of a statement's trap; not empty `why_not`: it has none.
struct Spot {
  std::uint32_t at = 0;
  std::string_view why_not = {};
};
/// `behind`: the end of what precedes the statement. Macros that make nothing, or only attributes, may stand
/// in front of it.
Spot spot_behind(const CSyntax& syntax, NodeIndex node, std::uint32_t behind);

struct IfParts {
  std::uint32_t open = 0;  // behind the parenthesis of its condition; 0: not found
  bool declares = false;   // or is constexpr: nothing can stand in its condition
  std::optional<NodeIndex> then;
  std::optional<NodeIndex> otherwise;
};
IfParts parts_of(const CSyntax& syntax, NodeIndex if_statement);

bool is_loop(CKind kind);
/// A statement that does something, outside of macros.
bool is_executable(const CNode& node);
bool is_own_block(const CSyntax& syntax, NodeIndex node);
/// One statement that is all there is behind its `)`, `else` or `do`; a macro's use that is one will do.
bool can_be_braced(const CSyntax& syntax, NodeIndex node);
/// Behind the statement with its `;`; none: that cannot be told from the text.
std::optional<std::uint32_t> end_of(const CSyntax& syntax, NodeIndex node);
/// False where control surely does not go on behind it.
bool completes(const CSyntax& syntax, NodeIndex node);

enum class Labels : std::uint8_t { named, all };
/// The statement that labels, or cases too, stand in front of, attributes of theirs included.
NodeIndex behind_labels(const CSyntax& syntax, NodeIndex node, Labels labels);
/// A case, or one behind labels.
bool is_case(const CSyntax& syntax, NodeIndex node);

}  // namespace jcprof::rewriter
