// SPDX-License-Identifier: Apache-2.0
// jcprof-annotate: estimates from what was measured, and the sources with the times beside the lines.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "annotator/annotated_tree.hpp"
#include "annotator/estimates.hpp"
#include "annotator/exports.hpp"
#include "annotator/run_data.hpp"
#include "annotator/tables.hpp"
#include "src/cli/main_guard.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

annotator::TableStyle terminal_style() {
  annotator::TableStyle style;
  winsize size = {};
  if (::isatty(STDOUT_FILENO) != 1) return style;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color == nullptr || *no_color == '\0') style.colour = annotator::Colour::always;
  return style;
}

ExitCode annotate(const CommonOptions& options) {
  const Project project = read_project(options.project);
  const fs::path out = output_folder(project, options);
  const fs::path file = out / "profile.jcprof";
  if (!fs::exists(file))
    throw UserError(Fault{.message = fmt::format("there is no \"{}\"", file.string()),
                          .hint = "run jcprof run first, or jcprof profile, which does it all"});
  Store store(file, OpenMode::read_write);
  const annotator::Profile profile = annotator::estimate(annotator::load_newest_run(store));
  store.replace_estimates(profile.run.id, annotator::stored(profile));
  store.close();

  const std::vector<annotator::AnnotatedFile> written =
      annotator::write_annotated(profile, project.root, out / "annotated");
  if (options.json) {
    fmt::print("{}", annotator::to_json(profile));
  } else if (!options.quiet) {
    fmt::print("{}\n{}", annotator::hot_lines(profile, written),
               annotator::report(profile, terminal_style()));
    for (const annotator::AnnotatedFile& annotated : written)
      fmt::print("annotated: {}\n", annotated.file.string());
    fmt::print("profile:   {}\n", file.string());
  }
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::cli

int main(int argc, char** argv) {
  CLI::App app{"Writes the measured times beside the source lines.", "jcprof-annotate"};
  jcprof::cli::CommonOptions options;
  add_project_options(app, options);
  app.add_flag("--json", options.json, "print the estimates as JSON, as jcprof export does");
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::cli::annotate(options); });
}
