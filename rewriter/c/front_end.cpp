// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/front_end.hpp"

#include <algorithm>
#include <set>

#include "rewriter/c/merge.hpp"
#include "rewriter/c/unit.hpp"
#include "rewriter/c/walk.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/language.hpp"
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

/// First of all in the file: the runtime is there for whatever follows. Where roots need <setjmp.h>, it is
/// asked for ahead.
void include_runtime(SourceModel& model, bool is_main_file, Reach reach) {
  Slot slot{.at = model.text.starts_with("\xEF\xBB\xBF") ? 3U : 0U,
            .text = "\n#include \"{runtime}\"\n#line 1\n"};
  for (std::uint32_t i = 0; !is_main_file && i < model.sites.size(); ++i) slot.wanted_by.push_back(i);
  Slot root{.at = slot.at, .text = "\n#define JCPROF_ROOT_HERE", .wanted_by = {}};
  const bool has_jump = is_main_file && (reach == Reach::in_process || reach == Reach::ta);
  for (std::uint32_t i = 0; has_jump && i < model.sites.size(); ++i)
    if (model.sites[i].kind == TrapKind::entry0) root.wanted_by.push_back(i);
  if (is_main_file || !model.sites.empty()) model.slots.insert(model.slots.begin(), std::move(slot));
  if (!root.wanted_by.empty()) model.slots.insert(model.slots.begin(), std::move(root));
}

}  // namespace

std::vector<SourceModel> read_c(const fs::path& root, const std::vector<std::string>& paths,
                                const std::vector<CompileUnit>& units, const CEntering& entering) {
  std::vector<SourceModel> models = read_files(root, paths);
  CSources sources;
  for (std::size_t i = 0; i < paths.size(); ++i) sources.emplace(file_id(root / paths[i]), i);
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
  std::vector<std::vector<CSeen>> seen = views_by_file(std::move(readings), models.size());
  std::vector<std::vector<std::string>> parameters(models.size());
  const auto build = [&](std::size_t i) {
    const Reading reading(paths[i]);
    for (CSeen& s : seen[i]) s.model = build_c(texts[i], s.view, entering);
    parameters[i] = merge_views(texts[i], seen[i], models[i]);
  };
  in_parallel(models.size(), build, reading_workers());
  name_functions(models, parameters);
  std::set<CFileId> main_files;
  for (const CompileUnit& unit : units) main_files.insert(file_id(unit.path));
  for (std::size_t i = 0; i < models.size(); ++i)
    include_runtime(models[i], main_files.contains(file_id(root / paths[i])), entering.reach);
  return models;
}

}  // namespace jcprof::rewriter
