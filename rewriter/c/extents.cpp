// SPDX-License-Identifier: Apache-2.0
#include <clang-c/Index.h>

#include "rewriter/c/cursors.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {

CExtent extent_of(const void* cursor) {
  const CXSourceRange range = clang_getCursorExtent(*static_cast<const CXCursor*>(cursor));
  const CXSourceLocation end = clang_getRangeEnd(range);
  CExtent extent{.begin = point_of(clang_getRangeStart(range)), .end = point_of(end)};
  clang_getFileLocation(end, nullptr, nullptr, nullptr, &extent.end_in_argument);
  return extent;
}

CRange range_of(const CSourceFile& source, const CExtent& extent) {
  CRange result{extent.begin.offset, extent.end.offset};
  // An end within a macro's use is for the file behind it.
  const CRange* macro = range_over(source.view->macros, result.end);
  if (macro != nullptr && (macro->begin < result.end || extent.end_in_argument != result.end))
    result.end = macro->end;
  return result;
}

CRange outside_macros(const CSourceFile& source, CRange range) {
  return range_over(source.view->macros, range.begin) == nullptr ? range : CRange{};
}

std::string_view word_at(const CSourceFile& source, std::uint32_t offset) {
  const std::size_t token = source.text->at(offset);
  const std::vector<CToken>& tokens = source.text->tokens();
  return token < tokens.size() ? source.text->of(tokens[token]) : std::string_view{};
}

Braces braces_of(const CSourceFile& source, CRange body) {
  const std::string_view text = source.text->text();
  const auto is_own = [&](std::uint32_t offset) {
    return range_over(source.view->macros, offset) == nullptr;
  };
  const bool begins = is_own(body.begin) && (text[body.begin] == '{' || word_at(source, body.begin) == "try");
  const bool ends = body.end > body.begin && is_own(body.end - 1) && text[body.end - 1] == '}';
  if (begins && ends) return Braces::own;
  const auto is_written = [&](std::uint32_t offset, std::string_view brace) {
    return is_own(offset) && text.substr(offset).starts_with(brace);
  };
  if (is_written(body.begin, "<%") || is_written(body.begin, "?\?<") ||
      (body.end > body.begin + 2 && (is_written(body.end - 2, "%>") || is_written(body.end - 3, "?\?>"))))
    return Braces::digraph;
  return begins || (ends && !is_own(body.begin)) ? Braces::half : Braces::none;
}

std::uint32_t definition_at(const CSourceFile& source, std::uint32_t name) {
  const std::vector<CToken>& tokens = source.text->tokens();
  std::size_t token = source.text->at(name);
  for (; token > 0; --token) {
    const CToken& previous = tokens[token - 1];
    if (previous.kind == CToken::Kind::directive ||
        is_one_of(source.text->of(previous), {";", "{", "}", ":"}))
      break;
  }
  return token < tokens.size() ? tokens[token].begin : name;
}

}  // namespace jcprof::rewriter
