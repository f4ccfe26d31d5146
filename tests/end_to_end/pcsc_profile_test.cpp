// SPDX-License-Identifier: Apache-2.0
// The examples over `pcsc:`, in readers of a daemon of the test's own, against the same over `vpcd:`.
#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"
#include "tests/end_to_end/torture.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::PrivatePcscd;
using test::Running;
using test::Said;
using test::TestClock;
using test::Workplace;

// Lines that take less of a command are not what a profile is read for.
constexpr double hot_share = 0.1;

json exported(const Workplace& place, const fs::path& out) {
  const std::string file = (out / "profile.json").string();
  const Said said =
      place.run({"jcprof", "export", (out / "profile.jcprof").string(), "--format", "json", "-o", file});
  INFO(said.err);
  REQUIRE(said.status == 0);
  return json::parse(read_file(file));
}

json profiled(const Workplace& place, const fs::path& project, const std::string& rounds) {
  const Said said =
      place.run({"jcprof", "profile", project.string(), "--rounds", rounds, "--max-time", "100h", "-q"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  return exported(place, project / "jcprof-out");
}

/// Times by name: lines, loops, and functions with what they call.
std::map<std::string, json> times_of(const json& profile, double least_share) {
  std::map<std::string, json> times;
  const auto add = [&](const std::string& kind, const json& place, const json& cost) {
    if (cost["share"]["value"] < least_share || (least_share > 0 && !cost["resolved"])) return;
    times[fmt::format("{} {}:{}", kind, place["path"].get<std::string>(), place["line"].get<int>())] =
        cost["ticks"];
  };
  for (const json& line : profile["lines"]) add("line", line, line);
  for (const json& loop : profile["loops"]) add("loop", loop, loop);
  for (const json& function : profile["functions"]) add("function", function, function["inclusive"]);
  return times;
}

bool overlap(const json& a, const json& b) {
  // Of virtual time that is more than what really passes.
  constexpr double tolerance = 0.05;
  return a["low"].get<double>() <= b["high"].get<double>() * (1 + tolerance) &&
         b["low"].get<double>() <= a["high"].get<double>() * (1 + tolerance);
}

/// What is hot in `a` and takes another time in `b`.
std::vector<std::string> disagreements(const json& a, const json& b) {
  const std::map<std::string, json> hot = times_of(a, hot_share);
  const std::map<std::string, json> all = times_of(b, 0);
  std::vector<std::string> texts;
  for (const auto& [name, ticks] : hot)
    if (!all.contains(name) || !overlap(ticks, all.at(name)))
      texts.push_back(fmt::format("{}: {} against {}", name, ticks.dump(),
                                  all.contains(name) ? all.at(name).dump() : ""));
  if (hot.empty()) texts.emplace_back("nothing is hot");
  return texts;
}

/// Hits of lines and calls of functions, by place.
std::map<std::string, int> counts_of(const json& profile) {
  std::map<std::string, int> counts;
  for (const json& line : profile["lines"])
    counts[fmt::format("{}:{}", line["path"].get<std::string>(), line["line"].get<int>())] = line["hits"];
  for (const json& function : profile["functions"]) counts[function["function"]] = function["calls"];
  return counts;
}

/// Profiles two copies of a project over `vpcd:` and in a reader.
std::pair<json, json> over_both(const Workplace& place,
                                const std::function<fs::path(const std::string& as)>& copy) {
  const PrivatePcscd daemon;
  const fs::path direct = copy("vpcd");
  test::use_virtual_card(direct);
  const fs::path reader = copy("pcsc");
  test::use_reader(reader, daemon);
  const json a = profiled(place, direct, "8");
  const json b = profiled(place, reader, "8");
  CHECK(a["transport"] == "vpcd");
  CHECK(b["transport"] == "pcsc");
  CHECK(test::value_of(reader / "jcprof-out/profile.jcprof", test::shots_gone) == "0");
  CHECK(place.processes("java").empty());
  CHECK(counts_of(a) == counts_of(b));
  return {a, b};
}

void takes_the_same_time(const Workplace& place, const std::function<fs::path(const std::string& as)>& copy) {
  const auto [a, b] = over_both(place, copy);
  CHECK(disagreements(a, b) == std::vector<std::string>{});
  CHECK(disagreements(b, a) == std::vector<std::string>{});
}

TEST_CASE("javacard-pin takes the same time in a reader as over vpcd:") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Workplace place("over-pin", TestClock::virtual_time);
  takes_the_same_time(place, [&](const std::string& as) { return test::paced_pin(place, as); });
}

TEST_CASE("javacard-torture takes the same time in a reader as over vpcd:") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Workplace place("over-torture", TestClock::virtual_time);
  takes_the_same_time(place, [&](const std::string& as) { return test::passing_torture(place, as); });
}

TEST_CASE("javacard-bignum goes the same way in a reader as over vpcd:") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const Workplace place("over-bignum");
  over_both(place, [&](const std::string& as) { return place.example("javacard-bignum", as); });
}

TEST_CASE("reader, protocol, ATR and the version of pcsc-lite are stored and exported") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const test::PinBench bench("reader");
  test::use_reader(bench.project, daemon);
  CHECK(bench.start("2").wait() == 0);
  REQUIRE(bench.place.run({"jcprof", "annotate", bench.project.string(), "-q"}).status == 0);
  const json profile = exported(bench.place, bench.project / "jcprof-out");
  for (const auto& [key, value] : {std::pair{"transport", "pcsc"}, std::pair{"reader", "Virtual PCD 00 00"},
                                   std::pair{"protocol", "T=1"}, std::pair{"device", "jcardsim"},
                                   std::pair{"atr", "3bfa1800008131fe454a434f5033315632333298"}}) {
    CHECK(profile[key] == value);
    CHECK(bench.ask(fmt::format("SELECT {} FROM run", key)) == value);
  }
  CHECK(profile["simulated"] == true);
  CHECK_THAT(profile["agent"].get<std::string>(), Catch::Matches("jcprof/[0-9.]+ pcsc-lite/[0-9.]+"));
}

/// Ahead of the first command.
int resets_in(const fs::path& log) {
  const std::string text = read_file(log);
  int count = 0;
  for (std::size_t at = 0; (at = text.find("reset\n", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_CASE("each session of a card in a reader begins with a reset") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const test::PinBench bench("sessions");
  test::use_reader(bench.project, daemon);
  test::replace_in(bench.project / "jcprof.json", "\"-XX:Tiered",
                   "\"-Djcprof.card.tells=true\", \"-XX:Tiered");
  const auto resets_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"jcprof", "run", bench.project.string(), "--rounds", "2", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = bench.place.run(words);
    INFO(said.err);
    CHECK(said.status == 0);
    return resets_in(bench.project / "jcprof-out/logs/start.log");
  };
  const int in_a_run = resets_of({});
  CHECK(resets_of({"--sessions", "1"}) == in_a_run + 1);
}

TEST_CASE("two cards in two readers are measured at the same time") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const Workplace place("two-cards");
  const fs::path first = place.example("javacard-pin", "first");
  const fs::path second = place.example("javacard-pin", "second");
  test::use_reader(first, daemon, 0);
  test::use_reader(second, daemon, 1);
  const auto start = [&](const fs::path& project, const std::string& out) {
    return place.start({"jcprof", "profile", project.string(), "-o", (place / out).string(), "--rounds", "8",
                        "--max-time", "4m"});
  };
  {
    Running a = start(first, "out-a");
    Running b = start(second, "out-b");
    CHECK(a.wait() == 0);
    CHECK(b.wait() == 0);
  }
  const json a = exported(place, place / "out-a");
  const json b = exported(place, place / "out-b");
  CHECK(a["reader"] == "Virtual PCD 00 00");
  CHECK(b["reader"] == "Virtual PCD 00 01");
  for (const json& profile : {a, b}) {
    // Of what runs a thousand times, the derivation is the hottest; lines stand hottest first.
    const auto often =
        std::ranges::find(profile["lines"], 1000, [](const json& line) { return line["hits"].get<int>(); });
    REQUIRE(often != profile["lines"].end());
    CHECK((*often)["function"] == "PinApplet.deriveKey");
  }
  CHECK(place.processes("java").empty());
}

}  // namespace
}  // namespace jcprof
