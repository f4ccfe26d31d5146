// SPDX-License-Identifier: Apache-2.0
// jcprof-gen: puts the traps into a copy of the sources.
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rewriter/generate.hpp"
#include "src/cli/generation.hpp"
#include "src/cli/main_guard.hpp"

namespace jcprof::cli {
namespace {

void print_json(const rewriter::Generated& generated, const std::filesystem::path& out) {
  const nlohmann::ordered_json result{
      {"traps", generated.map.traps.size()},   {"functions", functions_with_traps(generated.map)},
      {"files", generated.instrumented_files}, {"tree", (out / "tree").string()},
      {"map", (out / "traps.json").string()},  {"notes", generated.notes}};
  fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

ExitCode generate(const CommonOptions& options) {
  const Project project = read_project(options.project);
  const std::filesystem::path out = output_folder(project, options);
  const rewriter::Generated generated = rewriter::generate(project, out);
  if (options.json)
    print_json(generated, out);
  else if (!options.quiet)
    fmt::print("{}", to_text(generated, out));
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::cli

int main(int argc, char** argv) {
  CLI::App app{"Puts numbered traps into a copy of a project's sources.", "jcprof-gen"};
  jcprof::cli::CommonOptions options;
  add_project_options(app, options);
  app.add_flag("--json", options.json, "print the result as JSON");
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::cli::generate(options); });
}
