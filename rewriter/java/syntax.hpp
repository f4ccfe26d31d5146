// SPDX-License-Identifier: Apache-2.0
// A Java file's concrete syntax tree as plain values, in preorder: a node's subtree is the range of nodes
// behind it. tree-sitter stays inside syntax.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/source_model.hpp"

namespace jcprof::rewriter {

struct SyntaxNode {
  std::string_view type;   // as in tree-sitter-java's grammar: "method_declaration", "{"
  std::string_view field;  // its role in the parent: "body"; empty for most
  std::size_t begin = 0;   // byte range
  std::size_t end = 0;
  std::uint32_t parent = 0;
  std::uint32_t subtree = 1;  // nodes of the subtree, this one included
  bool named = false;         // false for punctuation and keywords
};

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = ~NodeIndex{0};

// By a node's type:
bool is_java_type(std::string_view type);  // it declares one
bool is_java_loop(std::string_view type);
bool is_java_statement(std::string_view type);

class JavaSyntax {
 public:
  /// Throws UserError with the place of the first thing that is not Java.
  JavaSyntax(const std::string& path, std::string_view text);

  const SyntaxNode& operator[](NodeIndex node) const { return nodes_[node]; }
  NodeIndex root() const { return 0; }
  NodeIndex count() const { return static_cast<NodeIndex>(nodes_.size()); }
  std::string_view text(NodeIndex node) const;
  ByteRange range(NodeIndex node) const { return {nodes_[node].begin, nodes_[node].end}; }
  /// The text on one line: no comments, and blanks only where two words would run into each other.
  std::string words(NodeIndex node) const;

  /// The child in that role, or no_node.
  NodeIndex child(NodeIndex node, std::string_view field) const;
  /// The first child of that type, or no_node.
  NodeIndex child_of_type(NodeIndex node, std::string_view type) const;
  bool has_child_of_type(NodeIndex node, std::string_view type) const;
  /// All children, punctuation and comments too, in order.
  std::vector<NodeIndex> children(NodeIndex node) const;
  /// The children that are neither punctuation nor comments.
  std::vector<NodeIndex> named_children(NodeIndex node) const;
  bool is_comment(NodeIndex node) const;

 private:
  std::string_view text_;
  std::vector<SyntaxNode> nodes_;
};

}  // namespace jcprof::rewriter
