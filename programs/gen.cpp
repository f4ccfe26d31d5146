// SPDX-License-Identifier: Apache-2.0
// jcprof-gen: puts the traps into a copy of the sources. No other program links the parsers, so it drafts
// project files and strips sources, too.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "programs/command_line.hpp"
#include "programs/main_guard.hpp"
#include "programs/output.hpp"
#include "programs/permission.hpp"
#include "programs/steps.hpp"
#include "programs/verbs.hpp"
#include "rewriter/isolation.hpp"
#include "rewriter/project_programs.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error_json.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

/// How much was left alone by reason, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> left_alone_by_reason(const rewriter::Generated& generated) {
  std::map<std::string, std::size_t> counts;
  for (const rewriter::LeftAlonePlace& place : generated.left_alone) counts[place.reason] += place.count;
  std::vector<std::pair<std::string, std::size_t>> reasons(counts.begin(), counts.end());
  std::ranges::stable_sort(reasons, std::greater{}, &std::pair<std::string, std::size_t>::second);
  return reasons;
}

std::string places_text(const rewriter::Generated& generated) {
  std::vector<rewriter::LeftAlonePlace> places = generated.left_alone;
  std::ranges::stable_sort(places, {}, [](const auto& place) { return std::tie(place.path, place.line); });
  std::string text;
  for (const rewriter::LeftAlonePlace& place : places)
    text += harmless(fmt::format("{}:{}: no trap: {}{}\n", place.path, place.line, place.reason,
                                 place.count > 1 ? fmt::format(" ({})", place.count) : ""));
  return text;
}

std::string reasons_text(const rewriter::Generated& generated) {
  std::string text;
  for (const auto& [reason, count] : left_alone_by_reason(generated))
    text += harmless(fmt::format("no trap: {} × {}\n", count, reason));
  return text;
}

std::string coverage_text(const rewriter::Coverage& coverage) {
  std::string text = fmt::format("{} of {} executable statements outside macros have a trap",
                                 coverage.with_trap, coverage.statements);
  if (coverage.level != TrapLevel::statement)
    text += fmt::format(": \"level\" is \"{}\"", name_of(coverage.level));
  else if (coverage.statements > 0)
    text += fmt::format(" ({:.1f} %)", 100.0 * static_cast<double>(coverage.with_trap) /
                                           static_cast<double>(coverage.statements));
  if (coverage.excluded > 0)
    text += fmt::format("; {} more are in functions that jcprof.json leaves out", coverage.excluded);
  if (coverage.unread > 0)
    text += fmt::format("; {} that cannot be read {} not counted",
                        coverage.unread == 1 ? "a file" : fmt::format("{} files", coverage.unread),
                        coverage.unread == 1 ? "is" : "are");
  return text + "\n";
}

/// Java's statements are not counted.
bool is_counted(const rewriter::Coverage& coverage) {
  return coverage.statements + coverage.excluded > 0;
}

void print_text(const rewriter::Generated& generated, const fs::path& out, const GenOptions& options) {
  for (const std::string& note : generated.notes) fmt::print("{}\n", harmless(note));
  if (is_counted(generated.coverage))
    fmt::print("{}{}", options.why ? places_text(generated) : reasons_text(generated),
               coverage_text(generated.coverage));
  fmt::print("{} traps in {} functions of {} files: {}\n", generated.traps, generated.functions,
             generated.instrumented_files, (out / "tree").string());
}

nlohmann::ordered_json left_alone_json(const rewriter::Generated& generated, bool why) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  if (why)
    for (const auto& [path, line, reason, count] : generated.left_alone)
      result.push_back({{"path", path}, {"line", line}, {"reason", reason}, {"count", count}});
  else
    for (const auto& [reason, count] : left_alone_by_reason(generated))
      result.push_back({{"reason", reason}, {"count", count}});
  return result;
}

void print_json(const rewriter::Generated& generated, const fs::path& out, const GenOptions& options) {
  nlohmann::ordered_json result{{"traps", generated.traps},
                                {"functions", generated.functions},
                                {"files", generated.instrumented_files},
                                {"tree", (out / "tree").string()},
                                {"map", (out / "traps.json").string()},
                                {"notes", generated.notes}};
  result["left_alone"] = left_alone_json(generated, options.why);
  if (is_counted(generated.coverage))
    result["coverage"] = {{"statements", generated.coverage.statements},
                          {"with_trap", generated.coverage.with_trap},
                          {"excluded", generated.coverage.excluded},
                          {"unread", generated.coverage.unread}};
  fmt::print("{}", printed(result));
}

Project project_of(const GenOptions& options) {
  Project project = read_project(options.common.project);
  if (options.records && project.target == TargetKind::applet)
    throw UserError(Fault{.message = "an applet cannot be recorded", .hint = "--record is for C and C++"});
  if (options.records) project.action = TrapAction::record;
  if (options.functions_only) project.profile.level = TrapLevel::function;
  if (!options.include.empty()) project.profile.include = options.include;
  std::erase(project.profile.include, "");
  std::ranges::copy(options.exclude, std::back_inserter(project.profile.exclude));
  project.profile.without = options.without;
  return project;
}

}  // namespace

ExitCode gen(const GenOptions& options) {
  catch_signals();
  const Project project = project_of(options);
  ask_about(project, rewriter::programs_of_generation(project, output_folder(project, options.common)),
            consent_of(options.common.yes));
  const OutputFolder folder = open_output(project, options.common, "jcprof gen");
  run_steps("prepare", project.compile.prepare, placeholders(project, folder.path()), {.is_shown = false});
  // The steps may have made a database that names other compilers.
  if (!project.compile.prepare.empty())
    ask_about(project, rewriter::compilers_of_generation(project, folder.path()),
              consent_of(options.common.yes));
  const rewriter::Generated generated = rewriter::generate_apart(project, folder.path());
  if (options.common.json)
    print_json(generated, folder.path(), options);
  else if (!options.common.quiet)
    print_text(generated, folder.path(), options);
  return generated.tight && options.tells_if_tight ? done_but_tight : ExitCode::done;
}

}  // namespace jcprof::cli

namespace {

using namespace jcprof;
using namespace jcprof::cli;

struct Work {
  ExitCode operator()(ExitCode answered) const { return answered; }
  ExitCode operator()(const InitOptions& options) const { return init(options); }
  ExitCode operator()(const GenOptions& options) const { return gen(options); }
  ExitCode operator()(const StripOptions& options) const { return strip(options); }
  ExitCode operator()(const auto& /*of jcprof*/) const {
    throw UserError(Fault{.message = "jcprof-gen does not do that", .hint = "jcprof does"});
  }
};

std::vector<std::string> words_in(const std::string& path) {
  std::istringstream file(read_file(path));
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

ExitCode work(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return std::visit(Work{}, parse_command_line(static_cast<int>(words.size()), argv.data()));
}

}  // namespace

int main(int argc, char** argv) {
  const ErrorForm form = error_form(argc, argv);
  const auto do_it = [&] {
    const std::vector<std::string> words(argv, argv + argc);
    if (words.size() != 2 || !words.back().starts_with(words_file_option)) return work(words);
    const std::string file = words.back().substr(words_file_option.size());
    try {
      return work(words_in(file));
    } catch (const UserError& error) {
      std::string faults;
      nlohmann::json::to_cbor(in_json(error), faults);
      write_own_file(faults_file(file), faults);
      return error.exit_code();
    }
  };
  return guarded(do_it, form);
}
