// SPDX-License-Identifier: Apache-2.0
// jcprof export: a profile in another format.
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "annotator/annotated_tree.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/export/gmon.hpp"
#include "annotator/record/profile.hpp"
#include "programs/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {

namespace {

std::string as_gmon(const ExportOptions& options, const Store& store) {
  if (options.elf.empty())
    throw UserError(
        Fault{.message = "gmon needs --elf FILE", .hint = "the program that gprof is to be given"});
  return annotator::to_gmon(annotator::load_recorded_run(store), annotator::read_binary(options.elf));
}

/// Sources are named as the project does, not as the system.
annotator::Profile with_own_names(annotator::Profile profile) {
  annotator::make_relative(profile, annotator::root_of_sources(profile));
  return profile;
}

std::string written(const ExportOptions& options, const Store& store) {
  if (options.format == ExportFormat::gmon) return as_gmon(options, store);
  const annotator::Profile profile = annotator::newest_run(store).profile;
  switch (options.format) {
    case ExportFormat::json:
      return annotator::to_json(profile);
    case ExportFormat::csv:
      return annotator::to_csv(profile);
    case ExportFormat::folded:
      return annotator::to_folded(profile);
    case ExportFormat::speedscope:
      return annotator::to_speedscope(profile);
    case ExportFormat::callgrind:
      return annotator::to_callgrind(profile);
    case ExportFormat::pprof:
      return annotator::to_pprof(profile);
    case ExportFormat::sarif:
      return annotator::to_sarif(with_own_names(profile));
    case ExportFormat::markdown:
      return annotator::to_markdown(with_own_names(profile));
    case ExportFormat::gmon:
      break;
  }
  return "";
}

}  // namespace

ExitCode export_profile(const ExportOptions& options) {
  const bool is_binary = options.format == ExportFormat::pprof || options.format == ExportFormat::gmon;
  if (is_binary && options.out.empty() && ::isatty(STDOUT_FILENO) == 1)
    throw UserError(Fault{.message = fmt::format("{} is binary, and this is a terminal",
                                                 name_in(export_formats, options.format)),
                          .hint = "-o FILE writes it to a file"});
  const std::string text = written(options, Store(options.profile, OpenMode::read_only));
  if (options.out.empty())
    fmt::print("{}", text);
  else
    write_file(options.out, text);
  return ExitCode::done;
}

}  // namespace jcprof::cli
