// SPDX-License-Identifier: Apache-2.0
#include "programs/step_cause.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/core/install_hint.hpp"
#include "src/core/text.hpp"

namespace jcprof::cli {
namespace {

using Lines = std::vector<std::string_view>;

// Longer lines are cut.
constexpr std::size_t longest_line = 400;

constexpr std::string_view digits = "0123456789";

/// Drops the colours of gcc, clang and ninja: `ESC[01;31m`, `ESC[K` (ECMA-48, 8.3).
std::string without_colours(std::string_view text) {
  constexpr std::string_view beginning = "\x1b[";
  std::string plain;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find(beginning), text.size());
    plain += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::size_t end = text.find_first_not_of("0123456789;", beginning.size());
    const bool is_colour = end != std::string_view::npos && (text[end] == 'm' || text[end] == 'K');
    if (!text.empty() && !is_colour) plain += text.front();
    text.remove_prefix(std::min(is_colour ? end + 1 : 1, text.size()));
  }
  return plain;
}

/// Lines without blanks at their ends.
Lines trimmed_lines_of(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  Lines lines = lines_of(text);
  for (std::string_view& line : lines) {
    line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
    line = line.substr(0, line.find_last_not_of(blank) + 1);
    line = beginning_of(line, longest_line);
  }
  return lines;
}

/// "make" of `/usr/bin/make[2]: …`; empty: the line does not begin with a program's name.
std::string_view speaker_of(std::string_view line) {
  const std::string_view name = line.substr(0, line.find_first_of(":["));
  return name.find(' ') != std::string_view::npos ? "" : name.substr(name.rfind('/') + 1);
}

/// Compilers say it of a linker whose own words stand above.
bool is_of_failed_linker(std::string_view line) {
  return contains_one_of(line, {"error: ld returned ", "error: linker command failed"});
}

/// ld of any machine, that has found an error. It marks warnings, not errors.
bool is_of_linker(std::string_view line) {
  const std::string_view speaker = speaker_of(line);
  const bool is_ld = speaker == "ld" || speaker.ends_with("-ld") || speaker.starts_with("ld.") ||
                     contains_one_of(speaker, {"-ld."});
  return is_ld && speaker != line && !line.ends_with(":") &&
         !contains_one_of(line, {"warning: ", "note: ", "NOTE: ", ": skipping incompatible "});
}

/// gcc, clang, javac, ld and lld.
bool is_of_compiler(std::string_view line) {
  if (is_of_failed_linker(line)) return false;
  return line.starts_with("error: ") || is_of_linker(line) ||
         contains_one_of(line, {": error: ", ": fatal error: ", ": undefined reference to ",
                                ": multiple definition of ", ": cannot find -l"});
}

/// make says it of a rule whose command failed: the command's own words stand above.
bool is_of_failed_rule(std::string_view line) {
  return contains_one_of(line, {": *** ["});
}

/// make that names its own rules and files. It waits for other commands with "..." in each language.
bool is_of_make(std::string_view line) {
  return contains_one_of(line, {": *** "}) && !is_of_failed_rule(line) &&
         !contains_one_of(line, {": *** Waiting", ": *** Deleting"}) && !line.ends_with("...");
}

bool names_lost_file(std::string_view line) {
  return ends_with_one_of(line, {": No such file or directory", ": No such file"});
}

/// `Makefile:3: /mk/rules.mk: No such file or directory`
bool names_lost_include(std::string_view line) {
  const std::size_t number = std::min(line.find(':'), line.size() - 1) + 1;
  const std::size_t end = line.find_first_not_of(digits, number);
  return names_lost_file(line) && end != number && line.substr(std::min(end, line.size())).starts_with(": ");
}

/// make, CMake, Java, Maven, Gradle, Meson.
bool is_complaint(std::string_view line) {
  if (line.starts_with("[ERROR] ")) return !line.ends_with(":");
  return is_of_make(line) || names_lost_include(line) || contains_one_of(line, {": ERROR: "}) ||
         starts_with_one_of(line, {"CMake Error", "Error: ", "Exception in thread", "* What went wrong:"});
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

/// True if `SPEAKER: PROGRAM: ENDING` says that the program is missing.
bool says_missing(std::string_view ending, std::string_view speaker, std::string_view program) {
  if (is_one_of(ending, {": command not found", ": cannot execute: required file not found"})) return true;
  const std::string_view name = speaker_of(speaker);
  const bool is_shell = is_one_of(name, {"sh", "bash", "dash", "ksh", "zsh"});
  // "sh: 1", "./build.sh: line 3"
  const std::string_view last = speaker.substr(speaker.rfind(' ') + 1);
  const bool is_script = is_shell || (!last.empty() && last.size() < speaker.size() &&
                                      last.find_first_not_of(digits) == std::string_view::npos);
  if (ending == ": not found") return is_script;
  // A shell says it of files that it reads, too. It looks for a program in PATH unless a folder is named.
  return is_one_of(name, {"make", "gmake", "env"}) ||
         (is_script && program.find('/') != std::string_view::npos);
}

/// `sh: 1: NAME: not found`, `make[1]: NAME: No such file or directory`, and their like; empty: it is none.
std::string missing_program(std::string_view line) {
  constexpr std::string_view of_zsh = ": command not found: ";
  if (const std::size_t at = line.find(of_zsh); at != std::string_view::npos)
    return std::string(unquoted(line.substr(at + of_zsh.size())));
  for (const std::string_view ending : {": command not found", ": cannot execute: required file not found",
                                        ": not found", ": No such file or directory"}) {
    if (!line.ends_with(ending)) continue;
    line.remove_suffix(ending.size());
    const std::size_t colon = line.rfind(": ");
    if (colon == std::string_view::npos) return "";
    const std::string_view program = unquoted(line.substr(colon + 2));
    return says_missing(ending, line.substr(0, colon), program) ? std::string(program) : "";
  }
  return "";
}

/// The program without which a command ended by the shells' status 127; empty: there is none. A miss that the
/// command survived is not one.
std::string fatal_miss(const Lines& lines, int status) {
  std::string missed;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string program = missing_program(lines[i]);
    // An older ninja does not say the status: it repeats the command that failed, then what that said.
    if (!program.empty() && i >= 2 && lines[i - 2].starts_with("FAILED: ")) return program;
    if (!program.empty()) missed = std::move(program);
    const bool is_fatal = (is_of_failed_rule(lines[i]) && lines[i].ends_with(" 127")) ||
                          lines[i].starts_with("FAILED: [code=127]");
    if (is_fatal && !missed.empty()) return missed;
  }
  return status == 127 ? missed : "";
}

StepCause cause_of_miss(const std::string& program) {
  if (is_one_of(program, {"source", "pushd", "popd", "shopt", "declare", "function"}))
    return {.what = fmt::format("the shell has no \"{}\"", program),
            .way_out = "let bash run it (in a makefile: SHELL = /bin/bash)"};
  if (program.find('/') != std::string::npos)
    return {.what = fmt::format("there is no \"{}\", or not the program that its first line names", program)};
  return {.what = fmt::format("there is no program \"{}\"", program), .way_out = way_to_install(program)};
}

/// A heading comes with the line that it announces.
std::string sentence_at(const Lines& lines, Lines::const_iterator line) {
  if (!line->starts_with("CMake Error") && !line->starts_with("* ")) return std::string(*line);
  const auto next = std::find_if(line + 1, lines.end(), [](auto text) { return !text.empty(); });
  if (!line->ends_with(":") || next == lines.end()) return std::string(*line);
  return line->starts_with("* ") ? std::string(*next) : fmt::format("{} {}", *line, *next);
}

}  // namespace

StepCause cause_of_failure(std::string_view output, int status) {
  const std::string plain = without_colours(output);
  const Lines lines = trimmed_lines_of(plain);
  if (const auto line = std::ranges::find_if(lines, is_of_compiler); line != lines.end())
    return {.what = std::string(*line)};
  if (const std::string program = fatal_miss(lines, status); !program.empty()) return cause_of_miss(program);
  const auto names_file = [](std::string_view line) {
    return names_lost_file(line) && missing_program(line).empty();
  };
  for (bool (*const is_cause)(std::string_view) : {+is_complaint, +names_file, +is_of_failed_linker})
    if (const auto line = std::ranges::find_if(lines, is_cause); line != lines.end())
      return {.what = sentence_at(lines, line)};
  return {};
}

}  // namespace jcprof::cli
