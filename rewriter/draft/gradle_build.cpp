// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "rewriter/draft/applet_build.hpp"
#include "rewriter/draft/variables.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// Of a script in Groovy or Kotlin.
struct Token {
  enum class Kind : std::uint8_t { word, string, mark, line_end };
  Kind kind = Kind::mark;
  std::string text;  // of a string what stands between its quotes
};

// --- Tokens ---

/// One string, at its quote; `at` goes behind it. One that ends at no quote ends with its line.
std::string read_string(const std::string& text, std::size_t& at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.compare(at, 3, three) == 0;
  const std::string end = is_long ? three : std::string(1, quote);
  std::string value;
  for (at += end.size(); at < text.size() && text.compare(at, end.size(), end) != 0; ++at) {
    if (text[at] == '\n' && !is_long) return value;
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  at = std::min(at + end.size(), text.size());
  return value;
}

/// Between slashes, where no number can be divided.
bool begins_pattern(const std::vector<Token>& before, char c) {
  if (c != '/' || before.empty()) return false;
  const Token& last = before.back();
  return last.kind == Token::Kind::mark && last.text != ")" && last.text != "]";
}

std::size_t end_of_comment(const std::string& text, std::size_t at) {
  const bool is_block = text.compare(at, 2, "/*") == 0;
  if (!is_block && text.compare(at, 2, "//") != 0) return at;
  const std::size_t end = text.find(is_block ? "*/" : "\n", at + 2);
  return end == std::string::npos ? text.size() : end + (is_block ? 2 : 0);
}

std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = end_of_comment(text, at); end != at) {
      at = end;
    } else if (text[at] == '"' || text[at] == '\'' || begins_pattern(tokens, text[at])) {
      tokens.push_back({Token::Kind::string, read_string(text, at)});
    } else if (is_word(text[at])) {
      const std::size_t begin = at;
      while (at < text.size() && (is_word(text[at]) || text[at] == '.')) ++at;
      tokens.push_back({Token::Kind::word, text.substr(begin, at - begin)});
    } else {
      if (text[at] == '\n' || text[at] == ';')
        tokens.push_back({Token::Kind::line_end, "\n"});
      else if (std::isspace(static_cast<unsigned char>(text[at])) == 0)
        tokens.push_back({Token::Kind::mark, std::string(1, text[at])});
      ++at;
    }
  }
  return tokens;
}

// --- The script ---

std::string last_part(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

/// "setAid", "cap.aid" and "aid.set" → "aid"
std::string property_of(std::string name) {
  if (name.ends_with(".set")) name.resize(name.size() - 4);
  name = last_part(name);
  if (name.size() > 3 && name.starts_with("set") && std::isupper(static_cast<unsigned char>(name[3])) != 0) {
    name.erase(0, 3);
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  }
  return name;
}

class GradleBuild {
 public:
  GradleBuild(const std::string& text, Variables variables)
      : tokens_(tokens_of(text)), variables_(std::move(variables)) {}

  AppletBuild build() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is(i, "{")) begin_block(i);
      if (is(i, "}")) end_block();
      if (tokens_[i].kind == Token::Kind::word) statement(i);
      if (tokens_[i].kind == Token::Kind::string) dependency(i);
      if (tokens_[i].kind == Token::Kind::string && tokens_[i].text == "-applet") option(i);
    }
    return found_;
  }

 private:
  bool is(std::size_t i, std::string_view mark) const {
    return i < tokens_.size() && tokens_[i].kind == Token::Kind::mark && tokens_[i].text == mark;
  }
  bool is_value(std::size_t i) const {
    return i < tokens_.size() &&
           (tokens_[i].kind == Token::Kind::string || tokens_[i].kind == Token::Kind::word);
  }

  /// Of the word in front of the brace, and of what stands in parentheses between.
  void begin_block(std::size_t brace) {
    std::size_t i = brace;
    while (i > 0 && tokens_[i - 1].kind != Token::Kind::line_end && !is(i - 1, "{") && !is(i - 1, "}")) --i;
    blocks_.push_back(i < brace ? last_part(tokens_[i].text) : "");
    if (blocks_.back() == "applet" || blocks_.back() == "addApplet") applet_ = BuiltApplet{};
  }

  void end_block() {
    if (blocks_.empty()) return;
    if (is_in_applet() && !applet_.class_name.empty()) found_.applets.push_back(applet_);
    blocks_.pop_back();
  }

  bool is_in_applet() const {
    return !blocks_.empty() && (blocks_.back() == "applet" || blocks_.back() == "addApplet");
  }

  /// `name = value`, `name value`, `name(value)`, `set("name", value)`, `extra["name"] = value`.
  void statement(std::size_t i) {
    std::size_t value = i + 1;
    while (is(value, "=") || is(value, "(")) ++value;
    std::string name = property_of(tokens_[i].text);
    const bool names_apart = is_one_of(name, {"set", "extra", "ext"}) && (is(i + 1, "(") || is(i + 1, "["));
    if (names_apart && is_value(i + 2)) {
      name = tokens_[i + 2].text;
      value = i + 3;
      while (is(value, ",") || is(value, "]") || is(value, "=")) ++value;
    }
    if (!is_value(value)) return;
    if (name == "by" && i > 0) {  // val name by extra("value")
      if (is(value + 1, "(")) variables_.insert_or_assign(tokens_[i - 1].text, value_at(value + 2));
      return;
    }
    if (is_in_applet() && name == "className") applet_.class_name = value_at(value);
    if (is_in_applet() && name == "aid")
      applet_.aid = normal_aid(value_at(value));
    else if (names_apart || is(i + 1, "="))
      variables_.insert_or_assign(name, value_at(value));
  }

  /// "-applet", aid, class: arguments of the converter.
  void option(std::size_t i) {
    std::size_t at = i + 2;
    BuiltApplet applet{.aid = normal_aid(term_at(at))};
    if (!is(i + 1, ",") || !is(at, ",")) return;
    applet.class_name = term_at(++at);
    if (!applet.class_name.empty()) found_.applets.push_back(std::move(applet));
  }

  /// Terms with + between them, and `?:` in front of what is taken where there is no value.
  std::string value_at(std::size_t i) const {
    std::string value = term_at(i);
    for (; is(i, "+"); value += term_at(i)) ++i;
    if (value.empty() && is(i, "?") && is(i + 1, ":")) return value_at(i + 2);
    return value;
  }

  /// `i` goes behind it.
  std::string term_at(std::size_t& i) const {
    if (!is_value(i)) return "";
    const Token& token = tokens_[i++];
    if (token.kind == Token::Kind::string) return expand(variables_, token.text);
    // property("name"), properties["name"]
    const bool names =
        is_one_of(last_part(token.text), {"property", "findProperty", "properties", "get", "ext", "extra"});
    if (names && (is(i, "(") || is(i, "[")) && is_value(i + 1)) {
      const std::string name = tokens_[i + 1].text;
      i += 3;
      return known(name);
    }
    return known(last_part(token.text));
  }

  std::string known(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? "" : found->second;
  }

  /// 'com.klinec:jcardsim:3.0.6.0', and name: 'jcardsim', version: '3.0.6.0'.
  void dependency(std::size_t i) {
    static const std::regex coordinates(R"([\w.\-]{1,100}:jcardsim:([\w.\-]{1,40})(?:[:@].{0,40})?)");
    const std::string text = expand(variables_, tokens_[i].text);
    std::smatch match;
    if (text.size() < 200 && std::regex_match(text, match, coordinates))
      found_.simulators.push_back(match[1]);
    if (text != "jcardsim") return;
    for (std::size_t k = i + 1; k < i + 6 && k + 2 < tokens_.size(); ++k)
      if (tokens_[k].text == "version" && tokens_[k + 2].kind == Token::Kind::string)
        found_.simulators.push_back(expand(variables_, tokens_[k + 2].text));
  }

  std::vector<Token> tokens_;
  Variables variables_;
  std::vector<std::string> blocks_;  // that are open, the innermost last
  BuiltApplet applet_;               // of the block that is open
  AppletBuild found_;
};

}  // namespace

std::optional<AppletBuild> read_gradle(const FoundTree& tree, const std::string& path) {
  if (!ends_with_one_of(path, {".gradle", ".gradle.kts"})) return std::nullopt;
  Variables variables;
  for (const std::string& folder : {folder_of(path), std::string()})  // the nearer one wins
    if (const auto text = tree.texts.find(path_in(folder, "gradle.properties")); text != tree.texts.end())
      for (const auto& [name, value] : read_properties(text->second)) variables.try_emplace(name, value);
  return GradleBuild(tree.texts.at(path), std::move(variables)).build();
}

}  // namespace jcprof::rewriter
