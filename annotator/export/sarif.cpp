// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/quantity.hpp"
#include "annotator/interval_json.hpp"
#include "annotator/started.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

namespace fs = std::filesystem;

constexpr std::string_view base = "SRCROOT";
constexpr std::size_t hot_line = 0;  // indices of the rules
constexpr std::size_t hot_function = 1;

Json text(std::string_view words) {
  return {{"text", words}};
}

Json rules() {
  const auto rule = [](std::string_view id, std::string_view name, std::string_view words,
                       std::string_view more) {
    return Json{{"id", id},
                {"name", name},
                {"shortDescription", text(words)},
                {"fullDescription", text(more)},
                {"help", text("The interval is a 95 % one. Lines that are not resolved are missing here: "
                              "`jcprof annotate` shows all lines.")},
                {"defaultConfiguration", {{"level", "warning"}}}};
  };
  return {
      rule("JC1001", "HotLine", "The line is hot.",
           "The line takes a large share of the measured command: a warning where its interval lies above "
           "the share that the project calls hot, a note where it reaches it."),
      rule("JC1002", "HotFunction", "The function is hot.",
           "The function by itself, without what it calls, takes a large share of what was recorded.")};
}

/// RFC 3986: all but the unreserved characters as their bytes.
std::string uri_of(std::string_view path) {
  constexpr std::string_view marks = "-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          marks.find(c) != std::string_view::npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// A viewer opens what a result names, and a path from a profile may lead anywhere.
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

class Sarif {
 public:
  explicit Sarif(const Profile& profile) : profile_(profile) {
    std::ranges::copy_if(profile.sources, std::back_inserter(known_sources_), [](const SourceDigest& source) {
      return !source.sha256.empty() && !leaves_the_root(source.path);
    });
  }

  std::string document() const {
    const Json driver{
        {"name", "jcprof"},
        {"version", JCPROF_VERSION},
        {"semanticVersion", JCPROF_VERSION},
        {"shortDescription", text("Measures code in smart cards, trusted applications and enclaves from "
                                  "outside.")},
        {"rules", rules()},
        {"notifications",
         {{{"id", "JC2001"},
           {"name", "RunWarning"},
           {"shortDescription", text("A remark on the run as a whole, beside its numbers.")}}}}};
    const Json run{{"tool", {{"driver", driver}}},
                   {"invocations", {invocation()}},
                   {"originalUriBaseIds",
                    {{base, {{"description", text("The folder that the project's paths begin in.")}}}}},
                   {"artifacts", artifacts()},
                   {"results", results()},
                   {"columnKind", "utf16CodeUnits"},
                   {"properties", properties()}};
    const Json sarif{
        {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", {run}}};
    return sarif.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
  }

 private:
  Json invocation() const {
    Json notifications = Json::array();
    for (const std::string& warning : profile_.warnings)
      notifications.push_back({{"descriptor", {{"id", "JC2001"}, {"index", 0}}},
                               {"level", "warning"},
                               {"message", text(as_message(warning))}});
    Json invocation{{"executionSuccessful", profile_.run.state == RunState::complete}};
    if (milliseconds_of(profile_.run.started) != 0) invocation["startTimeUtc"] = profile_.run.started;
    invocation["toolExecutionNotifications"] = std::move(notifications);
    return invocation;
  }

  /// In messages brackets are links, and a backslash takes that from them; braces hold places of arguments,
  /// and two are one that does not.
  static std::string as_message(std::string_view words) {
    std::string message;
    for (const char c : plain_line(words)) {
      if (c == '[' || c == ']' || c == '\\') message += '\\';
      if (c == '{' || c == '}') message += c;
      message += c;
    }
    return message;
  }

  Json artifacts() const {
    Json artifacts = Json::array();
    for (const SourceDigest& source : known_sources_)
      artifacts.push_back(
          {{"location", artifact_location(source.path)}, {"hashes", {{"sha-256", source.sha256}}}});
    return artifacts;
  }

  Json results() const {
    Json results = Json::array();
    const std::size_t rule = profile_.lines.empty() ? hot_function : hot_line;
    const double hot = profile_.run.hot;
    for (const LineEstimate& spot : all_lines(profile_)) {
      const Estimate& cost = spot.cost;
      if (!cost.resolved || spot.path.empty() || cost.share.high < hot) continue;
      results.push_back({{"ruleId", rule == hot_line ? "JC1001" : "JC1002"},
                         {"ruleIndex", rule},
                         {"level", cost.share.low >= hot ? "warning" : "note"},
                         {"message", text(message_of(spot))},
                         {"locations", {location_of(spot)}},
                         {"rank", std::clamp(100 * cost.share.value, 0.0, 100.0)},
                         {"properties",
                          {{"ticks", known_interval_json(cost, &Estimate::ticks)},
                           {"unit", name_of(profile_.run.unit)},
                           {"share", known_interval_json(cost, &Estimate::share)},
                           {"hits", spot.hits}}}});
    }
    return results;
  }

  std::string message_of(const LineEstimate& spot) const {
    const ClockUnit unit = profile_.run.unit;
    const CostCells cells = cost_cells(spot.cost, unit);
    std::string words = fmt::format("{}, {} of {}, ×{}", cells.with_half_width(), cells.share,
                                    profile_.recorded ? "what was recorded" : "the command", spot.hits);
    if (spot.hits > 1)
      words += fmt::format(", {} each", each(spot.cost.ticks.value / static_cast<double>(spot.hits), unit));
    return words + (profile_.run.simulated ? " (SIMULATED)" : "");
  }

  Json location_of(const LineEstimate& spot) const {
    Json location{
        {"logicalLocations", {{{"fullyQualifiedName", plain_line(spot.function)}, {"kind", "function"}}}}};
    if (leaves_the_root(spot.path)) return location;
    Json artifact = artifact_location(spot.path);
    const auto source = std::ranges::find(known_sources_, spot.path, &SourceDigest::path);
    if (source != known_sources_.end()) artifact["index"] = source - known_sources_.begin();
    Json physical{{"artifactLocation", std::move(artifact)}};
    if (spot.line > 0) physical["region"] = {{"startLine", spot.line}};
    location["physicalLocation"] = std::move(physical);
    return location;
  }

  Json properties() const {
    const RunInfo& run = profile_.run;
    return {{"project", run.project},
            {"device", run.device},
            {"simulated", run.simulated},
            {"transport", run.transport},
            {"measuredBy", run.tool},
            {"unit", name_of(run.unit)},
            {"hot", run.hot},
            {"extent", extent(profile_)},
            {"total", known_interval_json(profile_.total, &Estimate::ticks)}};
  }

  const Profile& profile_;
  std::vector<SourceDigest> known_sources_;  // with a digest
};

}  // namespace

std::string to_sarif(const Profile& profile) {
  return Sarif(profile).document();
}

}  // namespace jcprof::annotator
