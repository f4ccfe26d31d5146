// SPDX-License-Identifier: Apache-2.0
// jcprof export: a profile in another format.
#include <array>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "annotator/annotated_tree.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/export/gmon.hpp"
#include "annotator/record/profile.hpp"
#include "programs/output.hpp"
#include "programs/parquet.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {

namespace {

std::string as_gmon(const ExportOptions& options, const Store& store) {
  if (options.elf.empty())
    throw UserError(Fault{.message = "--format gmon needs --elf FILE",
                          .hint = "name the program that you give to gprof"});
  return annotator::to_gmon(annotator::load_recorded_run(store), annotator::read_binary(options.elf));
}

/// Readers of callgrind and pprof open sources, and compare profiles, by whole paths.
bool takes_relative(ExportFormat format) {
  return format != ExportFormat::callgrind && format != ExportFormat::pprof;
}

std::string written(ExportFormat format, annotator::NewestRun run) {
  using namespace annotator;
  using Write = std::string (*)(const Profile&);
  // By ExportFormat; the others need more than a profile.
  constexpr std::array<Write, 11> write{annotator::to_json, to_csv,     to_folded, to_speedscope,
                                        to_callgrind,       to_pprof,   to_sarif,  to_markdown,
                                        to_openmetrics,     to_firefox, to_perf};
  if (const auto folder = common_folder(run); folder && takes_relative(format))
    make_relative(run.profile, *folder);
  return write.at(static_cast<std::size_t>(format))(run.profile);
}

}  // namespace

ExitCode export_profile(const ExportOptions& options) {
  const std::vector<std::filesystem::path> profiles = profiles_meant(options.projects);
  if (options.format == ExportFormat::parquet) {
    if (options.out.empty())
      throw UserError(Fault{.message = "--format parquet needs -o FOLDER",
                            .hint = "many profiles can share a folder (docs/fleet.md)"});
    write_parquet(profiles, options.out);
    return ExitCode::done;
  }
  if (profiles.size() > 1)
    throw UserError(Fault{.message = fmt::format("--format {} takes one profile, not {}",
                                                 name_in(export_formats, options.format), profiles.size()),
                          .hint = "parquet takes many"});
  const bool is_binary = options.format == ExportFormat::pprof || options.format == ExportFormat::gmon;
  if (is_binary && options.out.empty() && is_terminal(Stream::out))
    throw UserError(Fault{.message = fmt::format("{} is binary, and this is a terminal",
                                                 name_in(export_formats, options.format)),
                          .hint = "-o FILE writes it to a file"});
  const Store store(profiles.front(), OpenMode::read_only);
  const std::string text = options.format == ExportFormat::gmon
                               ? as_gmon(options, store)
                               : written(options.format, annotator::newest_run(store));
  if (options.out.empty())
    fmt::print("{}", text);
  else
    write_file(options.out, text);
  return ExitCode::done;
}

}  // namespace jcprof::cli
