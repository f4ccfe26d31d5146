// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/judge.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "rewriter/blame.hpp"
#include "rewriter/c/runtime.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

/// Circles of suspects: the trap that a complaint points at, all of that function, all of that file, all of
/// the unit's own file.
constexpr std::size_t steps = 4;

/// gcc points at the statement in front, and at the label in a note.
bool is_fall_through(const Complaint& complaint) {
  return complaint.places.size() > 1 && complaint.message.find("may fall through") != std::string::npos;
}

/// Takes off what renaming the entry's body changes of a message.
std::string without_body_prefix(std::string message) {
  constexpr std::string_view prefix = "jcprof_body_";
  for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix, at))
    message.erase(at, prefix.size());
  return message;
}

std::vector<std::uint32_t> all_sites(const Instrumentation& work, std::size_t file) {
  std::vector<std::uint32_t> sites;
  for (const PlannedTrap& planned : work.plan.files[file].traps)
    if (planned.trap.kind != TrapKind::entry0) sites.push_back(planned.site);
  return sites;
}

}  // namespace

std::vector<Complaint> complaints_of(const UnitAnswer& answer, const std::filesystem::path& root) {
  std::vector<Complaint> result;
  for (const Diagnostic& diagnostic : answer.diagnostics) {
    Complaint& complaint = result.emplace_back();
    complaint.severity = diagnostic.severity;
    complaint.message = without_body_prefix(diagnostic.message);
    for (CompileError place : diagnostic.places) {
      const std::string relative =
          std::filesystem::path(place.path).lexically_relative(root).generic_string();
      const bool is_inside = !relative.empty() && !relative.starts_with("..");
      if (is_inside) place.path = relative;
      if (complaint.path.empty()) {
        complaint.path = place.path;
        complaint.line = place.line;
      }
      if (is_inside && relative != c_runtime_file) complaint.places.push_back(place);
    }
  }
  return result;
}

std::vector<Complaint> fresh_ones(std::vector<Complaint> now, const std::vector<Complaint>& before) {
  const auto key = [](const Complaint& c) { return std::pair(c.path, c.message); };
  const auto key_with_line = [](const Complaint& c) { return std::tuple(c.path, c.message, c.line); };
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::set<std::tuple<std::string, std::string, std::size_t>> lines;
  for (const Complaint& complaint : before) {
    ++known[key(complaint)];
    lines.insert(key_with_line(complaint));
  }
  std::ranges::stable_partition(
      now, [&](const Complaint& complaint) { return lines.contains(key_with_line(complaint)); });
  std::erase_if(now, [&](const Complaint& complaint) {
    std::size_t& left = known[key(complaint)];
    if (left == 0) return false;
    --left;
    return true;
  });
  return now;
}

std::string place_of(const Complaint& complaint) {
  return complaint.line == 0 ? complaint.path : fmt::format("{}:{}", complaint.path, complaint.line);
}

Judge::Judge(const Instrumentation& work, BlamedSteps& blamed_before)
    : work_(work), blamed_before_(blamed_before) {
  for (std::size_t i = 0; i < work.models.size(); ++i) files_.emplace(work.models[i].path, i);
}

bool Judge::blame(const Complaint& complaint, const std::string& main_file) {
  const CompileError* place = pinned(complaint);
  const std::string key = place == nullptr
                              ? fmt::format("{}:{}:{}", main_file, place_of(complaint), complaint.message)
                              : fmt::format("{}:{}:{}", place->path, place->line, complaint.message);
  // A line that complains twice in one turn goes on no faster.
  const std::size_t first = this_turn_.try_emplace(key, blamed_before_[key]).first->second;
  for (std::size_t step = first; step < steps; ++step) {
    const auto [file, sites] = is_fall_through(complaint) && step == 0 ? behind_label(complaint.places.back())
                                                                       : suspects(place, main_file, step);
    if (sites.empty()) continue;
    const bool is_error = complaint.severity == Severity::error;
    const bool is_elsewhere =
        step + 1 == steps && !complaint.path.empty() && !files_.contains(complaint.path);
    for (const std::uint32_t site : sites)
      refused_.push_back({.file = file,
                          .site = site,
                          .reason = complaint.message,
                          .place = is_elsewhere ? place_of(complaint) : "",
                          .what = is_error ? "it does not compile there" : "the compiler warns there"});
    blamed_before_[key] = step + 1;
    return true;
  }
  return false;
}

Judge::Suspects Judge::suspects(const CompileError* place, const std::string& main_file, std::size_t step) {
  if (place == nullptr && step < 3) return {};
  const std::string& path = step < 3 ? place->path : main_file;
  const auto file = files_.find(path);
  if (file == files_.end()) return {};
  if (step >= 2) return {file->second, all_sites(work_, file->second)};
  const RewrittenSource& source = *rewritten(path);
  return {file->second, step == 0 ? blamed(*place, source) : blamed_function(*place, source)};
}

Judge::Suspects Judge::behind_label(const CompileError& label) {
  const RewrittenSource* source = rewritten(label.path);
  if (source == nullptr) return {};
  return {files_.at(label.path), blamed_behind(label, *source)};
}

/// The first of its places that a trap stands at, else the first of all: a macro's definition comes before
/// its use.
const CompileError* Judge::pinned(const Complaint& complaint) {
  for (const CompileError& place : complaint.places)
    if (is_at_trap(place)) return &place;
  return complaint.places.empty() ? nullptr : &complaint.places.front();
}

bool Judge::is_at_trap(const CompileError& place) {
  const RewrittenSource* source = rewritten(place.path);
  return source != nullptr && points_at_trap(place, *source);
}

bool Judge::is_at_trap(const Complaint& complaint) {
  return std::ranges::any_of(complaint.places, [&](const CompileError& place) { return is_at_trap(place); });
}

/// Null for what is no source.
const RewrittenSource* Judge::rewritten(const std::string& path) {
  const auto file = files_.find(path);
  if (file == files_.end()) return nullptr;
  const auto [found, is_new] = rewritten_.try_emplace(file->second);
  if (is_new)
    found->second = rewritten_source(work_.models[file->second], work_.plan.files[file->second],
                                     {{"runtime", c_runtime_from(path)}});
  return &found->second;
}

void blame_wrapper(const Complaint& complaint, const std::string& main_file, const Instrumentation& work) {
  for (std::size_t i = 0; i < work.models.size(); ++i) {
    const SourceModel& model = work.models[i];
    if (model.path != complaint.path && model.path != main_file) continue;
    for (const PlannedTrap& planned : work.plan.files[i].traps) {
      const Site& site = model.sites[planned.site];
      if (site.kind != TrapKind::entry0) continue;
      const Function& entry = model.functions[site.function];
      throw UserError(
          Fault{.message = fmt::format("the entry \"{}\" cannot be wrapped, the compiler says: {}: {}",
                                       entry.name, place_of(complaint), complaint.message),
                .place = place_at(model.path, model.text, entry.offset),
                .hint = entry.simple_name == ta_entry
                            ? "a trusted application has no other entry: what does the compiler see there?"
                            : "name a function that it calls, or that calls it"});
    }
  }
}

}  // namespace jcprof::rewriter
