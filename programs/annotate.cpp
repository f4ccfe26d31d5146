// SPDX-License-Identifier: Apache-2.0
// jcprof annotate: estimates from what was measured, the sources with the times beside the lines, and the
// report.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "annotator/annotated_tree.hpp"
#include "annotator/estimate/estimates.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "annotator/report/report.hpp"
#include "annotator/show/show.hpp"
#include "annotator/tables.hpp"
#include "programs/output.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

void print(std::string_view text) {
  fmt::print("{}", shown_on(Stream::out, text));
}

ExitCode code_for(const annotator::Profile& profile) {
  return annotator::is_unreliable(profile) ? ExitCode::unreliable : ExitCode::done;
}

/// The profile that is annotated, and where the copies go.
struct Subject {
  fs::path file;
  std::optional<fs::path> root;  // of the sources; none: that of those which the profile names
  fs::path out;

  fs::path report() const { return out / "report.html"; }
};

Subject subject_of(const CommonOptions& options) {
  if (!is_project(options.project)) {
    const fs::path file = profile_meant(options.project);
    return {.file = file,
            .out = options.out.empty() ? fs::absolute(file).parent_path() : fs::path(options.out)};
  }
  const Project project = read_project(options.project);
  const fs::path out = newest_of(output_folder(project, options));
  return {.file = out / "profile.jcprof", .root = project.root, .out = out};
}

void make_report(const Subject& subject, const annotator::NewestRun& run, const fs::path& root,
                 const fs::path& against) {
  annotator::ReportSubject shown{.profile = run.profile,
                                 .recording = run.profile.recorded ? &run.recording : nullptr,
                                 .sources = annotator::report_sources(run.profile, root)};
  if (against.empty()) {
    write_own_file(subject.report(), annotator::report_html(shown));
    return;
  }
  annotator::NewestRun older = annotator::newest_run(Store(against, OpenMode::read_only));
  // One tree has one root, also where the older profile has other files of it.
  const bool is_same_tree = annotator::has_sources_below(older.profile, root);
  annotator::settle_sources(older, is_same_tree ? root : subject.root);
  const annotator::Against compared{
      older.profile, annotator::compare({{older.profile, older.map}}, {{run.profile, run.map}})};
  shown.against = &compared;
  write_own_file(subject.report(), annotator::report_html(shown));
}

/// The report does without sources that are missing; the copies need all of them.
std::vector<annotator::AnnotatedFile> annotate_sources(const AnnotateOptions& options, const Subject& subject,
                                                       const annotator::Profile& profile,
                                                       const fs::path& root) {
  try {
    return annotator::write_annotated(
        profile, root, subject.out / "annotated",
        options.no_date ? annotator::Dating::undated : annotator::Dating::dated);
  } catch (const UserError&) {
    if (!options.common.quiet && !options.common.json)
      fmt::print("report:    {}\n", subject.report().string());
    throw;
  }
}

/// --show takes the word behind it, which may have been meant as the project.
void settle_project(CommonOptions& options, std::string& place) {
  if (!options.project.empty()) return;
  const fs::path given = place;
  if (fs::is_directory(given) || given.extension() == ".jcprof" || given.extension() == ".json")
    std::swap(options.project, place);
  else
    options.project = std::string(".");  // g++ 12 warns of a literal, wrongly
}

/// The source as it was measured.
std::string source_text(const annotator::Profile& profile, const fs::path& root, const std::string& path) {
  const auto source = std::ranges::find(profile.sources, path, &SourceDigest::path);
  return annotator::measured_text(source == profile.sources.end() ? SourceDigest{.path = path} : *source,
                                  root);
}

/// Empty where the source cannot be had: the line's times are shown all the same.
std::string line_text(const annotator::Profile& profile, const fs::path& root,
                      const annotator::ShownPlace& place) {
  try {
    std::istringstream text(source_text(profile, root, place.file));
    std::string line;
    for (std::size_t number = 0; number < place.line && std::getline(text, line);) ++number;
    if (line.ends_with('\r')) line.pop_back();
    return text ? line : "";
  } catch (const UserError&) {
    return "";
  }
}

/// Fails for places that the profile does not know, and for sources that are gone or changed.
std::string shown(const annotator::Profile& profile, const fs::path& root, const AnnotateOptions& options) {
  const bool json = options.common.json;
  const bool is_piped = !is_terminal(Stream::out);
  annotator::TableStyle style = table_style(options.common.colour);
  if (is_piped) style.width = 80;
  if (options.place.empty())
    return json ? annotator::to_json(profile) : annotator::show_profile(profile, style);
  annotator::ShownPlace place = annotator::shown_place(options.place);
  place.file = annotator::path_meant(profile, place.file);
  if (place.line > 0) {
    if (json) return annotator::line_json(profile, place);
    return annotator::show_line(profile, place, line_text(profile, root, place), style);
  }
  if (json) return annotator::to_json(annotator::only_of(profile, place.file));
  const annotator::ShownParts shown =
      is_piped ? annotator::ShownParts::whole : annotator::ShownParts::hot_parts;
  return annotator::show_source(profile, place.file, source_text(profile, root, place.file), shown, style);
}

ExitCode show(AnnotateOptions options) {
  settle_project(options.common, options.place);
  const Subject subject = subject_of(options.common);
  annotator::NewestRun run = annotator::newest_run(Store(existing(subject.file), OpenMode::read_only));
  const fs::path root = annotator::settle_sources(run, subject.root);
  print(shown(run.profile, root, options));
  return code_for(run.profile);
}

void print_result(const AnnotateOptions& options, const Subject& subject, const annotator::Profile& profile,
                  const std::vector<annotator::AnnotatedFile>& written) {
  if (options.common.json) {
    fmt::print("{}", annotator::to_json(profile));
  } else if (!options.common.quiet) {
    print(annotator::hot_lines(profile, written) + "\n" +
          annotator::tables(profile, table_style(options.common.colour)));
    print(annotator::list_of(written, subject.out / "annotated"));
    fmt::print("profile:   {}\nreport:    {}\n", subject.file.string(), subject.report().string());
  }
}

/// The caller holds the folder of `subject`.
ExitCode annotate_subject(const AnnotateOptions& options, const Subject& subject) {
  const fs::path against = options.against.empty() ? fs::path() : existing(profile_meant(options.against));
  // A profile of another folder is not ours to change.
  const bool is_here = fs::equivalent(fs::absolute(subject.file).parent_path(), subject.out);
  Store store(subject.file, is_here ? OpenMode::read_write : OpenMode::read_only);
  annotator::NewestRun run = annotator::newest_run(store);
  const annotator::Profile& profile = run.profile;
  if (is_here && !profile.recorded) store.replace_estimates(profile.run.id, annotator::stored(profile));
  store.close();

  const fs::path root = annotator::settle_sources(run, subject.root);
  make_report(subject, run, root, against);
  print_result(options, subject, profile, annotate_sources(options, subject, profile, root));
  return code_for(profile);
}

}  // namespace

ExitCode annotate(const AnnotateOptions& options) {
  if (options.shows) return show(options);
  Subject subject = subject_of(options.common);
  existing(subject.file);
  const OutputFolder folder(
      {.folder = subject.out, .verb = "jcprof annotate", .project = subject.root.value_or(fs::path())});
  subject.out = folder.path();
  return annotate_subject(options, subject);
}

ExitCode annotate_in(const OutputFolder& folder, const Project& project, const AnnotateOptions& options) {
  const fs::path& out = folder.path();
  return annotate_subject(options,
                          {.file = existing(out / "profile.jcprof"), .root = project.root, .out = out});
}

}  // namespace jcprof::cli
