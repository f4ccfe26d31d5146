// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/syntax.hpp"

#include <cctype>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <tree_sitter/api.h>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

extern "C" const TSLanguage* tree_sitter_java(void);

namespace jcprof::rewriter {
namespace {

// Deeper nesting than any person writes; the walkers recurse over statements.
constexpr std::size_t deepest_nesting = 2000;

/// How much deeper a node lies than its parent. `else if`, the sum in front of a further term and the call in
/// front of a further call count nothing: programs write rows of thousands, and no walker recurses over them.
std::size_t own_depth(const SyntaxNode& node) {
  const bool in_row = (node.type == "if_statement" && node.field == "alternative") ||
                      (node.type == "binary_expression" && node.field == "left") ||
                      (node.type == "method_invocation" && node.field == "object");
  return in_row ? 0 : 1;
}

struct Deleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

class TreeCursor {
 public:
  explicit TreeCursor(TSNode node) : cursor_(ts_tree_cursor_new(node)) {}
  ~TreeCursor() { ts_tree_cursor_delete(&cursor_); }
  TreeCursor(const TreeCursor&) = delete;
  TreeCursor& operator=(const TreeCursor&) = delete;

  TSNode node() const { return ts_tree_cursor_current_node(&cursor_); }
  std::string_view field() const {
    const char* name = ts_tree_cursor_current_field_name(&cursor_);
    return name == nullptr ? std::string_view{} : std::string_view{name};
  }
  bool to_child() { return ts_tree_cursor_goto_first_child(&cursor_); }
  bool to_sibling() { return ts_tree_cursor_goto_next_sibling(&cursor_); }
  bool to_parent() { return ts_tree_cursor_goto_parent(&cursor_); }

 private:
  TSTreeCursor cursor_;
};

/// The text for the parser. In a file of another encoding (Latin-1, say) each byte above 0x7F counts as a
/// letter, so that offsets stay those of the file.
std::string parseable(std::string_view text) {
  std::string copy(text);
  if (is_utf8(text)) return copy;
  for (char& c : copy)
    if (static_cast<unsigned char>(c) >= 0x80) c = 'x';
  return copy;
}

std::optional<std::string> fault_of(TSNode node) {
  if (ts_node_is_missing(node)) return fmt::format("\"{}\" is missing", ts_node_type(node));
  if (std::string_view(ts_node_type(node)) == "ERROR") return "this is not Java";
  return std::nullopt;
}

std::string hint_for(std::string_view text, std::size_t offset) {
  const std::size_t begin = text.substr(0, offset).rfind('\n') + 1;
  const std::string_view line = text.substr(begin, text.find('\n', offset) - begin);
  if (line.find("\\u") != std::string_view::npos)
    return "Unicode escapes are read in strings and characters only: write what the escape stands for";
  return "the file must compile before it can be profiled";
}

[[noreturn]] void refuse(Place place, std::string message, std::string hint) {
  throw UserError(Fault{.message = std::move(message), .place = std::move(place), .hint = std::move(hint)});
}

void refuse_unreadable(const std::string& path, std::string_view text) {
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    refuse(place_at(path, text, zero), "this is not Java: a zero byte",
           "sources must be UTF-8, or an 8-bit encoding that holds ASCII");
  if (text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos)
    refuse(place_at(path, text, text.find('\r')), "the lines end with carriage returns alone",
           "convert the file, with tr '\\r' '\\n' say: compilers and this tool would count its lines "
           "differently");
}

void refuse_faulty(const std::string& path, std::string_view text, TSNode node) {
  const std::size_t at = ts_node_start_byte(node);
  if (const std::optional<std::string> fault = fault_of(node))
    refuse(place_at(path, text, at), *fault, hint_for(text, at));
}

}  // namespace

bool is_java_type(std::string_view type) {
  return is_one_of(type,
                   {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"});
}

bool is_java_loop(std::string_view type) {
  return type == "while_statement" || type == "do_statement" || type.ends_with("for_statement");
}

bool is_java_statement(std::string_view type) {
  return type.ends_with("_statement") || is_java_type(type) ||
         is_one_of(type, {"block", "local_variable_declaration", "explicit_constructor_invocation",
                          "switch_expression", ";"});
}

JavaSyntax::JavaSyntax(const std::string& path, std::string_view text) : text_(text) {
  refuse_unreadable(path, text);
  const std::unique_ptr<TSParser, Deleter> parser(ts_parser_new());
  check(ts_parser_set_language(parser.get(), tree_sitter_java()),
        "the grammar's ABI fits the tree-sitter library");
  const std::string copy = parseable(text);
  const std::unique_ptr<TSTree, Deleter> tree(
      ts_parser_parse_string(parser.get(), nullptr, copy.data(), static_cast<std::uint32_t>(copy.size())));
  check(tree != nullptr, "tree-sitter parses any text");

  const TSNode root = ts_tree_root_node(tree.get());
  const bool faulty = ts_node_has_error(root);
  TreeCursor cursor(root);
  std::vector<NodeIndex> open;
  std::size_t nesting = 0;
  for (;;) {
    const TSNode node = cursor.node();
    if (faulty) refuse_faulty(path, text, node);
    nodes_.push_back({.type = ts_node_type(node),
                      .field = cursor.field(),
                      .begin = ts_node_start_byte(node),
                      .end = ts_node_end_byte(node),
                      .parent = open.empty() ? no_node : open.back(),
                      .subtree = 1,
                      .named = ts_node_is_named(node)});
    open.push_back(count() - 1);
    nesting += own_depth(nodes_.back());
    if (nesting > deepest_nesting)
      refuse(place_at(path, text, nodes_.back().begin),
             fmt::format("nested more than {} deep", deepest_nesting),
             "split the statement, or leave the file out of \"sources\"");
    if (cursor.to_child()) continue;
    for (;;) {
      nodes_[open.back()].subtree = count() - open.back();
      nesting -= own_depth(nodes_[open.back()]);
      open.pop_back();
      if (cursor.to_sibling()) break;
      if (!cursor.to_parent()) return;
    }
  }
}

std::string_view JavaSyntax::text(NodeIndex node) const {
  return text_.substr(nodes_[node].begin, nodes_[node].end - nodes_[node].begin);
}

std::string JavaSyntax::words(NodeIndex node) const {
  const auto is_word = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '$' || c >= 0x80;
  };
  std::string result;
  for (NodeIndex i = node; i < node + nodes_[node].subtree; ++i) {
    const std::string_view word = nodes_[i].subtree == 1 && !is_comment(i) ? text(i) : std::string_view{};
    if (word.empty()) continue;
    if (!result.empty() && is_word(result.back()) && is_word(word.front())) result += ' ';
    result += word;
  }
  return result;
}

NodeIndex JavaSyntax::child(NodeIndex node, std::string_view field) const {
  for (NodeIndex i = node + 1; i < node + nodes_[node].subtree; i += nodes_[i].subtree)
    if (nodes_[i].field == field) return i;
  return no_node;
}

NodeIndex JavaSyntax::child_of_type(NodeIndex node, std::string_view type) const {
  for (NodeIndex i = node + 1; i < node + nodes_[node].subtree; i += nodes_[i].subtree)
    if (nodes_[i].type == type) return i;
  return no_node;
}

bool JavaSyntax::has_child_of_type(NodeIndex node, std::string_view type) const {
  return child_of_type(node, type) != no_node;
}

std::vector<NodeIndex> JavaSyntax::children(NodeIndex node) const {
  std::vector<NodeIndex> result;
  for (NodeIndex i = node + 1; i < node + nodes_[node].subtree; i += nodes_[i].subtree) result.push_back(i);
  return result;
}

std::vector<NodeIndex> JavaSyntax::named_children(NodeIndex node) const {
  std::vector<NodeIndex> result = children(node);
  std::erase_if(result, [&](NodeIndex i) { return !nodes_[i].named || is_comment(i); });
  return result;
}

bool JavaSyntax::is_comment(NodeIndex node) const {
  return nodes_[node].type == "line_comment" || nodes_[node].type == "block_comment";
}

}  // namespace jcprof::rewriter
