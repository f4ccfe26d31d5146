// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/arguments.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "rewriter/safe_flags.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

// These are two words, the second one a value, or one.
constexpr auto with_value =
    std::to_array<std::string_view>({"-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot",
                                     "-iprefix", "-iwithprefix", "--sysroot", "-D", "-U", "-I"});

constexpr auto kept = std::to_array<std::string_view>(
    {"-std=", "--std=", "-ansi", "-O", "-pthread", "-nostdinc", "-stdlib=", "-undef", "-trigraphs"});

// These would write or load files, or make another thing of diagnostics; -mllvm takes a value.
constexpr auto never = std::to_array<std::string_view>(
    {"-fplugin", "-fpass-plugin", "-fmodule", "-fprofile", "-fdiagnostics", "-fcolor", "-fsave-",
     "-ferror-limit", "-fmax-errors", "-fmessage-length", "-fdump-", "-ftime-", "-mllvm"});

/// A flag behind -Xclang, which the driver hands on, is the driver's own in libclang. A compiled header is
/// left out: its source is named beside it.
std::vector<std::string> plain_words(const std::vector<std::string>& given) {
  std::vector<std::string> words;
  std::ranges::remove_copy(given, std::back_inserter(words), "-Xclang");
  for (auto at = words.begin(); (at = std::find(at, words.end(), "-include-pch")) != words.end();)
    at = words.erase(at, words.end() - at > 1 ? at + 2 : words.end());
  return words;
}

std::string_view program_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// "aarch64-linux-gnu" of "aarch64-linux-gnu-gcc-12"
std::string_view target_of(std::string_view compiler) {
  const std::string_view program = program_name(compiler);
  for (const std::string_view name : {"-gcc", "-g++", "-clang", "-cc", "-c++", "-cpp"})
    if (const std::size_t at = program.rfind(name); at != std::string_view::npos && at != 0) {
      const std::string_view triple = program.substr(0, at);
      if (std::ranges::count(triple, '-') > 0) return triple;
    }
  return {};
}

bool compiles_cpp(std::string_view compiler) {
  return program_name(compiler).find("++") != std::string_view::npos;
}

/// A feature of gcc's, which clang may know too.
bool is_doubtful(std::string_view word) {
  return (word.starts_with("-m") || word.starts_with("-f")) && !starts_with_one_of(word, never);
}

/// "20" of -std=gnu++20; empty: the compiler's own.
std::string_view standard_of(const CompileUnit& unit) {
  std::string_view standard;
  for (const std::string_view word : unit.arguments)
    if (word.starts_with("-std=")) standard = word.substr(word.rfind('+') + 1);
  return standard;
}

}  // namespace

std::vector<std::string> doubtful_flags(const CompileUnit& unit) {
  std::vector<std::string> flags;
  std::ranges::copy_if(unit.arguments, std::back_inserter(flags), is_doubtful);
  return flags;
}

std::vector<std::string> target_flags(const CompileUnit& unit) {
  const std::vector<std::string>& given = unit.arguments;
  std::vector<std::string> flags;
  const std::string_view target = given.empty() ? "" : target_of(given.front());
  if (!target.empty()) flags.push_back("--target=" + std::string(target));
  for (std::size_t i = 1; i < given.size(); ++i)
    if (given[i].starts_with("--target="))
      flags.push_back(given[i]);
    else if (given[i] == "-target" && i + 1 < given.size())
      flags.insert(flags.end(), {given[i], given[i + 1]});
  return flags;
}

std::vector<std::string> clang_arguments(const CompileUnit& unit, const RefusedFlags& refused) {
  const std::vector<std::string> target = target_flags(unit);
  const auto of_target = refused.find(target);
  const auto is_refused = [&](const std::string& flag) {
    return of_target != refused.end() && of_target->second.contains(flag);
  };
  const std::vector<std::string> given = plain_words(unit.arguments);
  const std::string compiler = given.empty() ? "cc" : given.front();
  constexpr const char* resources = "-resource-dir=" JCPROF_CLANG_RESOURCES;
  std::vector<std::string> arguments{
      compiles_cpp(compiler) ? "clang++" : "clang",
      // -w would leave the warnings that clang 19 takes for errors and gcc does not.
      "-Wno-everything", "-Wignored-attributes", "-ferror-limit=20", resources,
      "-working-directory=" + unit.folder.string()};
  arguments.insert(arguments.end(), target.begin(), target.end());
  bool language_given = false;
  for (std::size_t i = 1; i < given.size(); ++i) {
    const std::string& word = given[i];
    const bool is_pair = is_one_of(word, with_value) || word == "-x";
    if (word == "-target") {
      ++i;
    } else if (is_pair && i + 1 < given.size()) {
      language_given |= word == "-x";
      arguments.insert(arguments.end(), {word, given[++i]});
    } else if (word.starts_with("-Wp,")) {
      std::ranges::move(flags_for_preprocessor(word), std::back_inserter(arguments));
    } else if (starts_with_one_of(word, with_value) || starts_with_one_of(word, kept) ||
               (is_doubtful(word) && !is_refused(word)) || (word.starts_with("-x") && word.size() > 2)) {
      language_given |= word.starts_with("-x");
      arguments.push_back(word);
    }
  }
  if (compiles_cpp(compiler) && !language_given) arguments.insert(arguments.end(), {"-x", "c++"});
  arguments.push_back(unit.path);
  return arguments;
}

std::vector<std::string> with_auto_parameters(std::vector<std::string> arguments) {
  // Text of u8"…" is still of char.
  arguments.insert(arguments.end() - 1, {"-std=gnu++20", "-fno-char8_t"});
  return arguments;
}

bool is_of_clang(const CompileUnit& unit) {
  return !unit.arguments.empty() && program_name(unit.arguments.front()).find("clang") != std::string::npos;
}

bool is_cpp(const CompileUnit& unit) {
  for (std::size_t i = 1; i < unit.arguments.size(); ++i) {
    const std::string& word = unit.arguments[i];
    if (word == "-x" && i + 1 < unit.arguments.size()) return unit.arguments[i + 1].starts_with("c++");
    if (word.starts_with("-x")) return word.starts_with("-xc++");
  }
  return (!unit.arguments.empty() && compiles_cpp(unit.arguments.front())) ||
         ends_with_one_of(unit.path, {".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP"});
}

bool has_statements_in_constexpr(const CompileUnit& unit) {
  return !is_one_of(standard_of(unit), {"98", "03", "11", "0x"});
}

bool has_destructors_in_constexpr(const CompileUnit& unit) {
  return is_one_of(standard_of(unit), {"20", "2a", "23", "2b", "26", "2c"});
}

}  // namespace jcprof::rewriter
