// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/makefile.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

// Files that include each other in a circle end there.
constexpr int deepest_include = 8;

/// A backslash at the end joins a line with the next one.
std::vector<std::string> joined_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  bool goes_on = false;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!goes_on) lines.emplace_back();
    goes_on = line.ends_with('\\');
    if (goes_on) line.back() = ' ';
    lines.back() += line;
  }
  return lines;
}

std::string trimmed_front(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin);
}

}  // namespace

std::vector<MakeLine> make_lines(const std::string& text) {
  static const std::regex form(
      R"([ \t]{0,40}(?:(-|s?)(include)[ \t]{1,40}|(?:(?:export|override)[ \t]{1,40}){0,2}([\w.$()-]{1,100})[ \t]{0,40}([:?+]?:{0,2}=)))");
  std::vector<MakeLine> lines;
  bool is_in_rule = false;
  std::smatch match;
  for (const std::string& whole : joined_lines(text)) {
    // Before the first rule and behind an assignment a tab is but white space.
    if (is_in_rule && whole.starts_with('\t')) continue;
    const std::string line = whole.substr(0, whole.find('#'));
    if (std::regex_search(line, match, form, std::regex_constants::match_continuous)) {
      is_in_rule = false;
      const bool includes = match[2].matched;
      lines.push_back({.name = match[includes ? 2 : 3],
                       .how = includes ? (match[1].length() == 0 ? "" : "-") : match[4].str(),
                       .value = trimmed_front(match.suffix())});
    } else if (!starts_with_one_of(trimmed_front(line),
                                   {"ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"})) {
      is_in_rule = is_in_rule || line.find(':') != std::string::npos;
    }
  }
  return lines;
}

std::vector<MakeRule> make_rules(const std::string& text) {
  std::vector<MakeRule> rules;
  for (const std::string& whole : joined_lines(text)) {
    if (whole.starts_with('\t')) continue;
    const std::string line = whole.substr(0, whole.find('#'));
    const std::size_t colon = line.find(':');
    // One with `=` sets a variable, if only for its target.
    if (colon == std::string::npos || line.find('=') != std::string::npos) continue;
    std::string targets(trimmed(line.substr(0, colon)));
    const bool is_special = targets.starts_with('.') && !targets.starts_with("./");
    if (targets.empty() || is_special || targets.find('%') != std::string::npos) continue;
    rules.push_back(
        {.targets = std::move(targets), .needs = line.substr(colon + 1, line.find(';') - colon - 1)});
  }
  return rules;
}

std::string without_comments(const std::string& text) {
  std::string said;
  for (const std::string& line : joined_lines(text)) said += line.substr(0, line.find('#')) + "\n";
  return said;
}

Makefile::Makefile(const FoundTree& tree, std::string folder) : tree_(tree), folder_(std::move(folder)) {
  for (const char* name : makefile_names) add(path_in(folder_, name), 0);
}

void Makefile::add(const std::string& path, int depth) {
  const auto found = tree_.texts.find(path);
  if (found == tree_.texts.end() || depth == deepest_include) return;
  std::ranges::move(make_rules(found->second), std::back_inserter(rules_));
  for (const MakeLine& line : make_lines(found->second)) {
    if (line.name == "include")
      include(line, depth);
    else if (line.how.starts_with('+'))
      values_[line.name] += " " + line.value;
    else if (line.how.starts_with('?'))
      values_.try_emplace(line.name, line.value);
    else
      values_[line.name] = line.value;
  }
}

std::set<std::string> Makefile::made_first() const {
  // $(SOURCES:.c=.o) and the functions of make name their files as well.
  static const std::regex suffixes(R"(:[.%\w]{0,20}=[.%\w]{0,20}\))");
  const auto words_of = [&](const std::string& text) {
    std::string words =
        expanded(std::regex_replace(expanded(std::regex_replace(text, suffixes, ")")), suffixes, ")"));
    std::ranges::replace_if(words, [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
    std::istringstream stream(words);
    return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
  };
  std::multimap<std::string, std::string> needs;
  for (const MakeRule& rule : rules_)
    for (const std::string& target : words_of(rule.targets))
      for (const std::string& need : words_of(rule.needs)) needs.emplace(target, need);
  std::set<std::string> seen;
  std::vector<std::string> open;
  if (!rules_.empty()) open = words_of(rules_.front().targets);
  if (open.size() > 1) open.resize(1);
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!seen.insert(name).second) continue;
    for (auto [i, end] = needs.equal_range(name); i != end; ++i) open.push_back(i->second);
  }
  std::set<std::string> stems;
  for (const std::string& name : seen) stems.emplace(stem_of(name));
  return stems;
}

/// Files that make can do without may lie anywhere.
void Makefile::include(const MakeLine& line, int depth) {
  std::istringstream names(expanded(line.value));
  for (std::string name; names >> name;) {
    uses_kit_ = uses_kit_ || name.ends_with("ta_dev_kit.mk");
    if (name.find('$') != std::string::npos || name.starts_with('/')) continue;
    const std::string path = tree_path(folder_, name);
    if (leads_out_of_tree(path) && line.how.empty()) outside_.push_back(path);
    add(path, depth + 1);
  }
}

}  // namespace jcprof::rewriter
