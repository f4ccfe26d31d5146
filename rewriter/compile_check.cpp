// SPDX-License-Identifier: Apache-2.0
#include "rewriter/compile_check.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "rewriter/safe_flags.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes javac_patience{2};
constexpr std::string_view error_mark = ": error: ";

std::string class_path(const Project& project, const Placeholders& values) {
  std::string result;
  for (const std::string& entry : project.compile.classpath)
    result +=
        (result.empty() ? "" : ":") + (project.root / fill_in(entry, values)).lexically_normal().string();
  return result;
}

std::vector<std::string> javac_command(const Project& project, const fs::path& tree, const fs::path& work) {
  const Placeholders values{
      {"tree", tree.string()}, {"out", work.string()}, {"project", project.root.string()}};
  // An applet is compiled before HotSpot's better compiler has paid for itself: a third of the processor
  // time.
  std::vector<std::string> argv{"javac", "-J-XX:TieredStopAtLevel=1", "-proc:none",
                                // Else the class path is searched for plug-ins that start by themselves.
                                "-processorpath", (work / "none").string(), "-nowarn", "-Xmaxerrs", "1000",
                                "-implicit:none", "-d", (work / "classes").string(), "-cp",
                                class_path(project, values)};
  for (const std::string& flag : safe_java_flags(project.compile.flags).kept)
    argv.push_back(fill_in(flag, values));
  // Java Card's language is that of an old Java, whatever the compiler's own default.
  if (project.compile.flags.empty()) argv.insert(argv.end(), {"--release", "8", "-Xlint:-options"});
  return argv;
}

/// "12: error: …" behind the path → the line's number; 0 when it is none.
std::size_t line_number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<MethodSize> sizes_below(const fs::path& classes) {
  std::vector<MethodSize> sizes;
  for (const auto& entry : fs::recursive_directory_iterator(classes))
    if (entry.path().extension() == ".class")
      for (MethodSize& size : method_sizes(read_file(entry.path()))) sizes.push_back(std::move(size));
  return sizes;
}

/// The reason when javac fails over something else than a source.
std::string failure_in(std::string_view output) {
  if (output.find("StackOverflowError") != std::string_view::npos)
    return R"(a statement is nested too deep for javac: give it "-J-Xss64m" in "compile.flags" and in "build")";
  const std::vector<std::string_view> lines = lines_of(output);
  return lines.empty() ? "javac failed" : std::string(lines.front());
}

}  // namespace

std::vector<CompileError> parse_javac(std::string_view output, const fs::path& tree) {
  const std::string prefix = (tree / "").string();
  std::vector<CompileError> errors;
  for (const std::string_view line : lines_of(output)) {
    const std::size_t mark = line.find(error_mark);
    const std::size_t colon = mark == std::string_view::npos ? mark : line.rfind(':', mark - 1);
    if (line.starts_with(prefix) && colon != std::string_view::npos) {
      errors.push_back({.path = std::string(line.substr(prefix.size(), colon - prefix.size())),
                        .line = line_number(line.substr(colon + 1)),
                        .message = std::string(line.substr(mark + error_mark.size()))});
    } else if (!errors.empty() && errors.back().column == 0 &&
               line.find_first_not_of(" \t") == line.size() - 1 && line.ends_with('^')) {
      errors.back().column = line.size();
    }
  }
  return errors;
}

Compilation compile_java(const Project& project, const fs::path& tree,
                         const std::vector<std::string>& sources, const fs::path& work) {
  fs::remove_all(work);
  fs::create_directories(work / "classes");
  std::string list;
  bool all_utf8 = true;
  for (const std::string& source : sources) {
    all_utf8 = all_utf8 && is_utf8(read_file(tree / source));
    std::string path = (tree / source).string();
    for (std::size_t at = 0; (at = path.find_first_of("\"\\", at)) != std::string::npos; at += 2)
      path.insert(at, "\\");
    list += fmt::format("\"{}\"\n", path);
  }
  write_own_file(work / "sources", list);
  Compilation result;
  try {
    // javac's messages are read, so they must be in English and say the whole path.
    std::vector<std::string> argv = javac_command(project, tree, work);
    // Any byte is a character in this encoding, and the right one does not matter here.
    const bool as_bytes = !all_utf8 && std::ranges::find(argv, "-encoding") == argv.end();
    if (as_bytes) argv.insert(argv.end(), {"-encoding", "ISO-8859-1"});
    argv.push_back("@" + (work / "sources").string());
    const Command javac{.argv = std::move(argv),
                        .cwd = tree,
                        .environment = {{"LC_ALL", "C.UTF-8"}, {"JDK_JAVAC_OPTIONS", ""}}};
    const ProcessResult ended = run_and_wait(javac, {.file = work / "log"}, javac_patience);
    result.errors = parse_javac(read_file(work / "log"), tree);
    if (as_bytes)
      for (CompileError& error : result.errors) error.unit = ColumnUnit::bytes;
    if (ended.timed_out)
      result.failure = "javac did not end in time";
    else if (result.errors.empty() && ended.exit_status != 0)
      result.failure = failure_in(read_file(work / "log"));
    else if (result.errors.empty())
      result.methods = sizes_below(work / "classes");
  } catch (const UserError& error) {
    if (error.exit_code() != ExitCode::environment) throw;
    result.failure = "javac could not be run";  // the user's own build will tell
  }
  fs::remove_all(work);
  return result;
}

}  // namespace jcprof::rewriter
