// SPDX-License-Identifier: Apache-2.0
#include "programs/generation.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::cli {

namespace {

std::string places_text(const rewriter::Generated& generated) {
  std::vector<rewriter::LeftAlonePlace> places = generated.left_alone;
  std::ranges::stable_sort(places, {}, [](const auto& place) { return std::tie(place.path, place.line); });
  std::string text;
  for (const rewriter::LeftAlonePlace& place : places)
    text += harmless(fmt::format("{}:{}: left alone: {}{}\n", place.path, place.line, place.reason,
                                 place.count > 1 ? fmt::format(" ({})", place.count) : ""));
  return text;
}

std::string reasons_text(const rewriter::Generated& generated) {
  std::string text;
  for (const auto& [reason, count] : left_alone_by_reason(generated))
    text += harmless(fmt::format("left alone: {} × {}\n", count, reason));
  return text;
}

std::string coverage_text(const rewriter::Generated& generated, LeftAloneDetail detail) {
  const rewriter::Coverage& coverage = generated.coverage;
  std::string text = detail == LeftAloneDetail::places ? places_text(generated) : reasons_text(generated);
  text += fmt::format("{} of {} executable statements outside macros have a trap", coverage.with_trap,
                      coverage.statements);
  if (coverage.level != TrapLevel::statement)
    text += fmt::format(": \"level\" is \"{}\"", name_of(coverage.level));
  else if (coverage.statements > 0)
    text += fmt::format(" ({:.1f} %)", 100.0 * static_cast<double>(coverage.with_trap) /
                                           static_cast<double>(coverage.statements));
  if (coverage.excluded > 0)
    text += fmt::format("; {} more are in functions that the project leaves out", coverage.excluded);
  return text + "\n";
}

}  // namespace

std::size_t functions_with_traps(const TrapMap& map) {
  std::set<std::pair<std::string, std::string>> functions;
  for (const Trap& trap : map.traps) functions.emplace(trap.path, trap.function);
  return functions.size();
}

std::vector<std::pair<std::string, std::size_t>> left_alone_by_reason(const rewriter::Generated& generated) {
  std::map<std::string, std::size_t> counts;
  for (const rewriter::LeftAlonePlace& place : generated.left_alone) counts[place.reason] += place.count;
  std::vector<std::pair<std::string, std::size_t>> reasons(counts.begin(), counts.end());
  std::ranges::stable_sort(reasons, std::greater{}, &std::pair<std::string, std::size_t>::second);
  return reasons;
}

bool is_counted(const rewriter::Generated& generated) {
  return generated.coverage.statements + generated.coverage.excluded > 0;
}

std::string to_text(const rewriter::Generated& generated, const std::filesystem::path& out,
                    LeftAloneDetail detail) {
  std::string text;
  for (const std::string& note : generated.notes) text += harmless(note) + "\n";
  if (is_counted(generated)) text += coverage_text(generated, detail);
  return text + fmt::format("{} traps in {} functions of {} files: {}\n", generated.map.traps.size(),
                            functions_with_traps(generated.map), generated.instrumented_files,
                            (out / "tree").string());
}

}  // namespace jcprof::cli
