// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edl/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "rewriter/edl/tokens.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

using Tokens = std::vector<EdlToken>;
using Kind = EdlToken::Kind;

/// As C would be written.
std::string joined(const EdlToken* begin, const EdlToken* end) {
  const auto is_word = [](const EdlToken& token) {
    return token.kind == Kind::word || token.kind == Kind::number;
  };
  std::string text;
  for (const EdlToken* i = begin; i != end; ++i) {
    if (i != begin && is_word(*i) && (is_word(i[-1]) || i[-1].text == "*")) text += ' ';
    text += i->text;
  }
  return text;
}

/// A word that can stand last in a type, so that what it ends is no name.
bool is_type_word(std::string_view word) {
  constexpr std::array<std::string_view, 13> words{"void",   "char",   "short",  "int",      "long",
                                                   "float",  "double", "signed", "unsigned", "const",
                                                   "struct", "union",  "enum"};
  return std::ranges::find(words, word) != words.end();
}

struct Way {
  EdlItems items;
  std::vector<std::size_t> ends;
};

/// One way through a file.
class Parser {
 public:
  Parser(const std::string& path, const std::string& text, const Tokens& tokens)
      : path_(path), text_(text), tokens_(tokens) {}

  Way parse() {
    if (tokens_.empty())
      fail("there is no enclave block", "an EDL file is: enclave { trusted { … }; untrusted { … }; };");
    while (at_ < tokens_.size()) {
      expect("enclave", "an EDL file is: enclave { trusted { … }; untrusted { … }; };");
      expect("{", "");
      while (!sees("}")) item();
      way_.ends.push_back(tokens_[at_++].begin);
      accept(";");
    }
    return std::move(way_);
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const {
    const std::size_t at = at_ < tokens_.size() ? tokens_[at_].begin : text_.find_last_not_of(" \t\r\n") + 1;
    throw UserError(Fault{.message = message, .place = place_at(path_, text_, at), .hint = hint});
  }

  bool sees(std::string_view what) const { return at_ < tokens_.size() && tokens_[at_].text == what; }
  bool sees(Kind kind) const { return at_ < tokens_.size() && tokens_[at_].kind == kind; }

  bool accept(std::string_view what) {
    const bool is_there = sees(what);
    if (is_there) ++at_;
    return is_there;
  }

  std::string found() const {
    return at_ < tokens_.size() ? fmt::format("\"{}\"", tokens_[at_].text) : "the end of the file";
  }

  void expect(std::string_view what, const std::string& hint) {
    if (!accept(what)) fail(fmt::format("\"{}\" is expected, not {}", what, found()), hint);
  }

  const EdlToken& expect(Kind kind, std::string_view what) {
    if (!sees(kind)) fail(fmt::format("{} is expected, not {}", what, found()), "");
    return tokens_[at_++];
  }

  std::string word(std::string_view what) { return std::string(expect(Kind::word, what).text); }

  std::string quoted() {
    const std::string_view text = expect(Kind::text, "a file's name in quotes").text;
    return std::string(text.substr(1, text.size() - 2));
  }

  void item() {
    if (accept("include")) {
      way_.items.includes.push_back(quoted());
    } else if (accept("from")) {
      import();
    } else if (sees("struct") || sees("union") || sees("enum")) {
      declaration();
    } else if (accept("trusted")) {
      block(way_.items.trusted);
    } else if (accept("untrusted")) {
      block(way_.items.untrusted);
    } else {
      fail(fmt::format("{} is nothing that an enclave block holds", found()),
           "include, from … import, struct, union, enum, trusted and untrusted are");
    }
  }

  void import() {
    EdlImport import{.offset = at_ < tokens_.size() ? tokens_[at_].begin : 0};
    import.file = quoted();
    expect("import", "from \"x.edl\" import a, b; or: import *;");
    if (!accept("*")) do
        import.names.push_back(word("a function's name"));
      while (accept(","));
    expect(";", "");
    way_.items.imports.push_back(std::move(import));
  }

  void declaration() {
    const std::size_t first = at_;
    EdlDeclaration declared{.name = std::string(tokens_[at_++].text)};
    if (sees(Kind::word)) declared.name += " " + std::string(tokens_[at_++].text);
    expect("{", "");
    for (std::size_t depth = 1; depth > 0; ++at_) {
      if (at_ == tokens_.size()) fail(fmt::format("\"{}\" has no end", declared.name), "\"}\" is missing");
      if (tokens_[at_].text == "{") ++depth;
      if (tokens_[at_].text == "}") --depth;
    }
    declared.text = declared_text(first);
    expect(";", "");
    way_.items.declarations.push_back(std::move(declared));
  }

  /// As it is written, but for comments and attributes, which C does not have.
  std::string declared_text(std::size_t first) const {
    std::string text;
    std::size_t depth = 0;  // of brackets of an attribute
    for (std::size_t i = first; i < at_; ++i) {
      const bool begins_member = tokens_[i - 1].text == "{" || tokens_[i - 1].text == ";";
      if (tokens_[i].text == "[" && (begins_member || depth > 0)) ++depth;
      if (depth == 0) text += spaced(i, first);
      if (tokens_[i].text == "]" && depth > 0) --depth;
    }
    return text;
  }

  std::string spaced(std::size_t i, std::size_t first) const {
    const bool is_word = tokens_[i].kind == Kind::word || tokens_[i].kind == Kind::number;
    const std::string_view before = i == first ? "(" : tokens_[i - 1].text;
    const bool needs_space = tokens_[i].text == "{" || tokens_[i].text == "}" || tokens_[i].text == "=" ||
                             before == "{" || before == ";" || before == "," || before == "=" ||
                             (is_word && before != "(" && before != "[" && before != "-");
    return (i != first && needs_space ? " " : "") + std::string(tokens_[i].text);
  }

  void block(std::vector<EdlFunction>& functions) {
    expect("{", "");
    while (!accept("}")) {
      if (at_ == tokens_.size()) fail("this block has no end", "\"}\" is missing");
      if (sees("include") || sees("from") || sees("struct") || sees("union") || sees("enum"))
        inner_item(functions);
      else
        functions.push_back(function());
    }
    accept(";");
  }

  /// `struct s f();` begins like a declaration.
  void inner_item(std::vector<EdlFunction>& functions) {
    const bool is_item =
        sees("include") || sees("from") ||
        (at_ + 2 < tokens_.size() && (tokens_[at_ + 1].text == "{" || tokens_[at_ + 2].text == "{"));
    if (is_item)
      item();
    else
      functions.push_back(function());
  }

  EdlFunction function() {
    EdlFunction function;
    function.is_public = accept("public");
    if (accept("[")) {
      do word("a calling convention");
      while (accept(","));
      expect("]", "");
    }
    const std::size_t first = at_;
    while (sees(Kind::word) || sees("*")) ++at_;
    if (at_ - first < 2 || tokens_[at_ - 1].kind != Kind::word || !sees("("))
      fail(fmt::format("{} is not what a function's declaration goes on with", found()),
           "a function is: int f([in, size=n] const char* bytes, size_t n);");
    function.result = joined(&tokens_[first], &tokens_[at_ - 1]);
    function.name = tokens_[at_ - 1].text;
    function.file = path_;
    function.offset = tokens_[at_ - 1].begin;
    ++at_;
    if (!accept(")")) parameters(function);
    behind_parameters(function);
    expect(";", "");
    return function;
  }

  void parameters(EdlFunction& function) {
    if (sees("void") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == ")") {
      at_ += 2;
      return;
    }
    do function.parameters.push_back(parameter());
    while (accept(","));
    expect(")", "");
  }

  EdlParameter parameter() {
    EdlParameter parameter;
    if (accept("[")) {
      do attribute(parameter);
      while (accept(","));
      expect("]", "");
    }
    const std::size_t first = at_;
    while (sees(Kind::word) || sees("*")) ++at_;
    if (at_ - first < 2 || tokens_[at_ - 1].kind != Kind::word || is_type_word(tokens_[at_ - 1].text))
      fail("a parameter's type and name are expected in front of this",
           "as in: [in, size=n] const char* bytes");
    parameter.type = joined(&tokens_[first], &tokens_[at_ - 1]);
    parameter.name = tokens_[at_ - 1].text;
    while (accept("[")) {
      parameter.dimensions.push_back(until("]", "]"));
      expect("]", "");
    }
    return parameter;
  }

  /// Up to one of two tokens that are outside of brackets.
  std::string until(std::string_view end, std::string_view other_end) {
    const std::size_t first = at_;
    for (std::size_t depth = 0; at_ < tokens_.size(); ++at_) {
      if (depth == 0 && (sees(end) || sees(other_end))) break;
      if (sees("(")) ++depth;
      if (sees(")") && depth > 0) --depth;
    }
    return first == at_ ? "" : joined(&tokens_[first], &tokens_[first] + (at_ - first));
  }

  void attribute(EdlParameter& parameter) {
    const std::string name = word("an attribute");
    const std::string value = accept("=") ? until(",", "]") : "";
    const bool is_out = parameter.direction == EdlDirection::out;
    const bool is_in = parameter.direction == EdlDirection::in;
    if (name == "in") parameter.direction = is_out ? EdlDirection::in_out : EdlDirection::in;
    if (name == "out") parameter.direction = is_in ? EdlDirection::in_out : EdlDirection::out;
    if (name == "size") parameter.size = value;
    if (name == "count") parameter.count = value;
    // What a function of the user's says the size of has none that a bridge could know.
    parameter.user_check |= name == "user_check" || name == "sizefunc";
    parameter.string |= name == "string";
    parameter.wstring |= name == "wstring";
    parameter.isptr |= name == "isptr";
    parameter.isary |= name == "isary";
  }

  void behind_parameters(EdlFunction& function) {
    for (;;) {
      if (accept("allow"))
        allowed(function);
      else if (!accept("propagate_errno") && !accept("transition_using_threads"))
        return;
    }
  }

  void allowed(EdlFunction& function) {
    expect("(", "allow(ecall_a, ecall_b)");
    if (accept(")")) return;
    do function.allowed.push_back(word("a function's name"));
    while (accept(","));
    expect(")", "allow(ecall_a, ecall_b)");
  }

  const std::string& path_;
  const std::string& text_;
  const Tokens& tokens_;
  std::size_t at_ = 0;
  Way way_;
};

template <class Item, class Key>
void merge(std::vector<Item>& to, const std::vector<Item>& more, Key key) {
  std::set<std::string> known;
  for (const Item& item : to) known.insert(key(item));
  for (const Item& item : more)
    if (known.insert(key(item)).second) to.push_back(item);
}

void merge(EdlItems& to, const EdlItems& more) {
  const auto name = [](const auto& item) { return item.name; };
  merge(to.includes, more.includes, [](const std::string& include) { return include; });
  merge(to.imports, more.imports, [](const EdlImport& import) { return std::to_string(import.offset); });
  merge(to.declarations, more.declarations, [](const EdlDeclaration& item) { return item.name + item.text; });
  merge(to.trusted, more.trusted, name);
  merge(to.untrusted, more.untrusted, name);
}

/// None where the branches of #if groups do not go together so.
std::optional<Way> parse_if_possible(const EdlFile& file, const Tokens& tokens) {
  try {
    return Parser(file.path, file.text, tokens).parse();
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace

EdlFile parse_edl(const std::string& path, const std::string& text) {
  EdlFile file{.path = path, .text = text, .items = {}, .all = {}, .ends = {}};
  const Tokens tokens = edl_tokens(path, file.text);
  const Tokens usual = preprocessed(tokens);
  std::optional<Way> chosen = parse_if_possible(file, usual);
  std::set<std::size_t> ends;
  for (const Tokens& tokens_of_way : all_ways(tokens)) {
    std::optional<Way> way = parse_if_possible(file, tokens_of_way);
    if (!way) continue;
    ends.insert(way->ends.begin(), way->ends.end());
    merge(file.all, way->items);
    if (!chosen) chosen = std::move(way);
  }
  if (!chosen) chosen = Parser(path, file.text, usual).parse();  // throws
  ends.insert(chosen->ends.begin(), chosen->ends.end());
  merge(file.all, chosen->items);
  file.items = std::move(chosen->items);
  file.ends.assign(ends.begin(), ends.end());
  return file;
}

}  // namespace jcprof::rewriter
