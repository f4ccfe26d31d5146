// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/main_scan.hpp"

#include <algorithm>
#include <vector>

#include "rewriter/c/text.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// The tokens that are neither literal nor directive, of all branches or outside of any #if.
std::vector<std::string_view> code_tokens(const CText& text, Branches branches) {
  std::vector<std::string_view> tokens;
  for (const CToken& token : text.tokens())
    if (token.kind != CToken::Kind::text && token.kind != CToken::Kind::directive &&
        (branches == Branches::all || token.branch == 0))
      tokens.push_back(text.of(token));
  return tokens;
}

/// True where a body follows the parameters, which begin at `i`; parameters of the old style may lie between.
bool is_definition(const std::vector<std::string_view>& tokens, std::size_t i) {
  if (i >= tokens.size() || tokens[i] != "(") return false;
  int open = 0;
  for (; i < tokens.size(); ++i) {
    open += tokens[i] == "(" ? 1 : tokens[i] == ")" ? -1 : 0;
    if (open == 0) break;
  }
  if (i + 1 >= tokens.size()) return false;
  const std::string_view behind = tokens[i + 1];
  return behind == "{" || behind == "->" || is_word(behind.front());
}

}  // namespace

bool defines_function(std::string_view text, std::string_view name, Branches branches) {
  if (text.find(name) == std::string_view::npos) return false;
  const CText lexed(text);
  const std::vector<std::string_view> tokens = code_tokens(lexed, branches);
  const auto stands_at_margin = [&](std::string_view token) {
    return token.data() == text.data() || *(token.data() - 1) == '\n';
  };
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // The braces of extern "C" hold nothing inside.
    if (tokens[i] == "{" && (i == 0 || tokens[i - 1] != "extern")) ++depth;
    // At the margin it ends a function, whatever braces the branches of an #if have opened.
    if (tokens[i] == "}") depth = stands_at_margin(tokens[i]) ? 0 : std::max(depth - 1, 0);
    if (tokens[i] == name && depth == 0 && is_definition(tokens, i + 1)) return true;
  }
  return false;
}

std::vector<std::string> files_defining(const FoundTree& tree, std::string_view name) {
  std::vector<std::string> files;
  for (const auto& [path, text] : tree.texts)
    if (is_c_source(path) && !is_made_or_foreign(path) && defines_function(text, name)) files.push_back(path);
  std::ranges::stable_partition(files, [&](const std::string& path) {
    return defines_function(tree.texts.at(path), name, Branches::none);
  });
  std::ranges::stable_partition(files, [](const std::string& path) { return !is_aside(path); });
  return files;
}

}  // namespace jcprof::rewriter
