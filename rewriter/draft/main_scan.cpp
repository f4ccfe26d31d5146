// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/main_scan.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "rewriter/c/text.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// A token, and how many braces are open in front of it.
struct CodeToken {
  std::string_view text;
  int depth = 0;
};

/// Follows the braces. Each branch of an #if begins where the #if stands, and what comes behind it goes on
/// from its first one: branches may open a function each, and share its body.
class Braces {
 public:
  int depth() const { return depth_; }

  void pass_directive(std::string_view name) {
    if (name.starts_with("if")) conditionals_.push_back({.outside = depth_});
    if (conditionals_.empty()) return;
    Conditional& innermost = conditionals_.back();
    if (name.starts_with("el") || name == "endif") {
      if (!innermost.behind) innermost.behind = depth_;
      depth_ = innermost.outside;
    }
    if (name != "endif") return;
    depth_ = *innermost.behind;
    conditionals_.pop_back();
  }

  /// At the margin `}` ends a function, whatever braces are open by then.
  void pass(std::string_view token, bool is_counted, bool is_at_margin) {
    if (token == "{" && is_counted) ++depth_;
    if (token == "}") depth_ = is_at_margin ? 0 : std::max(depth_ - 1, 0);
  }

 private:
  struct Conditional {
    int outside = 0;
    std::optional<int> behind = {};  // its first branch
  };

  int depth_ = 0;
  std::vector<Conditional> conditionals_;
};

/// The tokens that are neither literal nor directive, of all branches or outside of any #if.
std::vector<CodeToken> code_tokens(const CText& text, Branches branches) {
  std::vector<CodeToken> tokens;
  Braces braces;
  std::string_view last;
  for (const CToken& token : text.tokens()) {
    if (token.kind == CToken::Kind::directive) braces.pass_directive(text.directive_name(token));
    if (token.kind == CToken::Kind::text || token.kind == CToken::Kind::directive) continue;
    const std::string_view word = text.of(token);
    const bool is_at_margin = token.begin == 0 || text.text()[token.begin - 1] == '\n';
    if (branches == Branches::all || token.branch == 0) tokens.push_back({word, braces.depth()});
    // The braces of extern "C" hold nothing inside.
    braces.pass(word, last != "extern", is_at_margin);
    last = word;
  }
  return tokens;
}

/// True where a body follows the parameters, which begin at `i`; parameters of the old style may lie between.
bool is_definition(const std::vector<CodeToken>& tokens, std::size_t i) {
  if (i >= tokens.size() || tokens[i].text != "(") return false;
  int open = 0;
  for (; i < tokens.size(); ++i) {
    open += tokens[i].text == "(" ? 1 : tokens[i].text == ")" ? -1 : 0;
    if (open == 0) break;
  }
  if (i + 1 >= tokens.size()) return false;
  const std::string_view behind = tokens[i + 1].text;
  return behind == "{" || behind == "->" || is_word(behind.front());
}

/// The macro that a line such as "#  define tmain  main" defines, if that stands for main; else empty.
std::string_view macro_of_main(std::string_view line) {
  const auto word = [&] {
    line = trimmed(line);
    const auto length = std::ranges::find_if_not(line, is_word) - line.begin();
    const std::string_view found = line.substr(0, static_cast<std::size_t>(length));
    line.remove_prefix(found.size());
    return found;
  };
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  if (word() != "define") return {};
  const std::string_view macro = word();
  return word() == "main" && trimmed(line.substr(0, line.find('/'))).empty() ? macro : std::string_view();
}

}  // namespace

bool defines_function(std::string_view text, std::string_view name, Branches branches) {
  if (text.find(name) == std::string_view::npos) return false;
  const std::vector<CodeToken> tokens = code_tokens(CText(text), branches);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].text == name && tokens[i].depth == 0 && is_definition(tokens, i + 1)) return true;
  return false;
}

bool defines_one_of(std::string_view text, const std::vector<std::string>& names, Branches branches) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return defines_function(text, name, branches); });
}

std::vector<std::string> names_of_main(const FoundTree& tree) {
  std::set<std::string> macros;
  for (const auto& [path, text] : tree.texts)
    if (is_c_source(path) || is_c_header(path))
      for (const std::string_view line : lines_of(text))
        if (const std::string_view macro = macro_of_main(line); !macro.empty()) macros.emplace(macro);
  std::vector<std::string> names{"main"};
  names.insert(names.end(), macros.begin(), macros.end());
  return names;
}

std::vector<std::string> files_defining(const FoundTree& tree, const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const auto& [path, text] : tree.texts)
    if (is_c_source(path) && !is_made_or_foreign(path) && defines_one_of(text, names)) files.push_back(path);
  std::ranges::stable_partition(files, [&](const std::string& path) {
    return defines_one_of(tree.texts.at(path), names, Branches::none);
  });
  std::ranges::stable_partition(files, [](const std::string& path) { return !is_aside(path); });
  return files;
}

}  // namespace jcprof::rewriter
