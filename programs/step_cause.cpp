// SPDX-License-Identifier: Apache-2.0
#include "programs/step_cause.hpp"

#include <algorithm>
#include <regex>
#include <vector>

#include <fmt/format.h>

#include "src/core/install_hint.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

// What is longer is cut: it is one sentence.
constexpr std::size_t longest_line = 400;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    lines.push_back(beginning_of(line, longest_line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool contains_one_of(std::string_view line, std::initializer_list<std::string_view> marks) {
  return std::ranges::any_of(marks, [&](auto mark) { return line.find(mark) != std::string_view::npos; });
}

/// gcc, clang, javac, ld and lld. What collect2 and clang say of a linker that failed comes behind its own
/// words.
bool is_of_compiler(std::string_view line) {
  return line.starts_with("error: ") ||
         contains_one_of(line, {": error: ", ": fatal error: ", ": undefined reference to ",
                                ": multiple definition of ", ": cannot find -l"});
}

/// make that names its own rules and files, CMake, Java.
bool is_complaint(std::string_view line) {
  const bool is_of_make = contains_one_of(line, {": *** "}) && !contains_one_of(line, {"] Error "});
  return is_of_make || line.starts_with("CMake Error") || line.starts_with("Error: ") ||
         line.starts_with("Exception in thread") || line.ends_with(": No such file or directory");
}

/// `sh: 1: NAME: not found`, `make[1]: NAME: No such file or directory`, and their like; empty: it is none.
std::string missing_program(std::string_view line) {
  static const std::regex form(
      R"((?:make(?:\[\d+\])?: (\S+): No such file or directory)|(?:(?:\S*/)?(?:ba|da|z|k)?sh: (?:line )?\d+: (?:exec: )?(\S+): (?:command )?not found)|(?:(?:\S*/)?bash: (\S+): command not found)|(?:(?:\S*/)?env: \W{1,3}([\w.+/-]+)\W{1,3}: No such file or directory))");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_match(line.begin(), line.end(), match, form)) return "";
  for (std::size_t i = 1; i < match.size(); ++i)
    if (match[i].matched) return match[i].str();
  return "";
}

}  // namespace

StepCause cause_of_failure(std::string_view output) {
  const std::vector<std::string_view> lines = lines_of(output);
  if (const auto line = std::ranges::find_if(lines, is_of_compiler); line != lines.end())
    return {.what = std::string(*line)};
  for (const std::string_view line : lines)
    if (const std::string program = missing_program(line); !program.empty())
      return {.what = fmt::format("there is no program \"{}\"", program), .way_out = way_to_install(program)};
  if (const auto line = std::ranges::find_if(lines, is_complaint); line != lines.end())
    return {.what = std::string(*line)};
  return {};
}

}  // namespace jcprof::cli
