// SPDX-License-Identifier: Apache-2.0
#include "rewriter/safe_flags.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// The fate of a flag, and how many words it is.
enum class Fate : std::uint8_t { keep, drop_silently, drop };
struct Judged {
  Fate fate = Fate::drop;
  std::size_t words = 1;
};

constexpr auto values_kept = std::to_array<std::string_view>(
    {"-I",        "-D",          "-U",       "-isystem",  "-iquote",      "-idirafter",
     "-include",  "-imacros",    "-iprefix", "-isysroot", "-iwithprefix", "-iwithprefixbefore",
     "--sysroot", "-target",     "-x",       "--param",   "-iframework",  "-cxx-isystem",
     "-arch",     "-include-pch"});

constexpr auto heads_kept = std::to_array<std::string_view>(
    {"-I",         "-D",        "-U",           "-isystem",  "-iquote",
     "-idirafter", "-include",  "-imacros",     "-x",        "-isysroot",
     "--sysroot=", "--target=", "-std=",        "--std=",    "-stdlib=",
     "--param=",   "-pedantic", "-traditional", "-nostdinc", "--gcc-toolchain=",
     "-O"});

constexpr auto words_kept = std::to_array<std::string_view>(
    {"-ansi", "-pthread", "-undef", "-trigraphs", "-w", "-EB", "-EL", "-nostdlibinc", "-nobuiltininc",
     "-pipe", "-p", "-pg", "-Qunused-arguments"});

// Flags for the output, for the linker and for what is shown: none matters here.
constexpr auto silent_pairs = std::to_array<std::string_view>(
    {"-o", "-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-l", "-L", "-T", "-z", "-u", "--serialize-diagnostics"});
constexpr auto silent_heads =
    std::to_array<std::string_view>({"-o", "-M", "-l", "-L", "-Wl,", "-Wa,", "-shared", "-static"});
constexpr auto silent_words = std::to_array<std::string_view>(
    {"-s", "-c", "-S", "-E", "-v", "-H", "-P", "-C", "-r", "-rdynamic", "-pie", "-no-pie", "-nodefaultlibs",
     "-nostdlib", "-nostdlib++", "-nostartfiles", "--"});
constexpr auto coverage_words =
    std::to_array<std::string_view>({"--coverage", "-coverage", "-fprofile-arcs", "-ftest-coverage"});

// Flags -f… that load the files they name, or start programs …
constexpr auto loading_f = std::to_array<std::string_view>(
    {"-fplugin", "-fpass-plugin", "-fmodule", "-fauto-profile", "-fuse-ld", "-fthinlto", "-fembed-",
     "-foffload", "-fsycl", "-fbuild-session", "-fprebuilt", "-fapinotes", "-findex", "-fcompare-debug"});
// … and these write files.
constexpr auto writing_f = std::to_array<std::string_view>(
    {"-fdump", "-fprofile", "-fopt-info", "-fsave-", "-foptimization-r", "-fcrash-", "-ftime-trace",
     "-fstack-usage", "-fcallgraph", "-fproc-stat-report", "-fdiagnostics-format", "-fdiagnostics-add",
     "-fdiagnostics-set", "-fcs-profile", "-fmemory-profile", "-fcoverage", "-fxray", "-fbasic-block",
     "-fdep"});

// A path in a value may be a file that is loaded or written; these only shorten names, or are read as text.
constexpr auto paths_kept =
    std::to_array<std::string_view>({"-ffile-prefix-map=", "-fmacro-prefix-map=", "-fdebug-prefix-map=",
                                     "-fdebug-compilation-dir=", "-fsanitize-"});

constexpr auto families = std::to_array<std::string_view>({"-f", "-m", "-W", "-g"});
constexpr auto never_of_families =
    std::to_array<std::string_view>({"-mllvm", "-Wp,", "-gsplit-dwarf", "-gcc-"});
constexpr auto dangerous_pairs =
    std::to_array<std::string_view>({"-specs", "--specs", "-wrapper", "-mllvm", "-B", "-aux-info", "-dumpdir",
                                     "-dumpbase", "-load", "-dumpbase-ext"});

Judged judge_c(std::string_view flag) {
  if (is_one_of(flag, silent_pairs)) return {Fate::drop_silently, 2};
  if (is_one_of(flag, values_kept)) return {Fate::keep, 2};
  if (is_one_of(flag, dangerous_pairs) || flag == "-Xpreprocessor" || flag == "-Xassembler")
    return {Fate::drop, 2};
  if (is_one_of(flag, words_kept)) return {Fate::keep};
  if (is_one_of(flag, silent_words) || is_one_of(flag, coverage_words) ||
      starts_with_one_of(flag, silent_heads))
    return {Fate::drop_silently};
  if (starts_with_one_of(flag, heads_kept)) return {Fate::keep};
  if (!starts_with_one_of(flag, families) || starts_with_one_of(flag, never_of_families)) return {Fate::drop};
  if (starts_with_one_of(flag, loading_f) || starts_with_one_of(flag, writing_f)) return {Fate::drop};
  const bool names_path = flag.find('/') != std::string_view::npos;
  return {names_path && !starts_with_one_of(flag, paths_kept) ? Fate::drop : Fate::keep};
}

/// cmake's compiled header comes as -Xclang -include-pch -Xclang FILE; anything else said to clang's inner
/// part is not judged.
std::size_t keep_for_clang(std::span<const std::string> words, SafeFlags& result) {
  constexpr auto known = std::to_array<std::string_view>({"-include", "-include-pch"});
  if (words.size() >= 4 && is_one_of(words[1], known) && words[2] == "-Xclang") {
    result.kept.insert(result.kept.end(), words.begin(), words.begin() + 4);
    return 4;
  }
  const std::size_t taken = std::min<std::size_t>(words.size(), 2);
  result.dropped.push_back(fmt::format("{}", fmt::join(words.first(taken), " ")));
  return taken;
}

}  // namespace

std::vector<std::string> flags_for_preprocessor(std::string_view list) {
  std::vector<std::string> flags;
  list.remove_prefix(std::string_view("-Wp,").size());
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    if (word.starts_with("-D") || word.starts_with("-U")) flags.emplace_back(word);
  }
  return flags;
}

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
      std::ranges::move(flags_for_preprocessor(flag), std::back_inserter(result.kept));
      ++i;
      continue;
    }
    // Files that are linked too.
    const bool is_name = !flag.starts_with('-') && !flag.starts_with('@');
    const Judged judged = is_name ? Judged{Fate::drop_silently} : judge_c(flag);
    const std::span<const std::string> words = rest.first(std::min(judged.words, rest.size()));
    i += words.size();
    if (judged.fate == Fate::keep && words.size() == judged.words)
      result.kept.insert(result.kept.end(), words.begin(), words.end());
    if (judged.fate == Fate::drop) result.dropped.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return result;
}

SafeFlags safe_java_flags(const std::vector<std::string>& flags) {
  constexpr auto pairs = std::to_array<std::string_view>(
      {"--release", "-source", "--source", "-target", "--target", "-encoding", "-cp", "-classpath",
       "--class-path", "-bootclasspath", "--boot-class-path", "-Xmaxerrs", "-Xmaxwarns"});
  constexpr auto heads =
      std::to_array<std::string_view>({"-g", "-Xlint", "-nowarn", "-deprecation", "-parameters", "-Werror",
                                       "-J-Xss", "-J-Xmx", "-J-Xms", "--release=", "-Xbootclasspath"});
  constexpr auto words = std::to_array<std::string_view>({"-proc:none", "--enable-preview", "-verbose"});
  SafeFlags result;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    if (is_one_of(flag, pairs) && i + 1 < flags.size())
      result.kept.insert(result.kept.end(), {flag, flags[++i]});
    else if (starts_with_one_of(flag, heads) || is_one_of(flag, words))
      result.kept.push_back(flag);
    else
      result.dropped.push_back(flag);
  }
  return result;
}

std::string warning_on(std::vector<std::string> dropped) {
  std::ranges::sort(dropped);
  const auto again = std::ranges::unique(dropped);
  dropped.erase(again.begin(), again.end());
  if (dropped.empty()) return {};
  return fmt::format("jcprof leaves out flags that may load code, start programs or write files: {}",
                     fmt::join(dropped, ", "));
}

}  // namespace jcprof::rewriter
