// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/compile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "rewriter/program_files.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/parallel.hpp"
#include "src/core/process.hpp"
#include "src/core/shell_words.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes patience{5};
constexpr std::size_t most_diagnostics = std::size_t{16} << 20;

/// Takes ":12" off the end of `text`; 0 where there is none.
std::size_t take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  std::size_t number = 0;
  if (colon == std::string_view::npos) return 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc{} || stop != end) return 0;
  text.remove_suffix(text.size() - colon);
  return number;
}

/// "x.c:3:5", "x.c:3", "<command-line>".
std::optional<CompileError> place_in(std::string_view text, const fs::path& folder) {
  const std::size_t last = take_number(text);
  const std::size_t before = last == 0 ? 0 : take_number(text);
  const bool is_no_file = text.starts_with('<') && text.find('>') + 1 == text.size();
  if (is_no_file) return CompileError{.path = std::string(text)};
  if (last == 0 || text.empty()) return std::nullopt;
  return CompileError{.path = (folder / text).lexically_normal().string(),
                      .line = before == 0 ? last : before,
                      .column = before == 0 ? 0 : last,
                      .unit = ColumnUnit::bytes,
                      .message = {}};
}

struct Mark {
  std::string_view text;
  std::optional<Severity> severity;  // none: a note
};
constexpr std::array<Mark, 4> marks{{{": fatal error: ", Severity::error},
                                     {": error: ", Severity::error},
                                     {": warning: ", Severity::warning},
                                     {": note: ", std::nullopt}}};

/// -I and its like, whose value is a path.
std::size_t length_of_path_flag(std::string_view argument) {
  constexpr auto flags = std::to_array<std::string_view>(
      {"-I", "-isystem", "-iquote", "-idirafter", "-include-pch", "-include", "-imacros", "--sysroot="});
  const auto flag = std::ranges::find_if(flags, [&](std::string_view f) { return argument.starts_with(f); });
  return flag == flags.end() ? 0 : flag->size();
}

/// Its value is looked for in the folder of the compiler first, then as headers are.
bool is_looked_for(std::string_view flag) {
  return flag == "-include" || flag == "-imacros";
}

class Mover {
 public:
  Mover(const fs::path& from, const fs::path& to, const fs::path& folder)
      : from_(from), to_(to), folder_(folder) {}

  std::string operator()(std::string_view path) const {
    const fs::path whole = (folder_ / path).lexically_normal();
    const fs::path relative = whole.lexically_relative(from_);
    if (relative.empty() || *relative.begin() == "..") return whole.string();
    const fs::path there = (to_ / relative).lexically_normal();
    std::error_code error;
    return fs::exists(there, error) ? there.string() : whole.string();
  }

 private:
  const fs::path& from_;
  const fs::path& to_;
  const fs::path& folder_;
};

constexpr auto wished_flags = std::to_array<std::string_view>({
    // Intermediate code is made sooner than an assembler's.
    "-flto",
    "-fno-fat-lto-objects",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-color=never",
    "-fmessage-length=0",
    "-fdiagnostics-column-unit=byte",  // gcc from 11 on counts a tab as up to eight
    "-ferror-limit=0",
});

/// gcc says that it is wrong when it has read a unit. It goes through the functions then for what they are
/// warned of, and makes no code.
constexpr std::string_view end_of_reading = R"(#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#endif
extern void jcprof_read(void) __attribute__((__alias__("jcprof_read_nowhere")));
#ifdef __cplusplus
}
#endif
)";

using Flags = std::vector<std::string>;

struct Said {
  std::vector<Diagnostic> diagnostics;
  bool is_accepted = false;  // without a word
};

/// Compiles an empty unit.
Said said_of_nothing(const std::string& compiler, const Flags& flags, const fs::path& log) {
  Command command{.argv = {compiler}, .cwd = log.parent_path(), .environment = {{"LC_ALL", "C"}}};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  command.argv.insert(command.argv.end(), {"-S", "-o", "/dev/null", "-x", "c", "/dev/null"});
  const ProcessResult result = run_and_wait(command, {.file = log}, patience);
  return {.diagnostics = parse_diagnostics(read_file(log), command.cwd),
          .is_accepted = result.exit_status == 0 && result.tail.empty()};
}

bool takes(const std::string& compiler, const Flags& flags, const fs::path& log) {
  return said_of_nothing(compiler, flags, log).is_accepted;
}

Flags flags_known_to(const std::string& compiler, const fs::path& log) {
  // All but the last is what gcc knows, all but the one in front of it what clang does.
  for (const std::size_t missing : {wished_flags.size() - 1, wished_flags.size() - 2}) {
    Flags flags(wished_flags.begin(), wished_flags.end());
    flags.erase(flags.begin() + static_cast<std::ptrdiff_t>(missing));
    if (takes(compiler, flags, log)) return flags;
  }
  Flags known;
  for (const std::string_view flag : wished_flags)
    if (takes(compiler, {std::string(flag)}, log)) known.emplace_back(flag);
  return known;
}

/// The compiler reports the alias after it has read the unit, and reports nothing else.
bool can_be_ended(const std::string& compiler, const fs::path& end, const fs::path& log) {
  const std::vector<Diagnostic> said = said_of_nothing(compiler, {"-include", end.string()}, log).diagnostics;
  return said.size() == 1 && said.front().message.find("undefined symbol") != std::string::npos;
}

/// These end a compiler early, and there is more to be said.
bool hides_diagnostics(std::string_view flag) {
  return flag == "-Wfatal-errors" || flag.starts_with("-fmax-errors") || flag.starts_with("-ferror-limit");
}

/// The build would end at a warning.
bool makes_errors_of_warnings(const CompileUnit& unit) {
  return std::ranges::any_of(unit.arguments,
                             [](const std::string& argument) { return argument.starts_with("-Werror"); });
}

bool is_clang(const JudgingCompiler& compiler) {
  return std::ranges::find(compiler.flags, "-ferror-limit=0") != compiler.flags.end();
}

/// All that its flags make of the unit is looked at, as the build has it.
bool is_optimised(const CompileUnit& unit, const JudgingCompiler& compiler) {
  return !is_clang(compiler) && makes_errors_of_warnings(unit);
}

/// clang warns while it reads. gcc warns of missing returns only when it goes through functions, and of unset
/// values only when it optimises. Optimising takes longest. clang alone knows -ferror-limit. -g is no help
/// here, nor is a library that wants to be optimised where nothing else is.
Flags judging_flags(const CompileUnit& unit, const JudgingCompiler& compiler) {
  Flags flags = compiler.flags;
  const auto add = [&](std::initializer_list<std::string> more) {
    flags.insert(flags.end(), more.begin(), more.end());
  };
  if (is_clang(compiler)) {
    add({"-DJCPROF_JUDGED", "-fsyntax-only"});
    return flags;
  }
  add({"-S", "-g0", "-o", "/dev/null"});
  const bool is_whole = is_optimised(unit, compiler) || !compiler.end.empty();
  if (is_whole) std::erase_if(flags, [](const std::string& flag) { return flag.find("lto") != flag.npos; });
  if (is_optimised(unit, compiler)) return flags;
  // gcc looks at lines longer for the last one than at all else, and never where a #line stands, as in ours.
  add({"-O0", "-U_FORTIFY_SOURCE", "-Wno-misleading-indentation"});
  if (!compiler.end.empty()) add({"-DJCPROF_JUDGED", "-include", compiler.end.string()});
  return flags;
}

/// Drops what the compiler reports of our own file. True where it did: it has read the whole unit.
bool take_end(std::vector<Diagnostic>& diagnostics, const fs::path& end) {
  const auto is_end = [&](const Diagnostic& d) { return d.places.front().path == end; };
  return !end.empty() && std::erase_if(diagnostics, is_end) > 0;
}

/// The files in a make rule, without its target.
std::vector<fs::path> files_in_rule(std::string rule, const fs::path& folder) {
  std::vector<fs::path> files;
  // gcc and clang write names as a shell reads them, but for dollars.
  replace_all(rule, "$$", "$");
  for (const std::string& word : split_command(rule).words)
    files.push_back((folder / word).lexically_normal());
  if (!files.empty()) files.erase(files.begin());
  return files;
}

Flags listing_flags(const fs::path& log) {
  return {"-MD", "-MF", fs::absolute(log).replace_extension(".d").lexically_normal().string()};
}

UnitAnswer ask(const CompileUnit& unit, JudgingCompiler compiler, const fs::path& log) {
  if (unit.inlines) compiler.end.clear();
  Flags argv;
  std::ranges::copy_if(unit.arguments, std::back_inserter(argv),
                       [](const std::string& argument) { return !hides_diagnostics(argument); });
  const Flags judging = judging_flags(unit, compiler);
  argv.insert(argv.end(), judging.begin(), judging.end());
  const Flags listing = listing_flags(log);
  fs::remove(listing.back());
  if (compiler.lists_files) argv.insert(argv.end(), listing.begin(), listing.end());
  argv.push_back(unit.path);
  const Command command{.argv = std::move(argv), .cwd = unit.folder, .environment = {{"LC_ALL", "C"}}};
  UnitAnswer answer;
  try {
    const ProcessResult ended =
        run_and_wait(command, {.file = log, .keep_bytes = most_diagnostics}, patience);
    answer.diagnostics = parse_diagnostics(read_file(log), unit.folder);
    const bool came_to_end = take_end(answer.diagnostics, compiler.end);
    if (fs::exists(listing.back())) answer.files = files_in_rule(read_file(listing.back()), unit.folder);
    std::erase(answer.files, compiler.end);
    const bool said = std::ranges::any_of(answer.diagnostics,
                                          [](const Diagnostic& d) { return d.severity == Severity::error; });
    if (ended.timed_out)
      answer.failure = fmt::format("{} did not end in time", command.argv.front());
    else if (ended.exit_status != 0 && !said && !came_to_end)
      answer.failure =
          fmt::format("{} failed: {}", command.argv.front(), ended.tail.substr(0, ended.tail.find('\n')));
  } catch (const UserError& error) {
    answer.failure = error.faults().front().message;
  }
  return answer;
}

}  // namespace

std::vector<Diagnostic> parse_diagnostics(std::string_view output, const fs::path& folder) {
  std::vector<Diagnostic> diagnostics;
  for (const std::string_view line : lines_of(output)) {
    for (const Mark& mark : marks) {
      const std::size_t at = line.find(mark.text);
      if (at == std::string_view::npos) continue;
      const std::optional<CompileError> place = place_in(line.substr(0, at), folder);
      if (!place) continue;
      if (mark.severity)
        diagnostics.push_back({.severity = *mark.severity,
                               .message = std::string(line.substr(at + mark.text.size())),
                               .places = {*place}});
      else if (!diagnostics.empty())
        diagnostics.back().places.push_back(*place);
      break;
    }
  }
  return diagnostics;
}

CompileUnit moved(const CompileUnit& unit, const fs::path& root, const fs::path& copy) {
  const Mover move(root, copy, unit.folder);
  CompileUnit result{.path = move(unit.path),
                     .folder = move(unit.folder.string()),
                     .arguments = {},
                     .inlines = unit.inlines};
  std::string_view flag;  // whose value comes next
  for (const std::string& argument : unit.arguments) {
    if (argument == "-Xclang") {  // which may stand between a flag and its value
      result.arguments.push_back(argument);
      continue;
    }
    const std::size_t length = flag.empty() ? length_of_path_flag(argument) : 0;
    const std::string value = argument.substr(length);
    const bool is_value = !flag.empty();
    if (!is_value) flag = std::string_view(argument).substr(0, length);
    const bool is_path = !flag.empty() && !value.empty() && !value.starts_with('=') &&
                         (!is_looked_for(flag) || fs::exists((unit.folder / value).lexically_normal()));
    result.arguments.push_back(is_path ? argument.substr(0, length) + move(value) : argument);
    if (is_value || !value.empty()) flag = {};
  }
  return result;
}

JudgingCompiler SyntaxCheck::known(const std::string& compiler) const {
  const fs::path log = scratch_ / "flags.log";
  const fs::path end = fs::absolute(scratch_ / "end.h").lexically_normal();
  write_own_file(end, end_of_reading);
  JudgingCompiler result;
  try {
    result.flags = flags_known_to(compiler, log);
    if (!is_clang(result) && can_be_ended(compiler, end, log)) result.end = end;
    result.lists_files = takes(compiler, listing_flags(log), log);
  } catch (const UserError&) {
    result = {};  // it cannot be started, which each of its units will say
  }
  return result;
}

FoundCompiler SyntaxCheck::compiler_of(const CompileUnit& unit) {
  fs::path file = file_of_program(unit.arguments.front(), unit.folder);
  const auto [known, is_new] = versions_.try_emplace(file);
  if (is_new && !file.empty()) try {
      const fs::path log = scratch_ / "version.log";
      run_and_wait(
          {.argv = {file.string(), "--version"}, .cwd = unit.folder, .environment = {{"LC_ALL", "C"}}},
          {.file = log}, patience);
      const std::string said = read_file(log);
      known->second = said.substr(0, said.find('\n'));
    } catch (const UserError&) {
      known->second.clear();  // each of its units will say so
    }
  return {.file = std::move(file), .version = known->second};
}

std::vector<UnitAnswer> SyntaxCheck::run(const std::vector<CompileUnit>& units) {
  fs::create_directories(scratch_);
  for (const CompileUnit& unit : units) {
    const std::string& compiler = unit.arguments.front();
    if (!compilers_.contains(compiler)) compilers_[compiler] = known(compiler);
  }
  std::vector<UnitAnswer> answers(units.size());
  in_parallel(units.size(), [&](std::size_t i) {
    answers[i] =
        ask(units[i], compilers_.at(units[i].arguments.front()), scratch_ / fmt::format("{}.log", i));
  });
  return answers;
}

}  // namespace jcprof::rewriter
