// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/make_log.hpp"

#include <algorithm>
#include <regex>

#include "rewriter/c/compile_database.hpp"
#include "rewriter/program_files.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

/// The parentheses of "$(…)" that are open behind `c`, which stands behind `before`.
std::size_t open_behind(std::size_t open, std::string_view before, char c) {
  if (c == '(' && (open > 0 || before.ends_with('$'))) return open + 1;
  return c == ')' && open > 0 ? open - 1 : open;
}

/// The commands of a shell's line, as text: between `;`, `&`, `|` and parentheses that no quote and no "$(…)"
/// holds. Those parentheses are commands of their own.
std::vector<std::string> simple_commands(std::string_view line) {
  std::vector<std::string> commands(1);
  char quote = 0;
  std::size_t open = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const std::size_t before = open;
    if (quote == 0) open = open_behind(open, line.substr(0, i), c);
    if (quote == 0 && open + before == 0 && std::string_view(";&|()").find(c) != std::string_view::npos) {
      if (c == '(' || c == ')') commands.emplace_back(1, c);
      commands.emplace_back();
      continue;
    }
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) commands.back() += line[i++];
    if (c == quote && line[i] == c)
      quote = 0;
    else if (quote == 0 && line[i] == c && (c == '\'' || c == '"'))
      quote = c;
    commands.back() += line[i];
  }
  return commands;
}

/// "make[1]: Entering directory '/x'", in any of make's names; empty for another line.
std::string folder_in(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos || line.find(": ") > at) return {};
  std::string_view quoted = line.substr(at + what.size());
  if (quoted.size() < 2) return {};
  return std::string(quoted.substr(1, quoted.size() - 2));
}

/// A line of the shell: what a backslash goes on with is part of it.
std::string take_command_line(std::string_view& output) {
  std::string line;
  for (bool goes_on = true; goes_on && !output.empty();) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    line += output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
  }
  return line;
}

/// automake writes a source as "`test -f 'a.c' || echo '../src/'`a.c": its folder is what echo says.
std::string without_source_tests(const std::string& line) {
  if (line.find("`test -f ") == std::string::npos) return line;
  static const std::regex form(R"(`test -f '[^'`]{0,999}' \|\| echo '([^'`]{0,999})'`)");
  return std::regex_replace(line, form, "$1");
}

/// Takes off what stands in front of a command: the shell's words, and libtool with its own.
void drop_what_leads(std::vector<std::string>& words) {
  const auto mode = std::ranges::find_if(
      words, [](const std::string& word) { return word == "--mode=compile" || word == "--mode=link"; });
  if (mode != words.end()) words.erase(words.begin(), mode + 1);
  while (!words.empty() && is_one_of(words.front(), {"{", "!", "then", "else", "do"}))
    words.erase(words.begin());
}

/// "docker run -v /p:/p image gcc …" → "gcc …". An image may be called as its compiler.
bool drop_container(std::vector<std::string>& words) {
  const auto name = [](const std::string& word) { return fs::path(word).filename().string(); };
  const auto is_compiler = [&](const std::string& word) { return is_compiler_name(name(word)); };
  if (words.size() < 3 || !is_one_of(name(words[0]), {"docker", "podman"}) ||
      !is_one_of(words[1], {"run", "exec"}))
    return false;
  auto compiler = std::find_if(words.begin() + 2, words.end(), is_compiler);
  if (compiler == words.end()) return false;
  if (compiler + 1 != words.end() && is_compiler(*(compiler + 1))) ++compiler;
  words.erase(words.begin(), compiler);
  words.front() = name(words.front());
  return true;
}

/// Follows the folders in which a shell command and the subshells around it work.
void follow(const std::vector<std::string>& words, std::vector<fs::path>& here) {
  if (words.front() == "(")
    here.push_back(here.back());
  else if (words.front() == ")" && here.size() > 1)
    here.pop_back();
  else if (words.front() == "cd" && words.size() > 1)
    here.back() = (here.back() / words[1]).lexically_normal();
}

/// MFLAGS, which a makefile may hand on, has the options of the dry run.
std::vector<std::string> without_flags_of_make(std::vector<std::string> words) {
  std::erase_if(words, [](const std::string& word) {
    return is_one_of(word, {"-n", "-Bnw", "--assume-old=Makefile"});
  });
  return words;
}

bool has_value(std::string_view flag) {
  return is_one_of(flag, {"-I",      "-D",         "-U", "-L",  "-include", "-imacros", "-isystem",
                          "-iquote", "-idirafter", "-x", "-MF", "-MT",      "-MQ",      "-Xlinker",
                          "-Xclang", "-T",         "-u", "-z",  "-target",  "-arch",    "-rpath"});
}

bool is_object(std::string_view word) {
  return ends_with_one_of(word, {".o", ".lo", ".obj", ".a", ".la", ".so"});
}

}  // namespace

std::vector<ShellCommand> commands_in(std::string_view output, const fs::path& folder) {
  std::vector<ShellCommand> commands;
  std::vector<fs::path> folders{folder};
  while (!output.empty()) {
    const std::string line = without_source_tests(take_command_line(output));
    if (const std::string entered = folder_in(line, "Entering directory "); !entered.empty())
      folders.emplace_back(entered);
    else if (!folder_in(line, "Leaving directory ").empty() && folders.size() > 1)
      folders.pop_back();
    std::vector<fs::path> here{folders.back()};
    for (const std::string& command : simple_commands(line)) {
      std::vector<std::string> words = split_command(command).words;
      drop_what_leads(words);
      const bool is_in_container = drop_container(words);
      if (words.empty()) continue;
      follow(words, here);
      if (words.size() > 1 && !is_one_of(words.front(), {"cd", "echo", "true", ":", "printf"}))
        commands.push_back(
            {.folder = here.back(), .words = std::move(words), .is_in_container = is_in_container});
    }
  }
  return commands;
}

bool calls_compiler(const std::vector<std::string>& words) {
  const auto name = [&](std::size_t i) {
    return i < words.size() ? fs::path(words[i]).filename().string() : "";
  };
  return is_compiler_name(name(0)) || (is_launcher(name(0)) && is_compiler_name(name(1)));
}

std::optional<CompilerCall> compiler_call(const std::vector<std::string>& all) {
  const std::vector<std::string> words = without_flags_of_make(all);
  CompilerCall call;
  call.links = std::ranges::find(words, "-c") == words.end();
  if (call.links && !calls_compiler(words)) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_next = i + 1 < words.size();
    if (i > 0 && is_one_of(word, {"-E", "-S", "-M", "-MM", "-fsyntax-only"})) return std::nullopt;
    if (word == "-o" && has_next) {
      call.output = words[++i];
    } else if (i > 0 && word.starts_with("-o") && word.size() > 2) {
      call.output = word.substr(2);
    } else if (has_value(word) && has_next) {
      call.words.insert(call.words.end(), {word, words[++i]});
    } else if (word.starts_with("-l") && word.size() > 2) {
      call.libraries.push_back(word.substr(2));
    } else if (i > 0 && !word.starts_with('-') && is_unit_name(word)) {
      call.sources.push_back(word);
    } else if (i > 0 && !word.starts_with('-') && is_object(word)) {
      call.objects.push_back(word);
    } else {
      call.is_library = call.is_library || is_one_of(word, {"-shared", "-dynamiclib", "-r"});
      call.words.push_back(word);
    }
  }
  call.is_library = call.is_library || ends_with_one_of(call.output, {".so", ".la", ".dylib"});
  if (call.sources.empty() && (call.objects.empty() || !call.links)) return std::nullopt;
  return call;
}

}  // namespace jcprof::rewriter
