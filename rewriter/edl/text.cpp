// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/text.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "rewriter/edl/tokens.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using Tokens = std::vector<EdlToken>;
using EdlKind = EdlToken::Kind;

bool is_word_token(const EdlToken& token) {
  return token.kind == EdlKind::word || token.kind == EdlKind::number;
}

/// As C would be written.
std::string joined(std::span<const EdlToken> tokens) {
  std::string text;
  const EdlToken* before = nullptr;
  for (const EdlToken& token : tokens) {
    if (before != nullptr && is_word_token(token) && (is_word_token(*before) || before->text == "*"))
      text += ' ';
    text += token.text;
    before = &token;
  }
  return text;
}

/// Can stand last in a type, so that what it ends is no name.
bool is_type_word(std::string_view word) {
  return is_one_of(word, {"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned",
                          "const", "struct", "union", "enum"});
}

/// How far the tokens of a file are read.
class Cursor {
 public:
  Cursor(const EdlFile& file, const Tokens& tokens) : file_(file), tokens_(tokens) {}

  [[noreturn]] void fail(const std::string& message, const std::string& hint = "") const {
    throw UserError(Fault{.message = message, .place = place(), .hint = hint});
  }

  Place place() const {
    const std::size_t begin = is_at_end() ? file_.text.find_last_not_of(" \t\r\n") + 1 : tokens_[at_].begin;
    if (begin != EdlToken::nowhere) return place_at(file_.path, file_.text, begin);
    return {.file = tokens_[at_].line.file, .line = tokens_[at_].line.number};
  }

  bool is_at_end() const { return at_ == tokens_.size(); }
  /// The token here, or one behind it, has that text.
  bool sees(std::string_view text, std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].text == text;
  }
  bool sees(EdlKind kind) const { return !is_at_end() && tokens_[at_].kind == kind; }
  bool sees_one_of(std::initializer_list<std::string_view> texts) const {
    return !is_at_end() && is_one_of(tokens_[at_].text, texts);
  }
  std::string found() const {
    return is_at_end() ? "the end of the file" : fmt::format("\"{}\"", tokens_[at_].text);
  }

  const EdlToken& take() { return tokens_[at_++]; }
  void back() { --at_; }
  bool accept(std::string_view text) {
    const bool is_there = sees(text);
    if (is_there) ++at_;
    return is_there;
  }
  void expect(std::string_view text, const std::string& hint = "") {
    if (!accept(text)) fail(fmt::format("\"{}\" is expected, not {}", text, found()), hint);
  }
  std::string expect(EdlKind kind, std::string_view what) {
    if (!sees(kind)) fail(fmt::format("{} is expected, not {}", what, found()));
    return std::string(take().text);
  }

  std::size_t at() const { return at_; }
  std::span<const EdlToken> since(std::size_t first) const {
    return std::span(tokens_).subspan(first, at_ - first);
  }

 private:
  const EdlFile& file_;
  const Tokens& tokens_;
  std::size_t at_ = 0;
};

std::string quoted(Cursor& cursor) {
  const std::string text = cursor.expect(EdlKind::text, "a file's name in quotes");
  return text.substr(1, text.size() - 2);
}

/// "a, b", up to what ends such a list.
std::vector<std::string> words(Cursor& cursor, std::string_view what) {
  std::vector<std::string> words;
  do words.push_back(cursor.expect(EdlKind::word, what));
  while (cursor.accept(","));
  return words;
}

/// Up to one of two tokens that are outside of brackets.
std::string until(Cursor& cursor, std::initializer_list<std::string_view> ends) {
  const std::size_t first = cursor.at();
  for (std::size_t depth = 0; !cursor.is_at_end() && (depth > 0 || !cursor.sees_one_of(ends));
       cursor.take()) {
    if (cursor.sees("(")) ++depth;
    if (cursor.sees(")") && depth > 0) --depth;
  }
  return joined(cursor.since(first));
}

/// A type and behind it a name, which is the last token taken; false where that is not what comes.
bool skip_type_and_name(Cursor& cursor) {
  const std::size_t first = cursor.at();
  while (cursor.sees(EdlKind::word) || cursor.sees("*")) cursor.take();
  const std::span<const EdlToken> taken = cursor.since(first);
  return taken.size() >= 2 && taken.back().kind == EdlKind::word;
}

EdlParameter parameter(Cursor& cursor) {
  EdlParameter parameter;
  if (cursor.accept("[")) {
    do {
      const std::string name = cursor.expect(EdlKind::word, "an attribute");
      const std::string value = cursor.accept("=") ? until(cursor, {",", "]"}) : "";
      // A length that a function of the user's says is none that a bridge could know.
      if (name == "sizefunc")
        parameter.attributes["user_check"];
      else
        parameter.attributes[name] = value;
    } while (cursor.accept(","));
    cursor.expect("]");
  }
  const std::size_t first = cursor.at();
  const bool is_whole = skip_type_and_name(cursor);
  const std::span<const EdlToken> taken = cursor.since(first);
  if (!is_whole || is_type_word(taken.back().text))
    cursor.fail("a parameter's type and name are expected in front of this",
                "as in: [in, size=n] const char* bytes");
  parameter.type = joined(taken.first(taken.size() - 1));
  parameter.name = taken.back().text;
  while (cursor.accept("[")) {
    parameter.dimensions.push_back(until(cursor, {"]"}));
    cursor.expect("]");
  }
  return parameter;
}

std::vector<EdlParameter> parameters(Cursor& cursor) {
  std::vector<EdlParameter> parameters;
  if (cursor.sees("void") && cursor.sees(")", 1)) cursor.take();
  if (cursor.accept(")")) return parameters;
  do parameters.push_back(parameter(cursor));
  while (cursor.accept(","));
  cursor.expect(")");
  return parameters;
}

std::vector<std::string> allowed(Cursor& cursor) {
  const std::string form = "allow(ecall_a, ecall_b)";
  cursor.expect("(", form);
  if (cursor.accept(")")) return {};
  std::vector<std::string> names = words(cursor, "a function's name");
  cursor.expect(")", form);
  return names;
}

EdlFunction function(Cursor& cursor) {
  EdlFunction function;
  function.is_public = cursor.accept("public");
  if (cursor.accept("[")) {
    words(cursor, "a calling convention");
    cursor.expect("]");
  }
  const std::size_t first = cursor.at();
  if (!skip_type_and_name(cursor) || !cursor.sees("("))
    cursor.fail(fmt::format("{} cannot stand in the declaration of a function", cursor.found()),
                "a function is: int f([in, size=n] const char* bytes, size_t n);");
  cursor.back();
  function.result = joined(cursor.since(first));
  function.place = cursor.place();
  function.name = cursor.take().text;
  cursor.expect("(");
  function.parameters = parameters(cursor);
  for (bool goes_on = true; goes_on;)
    if (cursor.accept("allow"))
      function.allowed = allowed(cursor);
    else
      goes_on = cursor.accept("propagate_errno") || cursor.accept("transition_using_threads");
  cursor.expect(";");
  return function;
}

EdlImport import(Cursor& cursor) {
  EdlImport import{.file = quoted(cursor)};
  cursor.expect("import", "from \"x.edl\" import a, b; or: import *;");
  if (!cursor.accept("*")) import.names = words(cursor, "a function's name");
  cursor.expect(";");
  return import;
}

bool needs_space(const EdlToken& before, const EdlToken& token) {
  return is_one_of(token.text, {"{", "}", "="}) || is_one_of(before.text, {"{", ";", ",", "="}) ||
         (is_word_token(token) && !is_one_of(before.text, {"(", "[", "-"}));
}

/// As it is written, but for comments and attributes, which C does not have.
std::string declared_text(std::span<const EdlToken> tokens) {
  std::string text(tokens.front().text);
  std::size_t depth = 0;  // of brackets of an attribute
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const bool begins_member = is_one_of(tokens[i - 1].text, {"{", ";"});
    if (tokens[i].text == "[" && (begins_member || depth > 0)) ++depth;
    if (depth == 0) text += (needs_space(tokens[i - 1], tokens[i]) ? " " : "") + std::string(tokens[i].text);
    if (tokens[i].text == "]" && depth > 0) --depth;
  }
  return text;
}

EdlDeclaration declaration(Cursor& cursor) {
  const std::size_t first = cursor.at();
  EdlDeclaration declared{.name = std::string(cursor.take().text), .text = {}};
  if (cursor.sees(EdlKind::word)) declared.name += " " + std::string(cursor.take().text);
  cursor.expect("{");
  for (std::size_t depth = 1; depth > 0; cursor.take()) {
    if (cursor.is_at_end()) cursor.fail(fmt::format("\"{}\" has no end", declared.name), "\"}\" is missing");
    if (cursor.sees("{")) ++depth;
    if (cursor.sees("}")) --depth;
  }
  declared.text = declared_text(cursor.since(first));
  cursor.expect(";");
  return declared;
}

/// False where none of what may stand in both kinds of block begins here.
bool accept_common(Cursor& cursor, EdlItems& items) {
  if (cursor.accept("include")) {
    items.includes.push_back(quoted(cursor));
  } else if (cursor.accept("from")) {
    items.imports.push_back(import(cursor));
  } else if (cursor.sees_one_of({"struct", "union", "enum"}) &&
             (cursor.sees("{", 1) || cursor.sees("{", 2))) {
    items.declarations.push_back(declaration(cursor));
  } else {
    return false;
  }
  return true;
}

void functions(Cursor& cursor, EdlItems& items, std::vector<EdlFunction>& functions) {
  cursor.expect("{");
  while (!cursor.accept("}")) {
    if (cursor.is_at_end()) cursor.fail("this block has no end", "\"}\" is missing");
    if (!accept_common(cursor, items)) functions.push_back(function(cursor));
  }
  cursor.accept(";");
}

void item(Cursor& cursor, EdlItems& items) {
  if (accept_common(cursor, items)) return;
  if (cursor.accept("trusted"))
    functions(cursor, items, items.trusted);
  else if (cursor.accept("untrusted"))
    functions(cursor, items, items.untrusted);
  else
    cursor.fail(fmt::format("{} is nothing that an enclave block holds", cursor.found()),
                "include, from … import, struct, union, enum, trusted and untrusted are");
}

/// Of the braces that close enclave blocks in branches that the preprocessor has left out. Each branch of an
/// #if group begins as deep in braces as the group.
std::set<std::size_t> ends_left_out(const Tokens& written, const Tokens& read) {
  std::set<EdlLine> lines;
  for (const EdlToken& token : read) lines.insert(token.line);
  std::set<std::size_t> ends;
  std::vector<std::size_t> groups;  // how deep each of those that we are in began
  std::size_t depth = 0;
  for (const EdlToken& token : written) {
    const std::string_view name = directive_name(token);
    if (name.starts_with("if"))
      groups.push_back(depth);
    else if (name.starts_with("el") && !groups.empty())
      depth = groups.back();
    else if (name == "endif" && !groups.empty())
      groups.pop_back();
    if (token.text == "{") ++depth;
    if (token.text == "}" && depth > 0 && --depth == 0 && !lines.contains(token.line))
      ends.insert(token.begin);
  }
  return ends;
}

}  // namespace

EdlFile parse_edl(const std::string& path, const std::string& text, const std::string& preprocessed) {
  EdlFile file{.path = path, .text = text, .items = {}, .ends = {}, .hidden_ends = {}};
  const Tokens written = edl_tokens(path, text);
  const Tokens tokens = edl_tokens_of(written, path, preprocessed);
  Cursor cursor(file, tokens);
  const std::string form = "an EDL file is: enclave { trusted { … }; untrusted { … }; };";
  if (tokens.empty()) cursor.fail("there is no enclave block", form);
  std::set<std::size_t> ends = ends_left_out(written, tokens);
  while (!cursor.is_at_end()) {
    cursor.expect("enclave", form);
    cursor.expect("{");
    while (!cursor.sees("}")) item(cursor, file.items);
    const Place place = cursor.place();
    if (const std::size_t end = cursor.take().begin; end != EdlToken::nowhere)
      ends.insert(end);
    else
      file.hidden_ends.push_back(place);
    cursor.accept(";");
  }
  file.ends.assign(ends.begin(), ends.end());
  return file;
}

}  // namespace jcprof::rewriter
