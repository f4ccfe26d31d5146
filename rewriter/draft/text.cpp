// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/text.hpp"

#include <algorithm>
#include <cctype>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/json_text.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter::draft {

std::string list(const Strings& strings, std::size_t indent) {
  constexpr std::size_t width = 120;
  std::string text = "[";
  std::size_t column = indent + 1;
  for (const std::string& string : strings) {
    const std::string item = json_string(string);
    const bool is_first = text.size() == 1;
    if (!is_first && column + item.size() + 2 > width) {
      text += ",\n" + std::string(indent + 1, ' ');
      column = indent + 1;
    } else if (!is_first) {
      text += ", ";
      column += 2;
    }
    text += item;
    column += item.size();
  }
  return text + "]";
}

std::string list(std::string_view key, const Strings& strings) {
  return fmt::format("  \"{}\": {}", key, list(strings, key.size() + 6));
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string verbatim(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '{' ? 2 : 1, c);
  return doubled;
}

std::string step(const Strings& argv, std::string_view more) {
  return fmt::format("    {{\"run\": {}{}}}", list(argv, 12), more);
}

std::string steps(std::string_view key, const Strings& all) {
  return fmt::format("  \"{}\": [\n{}\n  ]", key, fmt::join(all, ",\n"));
}

std::string further(const Strings& others, std::string_view what) {
  constexpr std::size_t most = 8;
  if (others.empty()) return "";
  const std::size_t shown = std::min(others.size(), most);
  const std::string names = fmt::format("{}", fmt::join(std::span(others).first(shown), ", "));
  return fmt::format("  // {}: {}{}\n", what, plain_line(names),
                     shown < others.size() ? fmt::format(" and {} more", others.size() - shown) : "");
}

std::string not_copied(const Strings& built) {
  if (built.empty()) return "";
  return "  // What earlier builds have left is not copied.\n" + list("exclude_from_tree", built) + ",\n";
}

std::string head(const std::string& name, std::string_view target) {
  return fmt::format(
      R"(// Written by jcprof init from what it found here, and yours to change. docs/project-file.md explains every key.
{{
  "format": "jcprof-project", "version": 1,
  "name": {},
  "target": "{}",
)",
      json_string(name), target);
}

std::string tail(std::string_view why, std::string_view time) {
  return fmt::format(
      "  // Until each share is known to so many points, or for so long{}.\n"
      "  \"measure\": {{\"absolute\": 1, {}}}\n}}\n",
      why, time);
}

}  // namespace jcprof::rewriter::draft
