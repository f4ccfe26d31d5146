// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <utility>

#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

class EdlLexer {
 public:
  EdlLexer(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  std::vector<EdlToken> read() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (skip(); at_ < text_.size(); skip()) take();
    return std::move(tokens_);
  }

 private:
  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  /// Where we are if no text in quotes begins here, or if it does not end in its line.
  std::size_t end_of_quoted() const {
    if (text_[at_] != '"') return at_;
    const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
    return end == std::string_view::npos || text_[end] == '\n' ? at_ : end + 1;
  }

  /// False where no comment begins here.
  bool skip_comment() {
    if (sees("//")) {
      while (at_ < text_.size() && text_[at_] != '\n') at_ += length_of_step();
      return true;
    }
    if (!sees("/*")) return false;
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos)
      throw UserError(Fault{.message = "this comment has no end",
                            .place = place_at(path_, text_, at_),
                            .hint = "\"*/\" is missing"});
    at_ = end + 2;
    return true;
  }

  /// A backslash at the end of a line makes the next one part of it.
  std::size_t length_of_step() const { return sees("\\\r\n") ? 3 : sees("\\\n") ? 2 : 1; }

  void skip() {
    while (at_ < text_.size()) {
      if (skip_comment()) continue;
      if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) return;
      starts_line_ = starts_line_ || text_[at_] == '\n';
      ++at_;
    }
  }

  void take() {
    const std::size_t begin = at_;
    const char c = text_[at_];
    EdlToken::Kind kind = EdlToken::Kind::punctuation;
    if (c == '#' && starts_line_) {
      kind = EdlToken::Kind::directive;
      take_directive();
    } else if (is_word(c)) {
      kind = std::isdigit(static_cast<unsigned char>(c)) != 0 ? EdlToken::Kind::number : EdlToken::Kind::word;
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else if (const std::size_t end = end_of_quoted(); end > at_) {
      kind = EdlToken::Kind::text;
      at_ = end;
    } else {
      ++at_;
    }
    starts_line_ = kind == EdlToken::Kind::directive;
    tokens_.push_back({.kind = kind, .text = text_.substr(begin, at_ - begin), .begin = begin});
  }

  /// A comment in it may go over several lines, and is part of it.
  void take_directive() {
    while (at_ < text_.size() && text_[at_] != '\n')
      if (!skip_comment()) at_ = std::max(end_of_quoted(), at_ + length_of_step());
  }

  const std::string& path_;
  std::string_view text_;
  std::vector<EdlToken> tokens_;
  std::size_t at_ = 0;
  bool starts_line_ = true;
};

/// Of `# 12 "kv.edl" 2` or `#line 12 "kv.edl"`: `line` becomes the one that the marker stands on then.
void follow_marker(const EdlToken& directive, EdlLine& line) {
  // Its comments have their ends: it is a token.
  const std::vector<EdlToken> parts = EdlLexer("", directive.text.substr(1)).read();
  auto part = parts.begin();
  if (part != parts.end() && part->text == "line") ++part;
  if (part == parts.end() || part->kind != EdlToken::Kind::number) return;
  std::size_t next = 0;
  std::from_chars(part->text.data(), part->text.data() + part->text.size(), next);
  line.number = std::max<std::size_t>(next, 1) - 1;
  if (++part == parts.end() || part->kind != EdlToken::Kind::text) return;
  const std::string_view name = part->text.substr(1, part->text.size() - 2);
  line.file = std::filesystem::path(name).lexically_normal().generic_string();
}

}  // namespace

std::vector<EdlToken> edl_tokens(const std::string& path, std::string_view text) {
  std::vector<EdlToken> tokens = EdlLexer(path, text).read();
  EdlLine line{.file = path, .number = 1};
  std::size_t at = 0;
  for (EdlToken& token : tokens) {
    line.number += static_cast<std::size_t>(std::ranges::count(text.substr(at, token.begin - at), '\n'));
    at = token.begin;
    token.line = line;
    if (token.kind == EdlToken::Kind::directive) follow_marker(token, line);
  }
  return tokens;
}

std::string_view directive_name(const EdlToken& token) {
  if (token.kind != EdlToken::Kind::directive) return {};
  const std::size_t begin = std::min(token.text.find_first_not_of(" \t", 1), token.text.size());
  const auto end = std::find_if_not(token.text.begin() + begin, token.text.end(), is_word);
  return token.text.substr(begin, static_cast<std::size_t>(end - token.text.begin()) - begin);
}

std::vector<EdlToken> edl_tokens_of(const std::vector<EdlToken>& written, const std::string& path,
                                    std::string_view preprocessed) {
  std::vector<EdlToken> tokens = edl_tokens(path, preprocessed);
  std::erase_if(tokens, [](const EdlToken& token) { return token.kind == EdlToken::Kind::directive; });
  // Macros move what stands on a line. A token is known again where its line has it as often as before.
  std::map<std::pair<EdlLine, std::string_view>, std::pair<std::vector<EdlToken*>, std::vector<std::size_t>>>
      alike;
  for (EdlToken& token : tokens) alike[{token.line, token.text}].first.push_back(&token);
  for (const EdlToken& token : written) alike[{token.line, token.text}].second.push_back(token.begin);
  for (const auto& [key, both] : alike)
    for (std::size_t i = 0; i < both.first.size(); ++i)
      both.first[i]->begin = both.first.size() == both.second.size() ? both.second[i] : EdlToken::nowhere;
  return tokens;
}

}  // namespace jcprof::rewriter
