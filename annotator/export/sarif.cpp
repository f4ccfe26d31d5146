// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "annotator/estimate/quantity.hpp"
#include "annotator/export/sarif_parts.hpp"
#include "annotator/interval_json.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t hot_line = 0;  // indices of the rules
constexpr std::size_t hot_function = 1;

Json rules() {
  constexpr const char* help =
      "The interval is a 95 % one. Lines that are not resolved are missing here: `jcprof annotate` shows all "
      "lines.";
  return {
      sarif::rule({.id = "JC1001",
                   .name = "HotLine",
                   .words = "The line is hot.",
                   .more =
                       "The line takes a large share of the measured command: a warning where its interval "
                       "lies above the share that the project calls hot, a note where it reaches it.",
                   .help = help}),
      sarif::rule({.id = "JC1002",
                   .name = "HotFunction",
                   .words = "The function is hot.",
                   .more = "The function by itself, without what it calls, takes a large share of what was "
                           "recorded.",
                   .help = help})};
}

class Sarif {
 public:
  explicit Sarif(const Profile& profile) : profile_(profile) {
    std::ranges::copy_if(profile.sources, std::back_inserter(known_sources_), [](const SourceDigest& source) {
      return !source.sha256.empty() && !sarif::leaves_the_root(source.path);
    });
  }

  std::string document() const {
    Json run = sarif::begin_run(rules(), {.is_successful = profile_.run.state == RunState::complete,
                                          .started = profile_.run.started,
                                          .warnings = profile_.warnings});
    run["artifacts"] = artifacts();
    run["results"] = results();
    run["columnKind"] = "utf16CodeUnits";
    run["properties"] = properties();
    return sarif::document(run);
  }

 private:
  Json artifacts() const {
    Json artifacts = Json::array();
    for (const SourceDigest& source : known_sources_)
      artifacts.push_back(
          {{"location", sarif::artifact_location(source.path)}, {"hashes", {{"sha-256", source.sha256}}}});
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
                         {"message", sarif::text(message_of(spot))},
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
    std::string words = fmt::format("{}, {} of {}", cells.with_half_width(), cells.share,
                                    profile_.recorded ? "what was recorded" : "the command");
    if (spot.hits > 0) words += ", " + times_text(spot.hits);
    if (spot.hits > 1)
      words += fmt::format(", {} each", each(spot.cost.ticks.value / static_cast<double>(spot.hits), unit));
    return words + (profile_.run.simulated ? " (SIMULATED)" : "");
  }

  Json location_of(const LineEstimate& spot) const {
    Json location =
        sarif::location({.function = spot.function, .path = spot.path, .line = spot.line}, entry_);
    const auto source = std::ranges::find(known_sources_, spot.path, &SourceDigest::path);
    if (source != known_sources_.end())
      location["physicalLocation"]["artifactLocation"]["index"] = source - known_sources_.begin();
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
  const sarif::Place entry_ = sarif::entry_of(profile_);
  std::vector<SourceDigest> known_sources_;  // with a digest
};

}  // namespace

std::string to_sarif(const Profile& profile) {
  return Sarif(profile).document();
}

}  // namespace jcprof::annotator
