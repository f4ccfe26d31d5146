// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/torture.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/profiled.hpp"

namespace jcprof::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* example = "javacard-torture";
constexpr std::int64_t unit = 1'000'000'000;  // ns

/// The applet with its traps, compiled. Its folder carries the time of what it was made from, so that none
/// outlives it.
fs::path built_applet() {
  const fs::path root = fs::path(JCPROF_BINARY_DIR) / "end_to_end";
  const std::string prefix = fmt::format("built-{}", example);
  auto newest = std::max(fs::last_write_time(fs::path(JCPROF_BIN_DIR) / "jcprof-gen"),
                         fs::last_write_time("/proc/self/exe"));
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(JCPROF_SOURCE_DIR) / "examples" / example))
    newest = std::max(newest, entry.last_write_time());
  const fs::path built = root / (prefix + std::to_string(newest.time_since_epoch().count()));
  if (fs::exists(built)) return built;

  const Workplace place("torture-build", TestClock::virtual_time);
  std::error_code another_test_was_quicker;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().filename().string().starts_with(prefix) && entry.path() != built)
      fs::remove_all(entry.path(), another_test_was_quicker);
  const fs::path project = passing_torture(place);
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "1", "--max-time", "100h"});
  INFO(said.err);
  REQUIRE(said.status == 0);
  fs::rename(project / "jcprof-out", built, another_test_was_quicker);
  REQUIRE(fs::exists(built));
  return built;
}

struct Place {
  std::string path;
  std::ptrdiff_t line = 0;
};

Place place_of(const std::string& tag) {
  const fs::path folder = fs::path(JCPROF_SOURCE_DIR) / "examples" / example;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "src")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_file(entry.path());
    const std::size_t at = text.find("// work: " + tag + "\n");
    if (at == std::string::npos) continue;
    return {fs::relative(entry.path(), folder).string(),
            std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1};
  }
  FAIL("no line of the applet is tagged \"" << tag << '"');
  return {};
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double ticks_of(const json& estimate) {
  return estimate["ticks"]["value"].get<double>();
}

/// Compares a profile with what is known of the command.
class Comparison {
 public:
  Comparison(const json& profile, const Expected& expected) : profile_(profile), expected_(expected) {
    double units = 0;
    for (const Work& work : expected.works) {
      places_.push_back(place_of(work.tag));
      units += sum(work.units);
    }
    const double command = profile["total"]["value"].get<double>() - profile["entry"]["value"].get<double>();
    if (!near(command, units * unit)) fault("the whole command", command, units);
  }

  std::vector<std::string> faults() && {
    for (std::size_t i = 0; i < places_.size(); ++i) compare(expected_.works[i], places_[i]);
    // A line may hide what one of its blocks takes too much and another too little.
    for (const char* scope : {"lines", "blocks"})
      for (const json& one : profile_[scope])
        if (std::ranges::none_of(places_, [&](const Place& place) { return is_at(one, place); })) idle(one);
    for (const Called& called : expected_.functions) compare(called);
    return std::move(faults_);
  }

 private:
  // A line too few or too many does not fit in, nor does a second that a busy machine has taken.
  static constexpr double tolerance = 0.25;
  static constexpr double tolerance_of_interval = 0.1;
  static constexpr double idle_part = 0.4;

  static bool is_at(const json& estimate, const Place& place) {
    return estimate["path"] == place.path && estimate["line"] == place.line;
  }

  static bool near(double value, double expected) {
    return std::abs(value - expected) <= tolerance * expected;
  }

  static bool agrees(const json& ticks, double expected) {
    return near(ticks["value"].get<double>(), expected) &&
           ticks["low"].get<double>() <= expected * (1 + tolerance_of_interval) &&
           ticks["high"].get<double>() >= expected * (1 - tolerance_of_interval);
  }

  void fault(const std::string& what, double ticks, double units) {
    faults_.push_back(fmt::format("{} takes {:.2f} units, not {}", what, ticks / unit, units));
  }

  void compare(const Work& work, const Place& place) {
    const auto line =
        std::ranges::find_if(profile_["lines"], [&](const json& one) { return is_at(one, place); });
    if (line == profile_["lines"].end() || !agrees((*line)["ticks"], sum(work.units) * unit) ||
        !(*line)["resolved"].get<bool>())
      fault(work.tag, line == profile_["lines"].end() ? 0 : ticks_of(*line), sum(work.units));
    std::vector<double> hits;
    for (const json& block : profile_["blocks"])
      if (is_at(block, place) && ticks_of(block) > idle_part * unit) hits.push_back(ticks_of(block) / unit);
    if (!std::ranges::equal(hits, work.units, near))
      faults_.push_back(
          fmt::format("the hits of \"{}\" take [{:.2f}] units", work.tag, fmt::join(hits, ", ")));
  }

  void idle(const json& one) {
    if (ticks_of(one) > idle_part * unit)
      fault(fmt::format("{}:{}", one["path"].get<std::string>(), one["line"].get<int>()), ticks_of(one), 0);
  }

  void compare(const Called& called) {
    const auto found = std::ranges::find_if(
        profile_["functions"], [&](const json& function) { return function["function"] == called.name; });
    if (found == profile_["functions"].end() || (*found)["calls"] != called.calls) {
      faults_.push_back(fmt::format("{} is not called {} times", called.name, called.calls));
      return;
    }
    const json& own = (*found)["exclusive"];
    const bool idles = called.own == 0;
    if (idles ? ticks_of(own) > idle_part * unit : !agrees(own["ticks"], called.own * unit))
      fault(called.name, ticks_of(own), called.own);
    if (!agrees((*found)["inclusive"]["ticks"], called.with_calls * unit))
      fault(called.name + " with calls", ticks_of((*found)["inclusive"]), called.with_calls);
  }

  const json& profile_;
  const Expected& expected_;
  std::vector<Place> places_;  // of the works
  std::vector<std::string> faults_;
};

}  // namespace

fs::path passing_torture(const Workplace& place, const std::string& as) {
  const fs::path project = place.example(example, as);
  const fs::path work = project / "src/com/example/torture/Work.java";
  replace_in(work, R"(            for (short i = 0; i < HASHES; i++) {
                sha.doFinal(block, (short) 0, BLOCK_LENGTH, block, (short) 0);
            }
)",
             fmt::format("            passTime({}L);\n", unit));
  replace_in(work, "final class Work {\n", "final class Work {\n" + java_virtual_time);
  replace_in(project / "jcprof.json", "\"session\": {", "\"session\": {\"timeout\": \"10m\",");
  return project;
}

json command(const json& apdu, const std::string& expect) {
  return {{"trigger", {{"apdu", apdu}, {"expect", expect}}}};
}

Torture::Torture(const json& changes) : project_(passing_torture(place_)) {
  fs::copy(built_applet(), project_ / "jcprof-out", fs::copy_options::recursive);
  json settings = json::parse(read_file(project_ / "jcprof.json"), nullptr, true, true);
  settings.merge_patch(changes);
  write_file(project_ / "jcprof.json", settings.dump(2));
}

void Torture::measure(int rounds) {
  const std::string folder = project_.string();
  const Said measured = place_.run(
      {"jcprof", "run", folder, "--rounds", std::to_string(rounds), "--max-time", "100h", "--fresh"});
  INFO(measured.err);
  REQUIRE(measured.status == 0);
  const Said annotated = place_.run({"jcprof", "annotate", folder, "--json"});
  INFO(annotated.err);
  REQUIRE(annotated.status == 0);
  profile_ = json::parse(annotated.out);
}

std::vector<std::string> Torture::warnings() const {
  std::vector<std::string> texts = profile_["warnings"];
  std::erase_if(texts, is_of_noise);
  for (std::string& text : texts) {
    text = std::regex_replace(text, std::regex("\\(first: .*"), "(first: …)");
    text = std::regex_replace(text, std::regex("[0-9]+ of [0-9]+"), "N of M");
    text = std::regex_replace(text, std::regex(R"(TRAP_\w+ \([^)]*\), hit [0-9]+)"), "TRAP");
  }
  return texts;
}

std::optional<std::string> Torture::value(const std::string& sql) const {
  return value_of(project_ / "jcprof-out/profile.jcprof", sql);
}

void Torture::does(const Expected& expected) {
  constexpr int rounds = 14;  // seven pairs where twins are folded: fewer have no interval
  measure(rounds);
  reached_everything(rounds, expected.status);
  CHECK(warnings() == expected.warnings);
  CHECK(Comparison(profile_, expected).faults() == std::vector<std::string>{});
}

void Torture::reached_everything(int rounds, int status) const {
  CHECK(value(fmt::format("SELECT count(*) FROM path WHERE {} <> (SELECT count(*) FROM sample WHERE round > 0"
                          " AND sample.trap = path.trap AND sample.hit = path.hit AND outcome = 'stopped')",
                          rounds)) == "0");
  CHECK(value("SELECT count(*) FROM sample WHERE trap > 0 AND outcome <> 'stopped'") == "0");
  CHECK(value(fmt::format("SELECT count(*) FROM sample WHERE trap = 0"
                          " AND NOT (outcome = 'ended' AND status = {})",
                          status)) == "0");
}

}  // namespace jcprof::test
