// SPDX-License-Identifier: Apache-2.0
#include "programs/memory.hpp"

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/annotated_tree.hpp"
#include "annotator/memory.hpp"
#include "annotator/source_comments.hpp"
#include "harness/inputs.hpp"
#include "harness/memory.hpp"
#include "programs/output.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {
namespace {

using annotator::MemoryProfile;
using annotator::MemoryUse;
using annotator::MemoryUses;
using nlohmann::ordered_json;

/// Unknown ends are null.
ordered_json json_of(const MemoryUse& use) {
  using Known = MemoryUse::Known;
  const bool has_low = use.known == Known::exactly || use.known == Known::at_least;
  const bool has_high = use.known == Known::exactly || use.known == Known::at_most;
  return {{"low", has_low ? ordered_json(use.bytes) : ordered_json()},
          {"high", has_high ? ordered_json(use.bytes) : ordered_json()}};
}

template <class Values, class Shown>
ordered_json by_kind(const Values& values, const Shown& shown) {
  ordered_json json = ordered_json::object();
  for (std::size_t kind = 0; kind < memory_kinds.size(); ++kind)
    json[std::string(memory_kinds.at(kind))] = shown(values.at(kind));
  return json;
}

ordered_json json_of(const MemoryUses& uses) {
  return by_kind(uses, [](const MemoryUse& use) { return json_of(use); });
}

ordered_json json_of(const FreeMemory& free) {
  return by_kind(free, [](std::uint16_t bytes) { return bytes; });
}

ordered_json json_of(const MemoryProfile& profile, const Project& project,
                     const harness::Description& target) {
  ordered_json json{{"format", "jcprof-memory"},         {"version", 1},
                    {"project", project.name},           {"device", target.device},
                    {"simulated", target.simulated},     {"most_free_told", most_free_told},
                    {"before", json_of(profile.before)}, {"after", json_of(profile.after)},
                    {"total", json_of(profile.total)},   {"unattributed", json_of(profile.unattributed)}};
  json["lines"] = ordered_json::array();
  for (const annotator::MemoryLine& line : profile.lines)
    json["lines"].push_back({{"path", line.path},
                             {"line", line.line},
                             {"function", line.function},
                             {"hits", line.hits},
                             {"used", json_of(line.used)}});
  json["later"] = ordered_json::array();
  for (const MemoryUses& uses : profile.later) json["later"].push_back(json_of(uses));
  json["leaks"] = ordered_json::object();
  for (std::size_t kind = 0; kind < memory_kinds.size(); ++kind)
    if (const auto bytes = annotator::leak(profile, kind))
      json["leaks"][std::string(memory_kinds.at(kind))] = *bytes;
  json["warnings"] = annotator::memory_warnings(profile);
  return json;
}

void write_sources(const MemoryProfile& profile, const MemorySubject& of) {
  for (const SourceDigest& source : of.map.sources) {
    std::vector<annotator::LineComment> comments;
    for (const annotator::MemoryLine& line : profile.lines)
      if (line.path == source.path)
        comments.push_back({.line = line.line, .text = annotator::memory_comment(line)});
    const std::string text = annotator::measured_text(source, of.project.root);
    write_own_file(of.out / memory_sources / source.path,
                   annotator::annotate_text(text, of.map.language, comments).text);
  }
}

bool has_leak(const MemoryProfile& profile) {
  for (std::size_t kind = 0; kind < memory_kinds.size(); ++kind)
    if (annotator::leak(profile, kind)) return true;
  return false;
}

}  // namespace

ExitCode measure_memory(const MemorySubject& of, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(of.project.measure.seed);
  const std::vector<StoredInput> inputs =
      harness::make_inputs(of.project.inputs, {.root = of.project.root, .seed = seed});
  of.transport.set_inputs({inputs.front().bytes});
  const harness::MemoryRun run = harness::measure_memory(of.map, of.transport, inputs);
  const MemoryProfile profile = annotator::memory_profile(of.map, run.path, run.log, run.after);
  const ordered_json json = json_of(profile, of.project, of.transport.describe());
  write_own_file(of.out / memory_file, printed(json));
  write_sources(profile, of);
  if (options.common.json)
    fmt::print("{}", printed(json));
  else if (!options.common.quiet)
    fmt::print("{}", shown_on(Stream::out, memory_table(profile, table_style(options.common.colour))));
  if (options.common.quiet)
    for (const std::string& warning : memory_warnings(profile)) fmt::print(stderr, "warning: {}\n", warning);
  return has_leak(profile) ? ExitCode::check_failed : ExitCode::done;
}

}  // namespace jcprof::cli
