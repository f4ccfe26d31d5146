// SPDX-License-Identifier: Apache-2.0
// The examples over `pcsc:`, in readers of a daemon of the test's own, against the same over `vpcd:`.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/pcsc_place.hpp"
#include "tests/end_to_end/pin_bench.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::PrivatePcscd;
using test::Running;
using test::Said;
using test::Workplace;

// Lines that take less of a command are not what a profile is read for.
constexpr double hot_share = 0.1;
// Two JVMs compile the same code a little differently, which no interval over the rounds of one knows.
constexpr double jvm_to_jvm = 0.05;

json exported(const Workplace& place, const fs::path& out) {
  const std::string file = (out / "profile.json").string();
  const Said said =
      place.run({"jcprof", "export", (out / "profile.jcprof").string(), "--format", "json", "-o", file});
  INFO(said.err);
  REQUIRE(said.status == 0);
  return json::parse(read_file(file));
}

json profiled(const Workplace& place, const fs::path& project, const std::string& rounds) {
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", rounds, "-q"});
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
  return a["low"].get<double>() <= b["high"].get<double>() * (1 + jvm_to_jvm) &&
         b["low"].get<double>() <= a["high"].get<double>() * (1 + jvm_to_jvm);
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

void agrees_over_both(const std::string& example, const std::string& rounds) {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const Workplace place("over-" + example);
  const auto copy = [&](const std::string& as) {
    return example == "javacard-pin" ? test::paced_pin(place, as) : place.example(example, as);
  };
  const fs::path direct = copy("vpcd");
  test::use_virtual_card(direct);
  const fs::path reader = copy("pcsc");
  test::use_reader(reader, daemon);

  std::vector<std::string> found{"never measured"};
  // Other processes may spoil a measurement; a transport that measures something else does so each time.
  for (int attempt = 0; attempt < 3 && !found.empty(); ++attempt) {
    const json a = profiled(place, direct, rounds);
    const json b = profiled(place, reader, rounds);
    CHECK(a["transport"] == "vpcd");
    CHECK(b["transport"] == "pcsc");
    CHECK(test::value_of(reader / "jcprof-out/profile.jcprof", test::shots_gone) == "0");
    found = disagreements(a, b);
    for (std::string& more : disagreements(b, a)) found.push_back(std::move(more));
  }
  CHECK(found == std::vector<std::string>{});
  CHECK(place.processes("java").empty());
}

TEST_CASE("javacard-pin takes the same time in a reader as over vpcd:") {
  agrees_over_both("javacard-pin", "12");
}

TEST_CASE("javacard-bignum takes the same time in a reader as over vpcd:") {
  agrees_over_both("javacard-bignum", "12");
}

TEST_CASE("javacard-torture takes the same time in a reader as over vpcd:") {
  agrees_over_both("javacard-torture", "12");
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

TEST_CASE("two cards in two readers are measured at the same time") {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const Workplace place("two-cards");
  const fs::path first = place.example("javacard-pin", "first");
  const fs::path second = place.example("javacard-pin", "second");
  test::use_reader(first, daemon, 0);
  test::use_reader(second, daemon, 1);
  const auto start = [&](const fs::path& project, const std::string& out) {
    return place.start({"jcprof", "profile", project.string(), "-o", (place / out).string(), "--rounds", "16",
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
