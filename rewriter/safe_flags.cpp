// SPDX-License-Identifier: Apache-2.0
#include "rewriter/safe_flags.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jcprof::rewriter {
namespace {

using namespace std::string_view_literals;
using Heads = std::span<const std::string_view>;

bool starts_with_one(std::string_view text, Heads heads) {
  return std::ranges::any_of(heads, [&](std::string_view head) { return text.starts_with(head); });
}

bool is_in(std::string_view text, Heads words) {
  return std::ranges::find(words, text) != words.end();
}

/// What is done with a flag, and how many words it is.
enum class Fate : std::uint8_t { keep, drop_silently, drop };
struct Judged {
  Fate verdict = Fate::drop;
  std::size_t words = 1;
};

constexpr std::array values_kept{"-I"sv,          "-D"sv,           "-U"sv,           "-isystem"sv,
                                 "-iquote"sv,     "-idirafter"sv,   "-include"sv,     "-imacros"sv,
                                 "-iprefix"sv,    "-isysroot"sv,    "-iwithprefix"sv, "-iwithprefixbefore"sv,
                                 "--sysroot"sv,   "-target"sv,      "-x"sv,           "--param"sv,
                                 "-iframework"sv, "-cxx-isystem"sv, "-arch"sv,        "-include-pch"sv};

constexpr std::array heads_kept{"-I"sv,        "-D"sv,           "-U"sv,         "-isystem"sv,
                                "-iquote"sv,   "-idirafter"sv,   "-include"sv,   "-imacros"sv,
                                "-x"sv,        "-isysroot"sv,    "--sysroot="sv, "--target="sv,
                                "-std="sv,     "--std="sv,       "-stdlib="sv,   "--param="sv,
                                "-pedantic"sv, "-traditional"sv, "-nostdinc"sv,  "--gcc-toolchain="sv,
                                "-O"sv};

constexpr std::array words_kept{"-ansi"sv,
                                "-pthread"sv,
                                "-undef"sv,
                                "-trigraphs"sv,
                                "-w"sv,
                                "-EB"sv,
                                "-EL"sv,
                                "-nostdlibinc"sv,
                                "-nobuiltininc"sv,
                                "-pipe"sv,
                                "-p"sv,
                                "-pg"sv,
                                "-Qunused-arguments"sv};

/// The output's, the linker's and what is shown: none is anything to us.
constexpr std::array silent_pairs{"-o"sv, "-MF"sv, "-MT"sv, "-MQ"sv, "-MJ"sv, "-Xlinker"sv,
                                  "-l"sv, "-L"sv,  "-T"sv,  "-z"sv,  "-u"sv,  "--serialize-diagnostics"sv};
constexpr std::array silent_heads{"-o"sv,   "-M"sv,   "-l"sv,      "-L"sv,
                                  "-Wl,"sv, "-Wa,"sv, "-shared"sv, "-static"sv};
constexpr std::array silent_words{"-s"sv,
                                  "-c"sv,
                                  "-S"sv,
                                  "-E"sv,
                                  "-v"sv,
                                  "-H"sv,
                                  "-P"sv,
                                  "-C"sv,
                                  "-rdynamic"sv,
                                  "-pie"sv,
                                  "-no-pie"sv,
                                  "-nodefaultlibs"sv,
                                  "-r"sv,
                                  "-nostdlib"sv,
                                  "-nostartfiles"sv,
                                  "--coverage"sv,
                                  "-coverage"sv,
                                  "-fprofile-arcs"sv,
                                  "--"sv,
                                  "-ftest-coverage"sv,
                                  "-nostdlib++"sv};

/// Of -f…: these write files, load what they name, or start programs.
constexpr std::array never_f{"-fplugin"sv,
                             "-fpass-plugin"sv,
                             "-fdump"sv,
                             "-fmodule"sv,
                             "-fprofile"sv,
                             "-fauto-profile"sv,
                             "-fopt-info"sv,
                             "-fsave-"sv,
                             "-foptimization-r"sv,
                             "-fcrash-"sv,
                             "-ftime-trace"sv,
                             "-fstack-usage"sv,
                             "-fcallgraph"sv,
                             "-fcompare-debug"sv,
                             "-fuse-ld"sv,
                             "-fproc-stat-report"sv,
                             "-fdiagnostics-format"sv,
                             "-fdiagnostics-add"sv,
                             "-fdiagnostics-set"sv,
                             "-fcs-profile"sv,
                             "-fmemory-profile"sv,
                             "-fthinlto"sv,
                             "-fembed-"sv,
                             "-foffload"sv,
                             "-fsycl"sv,
                             "-fbuild-session"sv,
                             "-fcoverage"sv,
                             "-fprebuilt"sv,
                             "-fapinotes"sv,
                             "-findex"sv,
                             "-fxray"sv,
                             "-fbasic-block"sv,
                             "-fdepfile"sv};

/// A path in a value may be a file that is loaded or written; these only shorten names, or are read as text.
constexpr std::array paths_kept{"-ffile-prefix-map="sv, "-fmacro-prefix-map="sv, "-fdebug-prefix-map="sv,
                                "-fdebug-compilation-dir="sv, "-fsanitize-"sv};

constexpr std::array families{"-f"sv, "-m"sv, "-W"sv, "-g"sv};
constexpr std::array never_of_families{"-mllvm"sv, "-Wp,"sv, "-gsplit-dwarf"sv, "-gcc-"sv};
constexpr std::array dangerous_pairs{"-specs"sv, "--specs"sv,      "-wrapper"sv, "-mllvm"sv,
                                     "-B"sv,     "-aux-info"sv,    "-dumpdir"sv, "-dumpbase"sv,
                                     "-load"sv,  "-dumpbase-ext"sv};

Judged judge_c(std::string_view flag) {
  if (is_in(flag, silent_pairs)) return {Fate::drop_silently, 2};
  if (is_in(flag, values_kept)) return {Fate::keep, 2};
  if (is_in(flag, dangerous_pairs) || flag == "-Xpreprocessor" || flag == "-Xassembler")
    return {Fate::drop, 2};
  if (is_in(flag, words_kept)) return {Fate::keep};
  if (is_in(flag, silent_words) || starts_with_one(flag, silent_heads)) return {Fate::drop_silently};
  if (starts_with_one(flag, heads_kept)) return {Fate::keep};
  if (!starts_with_one(flag, families) || starts_with_one(flag, never_of_families)) return {Fate::drop};
  if (flag.starts_with("-f") && starts_with_one(flag, never_f)) return {Fate::drop};
  const bool names_path = flag.find('/') != std::string_view::npos;
  return {names_path && !starts_with_one(flag, paths_kept) ? Fate::drop : Fate::keep};
}

/// "-Wp,-DA=1,-MD,x" → "-DA=1"
void keep_for_preprocessor(std::string_view list, SafeFlags& result) {
  list.remove_prefix("-Wp,"sv.size());
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    if (word.starts_with("-D") || word.starts_with("-U")) result.kept.emplace_back(word);
  }
}

/// cmake's compiled header comes as -Xclang -include-pch -Xclang FILE; anything else said to clang's inner
/// part is not judged.
std::size_t keep_for_clang(std::span<const std::string> words, SafeFlags& result) {
  constexpr std::array known{"-include"sv, "-include-pch"sv};
  if (words.size() >= 4 && is_in(words[1], known) && words[2] == "-Xclang") {
    result.kept.insert(result.kept.end(), words.begin(), words.begin() + 4);
    return 4;
  }
  const std::size_t taken = std::min<std::size_t>(words.size(), 2);
  result.dropped.push_back(fmt::format("{}", fmt::join(words.first(taken), " ")));
  return taken;
}

}  // namespace

SafeFlags safe_c_flags(const std::vector<std::string>& flags) {
  SafeFlags result;
  for (std::size_t i = 0; i < flags.size();) {
    const std::span<const std::string> rest = std::span(flags).subspan(i);
    const std::string& flag = rest.front();
    if (flag == "-Xclang") {
      i += keep_for_clang(rest, result);
      continue;
    }
    if (flag.starts_with("-Wp,")) {
      keep_for_preprocessor(flag, result);
      ++i;
      continue;
    }
    // Files that are linked too.
    const bool is_name = !flag.starts_with('-') && !flag.starts_with('@');
    const Judged judged = is_name ? Judged{Fate::drop_silently} : judge_c(flag);
    const std::span<const std::string> words = rest.first(std::min(judged.words, rest.size()));
    i += words.size();
    if (judged.verdict == Fate::keep && words.size() == judged.words)
      result.kept.insert(result.kept.end(), words.begin(), words.end());
    if (judged.verdict == Fate::drop) result.dropped.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return result;
}

SafeFlags safe_java_flags(const std::vector<std::string>& flags) {
  constexpr std::array pairs{
      "--release"sv,         "-source"sv,   "--source"sv,   "-target"sv,      "--target"sv,
      "-encoding"sv,         "-cp"sv,       "-classpath"sv, "--class-path"sv, "-bootclasspath"sv,
      "--boot-class-path"sv, "-Xmaxerrs"sv, "-Xmaxwarns"sv};
  constexpr std::array heads{"-g"sv,          "-Xlint"sv,     "-nowarn"sv,        "-deprecation"sv,
                             "-parameters"sv, "-Werror"sv,    "-J-Xss"sv,         "-J-Xmx"sv,
                             "-J-Xms"sv,      "--release="sv, "-Xbootclasspath"sv};
  constexpr std::array words{"-proc:none"sv, "--enable-preview"sv, "-verbose"sv};
  SafeFlags result;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    if (is_in(flag, pairs) && i + 1 < flags.size())
      result.kept.insert(result.kept.end(), {flag, flags[++i]});
    else if (starts_with_one(flag, heads) || is_in(flag, words))
      result.kept.push_back(flag);
    else
      result.dropped.push_back(flag);
  }
  return result;
}

bool is_compiler_name(std::string_view program) {
  static const std::regex name(
      R"((?:[A-Za-z0-9_.]+-)*(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+|icx|icpx|tcc)(?:-[0-9.]+)?)");
  return std::regex_match(program.begin(), program.end(), name);
}

std::string warning_on(std::vector<std::string> dropped) {
  std::ranges::sort(dropped);
  const auto again = std::ranges::unique(dropped);
  dropped.erase(again.begin(), again.end());
  if (dropped.empty()) return {};
  return fmt::format("flags left out, because they may load code, start programs or write files: {}",
                     fmt::join(dropped, ", "));
}

}  // namespace jcprof::rewriter
