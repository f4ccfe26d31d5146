// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c_arguments.hpp"

#include <algorithm>
#include <array>

namespace jcprof::rewriter {
namespace {

template <std::size_t N>
bool starts_with_one(std::string_view text, const std::array<std::string_view, N>& heads) {
  return std::ranges::any_of(heads, [&](std::string_view head) { return text.starts_with(head); });
}

/// Of two words, the second one a value, or of one.
constexpr std::array<std::string_view, 12> with_value{"-isystem",  "-iquote",   "-idirafter", "-include",
                                                      "-imacros",  "-isysroot", "-iprefix",   "-iwithprefix",
                                                      "--sysroot", "-D",        "-U",         "-I"};

constexpr std::array<std::string_view, 18> kept{
    "-std=",        "--std=", "-ansi", "-m32", "-m64",     "-mx32",     "-march=",  "-mcpu=", "-mfpu=",
    "-mfloat-abi=", "-msse",  "-mavx", "-O",   "-pthread", "-nostdinc", "-stdlib=", "-undef", "-trigraphs"};

constexpr std::array<std::string_view, 22> kept_features{"-fshort-enums",
                                                         "-fshort-wchar",
                                                         "-fsigned-char",
                                                         "-funsigned-char",
                                                         "-fno-signed-char",
                                                         "-fno-unsigned-char",
                                                         "-fexceptions",
                                                         "-fno-exceptions",
                                                         "-frtti",
                                                         "-fno-rtti",
                                                         "-ffreestanding",
                                                         "-fopenmp",
                                                         "-fpic",
                                                         "-fPIC",
                                                         "-fpie",
                                                         "-fPIE",
                                                         "-fms-extensions",
                                                         "-fchar8_t",
                                                         "-fno-char8_t",
                                                         "-fgnu89-inline",
                                                         "-fno-builtin",
                                                         "-fpermissive"};

std::string_view program_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// "aarch64-linux-gnu" of "aarch64-linux-gnu-gcc-12"
std::string_view target_of(std::string_view compiler) {
  constexpr std::array<std::string_view, 6> names{"-gcc", "-g++", "-clang", "-cc", "-c++", "-cpp"};
  const std::string_view program = program_name(compiler);
  for (const std::string_view name : names)
    if (const std::size_t at = program.rfind(name); at != std::string_view::npos && at != 0) {
      const std::string_view triple = program.substr(0, at);
      if (std::ranges::count(triple, '-') > 0) return triple;
    }
  return {};
}

bool compiles_cpp(std::string_view compiler) {
  return program_name(compiler).find("++") != std::string_view::npos;
}

/// "-Wp,-DA=1,-UB" → "-DA=1", "-UB"
void add_for_preprocessor(std::string_view list, std::vector<std::string>& arguments) {
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    if (word.starts_with("-D") || word.starts_with("-U")) arguments.emplace_back(word);
  }
}

}  // namespace

std::vector<std::string> clang_arguments(const CompileUnit& unit) {
  const std::vector<std::string>& given = unit.arguments;
  const std::string compiler = given.empty() ? "cc" : given.front();
  std::vector<std::string> arguments{
      compiles_cpp(compiler) ? "clang++" : "clang",
      // -w would leave the warnings that clang 19 takes for errors and gcc does not.
      "-Wno-everything", "-ferror-limit=20", "-working-directory=" + unit.folder.string()};
  if (const std::string_view target = target_of(compiler); !target.empty())
    arguments.push_back("--target=" + std::string(target));
  bool language_given = false;
  for (std::size_t i = 1; i < given.size(); ++i) {
    const std::string& word = given[i];
    const bool is_pair =
        std::ranges::find(with_value, word) != with_value.end() || word == "-x" || word == "-target";
    if (is_pair && i + 1 < given.size()) {
      language_given |= word == "-x";
      arguments.insert(arguments.end(), {word, given[++i]});
    } else if (word.starts_with("-Wp,")) {
      add_for_preprocessor(std::string_view(word).substr(4), arguments);
    } else if (starts_with_one(word, with_value) || starts_with_one(word, kept) ||
               std::ranges::find(kept_features, word) != kept_features.end() ||
               word.starts_with("--target=") || (word.starts_with("-x") && word.size() > 2)) {
      language_given |= word.starts_with("-x");
      arguments.push_back(word);
    }
  }
  if (compiles_cpp(compiler) && !language_given) arguments.insert(arguments.end(), {"-x", "c++"});
  arguments.push_back(unit.path);
  return arguments;
}

bool is_cpp(const CompileUnit& unit) {
  constexpr std::array<std::string_view, 6> endings{".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP"};
  for (std::size_t i = 1; i < unit.arguments.size(); ++i) {
    const std::string& word = unit.arguments[i];
    if (word == "-x" && i + 1 < unit.arguments.size()) return unit.arguments[i + 1].starts_with("c++");
    if (word.starts_with("-x")) return word.starts_with("-xc++");
  }
  return (!unit.arguments.empty() && compiles_cpp(unit.arguments.front())) ||
         std::ranges::any_of(endings, [&](std::string_view ending) { return unit.path.ends_with(ending); });
}

bool has_statements_in_constexpr(const CompileUnit& unit) {
  constexpr std::array<std::string_view, 6> old{"c++98", "c++03", "c++11", "c++0x", "gnu++11", "gnu++0x"};
  std::string_view standard;
  for (const std::string_view word : unit.arguments)
    if (word.starts_with("-std=")) standard = word.substr(5);
  return std::ranges::find(old, standard) == old.end();
}

}  // namespace jcprof::rewriter
