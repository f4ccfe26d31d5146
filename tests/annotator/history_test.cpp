// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/history.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/check/history_texts.hpp"

namespace jcprof::annotator {
namespace {

/// Entries of subjects whose sessions differ.
struct HistoryBench {
  double sessions = 0.02;  // deviation of a session's speed, which all subjects share
  double noise = 0.005;    // of a subject within a session, of which its interval tells
  bool has_spikes = false;
  std::mt19937_64 random{1};

  double normal(double deviation) { return std::normal_distribution<double>(0, deviation)(random); }

  /// `level`: of the i-th entry.
  std::vector<HistoryEntry> history(std::size_t count, const std::function<double(std::size_t)>& level,
                                    std::size_t subjects = 1) {
    std::vector<HistoryEntry> entries;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_spike = has_spikes && std::bernoulli_distribution(0.1)(random);
      const double speed = std::exp(normal(sessions) + (is_spike ? 0.1 : 0));
      HistoryEntry entry{.started = std::to_string(1000 + i), .project = "pin", .device = "card"};
      for (std::size_t s = 0; s < subjects; ++s) {
        // Every third entry is measured in less time than others.
        const double deviation = (i % 3 == 0 ? 3 : 1) * noise * 1e6;
        const double value = 1e6 * level(i) * speed + normal(deviation);
        entry.values.push_back(
            {std::to_string(s), "ns", value, value - 1.96 * deviation, value + 1.96 * deviation});
      }
      entries.push_back(entry);
    }
    return entries;
  }
};

bool names_change(const std::vector<HistoryEntry>& history) {
  const std::vector<HistorySeries> all = series_in(history);
  return std::ranges::any_of(all, [](const HistorySeries& series) { return !series.changes.empty(); });
}

double same(std::size_t /*entry*/) {
  return 1;
}

std::vector<HistoryEntry> of_counts(const std::vector<double>& counts) {
  std::vector<HistoryEntry> entries;
  for (std::size_t i = 0; i < counts.size(); ++i)
    entries.push_back({.started = std::to_string(i),
                       .project = "pin",
                       .device = "card",
                       .values = {{"p", "hits", counts[i], counts[i], counts[i]}}});
  return entries;
}

/// Two levels, of which the second begins with the last entry.
std::vector<HistorySeries> some_series() {
  HistorySeries series{
      .project = "pin", .device = "card", .simulated = true, .subject = "total", .unit = "ns"};
  for (int i = 1; i <= 3; ++i) {
    const double value = i < 3 ? 40e6 : 42e6;
    series.points.push_back({.started = "2026-01-0" + std::to_string(i) + "T00:00:00Z",
                             .label = i == 3 ? "<c3>" : "",
                             .build = 7,
                             .measured = {value, value - 3e5, value + 3e5}});
  }
  series.scatter = 0.018;
  series.changes = {{.entry = 2, .before = 40e6, .after = 42e6, .change = {0.05, 0.04, 0.06}}};
  return {series};
}

Checked measured_of(const std::string& subject, const Interval& measured) {
  Checked checked{.budget = parse_budget(subject + " <= 1s"), .subject = subject};
  checked.measured = measured;
  return checked;
}

constexpr int histories = 400;

}  // namespace

TEST_CASE(
    "of one build at most one history in twenty names a change, in any look after each of sixty entries",
    "[statistics]") {
  constexpr int trials = 100;
  for (const std::size_t subjects : {1U, 3U})
    for (const double noise : {0.0005, 0.02})
      for (const bool has_spikes : {false, true}) {
        HistoryBench bench{.noise = noise, .has_spikes = has_spikes};
        int alarms = 0;
        for (int i = 0; i < trials; ++i) {
          const std::vector<HistoryEntry> all = bench.history(60, same, subjects);
          bool is_alarmed = false;
          for (std::size_t count = 2; count <= all.size() && !is_alarmed; ++count)
            is_alarmed =
                names_change(std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)));
          alarms += is_alarmed ? 1 : 0;
        }
        INFO(subjects << " subjects, noise " << noise << ", spikes " << has_spikes);
        CHECK(alarms <= trials * 0.05 + 2 * std::sqrt(trials * 0.05 * 0.95));
      }
}

TEST_CASE("a history tells a step of 5 % where sessions differ by 2 %, and its place within one entry",
          "[statistics]") {
  HistoryBench bench;
  int found = 0;
  int near = 0;
  int held = 0;
  for (int i = 0; i < histories; ++i) {
    const HistorySeries series =
        series_in(bench.history(40, [](std::size_t entry) { return entry < 25 ? 1 : 1.05; })).front();
    if (series.changes.size() != 1) continue;
    const LevelChange& change = series.changes.front();
    ++found;
    near += change.entry >= 24 && change.entry <= 26 ? 1 : 0;
    held += change.change.low <= 0.05 && change.change.high >= 0.05 ? 1 : 0;
  }
  CHECK(found >= 0.93 * histories);
  CHECK(near >= 0.85 * found);
  CHECK(held >= 0.9 * found);
}

TEST_CASE("a history tells a step of 5 % by ten new entries behind twenty, four times in five",
          "[statistics]") {
  const auto found = [](std::size_t entries, double sessions) {
    HistoryBench bench{.sessions = sessions};
    int count = 0;
    for (int i = 0; i < histories; ++i) {
      const auto level = [](std::size_t entry) { return entry < 20 ? 1 : 1.05; };
      count += names_change(bench.history(20 + entries, level)) ? 1 : 0;
    }
    return count;
  };
  CHECK(found(10, 0.02) >= 0.8 * histories);
  CHECK(found(5, 0.02) >= 0.35 * histories);
  CHECK(found(5, 0.01) >= 0.9 * histories);
}

TEST_CASE("a history tells both ends of a slow time") {
  HistoryBench bench{.sessions = 0.005, .noise = 0.001};
  const HistorySeries series = series_in(bench.history(30, [](std::size_t entry) {
                                 return entry < 10 || entry >= 18 ? 1 : 1.1;
                               })).front();
  REQUIRE(series.changes.size() == 2);
  CHECK(series.changes[0].entry == 10);
  CHECK(series.changes[1].entry == 18);
  CHECK(series.changes[0].change.value == Approx(0.1).margin(0.01));
  CHECK(series.changes[1].change.value == Approx(-0.09).margin(0.01));
}

TEST_CASE("the scatter of a history is that of its sessions, without the steps between them",
          "[statistics]") {
  HistoryBench bench;
  const HistorySeries series =
      series_in(bench.history(300, [](std::size_t entry) { return entry < 150 ? 1 : 1.2; })).front();
  CHECK(series.scatter == Approx(0.02).epsilon(0.15));
}

TEST_CASE("a plot of a history ends where values differ by less than their digits") {
  HistorySeries series = some_series().front();
  series.points[0].measured = {1e17, 1e17, 1e17};
  series.points[1].measured = {1e17 + 16, 1e17 + 16, 1e17 + 16};
  series.points.pop_back();
  series.changes.clear();
  CHECK(to_html({series}).size() < 10'000);
}

TEST_CASE("any difference of counts is a change of the history") {
  const std::vector<HistorySeries> all = series_in(of_counts({4, 4, 6, 0, 3}));
  REQUIRE(all.size() == 1);
  const std::vector<LevelChange>& changes = all.front().changes;
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].entry == 2);
  CHECK(changes[0].change.low == 0.5);
  CHECK(changes[0].change.high == 0.5);
  CHECK(changes[1].change.value == -1);
  CHECK(changes[2].entry == 4);
  CHECK(std::isnan(changes[2].change.value));
  CHECK(series_in(of_counts({0, 0})).front().changes.empty());
}

TEST_CASE("values of another device, project, subject or unit are a series of their own") {
  std::vector<HistoryEntry> entries(4, of_counts({4}).front());
  entries[1].device = "board";
  entries[2].project = "other";
  entries[3].values.push_back({"p", "%", 50, 49, 51});
  entries[3].values.push_back({"q", "hits", 4, 4, 4});
  const std::vector<HistorySeries> all = series_in(entries);
  REQUIRE(all.size() == 5);
  CHECK(all[3].points.size() == 2);
  CHECK(all[4].subject == "q");
}

TEST_CASE("entries that are hardly known make no new level of a history") {
  const auto changes_if = [](double half) {
    std::vector<HistoryEntry> entries;
    for (int i = 0; i < 30; ++i) {
      const bool is_old = i < 24;
      const double value = (is_old ? 100 : 110) + 0.1 * (i % 3);
      const double known = is_old ? 0.1 : half;
      entries.push_back({.started = std::to_string(100 + i),
                         .project = "pin",
                         .device = "card",
                         .values = {{"total", "ns", value, value - known, value + known}}});
    }
    return series_in(entries).front().changes.size();
  };
  CHECK(changes_if(0.1) == 1);
  CHECK(changes_if(40) == 0);
}

TEST_CASE("values without an interval are judged by their scatter") {
  std::vector<HistoryEntry> entries;
  for (int i = 0; i < 20; ++i)
    entries.push_back({.started = std::to_string(100 + i),
                       .project = "pin",
                       .device = "card",
                       .values = {{"total", "ns", 100.0 + i % 3 + (i < 12 ? 0 : 20)}}});
  const HistorySeries series = series_in(entries).front();
  REQUIRE(series.changes.size() == 1);
  CHECK(series.changes.front().entry == 12);
}

TEST_CASE("sessions make one entry of a history, of the means of what is known") {
  const std::vector<HistoryValue> values =
      history_values({{measured_of("total", {10, 7, 13}), measured_of("p", {5, 5, 6})},
                      {measured_of("total", {12, 8, 16})},
                      {measured_of("total", {engine::missing, engine::missing, engine::missing})}});
  CHECK(values == std::vector<HistoryValue>{{"p", "ns", 5, 5, 6}, {"total", "ns", 11, 8.5, 13.5}});
}

TEST_CASE("the series of a function goes on when another file gets one of its name") {
  Checked own = measured_of("p", {5, 5, 6});
  own.is_function = true;
  own.path = "a.c";
  Checked namesake = own;
  namesake.path = "b.c";
  const auto names_in = [](const std::vector<Checked>& checked) {
    std::vector<std::string> names;
    for (const HistoryValue& value : history_values({checked})) names.push_back(value.subject);
    return names;
  };
  CHECK(names_in({own}) == std::vector<std::string>{"p in a.c"});
  CHECK(names_in({own, namesake}) == std::vector<std::string>{"p in a.c", "p in b.c"});
}

TEST_CASE("a table of a history has the newest entries first, and marks the first one of a new level") {
  CHECK(to_text(some_series()) ==
        "total of pin on card (SIMULATED): entries differ by 1.8 % beyond their intervals\n"
        "when                  label      measured       change\n"
        "2026-01-03T00:00:00Z  <c3>   42.0 ms ±0.3  +5.0 % ±1.0\n"
        "2026-01-02T00:00:00Z         40.0 ms ±0.3\n"
        "2026-01-01T00:00:00Z         40.0 ms ±0.3\n");
  CHECK_THAT(to_text(series_in(of_counts({4, 5}))), Catch::Contains("×5  +25.0 %\n"));
  CHECK(to_text(std::vector<HistorySeries>{}) == "no entries\n");
}

TEST_CASE("a short table of a history keeps its changes, and says how many entries it leaves out") {
  std::vector<HistorySeries> all = some_series();
  for (int i = 0; i < 4; ++i) all.front().points.push_back(all.front().points.back());
  const std::string text = to_text(all, {.rows = 2});
  CHECK(std::ranges::count(text, '\n') == 2 + 3 + 1);
  CHECK_THAT(text,
             Catch::Contains("+5.0 % ±1.0") && Catch::EndsWith("\n4 older entries of the same levels\n"));
}

TEST_CASE("a history as JSON has entries, scatter and changes of each series") {
  const auto json = nlohmann::json::parse(to_json(some_series()));
  CHECK(json["format"] == "jcprof-history");
  const auto& series = json["series"][0];
  CHECK(series["entries"][2]["label"] == "<c3>");
  CHECK(series["entries"][2]["measured"]["low"] == 41.7e6);
  CHECK(series["scatter"] == 0.018);
  CHECK(series["changes"][0]["entry"] == 2);
  CHECK(series["changes"][0]["change"]["high"] == 0.06);
  const auto from_0 = nlohmann::json::parse(to_json(series_in(of_counts({0, 3}))));
  CHECK(from_0["series"][0]["changes"][0]["change"].is_null());
}

TEST_CASE("the page of a history plots each entry with its interval, and each change; names are no markup") {
  const std::string page = to_html(some_series());
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = page.find(part); at != std::string::npos; at = page.find(part, at + 1)) ++found;
    return found;
  };
  CHECK(count("<circle") == 3);
  CHECK(count("class=\"interval\"") == 3);
  CHECK(count("class=\"change\"") == 1);
  CHECK(count("class=\"level\"") == 2);
  // The new level begins two thirds on the way from 90 to 900.
  CHECK_THAT(page, Catch::Contains("class=\"change\" x1=\"630.0\""));
  CHECK_THAT(page, Catch::Contains(">40.0 ms</text>") && Catch::Contains(">42.0 ms</text>"));
  CHECK(count("<c3>") == 0);
  CHECK(count("&lt;c3&gt;") == 2);
  CHECK_THAT(to_html(series_in(of_counts({4, 4}))), Catch::Contains(">×4</text>"));
}

}  // namespace jcprof::annotator
