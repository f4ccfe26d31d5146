// SPDX-License-Identifier: Apache-2.0
// `jcprof profile` and what comes out of it, on the examples.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/source_comments.hpp"
#include "src/core/file.hpp"
#include "tests/end_to_end/pin_bench.hpp"
#include "tests/end_to_end/profiled.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::half_width;
using test::pin_source;
using test::replace_in;
using test::Said;
using test::TestClock;
using test::Workplace;

double sum_of_lines(const json& profile) {
  const json& lines = profile["lines"];
  return std::accumulate(lines.begin(), lines.end(), 0.0, [](double sum, const json& line) {
    return sum + line["ticks"]["value"].get<double>();
  });
}

json profiled(const Workplace& place, const fs::path& project) {
  return test::profiled(place, project, 14);
}

/// From 1.
std::size_t line_holding(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return static_cast<std::size_t>(
             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
         1;
}

std::string line_of(const std::string& text, std::size_t number) {
  std::istringstream stream(text);
  std::string line;
  for (std::size_t i = 0; i < number; ++i) std::getline(stream, line);
  return line;
}

const json& line_at(const json& profile, std::size_t number) {
  for (const json& line : profile["lines"])
    if (line["line"] == number) return line;
  FAIL("no estimate for line " << number);
  return profile;
}

void parts_make_the_whole(const json& profile) {
  const double total = profile["total"]["value"];
  CHECK(total > 0);
  const double lines = sum_of_lines(profile);
  const json& between = profile["between"];
  CHECK(profile["entry"]["value"].get<double>() + (between.is_null() ? 0 : between["value"].get<double>()) +
            lines + profile["unattributed"]["value"].get<double>() ==
        Approx(total).epsilon(1e-9));
  // Shares are of all lines together, or where these drown in the noise, of the command.
  const double whole = lines > 0 ? lines : total;
  for (const json& line : profile["lines"])
    CHECK(line["share"]["value"].get<double>() ==
          Approx(std::min(1.0, line["ticks"]["value"].get<double>() / whole)).epsilon(1e-9));
}

TEST_CASE("the hash rounds of javacard-pin are the hot line, and every report says so") {
  const Workplace place("pin", TestClock::virtual_time);
  const fs::path project = test::paced_pin(place);
  const fs::path out = project / "jcprof-out";
  const json profile = profiled(place, project);
  const std::string original = read_file(project / pin_source);
  const std::size_t hot = line_holding(original, "sha.doFinal");

  CHECK(profile["simulated"] == true);
  CHECK(profile["device"] == "jcardsim");
  CHECK(profile["rounds"] == 14);
  for (const std::string warning : profile["warnings"]) CHECK(test::is_of_noise(warning));
  CHECK(line_at(profile, hot)["function"] == "PinApplet.deriveKey");
  CHECK(line_at(profile, hot)["hits"] == 1000);
  CHECK(line_at(profile, hot)["share"]["value"] > 0.8);
  CHECK(line_at(profile, hot)["resolved"] == true);
  parts_make_the_whole(profile);

  const fs::path annotated = out / "annotated" / pin_source;
  const std::string text = read_file(annotated);
  CHECK_THAT(
      line_of(text, hot),
      Catch::Matches(
          R"( +Pace\.round\(sha\.doFinal\(.*\)\); // [0-9.]+ m?s ±.* \((100\.0|[7-9][0-9]\.[0-9]) %\) ×1000, .* each \(jcardsim simulated, [-0-9]+ [0-9:]+ UTC\))"));
  CHECK(annotator::without_comments(text) == original);
  REQUIRE(place.run({"jcprof", "annotate", project.string()}).status == 0);
  CHECK(read_file(annotated) == text);

  const Said rows = place.run({"jcprof", "query", (out / "profile.jcprof").string(),
                               "SELECT line, function, hits, resolved FROM line LIMIT 1"});
  CHECK(rows.out ==
        fmt::format("line  function             hits  resolved\n{}    PinApplet.deriveKey  1000  1\n", hot));
  CHECK(test::is_sound(out / "profile.jcprof"));

  CHECK(read_file(out / "tree" / pin_source) != original);
  CHECK(place.run({"jcprof", "strip", (out / "tree").string()}).out == "3 files changed\n");
  CHECK(read_file(out / "tree" / pin_source) == original);
  CHECK(read_file(out / "tree/jcprof.json") == read_file(project / "jcprof.json"));
  CHECK_FALSE(fs::exists(out / "tree/src/PM.java"));
  CHECK_FALSE(fs::exists(out / "tree/src/PMC.java"));
  CHECK(place.processes("java").empty());
}

TEST_CASE("twice the hash rounds take twice the time of their line, and of no other") {
  const Workplace place("rounds", TestClock::virtual_time);
  const fs::path project = test::paced_pin(place);
  const json once = profiled(place, project);
  replace_in(project / pin_source, "ROUNDS = (short) 1000", "ROUNDS = (short) 2000");
  const json twice = profiled(place, project);
  const std::size_t hot = line_holding(read_file(project / pin_source), "sha.doFinal");

  constexpr double tolerance = 0.05;
  const json& before = line_at(once, hot)["ticks"];
  const json& after = line_at(twice, hot)["ticks"];
  INFO(before << after);
  CHECK(after["high"].get<double>() / before["low"].get<double>() >= 2 * (1 - tolerance));
  CHECK(after["low"].get<double>() / before["high"].get<double>() <= 2 * (1 + tolerance));
  CHECK(after["value"].get<double>() / before["value"].get<double>() == Approx(2).epsilon(tolerance));

  const double noise = std::max(half_width(once["entry"]), half_width(twice["entry"]));
  for (const json& line : once["lines"]) {
    const json& other = line_at(twice, line["line"]);
    if (line["line"] == hot || !line["resolved"] || !other["resolved"]) continue;
    if (line["ticks"]["value"] < 20 * noise || other["ticks"]["value"] < 20 * noise) continue;
    INFO(line << other);
    CHECK(line["ticks"]["low"].get<double>() <= other["ticks"]["high"].get<double>() * (1 + tolerance));
    CHECK(other["ticks"]["low"].get<double>() <= line["ticks"]["high"].get<double>() * (1 + tolerance));
  }
}

/// Calls by function, from the applet's arithmetic itself: each method says its name, on a plain JVM.
std::map<std::string, int> counted_calls(const Workplace& place, const fs::path& project) {
  std::string text = read_file(project / "src/BigNumApplet.java");
  const auto change = [&](const std::string& from, const std::string& to) {
    REQUIRE(std::regex_search(text, std::regex(from)));
    text = std::regex_replace(text, std::regex(from), to);
  };
  change("package [^\n]*", "");
  change(" extends Applet", "");
  change(R"(\bregister\(\);)", "");
  change(R"(selectingApplet\(\))", "false");
  change(R"(JCSystem\.makeTransientByteArray\((.*), JCSystem\.CLEAR_ON_DESELECT\))", "new byte[$1]");
  change(R"(private (void|short|boolean) (\w+)\(([^)]*)\) \{)",
         "private $1 $2($3) { System.out.println(\"$2\");");
  change(R"(public static void install\([^)]*\) \{)",
         "public static void main(String[] a) { byte[] x = new java.math.BigInteger(a[0], 16).toByteArray();"
         " new BigNumApplet().multiply(x, (short) (x.length - LENGTH));");
  write_file(place / "count/BigNumApplet.java", text);
  const std::string folder = (place / "count").string();
  const Said compiled = place.run({"javac", "-J-XX:TieredStopAtLevel=1", "-encoding", "UTF-8", "-nowarn",
                                   "-cp", JCPROF_JCARDSIM, "BigNumApplet.java"},
                                  folder);
  INFO(compiled.err);
  REQUIRE(compiled.status == 0);
  const std::string settings = read_file(project / "jcprof.json");
  const std::string before = "{\"list\": [\"";
  const std::size_t input = settings.find(before) + before.size();
  const Said said = place.run({"java", "-cp", fmt::format("{}:{}", JCPROF_JCARDSIM, folder), "BigNumApplet",
                               settings.substr(input, settings.find('"', input) - input)});
  INFO(said.err);
  REQUIRE(said.status == 0);
  std::map<std::string, int> calls{{"BigNumApplet.process", 1}};
  std::istringstream names(said.out);
  for (std::string name; std::getline(names, name);) ++calls["BigNumApplet." + name];
  return calls;
}

TEST_CASE("loops and nested calls of javacard-bignum are counted, and add up") {
  const Workplace place("bignum");
  const fs::path project = place.example("javacard-bignum");
  const json profile = profiled(place, project);
  const std::map<std::string, int> expected = counted_calls(place, project);

  CHECK(expected.at("BigNumApplet.reduce") == 64);
  std::map<std::string, int> calls;
  for (const json& function : profile["functions"]) {
    calls[function["function"]] = function["calls"];
  }
  CHECK(calls == expected);
  CHECK(profile["lines"].size() > 20);
  CHECK(test::value_of(project / "jcprof-out/profile.jcprof", "SELECT count(*) > 40 FROM trap") == "1");
  parts_make_the_whole(profile);
  JCPROF_NEEDS_A_QUIET_MACHINE(profile);
  for (const json& function : profile["functions"]) {
    INFO(function);
    CHECK(function["inclusive"]["ticks"]["high"] >= function["exclusive"]["ticks"]["value"]);
  }
}

}  // namespace
}  // namespace jcprof
