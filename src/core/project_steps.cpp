// SPDX-License-Identifier: Apache-2.0
// What is done on the host: what to instrument, compile, run, and how precisely to measure.
#include <fmt/format.h>

#include "src/core/project_parts.hpp"
#include "src/core/project_text.hpp"

namespace jcprof {
namespace {

// A day: whoever builds for longer has another problem.
constexpr std::uint64_t longest_step_s = 86'400;

constexpr NameTable<TrapLevel, 4> levels{{{TrapLevel::none, "none"},
                                          {TrapLevel::function, "function"},
                                          {TrapLevel::block, "block"},
                                          {TrapLevel::statement, "statement"}}};

void read_filled_strings(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  read_strings(node, to, faults);
  for (const JsonNode& element : node.elements)
    check_placeholders(element, {"tree", "out", "project"}, faults);
}

void read_seconds(const JsonNode& node, std::chrono::milliseconds& to, JsonFaults& faults) {
  std::uint64_t seconds = 0;
  Natural{.lowest = 1, .highest = longest_step_s}(node, seconds, faults);
  if (seconds > 0) to = std::chrono::seconds{seconds};
}

void read_step(const JsonNode& node, Step& to, const std::vector<std::string>& known, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.required("run", to.run, Argv{known});
  object.optional("cwd", to.cwd, FilledString{known});
  object.optional("timeout_s", to.timeout, read_seconds);
  object.refuse_the_rest();
}

/// There is no tree yet.
void read_preparation(const JsonNode& node, std::vector<Step>& to, JsonFaults& faults) {
  const std::vector<std::string> known{"out", "project"};
  if (!is_kind(node, JsonKind::array, faults)) return;
  for (const JsonNode& element : node.elements) {
    Step& step = to.emplace_back();
    step.cwd = "{project}";
    read_step(element, step, known, faults);
  }
}

void read_precision(const JsonNode& node, double& to, JsonFaults& faults) {
  if (!is_kind(node, JsonKind::number, faults)) return;
  if (node.number > 0 && node.number <= 100)
    to = node.number;
  else
    faults.add(node, fmt::format("a number above 0 and up to 100 is expected here, not {}", node.text));
}

void read_max_time(const JsonNode& node, std::optional<std::chrono::milliseconds>& to, JsonFaults& faults) {
  std::chrono::milliseconds time{1};
  read_duration(node, time, faults);
  if (time.count() == 0) faults.add(node, "nothing can be measured in no time");
  to = time;
}

bool leads_out(std::string_view path) {
  return path.starts_with('/') || path == ".." || path.starts_with("../") || path.ends_with("/..") ||
         path.find("/../") != std::string_view::npos;
}

void refuse_outer_path(const JsonNode& node, JsonFaults& faults) {
  if (leads_out(node.text))
    faults.add(node, fmt::format("\"{}\" leads out of the project's folder", node.text),
               "paths are relative to the project file");
}

void read_inner_path(const JsonNode& node, std::string& to, JsonFaults& faults) {
  read_string(node, to, faults);
  refuse_outer_path(node, faults);
}

}  // namespace

std::string_view name_of(TrapLevel level) {
  return name_in(levels, level);
}

void Argv::operator()(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) const {
  if (node.kind == JsonKind::string)
    return faults.add(node, "a list is expected here: the program and its arguments",
                      "nothing goes through a shell: write [\"javac\", \"-g\", …]");
  if (!is_kind(node, JsonKind::array, faults)) return;
  if (node.elements.empty()) faults.add(node, "this must not be empty");
  for (const JsonNode& element : node.elements) {
    const bool is_empty_argument = &element != &node.elements.front() && element.text.empty();
    std::string& argument = to.emplace_back();
    if (!is_empty_argument || element.kind != JsonKind::string) read_string(element, argument, faults);
    check_placeholders(element, placeholders, faults);
  }
}

void FilledString::operator()(const JsonNode& node, std::string& to, JsonFaults& faults) const {
  read_string(node, to, faults);
  check_placeholders(node, placeholders, faults);
}

void read_inner_paths(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  read_strings(node, to, faults);
  for (const JsonNode& element : node.elements) refuse_outer_path(element, faults);
}

void read_sources(const JsonNode& node, std::vector<std::string>& to, JsonFaults& faults) {
  read_inner_paths(node, to, faults);
  if (node.kind == JsonKind::array && to.empty()) faults.add(node, "this must not be empty");
}

void read_profile_scope(const JsonNode& node, ProfileScope& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.optional("include", to.include, read_strings);
  object.optional("exclude", to.exclude, read_strings);
  object.optional("level", to.level, one_of<TrapLevel>("level", levels));
  object.optional("markers", to.markers, read_boolean);
  object.refuse_the_rest();
}

void read_compile(const JsonNode& node, CompileSettings& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.optional("classpath", to.classpath, read_filled_strings);
  const bool has_flags = object.optional("flags", to.flags, read_filled_strings);
  object.optional("prepare", to.prepare, read_preparation);
  const bool has_database = object.optional("database", to.database, FilledString{{"out", "project"}});
  const bool has_compiler = object.optional("compiler", to.compiler, read_string);
  const bool has_make = object.optional("make", to.make, read_inner_path);
  if ((has_database || has_make) && (has_flags || has_compiler || (has_database && has_make)))
    faults.add(node,
               fmt::format("\"{}\" beside \"{}\", which says how each file is compiled",
                           has_flags      ? "flags"
                           : has_compiler ? "compiler"
                                          : "database",
                           has_make ? "make" : "database"),
               "take one of them out");
  object.optional("edl", to.edl, read_inner_path);
  object.optional("edl_search", to.edl_search, read_strings);
  object.refuse_the_rest();
}

void read_steps(const JsonNode& node, std::vector<Step>& to, JsonFaults& faults) {
  const std::vector<std::string> known{"tree", "out", "project", "reader"};
  if (!is_kind(node, JsonKind::array, faults)) return;
  for (const JsonNode& element : node.elements) read_step(element, to.emplace_back(), known, faults);
}

void read_start(const JsonNode& node, std::optional<StartStep>& to, JsonFaults& faults) {
  const std::vector<std::string> known{"tree", "out", "project", "port", "reader"};
  StartStep& start = to.emplace();
  ObjectReader object(node, faults);
  object.required("run", start.run, Argv{known});
  object.optional("cwd", start.cwd, FilledString{known});
  object.optional("ready", start.ready, FilledString{known});
  object.optional("timeout_s", start.timeout, read_seconds);
  object.refuse_the_rest();
}

void read_measure(const JsonNode& node, MeasureSettings& to, JsonFaults& faults) {
  ObjectReader object(node, faults);
  object.optional("absolute", to.absolute_points, read_precision);
  object.optional("relative", to.relative_percent, read_precision);
  object.optional("max_time", to.max_time, read_max_time);
  object.optional("max_shots", to.max_shots, Natural{.lowest = 1});
  object.optional("seed", to.seed, Natural{});
  object.refuse_the_rest();
}

}  // namespace jcprof
