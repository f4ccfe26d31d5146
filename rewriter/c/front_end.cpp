// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/front_end.hpp"

#include <algorithm>
#include <set>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "rewriter/c/merge.hpp"
#include "rewriter/c/unit.hpp"
#include "rewriter/c/walk.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/language.hpp"
#include "rewriter/plan.hpp"
#include "rewriter/project_tree.hpp"
#include "rewriter/reading.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/parallel.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

std::vector<SourceModel> read_files(const fs::path& root, const std::vector<std::string>& paths) {
  std::vector<SourceModel> models;
  std::vector<Fault> faults;
  for (const std::string& path : paths) {
    SourceModel model;
    model.path = path;
    model.text = read_file(root / path);
    if (carries_traps(model.text)) faults.push_back(traps_already(path, model.text));
    models.push_back(std::move(model));
  }
  if (!faults.empty()) throw UserError(faults);
  return models;
}

std::vector<CUnitReading> read_units(const fs::path& root, const std::vector<CompileUnit>& units,
                                     const CReadingRoom& room) {
  std::vector<CUnitReading> readings(units.size());
  const auto read = [&](std::size_t i) {
    const Reading reading(fs::path(units[i].path).lexically_relative(root).generic_string());
    readings[i] = read_unit(units[i], i, room);
  };
  in_parallel(units.size(), read, reading_workers());
  std::vector<UnreadableSources::Source> unreadable;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (!readings[i].faults.empty())
      unreadable.push_back(
          {fs::path(units[i].path).lexically_relative(root).generic_string(), readings[i].faults});
  if (!unreadable.empty()) throw UnreadableSources(std::move(unreadable));
  return readings;
}

/// The views of each file, in the order of the units, each once.
std::vector<std::vector<CSeen>> views_by_file(std::vector<CUnitReading> readings, std::size_t files) {
  std::vector<std::vector<CSeen>> seen(files);
  for (CUnitReading& reading : readings)
    for (auto& [file, view] : reading.views) {
      const bool is_known =
          std::ranges::any_of(seen[file], [&](const CSeen& s) { return s.view.same_as(view); });
      if (!is_known) seen[file].push_back({.view = std::move(view), .model = {}});
    }
  return seen;
}

bool holds_entry(const SourceModel& model, const std::set<std::string>& entries) {
  return std::ranges::any_of(model.functions, [&](const Function& function) {
    return std::ranges::any_of(
        entries, [&](const std::string& entry) { return matches_function(entry, model, function); });
  });
}

bool has_jump(Reach reach) {
  return reach == Reach::in_process || reach == Reach::ta;
}

/// Main files of units in which another file holds an entry: the runtime comes first in them, too early for
/// the roots of that file.
std::set<CFileId> hosts_of_entries(const std::vector<SourceModel>& models, const std::vector<CFileId>& files,
                                   const std::vector<CFileId>& main_files,
                                   const std::vector<std::vector<std::size_t>>& seen_by_unit,
                                   const CEntering& entering) {
  std::set<CFileId> hosts;
  if (!has_jump(entering.reach)) return hosts;
  std::vector<bool> holds;
  for (const SourceModel& model : models) holds.push_back(holds_entry(model, entering.entries));
  for (std::size_t unit = 0; unit < main_files.size(); ++unit)
    if (std::ranges::any_of(seen_by_unit[unit],
                            [&](std::size_t file) { return holds[file] && files[file] != main_files[unit]; }))
      hosts.insert(main_files[unit]);
  return hosts;
}

enum class FileRole : std::uint8_t { included, main, host };  // host: of another file's entry

/// First of all in the file: the runtime is there for whatever follows. If roots need <setjmp.h>, it is
/// asked for ahead.
void include_runtime(SourceModel& model, FileRole role, Reach reach) {
  const bool is_main_file = role != FileRole::included;
  Slot slot{.at = model.text.starts_with("\xEF\xBB\xBF") ? 3U : 0U,
            .text = "\n#include \"{runtime}\"\n#line 1\n"};
  for (std::uint32_t i = 0; !is_main_file && i < model.sites.size(); ++i) slot.wanted_by.push_back(i);
  Slot root{.at = slot.at, .text = "\n#define JCPROF_ROOT_HERE", .wanted_by = {}};
  for (std::uint32_t i = 0; role != FileRole::host && i < model.sites.size(); ++i)
    if (model.sites[i].kind == TrapKind::entry0) root.wanted_by.push_back(i);
  if (is_main_file || !model.sites.empty()) model.slots.insert(model.slots.begin(), std::move(slot));
  if (has_jump(reach) && (role == FileRole::host || !root.wanted_by.empty()))
    model.slots.insert(model.slots.begin(), std::move(root));
}

}  // namespace

CSourceModels read_c(const fs::path& root, const std::vector<std::string>& paths,
                     const std::vector<CompileUnit>& units, const CEntering& entering) {
  std::vector<SourceModel> models = read_files(root, paths);
  CSources sources;
  std::vector<CFileId> files;
  for (const std::string& path : paths) files.push_back(file_id(root / path));
  for (std::size_t i = 0; i < paths.size(); ++i) sources.emplace(files[i], i);
  std::vector<CText> texts;
  texts.reserve(models.size());
  for (const SourceModel& model : models) texts.emplace_back(model.text);
  CClaims claims(models.size());
  std::vector<CUnitReading> readings = read_units(root, units,
                                                  {.sources = sources,
                                                   .texts = texts,
                                                   .claims = claims,
                                                   .refused = refused_flags(units),
                                                   .irregular = irregular_files(root)});
  CSourceModels result;
  for (CUnitReading& reading : readings) {
    result.seen.push_back(std::move(reading.seen));
    result.others.push_back(std::move(reading.others));
  }
  std::vector<std::vector<CSeen>> seen = views_by_file(std::move(readings), models.size());
  std::vector<std::vector<std::string>> parameters(models.size());
  const auto build = [&](std::size_t i) {
    const Reading reading(paths[i]);
    for (CSeen& s : seen[i]) s.model = build_c(texts[i], s.view, entering);
    parameters[i] = merge_views(texts[i], seen[i], models[i]);
  };
  in_parallel(models.size(), build, reading_workers());
  name_functions(models, parameters);
#ifdef __GLIBC__
  // Returns memory that libclang freed: each compiler started later would copy its page tables.
  ::malloc_trim(0);
#endif
  std::vector<CFileId> of_units;
  for (const CompileUnit& unit : units) of_units.push_back(file_id(unit.path));
  const std::set<CFileId> main_files(of_units.begin(), of_units.end());
  const std::set<CFileId> hosts = hosts_of_entries(models, files, of_units, result.seen, entering);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const FileRole role = hosts.contains(files[i])        ? FileRole::host
                          : main_files.contains(files[i]) ? FileRole::main
                                                          : FileRole::included;
    include_runtime(models[i], role, entering.reach);
  }
  result.models = std::move(models);
  return result;
}

}  // namespace jcprof::rewriter
