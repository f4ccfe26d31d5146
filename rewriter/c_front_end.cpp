// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c_front_end.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "rewriter/c_merge.hpp"
#include "rewriter/c_unit.hpp"
#include "rewriter/edits.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

/// A unit of a large program takes some hundred MB.
constexpr unsigned most_threads = 8;

std::vector<SourceModel> read_files(const fs::path& root, const std::vector<std::string>& paths) {
  std::vector<SourceModel> models;
  std::vector<Fault> faults;
  for (const std::string& path : paths) {
    SourceModel model;
    model.path = path;
    model.text = read_file(root / path);
    if (carries_traps(model.text))
      faults.push_back({.message = "the source carries jcprof's traps already",
                        .place = place_at(path, model.text, model.text.find(span_begin)),
                        .hint = "take them out with: jcprof strip " + path});
    models.push_back(std::move(model));
  }
  if (!faults.empty()) throw UserError(faults);
  return models;
}

/// Calls `work` with each number below `count`, on as many threads as help.
template <typename Work>
void in_parallel(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  const std::size_t wanted = std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
  for (std::size_t i = 0; i < std::min(wanted, count); ++i) threads.emplace_back(take);
}

std::vector<CUnitReading> read_units(const std::vector<CompileUnit>& units, const CReadingRoom& room) {
  std::vector<CUnitReading> readings(units.size());
  in_parallel(units.size(), [&](std::size_t i) { readings[i] = read_unit(units[i], i, room); });
  std::vector<Fault> faults;
  std::set<std::string> said;  // of a header that many units include
  for (const CUnitReading& reading : readings)
    for (const Fault& fault : reading.faults)
      if (said.insert(fmt::format("{}:{}:{}: {}", fault.place.file, fault.place.line, fault.place.column,
                                  fault.message))
              .second)
        faults.push_back(fault);
  if (!faults.empty()) throw UserError(faults);
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

/// What one unit compiles as constexpr is one for all: the traps that suit it suit the others too.
void agree_on_constexpr(std::vector<CSeen>& seen) {
  std::set<std::uint32_t> found;
  for (const CSeen& s : seen)
    for (const CFunction& function : s.view.functions)
      if (function.is_constexpr) found.insert(function.declarator.begin);
  for (CSeen& s : seen)
    for (CFunction& function : s.view.functions)
      function.is_constexpr = found.contains(function.declarator.begin);
}

/// First of all in the file: the runtime is there for whatever follows.
void include_runtime(SourceModel& model, bool is_main_file) {
  Slot slot{.at = model.text.starts_with("\xEF\xBB\xBF") ? 3U : 0U,
            .text = "\n#include \"{runtime}\"\n#line 1\n"};
  for (std::uint32_t i = 0; !is_main_file && i < model.sites.size(); ++i) slot.wanted_by.push_back(i);
  if (is_main_file || !model.sites.empty()) model.slots.insert(model.slots.begin(), std::move(slot));
}

}  // namespace

std::vector<SourceModel> read_c(const fs::path& root, const std::vector<std::string>& paths,
                                const std::vector<CompileUnit>& units, Reach reach) {
  std::vector<SourceModel> models = read_files(root, paths);
  CSources sources;
  for (std::size_t i = 0; i < paths.size(); ++i) sources.emplace(file_id(root / paths[i]), i);
  std::vector<CText> texts;
  texts.reserve(models.size());
  for (const SourceModel& model : models) texts.emplace_back(model.text);
  CClaims claims(models.size());
  std::vector<CUnitReading> readings =
      read_units(units, {.sources = sources, .texts = texts, .claims = claims});
  std::vector<std::vector<CSeen>> seen = views_by_file(std::move(readings), models.size());
  std::vector<std::vector<std::string>> parameters(models.size());
  in_parallel(models.size(), [&](std::size_t i) {
    agree_on_constexpr(seen[i]);
    for (CSeen& s : seen[i]) s.model = CBuilder(texts[i], s.view, reach).build();
    parameters[i] = merge_views(texts[i], seen[i], models[i]);
  });
  name_functions(models, parameters);
  std::set<CFileId> main_files;
  for (const CompileUnit& unit : units) main_files.insert(file_id(unit.path));
  for (std::size_t i = 0; i < models.size(); ++i)
    include_runtime(models[i], main_files.contains(file_id(root / paths[i])));
  return models;
}

}  // namespace jcprof::rewriter
