// SPDX-License-Identifier: Apache-2.0
// jcprof-annotate: estimates from what was measured, and the sources with the times beside the lines.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "annotator/annotated_tree.hpp"
#include "annotator/estimates.hpp"
#include "annotator/exports.hpp"
#include "annotator/recorded_profile.hpp"
#include "annotator/tables.hpp"
#include "src/cli/main_guard.hpp"
#include "src/cli/show.hpp"
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

/// What is annotated, and where the copies go.
struct Subject {
  fs::path file;
  std::optional<fs::path> root;  // of the sources; none: that of those which the profile names
  fs::path out;
};

Subject subject_of(const CommonOptions& options) {
  const fs::path given = options.project;
  if (given.extension() == ".jcprof")
    return {.file = given, .out = options.out.empty() ? given.parent_path() : fs::path(options.out)};
  const Project project = read_project(options.project);
  const fs::path out = output_folder(project, options);
  return {.file = out / "profile.jcprof", .root = project.root, .out = out};
}

/// --show takes the word behind it, also where that is the project.
void settle_project(CommonOptions& options, std::string& place) {
  if (!options.project.empty()) return;
  const fs::path given = place;
  if (fs::is_directory(given) || given.extension() == ".jcprof" || given.extension() == ".json")
    std::swap(options.project, place);
  else
    options.project = ".";
}

const fs::path& existing(const fs::path& profile) {
  if (!fs::exists(profile))
    throw UserError(Fault{.message = fmt::format("there is no \"{}\"", profile.string()),
                          .hint = "run jcprof run first, or jcprof profile, which does it all"});
  return profile;
}

ExitCode show(CommonOptions options, std::string place) {
  settle_project(options, place);
  const Subject subject = subject_of(options);
  const Store store(existing(subject.file), OpenMode::read_only);
  annotator::Profile profile = annotator::newest_profile(store);
  const fs::path root = subject.root ? *subject.root : annotator::root_of_sources(profile);
  annotator::make_relative(profile, root);
  ShowWish wish{.place = place, .json = options.json, .style = terminal_style()};
  wish.is_piped = ::isatty(STDOUT_FILENO) != 1;
  if (wish.is_piped) wish.style.width = 80;
  fmt::print("{}", shown(profile, root, wish));
  return ExitCode::done;
}

ExitCode annotate(const CommonOptions& options) {
  if (options.project.empty()) throw CLI::RequiredError("PROJECT");
  const Subject subject = subject_of(options);
  Store store(existing(subject.file), OpenMode::read_write);
  annotator::Profile profile = annotator::newest_profile(store);
  if (!profile.recorded) store.replace_estimates(profile.run.id, annotator::stored(profile));
  store.close();

  const fs::path root = subject.root ? *subject.root : annotator::root_of_sources(profile);
  annotator::make_relative(profile, root);
  const std::vector<annotator::AnnotatedFile> written =
      annotator::write_annotated(profile, root, subject.out / "annotated");
  if (options.json) {
    fmt::print("{}", annotator::to_json(profile));
  } else if (!options.quiet) {
    fmt::print("{}\n{}", annotator::hot_lines(profile, written),
               annotator::report(profile, terminal_style()));
    for (const annotator::AnnotatedFile& annotated : written)
      fmt::print("annotated: {}\n", annotated.file.string());
    fmt::print("profile:   {}\n", subject.file.string());
  }
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::cli

int main(int argc, char** argv) {
  CLI::App app{"Writes the measured times beside the source lines.", "jcprof-annotate"};
  jcprof::cli::CommonOptions options;
  add_project_options(app, options);
  app.get_option("PROJECT")
      ->description("jcprof.json, a folder that holds one, or a profile.jcprof")
      ->required(false);
  app.add_flag("--json", options.json, "print the estimates as JSON, as jcprof export does");
  std::string place;
  CLI::Option* show =
      app.add_option("--show", place, "print the profile, a source, or a line, and write nothing")
          ->type_name("[FILE[:LINE]]")
          ->expected(0, 1);
  return jcprof::cli::guarded_main(app, argc, argv, [&] {
    if (show->count() > 0) return jcprof::cli::show(options, place);
    return jcprof::cli::annotate(options);
  });
}
