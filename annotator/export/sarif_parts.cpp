// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/sarif_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "annotator/started.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator::sarif {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view base = "SRCROOT";

std::string uri_of(std::string_view path) {
  return (path.starts_with('/') ? "file://" : "") + percent_encoded(path, "-._~/");
}

/// In messages brackets are links, and a backslash takes that from them; braces hold places of arguments, and
/// two are one that does not.
std::string as_message(std::string_view words) {
  std::string message;
  for (const char c : plain_line(words)) {
    if (c == '[' || c == ']' || c == '\\') message += '\\';
    if (c == '{' || c == '}') message += c;
    message += c;
  }
  return message;
}

Json tool(Json rules) {
  const Json notification{{"id", "JC2001"},
                          {"name", "RunWarning"},
                          {"shortDescription", text("A remark on the run as a whole, beside its numbers.")}};
  Json driver{{"name", "jcprof"},
              {"version", JCPROF_VERSION},
              {"semanticVersion", JCPROF_VERSION},
              {"shortDescription",
               text("Measures code in smart cards, trusted applications and enclaves from outside.")},
              {"rules", std::move(rules)},
              {"notifications", Json::array({notification})}};
  return {{"driver", std::move(driver)}};
}

Json notifications(const std::vector<std::string>& warnings) {
  Json result = Json::array();
  for (const std::string& warning : warnings)
    result.push_back({{"descriptor", {{"id", "JC2001"}, {"index", 0}}},
                      {"level", "warning"},
                      {"message", message(warning)}});
  return result;
}

}  // namespace

Json text(std::string_view words) {
  return {{"text", words}};
}

Json message(std::string_view words) {
  return text(as_message(words));
}

Json rule(const Rule& rule) {
  return {{"id", rule.id},
          {"name", rule.name},
          {"shortDescription", text(rule.words)},
          {"fullDescription", text(rule.more)},
          {"help", text(rule.help)},
          {"defaultConfiguration", {{"level", rule.level}}}};
}

Json begin_run(Json rules, const Invocation& of) {
  Json invocation{{"executionSuccessful", of.is_successful}};
  if (milliseconds_of(of.started) != 0) invocation["startTimeUtc"] = of.started;
  invocation["toolExecutionNotifications"] = notifications(of.warnings);
  return {{"tool", tool(std::move(rules))},
          {"invocations", Json::array({invocation})},
          {"originalUriBaseIds",
           {{base, {{"description", text("The folder that the project's paths begin in.")}}}}}};
}

bool leaves_the_root(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return !normal.empty() && *normal.begin() == "..";
}

Json artifact_location(const std::string& given) {
  const std::string path = fs::path(given).lexically_normal().string();
  Json location{{"uri", uri_of(path)}};
  if (!path.starts_with('/')) location["uriBaseId"] = base;
  return location;
}

Place entry_of(const Profile& profile) {
  const auto is_shown = [](const auto& one) { return !one.path.empty() && !leaves_the_root(one.path); };
  const auto block = std::ranges::find_if(profile.blocks, is_shown);
  if (block != profile.blocks.end()) return {.path = block->path, .line = block->line};
  // A recording has no blocks.
  const FunctionEstimate* outermost = nullptr;
  for (const FunctionEstimate& one : profile.functions)
    if (is_shown(one) &&
        (outermost == nullptr || one.inclusive.ticks.value > outermost->inclusive.ticks.value))
      outermost = &one;
  return outermost == nullptr ? Place{} : Place{.path = outermost->path, .line = outermost->line};
}

Json location(const Place& place, const Place& entry) {
  Json location = Json::object();
  if (!place.function.empty())
    location["logicalLocations"] =
        Json::array({Json{{"fullyQualifiedName", plain_line(place.function)}, {"kind", "function"}}});
  const auto& [function, path, line] = place.path.empty() || leaves_the_root(place.path) ? entry : place;
  if (path.empty()) return location;
  Json physical{{"artifactLocation", artifact_location(path)}};
  if (line > 0) physical["region"] = {{"startLine", line}};
  location["physicalLocation"] = std::move(physical);
  return location;
}

std::string document(const Json& run) {
  const Json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({run})}};
  return sarif.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace jcprof::annotator::sarif
