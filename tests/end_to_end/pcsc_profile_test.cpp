// SPDX-License-Identifier: Apache-2.0
// The examples over `pcsc:`, in readers of a daemon of the test's own, against the same over `vpcd:`.
#include <regex>

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

std::vector<json> hot_lines(const json& profile) {
  std::vector<json> lines;
  for (const json& line : profile["lines"])
    if (line["share"]["value"] > hot_share && line["resolved"]) lines.push_back(line);
  return lines;
}

bool overlap(const json& a, const json& b) {
  return a["low"].get<double>() <= b["high"].get<double>() * (1 + jvm_to_jvm) &&
         b["low"].get<double>() <= a["high"].get<double>() * (1 + jvm_to_jvm);
}

std::vector<std::string> disagreements(const json& a, const json& b) {
  std::vector<std::string> texts;
  for (const json& line : hot_lines(a)) {
    const auto other = std::ranges::find_if(b["lines"], [&](const json& one) {
      return one["path"] == line["path"] && one["line"] == line["line"];
    });
    REQUIRE(other != b["lines"].end());
    if (!overlap(line["ticks"], (*other)["ticks"]))
      texts.push_back(fmt::format("{}: {} against {}", line["line"].dump(), line["ticks"].dump(),
                                  (*other)["ticks"].dump()));
  }
  return texts;
}

/// `most_at_line`: a part of the line that takes the most.
void agrees_over_both(const std::string& example, const std::string& rounds) {
  JCPROF_NEEDS_PRIVATE_PCSCD();
  const PrivatePcscd daemon;
  const Workplace place("over-" + example);
  const fs::path direct = place.example(example, "vpcd");
  test::use_virtual_card(direct);
  const fs::path reader = place.example(example, "pcsc");
  test::use_reader(reader, daemon);

  std::vector<std::string> found{"never measured"};
  // Other processes may spoil a measurement; a transport that measures something else does so each time.
  for (int attempt = 0; attempt < 3 && !found.empty(); ++attempt) {
    const json a = profiled(place, direct, rounds);
    const json b = profiled(place, reader, rounds);
    CHECK_FALSE(hot_lines(a).empty());
    CHECK(a["warnings"] == json::array());
    CHECK(b["warnings"] == json::array());
    CHECK(b["transport"] == "pcsc");
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
  agrees_over_both("javacard-bignum", "6");
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
  CHECK_THAT(profile["agent"].get<std::string>(),
             Catch::Matches("jcprof/[0-9.]+ pcsc-lite/[0-9.]+, driver of Virtual Smart Card Architecture.*"));
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
    return place.start(
        {"jcprof", "profile", project.string(), "-o", (place / out).string(), "--rounds", "12"});
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
    CHECK(profile["warnings"] == json::array());
    REQUIRE(hot_lines(profile).size() == 1);
    CHECK(hot_lines(profile).front()["function"] == "PinApplet.deriveKey");
  }
  const Said rows = place.run({"jcprof", "query", (place / "out-a/profile.jcprof").string(),
                               (place / "out-b/profile.jcprof").string(),
                               "SELECT count(DISTINCT profile) AS profiles FROM line WHERE resolved"});
  CHECK(rows.out == "profiles\n2\n");
  CHECK(place.processes("java").empty());
}

}  // namespace
}  // namespace jcprof
