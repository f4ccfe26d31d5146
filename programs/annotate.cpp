// SPDX-License-Identifier: Apache-2.0
// jcprof-annotate: estimates from what was measured, the sources with the times beside the lines, and the
// report.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "annotator/annotated_tree.hpp"
#include "annotator/estimate/estimates.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "annotator/report/report.hpp"
#include "annotator/tables.hpp"
#include "programs/main_guard.hpp"
#include "programs/show.hpp"
#include "src/core/file.hpp"
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

struct AnnotateOptions {
  CommonOptions common;
  std::string against;  // an older profile.jcprof; empty: none
  std::string place;    // that is to be shown; empty: the whole
};

/// What is annotated, and where the copies go.
struct Subject {
  fs::path file;
  std::optional<fs::path> root;  // of the sources; none: that of those which the profile names
  fs::path out;

  fs::path report() const { return out / "report.html"; }
};

Subject subject_of(const CommonOptions& options) {
  const fs::path given = options.project;
  if (given.extension() == ".jcprof")
    return {.file = given,
            .out = options.out.empty() ? fs::absolute(given).parent_path() : fs::path(options.out)};
  const Project project = read_project(options.project);
  const fs::path out = output_folder(project, options);
  return {.file = out / "profile.jcprof", .root = project.root, .out = out};
}

/// Names sources as they lie below their root, which is returned.
fs::path settle_sources(annotator::NewestRun& run, const std::optional<fs::path>& known_root) {
  const fs::path root = known_root ? *known_root : annotator::root_of_sources(run.profile);
  annotator::make_relative(run.profile, root);
  annotator::make_relative(run.map, root);
  return root;
}

void make_report(const Subject& subject, const annotator::NewestRun& run, const fs::path& root,
                 const std::string& against) {
  annotator::ReportSubject shown{.profile = run.profile,
                                 .recording = run.profile.recorded ? &run.recording : nullptr,
                                 .sources = annotator::report_sources(run.profile, root)};
  if (against.empty()) {
    write_own_file(subject.report(), annotator::report_html(shown));
    return;
  }
  annotator::NewestRun older = annotator::newest_run(Store(against, OpenMode::read_only));
  // Of the same tree the same root, also where other files of it were seen.
  const bool is_same_tree = annotator::has_sources_below(older.profile, root);
  settle_sources(older, is_same_tree ? root : subject.root);
  const annotator::Against compared{older.profile,
                                    annotator::compare({older.profile, older.map}, {run.profile, run.map})};
  shown.against = &compared;
  write_own_file(subject.report(), annotator::report_html(shown));
}

/// The report shows what it can without the sources; copies of them need all.
std::vector<annotator::AnnotatedFile> annotate_sources(const AnnotateOptions& options, const Subject& subject,
                                                       const annotator::Profile& profile,
                                                       const fs::path& root) {
  try {
    return annotator::write_annotated(profile, root, subject.out / "annotated");
  } catch (const UserError&) {
    if (!options.common.quiet && !options.common.json)
      fmt::print("report:    {}\n", subject.report().string());
    throw;
  }
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

fs::path existing(const fs::path& profile) {
  if (!fs::exists(profile))
    throw UserError(Fault{.message = fmt::format("there is no \"{}\"", profile.string()),
                          .hint = "run jcprof run first, or jcprof profile, which does it all"});
  return profile;
}

ExitCode show(AnnotateOptions asked) {
  CommonOptions& options = asked.common;
  settle_project(options, asked.place);
  const Subject subject = subject_of(options);
  annotator::NewestRun run = annotator::newest_run(Store(existing(subject.file), OpenMode::read_only));
  const fs::path root = settle_sources(run, subject.root);
  ShowWish wish{.place = asked.place, .json = options.json, .style = terminal_style()};
  wish.is_piped = ::isatty(STDOUT_FILENO) != 1;
  if (wish.is_piped) wish.style.width = 80;
  fmt::print("{}", shown(run.profile, root, wish));
  return ExitCode::done;
}

ExitCode annotate(const AnnotateOptions& asked) {
  const CommonOptions& options = asked.common;
  if (options.project.empty()) throw CLI::RequiredError("PROJECT");
  Subject subject = subject_of(options);
  existing(subject.file);
  const OutputFolder folder(
      {.folder = subject.out, .verb = "jcprof annotate", .project = subject.root.value_or(fs::path())});
  subject.out = folder.path();
  if (!asked.against.empty()) existing(asked.against);
  // A profile of another folder is not ours to change.
  const bool is_here = fs::equivalent(fs::absolute(subject.file).parent_path(), folder.path());
  Store store(subject.file, is_here ? OpenMode::read_write : OpenMode::read_only);
  annotator::NewestRun run = annotator::newest_run(store);
  const annotator::Profile& profile = run.profile;
  if (is_here && !profile.recorded) store.replace_estimates(profile.run.id, annotator::stored(profile));
  store.close();

  const fs::path root = settle_sources(run, subject.root);
  make_report(subject, run, root, asked.against);
  const std::vector<annotator::AnnotatedFile> written = annotate_sources(asked, subject, profile, root);
  if (options.json) {
    fmt::print("{}", annotator::to_json(profile));
  } else if (!options.quiet) {
    fmt::print("{}\n{}", annotator::hot_lines(profile, written),
               annotator::tables(profile, terminal_style()));
    for (const annotator::AnnotatedFile& annotated : written)
      fmt::print("annotated: {}\n", annotated.file.string());
    fmt::print("profile:   {}\nreport:    {}\n", subject.file.string(), subject.report().string());
  }
  return ExitCode::done;
}

}  // namespace
}  // namespace jcprof::cli

int main(int argc, char** argv) {
  CLI::App app{"Writes the measured times beside the source lines.", "jcprof-annotate"};
  jcprof::cli::AnnotateOptions options;
  add_project_options(app, options.common);
  app.get_option("PROJECT")
      ->description("jcprof.json, a folder that holds one, or a profile.jcprof")
      ->required(false);
  app.add_flag("--json", options.common.json, "print the estimates as JSON, as jcprof export does");
  CLI::Option* against =
      app.add_option("--against", options.against,
                     "an older profile of the same project: the report shows what has changed since")
          ->type_name("PROFILE");
  const CLI::Option* show =
      app.add_option("--show", options.place, "print the profile, a source, or a line, and write nothing")
          ->type_name("[FILE[:LINE]]")
          ->expected(0, 1)
          ->excludes(against);
  return jcprof::cli::guarded_main(app, argc, argv, [&] {
    if (show->count() > 0) return jcprof::cli::show(options);
    return jcprof::cli::annotate(options);
  });
}
