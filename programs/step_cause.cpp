// SPDX-License-Identifier: Apache-2.0
#include "programs/step_cause.hpp"

#include <algorithm>
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

/// "make" of `/usr/bin/make[2]: …`
std::string_view speaker_of(std::string_view line) {
  std::string_view name = line.substr(0, line.find_first_of(":["));
  return name.substr(name.rfind('/') + 1);
}

/// Without the quotation marks of any language.
std::string_view unquoted(std::string_view word) {
  const auto is_of_name = [](char c) {
    return is_word(c) || is_one_of(std::string_view(&c, 1), {".", "/", "+", "-"});
  };
  while (!word.empty() && !is_of_name(word.front())) word.remove_prefix(1);
  while (!word.empty() && !is_of_name(word.back())) word.remove_suffix(1);
  return word;
}

/// `sh: 1: NAME: not found`, `make[1]: NAME: No such file or directory`, and their like; empty: it is none.
std::string missing_program(std::string_view line) {
  const bool is_of_shell = is_one_of(speaker_of(line), {"sh", "bash", "dash", "ksh", "zsh"});
  const bool is_of_starter = is_one_of(speaker_of(line), {"make", "gmake", "env"});
  for (const std::string_view ending :
       {": command not found", ": not found", ": No such file or directory"}) {
    if (!line.ends_with(ending) || !(ending.ends_with("found") ? is_of_shell : is_of_starter)) continue;
    line.remove_suffix(ending.size());
    return std::string(unquoted(line.substr(line.rfind(' ') + 1)));
  }
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
