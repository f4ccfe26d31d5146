// SPDX-License-Identifier: Apache-2.0
#include "annotator/memory.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "annotator/estimate/attribution.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Known = MemoryUse::Known;

MemoryUse use_between(std::uint16_t before, std::uint16_t after) {
  const bool hides_before = before >= most_free_told;
  const bool hides_after = after >= most_free_told;
  if (hides_before && hides_after) return {.bytes = 0, .known = Known::not_at_all};
  const std::int64_t bytes = std::int64_t{before} - after;
  if (hides_before) return {.bytes = bytes, .known = Known::at_least};
  return {.bytes = bytes, .known = hides_after ? Known::at_most : Known::exactly};
}

MemoryUses uses_between(const FreeMemory& before, const FreeMemory& after) {
  MemoryUses uses;
  for (std::size_t kind = 0; kind < uses.size(); ++kind)
    uses.at(kind) = use_between(before.at(kind), after.at(kind));
  return uses;
}

/// A kind that is beyond what can be told is not known there, whatever else is.
void add(MemoryUses& to, const MemoryUses& uses) {
  for (std::size_t kind = 0; kind < uses.size(); ++kind) {
    const MemoryUse& use = uses.at(kind);
    MemoryUse& sum = to.at(kind);
    sum.bytes += use.bytes;
    if (use.known == Known::exactly || use.known == sum.known) continue;
    sum.known = sum.known == Known::exactly ? use.known : Known::not_at_all;
  }
}

bool is_any(const MemoryUses& uses) {
  return std::ranges::any_of(uses, [](const MemoryUse& use) { return use.bytes != 0; });
}

/// The block that ends at an event; nobody's in front of the first one.
MemoryUses& owner_of(const Attribution& owners, std::uint64_t event, std::vector<MemoryLine>& lines,
                     MemoryProfile& profile) {
  if (event == 0 || event > owners.blocks.size() || owners.blocks[event - 1].is_between())
    return profile.unattributed;
  return lines[owners.blocks[event - 1].line].used;
}

std::string place_of(const MemoryLine& line) {
  return fmt::format("{}:{}", plain_line(line.path), line.line);
}

Row row_of(std::string name, std::string function, std::string hits, const MemoryUses& uses) {
  Row row{std::move(name), std::move(function), std::move(hits)};
  for (const MemoryUse& use : uses) row.push_back(in_words(use));
  return row;
}

}  // namespace

MemoryProfile memory_profile(const TrapMap& map, const std::vector<Event>& path, const MemoryLog& log,
                             std::span<const FreeMemory> later) {
  MemoryProfile profile{.before = log.before, .after = log.after, .is_cut = log.is_cut};
  const Attribution owners = attribute(map, path);
  std::vector<MemoryLine> lines;
  for (const OwnedLine& line : owners.lines)
    lines.push_back(
        {.path = line.path, .line = line.line, .function = line.function, .hits = line.hits, .used = {}});
  FreeMemory free = log.before;
  auto change = log.changes.begin();
  // Behind the last of the changes that fitted, nothing is known.
  for (std::uint64_t event = 0; event < path.size() && !(log.is_cut && change == log.changes.end());
       ++event) {
    const bool changes = change != log.changes.end() && change->event == event;
    const FreeMemory& now = changes ? change->free : free;
    add(owner_of(owners, event, lines, profile), uses_between(free, now));
    free = now;
    if (changes) ++change;
  }
  MemoryUses& rest = log.is_cut ? profile.unattributed : owner_of(owners, path.size(), lines, profile);
  add(rest, uses_between(free, log.after));
  std::ranges::copy_if(lines, std::back_inserter(profile.lines),
                       [](const MemoryLine& line) { return is_any(line.used); });
  std::ranges::sort(profile.lines, {}, [](const MemoryLine& line) { return std::tie(line.path, line.line); });
  profile.total = uses_between(log.before, log.after);
  free = log.after;
  for (const FreeMemory& after : later) {
    profile.later.push_back(uses_between(free, after));
    free = after;
  }
  return profile;
}

std::optional<std::int64_t> leak(const MemoryProfile& profile, std::size_t kind) {
  if (profile.later.size() < later_commands) return std::nullopt;
  std::int64_t least = 0;
  for (const MemoryUses& uses : profile.later) {
    const MemoryUse& use = uses.at(kind);
    if (use.bytes <= 0 || (use.known != Known::exactly && use.known != Known::at_least)) return std::nullopt;
    least = least == 0 ? use.bytes : std::min(least, use.bytes);
  }
  return least == 0 ? std::nullopt : std::optional(least);
}

std::string in_words(const MemoryUse& use) {
  switch (use.known) {
    case Known::exactly:
      return use.bytes == 0 ? "" : fmt::format("{}", use.bytes);
    case Known::at_least:
      return fmt::format(">= {}", use.bytes);
    case Known::at_most:
      return fmt::format("<= {}", use.bytes);
    case Known::not_at_all:
      return "?";
  }
  return {};
}

std::string free_in_words(std::uint16_t free) {
  return fmt::format("{}{}", free >= most_free_told ? ">= " : "", free);
}

std::string memory_comment(const MemoryLine& line) {
  std::string text;
  for (std::size_t kind = 0; kind < memory_kinds.size(); ++kind)
    if (const MemoryUse& use = line.used.at(kind); use.bytes != 0)
      text += fmt::format("{} {} bytes {}", text.empty() ? "//" : ",", in_words(use), memory_kinds.at(kind));
  return text;
}

std::vector<std::string> memory_warnings(const MemoryProfile& profile) {
  std::vector<std::string> warnings;
  for (std::size_t kind = 0; kind < memory_kinds.size(); ++kind) {
    if (const std::optional<std::int64_t> bytes = leak(profile, kind))
      warnings.push_back(fmt::format(
          "leak: each of {} more commands took at least {} bytes of {} memory and did not give them back",
          profile.later.size(), *bytes, memory_kinds.at(kind)));
    if (profile.before.at(kind) >= most_free_told)
      warnings.push_back(
          fmt::format("{} memory: {} bytes or more are free, which is the most that a card can tell: the "
                      "bytes of lines that run "
                      "meanwhile are not known (?)",
                      memory_kinds.at(kind), most_free_told));
  }
  if (profile.later.size() < later_commands)
    warnings.push_back(
        fmt::format("leaks cannot be told: only {} of {} later commands were answered as the first one",
                    profile.later.size(), later_commands));
  if (profile.is_cut)
    warnings.emplace_back(
        "the card had no room for the whole path or for all changes of its free memory: the bytes of lines "
        "are those "
        "of the command's beginning, and the rest is unattributed");
  return warnings;
}

std::string memory_table(const MemoryProfile& profile, const TableStyle& style) {
  std::vector<Column> columns{{.title = "line", .align = Align::left},
                              {.title = "function", .align = Align::left},
                              {.title = "hits"}};
  for (const std::string_view kind : memory_kinds) columns.push_back({.title = std::string(kind)});
  std::vector<Row> rows;
  for (const MemoryLine& line : profile.lines)
    rows.push_back(
        row_of(place_of(line), plain_line(line.function), fmt::format("{}", line.hits), line.used));
  if (is_any(profile.unattributed)) rows.push_back(row_of("unattributed", "", "", profile.unattributed));
  rows.push_back(row_of("total", "", "", profile.total));
  rows.push_back({"free before", "", ""});
  rows.push_back({"free after", "", ""});
  for (std::size_t kind = 0; kind < memory_kinds.size(); ++kind) {
    rows[rows.size() - 2].push_back(free_in_words(profile.before.at(kind)));
    rows.back().push_back(free_in_words(profile.after.at(kind)));
  }
  std::string text = "bytes of memory that the first command took\n\n" + table(columns, rows, style);
  for (const std::string& warning : memory_warnings(profile)) text += "\nwarning: " + warning + "\n";
  return text;
}

}  // namespace jcprof::annotator
