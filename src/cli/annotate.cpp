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
#include "annotator/estimates.hpp"
#include "annotator/exports.hpp"
#include "annotator/recorded_profile.hpp"
#include "annotator/report.hpp"
#include "annotator/tables.hpp"
#include "src/cli/main_guard.hpp"
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
    return {.file = given, .out = options.out.empty() ? given.parent_path() : fs::path(options.out)};
  const Project project = read_project(options.project);
  const fs::path out = output_folder(project, options);
  return {.file = out / "profile.jcprof", .root = project.root, .out = out};
}

/// What a profile.jcprof holds of its newest run.
struct Held {
  annotator::Profile profile;
  TrapMap map;
  StoredRecording recording;
};

Held held_in(const Store& store) {
  Held held{.profile = annotator::newest_profile(store)};
  held.map = store.traps(held.profile.run.id);
  if (held.profile.recorded) held.recording = store.recording(held.profile.run.id);
  return held;
}

void make_report(const Subject& subject, const Held& held, const fs::path& root, const std::string& against) {
  annotator::ReportSubject shown{.profile = held.profile,
                                 .recording = held.profile.recorded ? &held.recording : nullptr,
                                 .sources = annotator::report_sources(held.profile, root)};
  if (against.empty()) {
    write_file(subject.report(), annotator::report_html(shown));
    return;
  }
  Held older = held_in(Store(against, OpenMode::read_only));
  annotator::make_relative(older.profile, subject.root ? root : annotator::root_of_sources(older.profile));
  const annotator::Against compared{older.profile,
                                    annotator::compare({older.profile, older.map}, {held.profile, held.map})};
  shown.against = &compared;
  write_file(subject.report(), annotator::report_html(shown));
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

ExitCode annotate(const AnnotateOptions& asked) {
  const CommonOptions& options = asked.common;
  const Subject subject = subject_of(options);
  for (const fs::path& file : {subject.file, fs::path(asked.against)})
    if (!file.empty() && !fs::exists(file))
      throw UserError(Fault{.message = fmt::format("there is no \"{}\"", file.string()),
                            .hint = "run jcprof run first, or jcprof profile, which does it all"});
  Store store(subject.file, OpenMode::read_write);
  Held held = held_in(store);
  annotator::Profile& profile = held.profile;
  if (!profile.recorded) store.replace_estimates(profile.run.id, annotator::stored(profile));
  store.close();

  const fs::path root = subject.root ? *subject.root : annotator::root_of_sources(profile);
  annotator::make_relative(profile, root);
  make_report(subject, held, root, asked.against);
  const std::vector<annotator::AnnotatedFile> written = annotate_sources(asked, subject, profile, root);
  if (options.json) {
    fmt::print("{}", annotator::to_json(profile));
  } else if (!options.quiet) {
    fmt::print("{}\n{}", annotator::hot_lines(profile, written),
               annotator::report(profile, terminal_style()));
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
  app.get_option("PROJECT")->description("jcprof.json, a folder that holds one, or a profile.jcprof");
  app.add_flag("--json", options.common.json, "print the estimates as JSON, as jcprof export does");
  app.add_option("--against", options.against,
                 "an older profile of the same project: the report shows what has changed since")
      ->type_name("PROFILE");
  return jcprof::cli::guarded_main(app, argc, argv, [&] { return jcprof::cli::annotate(options); });
}
