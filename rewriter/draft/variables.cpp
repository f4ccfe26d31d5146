// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/variables.hpp"

#include <regex>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

// Values that name each other in a circle, and those that double their length, end there.
constexpr int most_turns = 10;
constexpr std::size_t longest_value = 10'000;

std::string expanded_once(const Variables& variables, const std::string& text) {
  static const std::regex reference(
      R"(\$\{([\w.\-]{1,100})\}|\$\(([\w.\-]{1,100})\)|\$(\w{1,100})|%(\w{1,100})%)");
  std::string result;
  std::size_t done = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), reference); i != std::sregex_iterator(); ++i) {
    std::string name;
    for (std::size_t group = 1; group < i->size(); ++group) name += (*i)[group].str();
    const auto known = variables.find(name);
    const auto at = static_cast<std::size_t>(i->position());
    result += text.substr(done, at - done) + (known == variables.end() ? i->str() : known->second);
    done = at + static_cast<std::size_t>(i->length());
  }
  return result + text.substr(done);
}

}  // namespace

std::string expand(const Variables& variables, const std::string& text) {
  std::string result = text;
  for (int turn = 0; turn < most_turns && result.size() < longest_value; ++turn) {
    std::string next = expanded_once(variables, result);
    if (next == result) break;
    result = std::move(next);
  }
  return result;
}

Variables read_properties(std::string_view text) {
  Variables found;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view clean = trimmed(line);
    const std::size_t mark = clean.find_first_of("=:");
    if (clean.starts_with('#') || clean.starts_with('!') || mark == std::string_view::npos) continue;
    found.try_emplace(std::string(trimmed(clean.substr(0, mark))), trimmed(clean.substr(mark + 1)));
  }
  return found;
}

}  // namespace jcprof::rewriter
