// SPDX-License-Identifier: Apache-2.0
#include "annotator/import/import.hpp"

#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "annotator/import/formats.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::annotator {
namespace {

void refuse_elf(const ForeignFile& file) {
  if (!file.elf.empty())
    throw UserError(Fault{.message = "the file has names, and needs no program",
                          .place = {.file = file.path.string()},
                          .hint = "leave out --elf, which is for gmon.out"});
}

Imported parsed(const ForeignFile& file) {
  const std::string name = file.path.string();
  if (std::filesystem::is_directory(file.path) && is_uftrace(file.path)) {
    refuse_elf(file);
    return read_uftrace(file.path);
  }
  const std::string text = read_file(file.path);
  if (is_gmon(text)) return read_gmon(file, text);
  refuse_elf(file);
  if (is_callgrind(text)) return read_callgrind(name, text);
  if (is_optee_ftrace(text)) return read_optee_ftrace(name, text);
  if (is_jcprofiler(text)) return read_jcprofiler(name, text);
  throw UserError(Fault{.message = "this is no profile in a format that jcprof knows",
                        .place = {.file = name},
                        .hint = "docs/import.md lists the formats"});
}

std::string last_written(const std::filesystem::path& path) {
  struct ::stat facts = {};
  return ::stat(path.c_str(), &facts) == 0 ? utc(facts.st_mtime) : "";
}

/// Digests of the sources that are as the profile had them: they were not written since.
void put_sources(RecordedRun& run, const std::filesystem::path& profile) {
  std::set<std::string> paths;
  for (const StoredEstimate& row : run.estimates) paths.insert(row.path);
  std::error_code error;
  const auto made = std::filesystem::last_write_time(profile, error);
  for (const std::string& path : paths) {
    if (!path.starts_with('/') || !why_unreadable(path).empty()) continue;
    if (std::filesystem::last_write_time(path, error) <= made && !error)
      run.map.sources.push_back({.path = path, .sha256 = sha256(read_file(path))});
  }
}

void put_origin(RunInfo& info, const ForeignFile& file) {
  info.state = RunState::complete;
  info.tool = "jcprof " JCPROF_VERSION;
  info.transport = std::string(import_prefix) + file.path.string();
  if (info.started.empty()) info.started = last_written(file.path);
}

}  // namespace

Imported import_profile(const ForeignFile& file) {
  Imported imported = parsed(file);
  if (auto* recorded = std::get_if<RecordedRun>(&imported)) {
    put_origin(recorded->info, file);
    put_sources(*recorded, file.path);
  }
  if (auto* measured = std::get_if<RunData>(&imported)) put_origin(measured->run, file);
  return imported;
}

std::int64_t store_imported(Store& store, const Imported& imported) {
  if (const auto* recorded = std::get_if<RecordedRun>(&imported)) return store_recording(store, *recorded);
  const auto& measured = std::get<RunData>(imported);
  store.begin();
  const std::int64_t run = store.begin_run(measured.run, measured.map, measured.inputs);
  for (const StoredPath& path : measured.paths) store.add_path(run, path);
  for (const StoredSample& sample : measured.samples) store.add_sample(run, sample);
  store.replace_warnings(run, measured.warnings);
  store.commit();
  return run;
}

const std::vector<Warning>& warnings_of(const Imported& imported) {
  return std::visit([](const auto& run) -> const std::vector<Warning>& { return run.warnings; }, imported);
}

}  // namespace jcprof::annotator
