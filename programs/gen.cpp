// SPDX-License-Identifier: Apache-2.0
// jcprof-gen: puts the traps into a copy of the sources.
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "programs/generation.hpp"
#include "programs/main_guard.hpp"
#include "programs/permission.hpp"
#include "rewriter/isolation.hpp"
#include "rewriter/project_programs.hpp"
#include "src/core/cancellation.hpp"

namespace jcprof::cli {
namespace {

struct Options : CommonOptions {
  bool records = false;
  bool why = false;
};

nlohmann::ordered_json left_alone_json(const rewriter::Generated& generated, LeftAloneDetail detail) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  if (detail == LeftAloneDetail::places)
    for (const auto& [path, line, reason, count] : generated.left_alone)
      result.push_back({{"path", path}, {"line", line}, {"reason", reason}, {"count", count}});
  else
    for (const auto& [reason, count] : left_alone_by_reason(generated))
      result.push_back({{"reason", reason}, {"count", count}});
  return result;
}

void print_json(const rewriter::Generated& generated, const std::filesystem::path& out,
                LeftAloneDetail detail) {
  nlohmann::ordered_json result{
      {"traps", generated.map.traps.size()},   {"functions", functions_with_traps(generated.map)},
      {"files", generated.instrumented_files}, {"tree", (out / "tree").string()},
      {"map", (out / "traps.json").string()},  {"notes", generated.notes}};
  result["left_alone"] = left_alone_json(generated, detail);
  if (is_counted(generated))
    result["coverage"] = {{"statements", generated.coverage.statements},
                          {"with_trap", generated.coverage.with_trap},
                          {"excluded", generated.coverage.excluded}};
  fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

ExitCode generate(const Options& options) {
  catch_signals();
  Project project = read_project(options.project);
  if (options.records && project.target == TargetKind::applet)
    throw UserError(Fault{.message = "applets cannot be recorded", .hint = "--record is for C and C++"});
  if (options.records) project.action = TrapAction::record;
  ask_about(project, rewriter::programs_of_generation(project), consent_of(options.yes));
  const OutputFolder folder = open_output(project, options, "jcprof gen");
  const std::filesystem::path& out = folder.path();
  const rewriter::Generated generated = rewriter::generate_apart(project, out);
  const LeftAloneDetail detail = options.why ? LeftAloneDetail::places : LeftAloneDetail::reasons;
  if (options.json)
    print_json(generated, out, detail);
  else if (!options.quiet)
    fmt::print("{}", to_text(generated, out, detail));
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::cli

int main(int argc, char** argv) {
  CLI::App app{"Puts numbered traps into a copy of a project's sources.", "jcprof-gen"};
  jcprof::cli::Options options;
  add_project_options(app, options);
  app.add_flag("--json", options.json, "print the result as JSON");
  app.add_flag("--record", options.records, "traps of C and C++ record (jcprof record) instead of stopping");
  app.add_flag("--why", options.why, "name every place that is left without a trap, and the reason");
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::cli::generate(options); });
}
