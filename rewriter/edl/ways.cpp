// SPDX-License-Identifier: Apache-2.0
// The preprocessor directives of an EDL file: which branches of its #if groups are taken.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "rewriter/edl/tokens.hpp"

namespace jcprof::rewriter {
namespace {

using Tokens = std::vector<EdlToken>;

/// A file with more branches is nobody's; the time that it takes is bounded.
constexpr std::size_t most_ways = 200;
using Macros = std::map<std::string_view, std::optional<EdlToken>>;  // none: more than one token, or none

/// A directive's parts: its name, and what follows.
struct Directive {
  std::string_view name;
  Tokens rest;
};

Directive directive_of(const EdlToken& token) {
  // Its comments have their ends: it is a token.
  Tokens parts = edl_tokens("", token.text.substr(1));
  std::erase_if(parts, [](const EdlToken& part) { return part.text == "\\"; });
  if (parts.empty() || parts[0].kind != EdlToken::Kind::word) return {};
  const std::string_view name = parts[0].text;
  parts.erase(parts.begin());
  return {.name = name, .rest = std::move(parts)};
}

bool opens(const Directive& directive) {
  return directive.name == "if" || directive.name == "ifdef" || directive.name == "ifndef";
}

bool parts(const Directive& directive) {
  return directive.name == "elif" || directive.name == "else";
}

/// An #if expression, as far as EDL files need one: integers, names, `defined`, `!`, comparisons, `&&`, `||`.
class Condition {
 public:
  Condition(const Tokens& tokens, const Macros& macros) : tokens_(tokens), macros_(macros) {}

  /// False for what is not understood.
  bool holds() {
    const long value = any();
    return is_understood_ && at_ == tokens_.size() && value != 0;
  }

 private:
  // Deeper than anybody writes, and shallow enough for the stack.
  static constexpr int deepest = 100;

  bool sees(std::string_view what) const {
    for (std::size_t i = 0; i < what.size(); ++i)
      if (at_ + i >= tokens_.size() || tokens_[at_ + i].text != what.substr(i, 1)) return false;
    return true;
  }

  bool accept(std::string_view what) {
    if (!sees(what)) return false;
    at_ += what.size();
    return true;
  }

  long any() {
    long value = every();
    while (accept("||")) value = ((every() != 0) | (value != 0)) ? 1 : 0;
    return value;
  }

  long every() {
    long value = compared();
    while (accept("&&")) value = ((compared() != 0) & (value != 0)) ? 1 : 0;
    return value;
  }

  long compared() {
    const long left = single();
    if (accept("==")) return left == single() ? 1 : 0;
    if (accept("!=")) return left != single() ? 1 : 0;
    if (accept("<=")) return left <= single() ? 1 : 0;
    if (accept(">=")) return left >= single() ? 1 : 0;
    if (accept("<")) return left < single() ? 1 : 0;
    if (accept(">")) return left > single() ? 1 : 0;
    return left;
  }

  long single() {
    if (at_ >= tokens_.size() || depth_ > deepest) return not_understood();
    ++depth_;
    long value = 0;
    if (!sees("!=") && accept("!")) {
      value = single() == 0 ? 1 : 0;
    } else if (accept("(")) {
      value = any();
      if (!accept(")")) value = not_understood();
    } else {
      value = operand();
    }
    --depth_;
    return value;
  }

  long operand() {
    const EdlToken token = tokens_[at_++];
    if (token.text == "defined") return is_defined();
    if (token.kind == EdlToken::Kind::number) return number(token.text);
    if (token.kind != EdlToken::Kind::word) return not_understood();
    const auto macro = macros_.find(token.text);
    const bool is_number =
        macro != macros_.end() && macro->second && macro->second->kind == EdlToken::Kind::number;
    return is_number ? number(macro->second->text) : 0;
  }

  long is_defined() {
    const bool is_bracketed = !tokens_.empty() && at_ < tokens_.size() && tokens_[at_].text == "(";
    if (is_bracketed) ++at_;
    if (at_ >= tokens_.size()) return not_understood();
    const long value = macros_.contains(tokens_[at_++].text) ? 1 : 0;
    if (is_bracketed && (at_ >= tokens_.size() || tokens_[at_++].text != ")")) return not_understood();
    return value;
  }

  long number(std::string_view text) {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex) text.remove_prefix(2);
    const auto end = text.find_last_not_of("uUlL");
    text = text.substr(0, end + 1);
    long value = 0;
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
    return error == std::errc() && rest == text.data() + text.size() ? value : not_understood();
  }

  long not_understood() {
    is_understood_ = false;
    return 0;
  }

  const Tokens& tokens_;
  const Macros& macros_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_understood_ = true;
};

/// What decides on the way through a file.
class Decision {
 public:
  virtual ~Decision() = default;
  virtual bool is_taken(std::size_t directive) = 0;
  virtual void define(std::size_t directive) = 0;
  virtual EdlToken replaced(const EdlToken& token) const = 0;
};

std::vector<Directive> directives_of(const Tokens& tokens) {
  std::vector<Directive> directives;
  for (const EdlToken& token : tokens)
    directives.push_back(token.kind == EdlToken::Kind::directive ? directive_of(token) : Directive{});
  return directives;
}

/// An #if group on the way.
struct Open {
  bool is_outside_live = true;
  bool is_live = true;
  bool was_live = false;  // in this branch or one before it
};

Tokens walk(const Tokens& tokens, const std::vector<Directive>& directives, Decision& decision) {
  Tokens way;
  std::vector<Open> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Directive& directive = directives[i];
    const bool is_live = open.empty() || open.back().is_live;
    if (opens(directive)) {
      const bool is_taken = is_live && decision.is_taken(i);
      open.push_back({.is_outside_live = is_live, .is_live = is_taken, .was_live = is_taken});
    } else if (parts(directive) && !open.empty()) {
      Open& group = open.back();
      group.is_live = group.is_outside_live && !group.was_live && decision.is_taken(i);
      group.was_live = group.was_live || group.is_live;
    } else if (directive.name == "endif" && !open.empty()) {
      open.pop_back();
    } else if (is_live && tokens[i].kind == EdlToken::Kind::directive) {
      decision.define(i);
    } else if (is_live) {
      way.push_back(decision.replaced(tokens[i]));
    }
  }
  return way;
}

/// As the preprocessor decides.
class ByMacros : public Decision {
 public:
  explicit ByMacros(const std::vector<Directive>& directives) : directives_(directives) {}

  bool is_taken(std::size_t i) override {
    const Directive& directive = directives_[i];
    if (directive.name == "else") return true;
    if (directive.name == "if" || directive.name == "elif") return Condition(directive.rest, macros_).holds();
    const bool is_defined = !directive.rest.empty() && macros_.contains(directive.rest[0].text);
    return is_defined == (directive.name == "ifdef");
  }

  void define(std::size_t i) override {
    const Directive& directive = directives_[i];
    if (directive.rest.empty()) return;
    const std::string_view name = directive.rest[0].text;
    if (directive.name == "undef") macros_.erase(name);
    if (directive.name != "define") return;
    macros_[name] = directive.rest.size() == 2 ? std::optional(directive.rest[1]) : std::nullopt;
  }

  EdlToken replaced(const EdlToken& token) const override {
    const auto macro = token.kind == EdlToken::Kind::word ? macros_.find(token.text) : macros_.end();
    if (macro == macros_.end() || !macro->second) return token;
    return {.kind = macro->second->kind, .begin = token.begin, .text = macro->second->text};
  }

 private:
  const std::vector<Directive>& directives_;
  Macros macros_;
};

/// A branch of an #if group, by the directive that begins it.
struct Branch {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t group = none;  // the directive that opens the group
  std::size_t outer = none;  // the branch that the group lies in
};

std::vector<Branch> branches_of(const std::vector<Directive>& directives) {
  std::vector<Branch> branches(directives.size());
  std::vector<std::size_t> open;  // the branches that we are in
  for (std::size_t i = 0; i < directives.size(); ++i) {
    if (opens(directives[i])) {
      branches[i] = {.group = i, .outer = open.empty() ? Branch::none : open.back()};
      open.push_back(i);
    } else if (parts(directives[i]) && !open.empty()) {
      branches[i] = branches[open.back()];
      open.back() = i;
    } else if (directives[i].name == "endif" && !open.empty()) {
      open.pop_back();
    }
  }
  return branches;
}

/// Goes into one branch, and elsewhere into the first that no name forbids.
class ByBranch : public Decision {
 public:
  ByBranch(const std::vector<Directive>& directives, const std::vector<Branch>& branches, std::size_t into,
           std::set<std::size_t>& seen)
      : directives_(directives), branches_(branches), seen_(seen) {
    for (; into != Branch::none; into = branches[into].outer) {
      wanted_[branches[into].group] = into;
      if (const auto name = tested(branches[into].group))
        defined_[*name] =
            (into == branches[into].group) == (directives[branches[into].group].name == "ifdef");
    }
  }

  bool is_taken(std::size_t i) override {
    const bool is_taken = decide(i);
    if (is_taken) seen_.insert(i);
    return is_taken;
  }

  void define(std::size_t i) override {
    const Directive& directive = directives_[i];
    if (directive.rest.empty()) return;
    if (directive.name == "define" || directive.name == "undef")
      defined_[directive.rest[0].text] = directive.name == "define";
  }

  EdlToken replaced(const EdlToken& token) const override { return token; }

 private:
  /// The name that alone decides about a group's first branch.
  std::optional<std::string_view> tested(std::size_t group) const {
    const Directive& directive = directives_[group];
    if (directive.name == "if" || directive.rest.empty()) return std::nullopt;
    return directive.rest[0].text;
  }

  bool decide(std::size_t i) {
    const std::size_t group = branches_[i].group;
    if (const auto wanted = wanted_.find(group); wanted != wanted_.end()) return wanted->second == i;
    const auto name = i == group ? tested(group) : std::nullopt;
    if (!name) return true;
    const bool is_ifdef = directives_[group].name == "ifdef";
    return defined_.emplace(*name, is_ifdef).first->second == is_ifdef;
  }

  const std::vector<Directive>& directives_;
  const std::vector<Branch>& branches_;
  std::set<std::size_t>& seen_;
  std::map<std::size_t, std::size_t> wanted_;  // of a group: the branch
  std::map<std::string_view, bool> defined_;   // as the branches taken so far would have it
};

}  // namespace

Tokens preprocessed(const Tokens& tokens) {
  const std::vector<Directive> directives = directives_of(tokens);
  ByMacros decision(directives);
  return walk(tokens, directives, decision);
}

std::vector<Tokens> all_ways(const Tokens& tokens) {
  const std::vector<Directive> directives = directives_of(tokens);
  const std::vector<Branch> branches = branches_of(directives);
  std::set<std::size_t> seen;
  std::vector<Tokens> ways;
  ByBranch first(directives, branches, Branch::none, seen);
  ways.push_back(walk(tokens, directives, first));
  for (std::size_t i = 0; i < branches.size() && ways.size() < most_ways; ++i) {
    if (branches[i].group == Branch::none || seen.contains(i)) continue;
    ByBranch decision(directives, branches, i, seen);
    seen.insert(i);
    ways.push_back(walk(tokens, directives, decision));
  }
  return ways;
}

}  // namespace jcprof::rewriter
