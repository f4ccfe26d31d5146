// SPDX-License-Identifier: Apache-2.0
#include "annotator/check/check.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/check/check_texts.hpp"
#include "tests/annotator/synthetic_device.hpp"
#include "tests/annotator/trap_maps.hpp"

namespace jcprof::annotator {
namespace {

Estimate cost_of(double value, double half) {
  return {.ticks = {value, value - half, value + half},
          .share = {value / 1000, (value - half) / 1000, (value + half) / 1000},
          .resolved = true};
}

/// Of 1000 ns: p() takes 600 ±10 and calls q(int), which takes 400 ±10 at line 21.
Profile some_profile() {
  Profile profile;
  profile.run.project = "pin";
  profile.run.device = "card";
  profile.total = cost_of(1000, 10);
  profile.paths = {{}};
  profile.lines = {
      {.path = "src/A.java", .line = 11, .function = "p", .hits = 1, .cost = cost_of(600, 10)},
      {.path = "src/A.java", .line = 21, .function = "q(int)", .hits = 4, .cost = cost_of(400, 10)}};
  profile.unreached = {{"src/A.java", 30, "unused"}};
  profile.functions = {{.function = "p",
                        .path = "src/A.java",
                        .line = 10,
                        .calls = 1,
                        .exclusive = cost_of(600, 10),
                        .inclusive = cost_of(1000, 10)},
                       {.function = "q(int)",
                        .path = "src/A.java",
                        .line = 20,
                        .calls = 4,
                        .exclusive = cost_of(400, 10),
                        .inclusive = cost_of(400, 10)}};
  return profile;
}

/// unused() at line 30 is not reached. Trap 3 stands at line 21.
TrapMap some_map() {
  MapMaker maker;
  maker.trap(TrapKind::before, "p", 11)
      .trap(TrapKind::entry, "q(int)", 20)
      .trap(TrapKind::before, "q(int)", 21);
  TrapMap map = maker.trap(TrapKind::entry, "unused", 30).map();
  for (Trap& trap : map.traps) trap.path = "src/A.java";
  map.traps[2].name = "TRAP_mine";
  return map;
}

Checked checked(const std::string& budget, const Profile& profile = some_profile()) {
  const TrapMap map = some_map();
  const std::vector<Checked> all = check_budgets({parse_budget(budget)}, {profile, map}, nullptr);
  REQUIRE(all.size() == 1);
  return all.front();
}

std::string refusal_of(const std::string& budget) {
  try {
    checked(budget);
  } catch (const UserError& error) {
    return error.faults().front().message;
  }
  return "";
}

Change change_of(Verdict verdict, const Interval& relative) {
  return {.path = "src/A.java",
          .line = 11,
          .line_before = 11,
          .function = "p",
          .before = cost_of(100, 1),
          .after = cost_of(100, 1),
          .relative = relative,
          .verdict = verdict};
}

CheckReport report_of(const std::vector<Checked>& all) {
  return {.run = some_profile().run, .entry = {.path = "src/A.java", .line = 7}, .checked = all};
}

}  // namespace

TEST_CASE("a budget is broken above its interval, held below it, and else not resolved") {
  CHECK(checked("p <= 989ns").holding == Holding::broken);
  CHECK(checked("p <= 990ns").holding == Holding::unresolved);
  CHECK(checked("p <= 1009ns").holding == Holding::unresolved);
  CHECK(checked("p <= 1010ns").holding == Holding::held);
  CHECK(holding_of({checked("p <= 2us"), checked("p <= 1us")}) == Holding::unresolved);
  CHECK(holding_of({checked("p <= 1us"), checked("p <= 0.5us")}) == Holding::broken);
  CHECK(holding_of({checked("p <= 2us")}) == Holding::held);
}

TEST_CASE("budgets are about the command, functions, lines and traps, and their shares and hits") {
  CHECK(checked("total <= 2us").measured.value == 1000);
  CHECK(checked("own p <= 2us").measured.value == 600);
  CHECK(checked("q <= 1us").subject == "q(int)");
  CHECK(checked("q(int) <= 50%").measured.high == Approx(0.41));
  CHECK(checked("src/A.java:21 <= 1us").measured.value == 400);
  CHECK(checked("A.java:21 <= 3 hits").holding == Holding::broken);
  CHECK(checked("A.java:21 <= 4 hits").holding == Holding::held);
  CHECK(checked("TRAP_mine <= 1us").subject == "src/A.java:21");
  CHECK(checked("q <= 3 calls").holding == Holding::broken);
  const TrapMap map = some_map();
  CHECK(check_budgets({parse_budget("* <= 1ms")}, {some_profile(), map}, nullptr).size() == 3);
  Profile brackets = some_profile();
  brackets.functions[1].function = "A.q(byte[])";
  CHECK(checked("A.q(byte[]) <= 1us", brackets).measured.value == 400);
  CHECK(checked("A.q(b*]) <= 1us", brackets).measured.value == 400);
  brackets.functions[1].function = "operator/";
  CHECK(checked("oper* <= 1us", brackets).measured.value == 400);
}

TEST_CASE("what the command does not reach takes nothing, and what the program lacks is refused") {
  CHECK(checked("unused <= 1ns").holding == Holding::held);
  CHECK(checked("A.java:30 <= 0 hits").holding == Holding::held);
  CHECK(refusal_of("r <= 1ns") == "budget \"r <= 1ns\": no function with traps is called r");
  CHECK(refusal_of("A.java:12 <= 1ns") == "budget \"A.java:12 <= 1ns\": no trap stands in A.java:12");
  CHECK(refusal_of("p <= 3 cycles") == "budget \"p <= 3 cycles\": the profile is in ns");
  for (const char* bad : {"own total <= 1s", "own A.java:21 <= 1s", "total <= 50%", "total <= 1 hits"})
    CHECK_FALSE(refusal_of(bad).empty());
  CHECK(refusal_of("p <= +3%") == "budget \"p <= +3%\": there is nothing to compare with");
}

TEST_CASE("cycles of a known rate are times too") {
  Profile profile = some_profile();
  profile.run.unit = ClockUnit::cycles;
  profile.run.hz = 2e9;
  CHECK(checked("total <= 1us", profile).measured.value == 500);
  CHECK(checked("total <= 1000 cycles", profile).holding == Holding::unresolved);
}

TEST_CASE("where nothing is known, a budget is not resolved, and says why") {
  Profile profile = some_profile();
  profile.functions[0].inclusive.unreliable = true;
  CHECK(checked("p <= 2us", profile).holding == Holding::unresolved);
  CHECK(checked("p <= 2us", profile).why == "the measurements contradict each other there");
  CHECK(std::isnan(checked("p <= 2us", profile).measured.value));
  profile = some_profile();
  profile.total.of_one_run = true;
  CHECK(checked("total <= 2us", profile).why ==
        "one recorded run does not tell how far another would be from it");
  CHECK(checked("total <= 1ns", profile).holding == Holding::unresolved);
  profile = some_profile();
  profile.unreached = {};  // as of a path that was cut
  CHECK(checked("unused <= 1s", profile).holding == Holding::unresolved);
  CHECK(checked("A.java:30 <= 1 hits", profile).holding == Holding::unresolved);
  profile.paths.resize(2);
  for (const char* budget : {"q <= 9 hits", "q <= 1s", "total <= 1s"})
    CHECK(checked(budget, profile).why ==
          "the command takes several paths, and only the most frequent one is shown");
  profile = some_profile();
  profile.noted = {{.kind = WarningKind::path_cut}};
  CHECK(checked("q <= 1s", profile).why == "the path was cut");
  profile = some_profile();
  profile.recorded = Recorded{.threads = 1, .events = 9, .lost = 1};
  CHECK(checked("q <= 1s", profile).why == "the recording lost events");
}

TEST_CASE("budgets of a recording of several commands are those of one command, on average") {
  Profile profile = some_profile();
  profile.recorded = Recorded{.threads = 1, .events = 9};
  profile.total.rounds = 10;
  CHECK(checked("p <= 1us", profile).measured.value == 100);
  CHECK(checked("q <= 1 hits", profile).measured.value == Approx(0.4));
  CHECK(checked("q <= 50%", profile).measured.value == Approx(0.4));
  profile.total.rounds = 1;  // too few for an interval, and so unknown
  profile.tree.functions = {{.name = "thread 1", .is_thread = true}, {.name = "p"}};
  profile.tree.nodes = {{.function = 0}, {.function = 1, .parent = 0, .calls = 3}};
  CHECK(checked("q <= 9 hits", profile).holding == Holding::unresolved);
  profile.tree.nodes[1].calls = 1;
  CHECK(checked("q <= 9 hits", profile).holding == Holding::held);
}

TEST_CASE("changes are judged against the baseline, and proven regressions break by themselves") {
  Comparison comparison;
  comparison.whole = change_of(Verdict::same, {0.01, 0.0, 0.02});
  comparison.functions = {change_of(Verdict::slower, {0.2, 0.15, 0.25})};
  comparison.lines = {change_of(Verdict::slower, {0.02, 0.01, 0.03}),
                      change_of(Verdict::unresolved, {0.5, 0.1, 0.9})};
  const TrapMap map = some_map();
  const auto holding = [&](const std::string& budget) {
    return check_budgets({parse_budget(budget)}, {some_profile(), map}, &comparison).front().holding;
  };
  CHECK(holding("own p <= +10%") == Holding::broken);
  CHECK(holding("own p <= +20%") == Holding::unresolved);
  CHECK(holding("own p <= +25%") == Holding::held);
  CHECK(holding("total <= +2%") == Holding::held);
  CHECK(holding("own q <= +2%") == Holding::unresolved);  // which the baseline does not have
  CHECK(holding("unused <= 1s") == Holding::held);
  CHECK_THROWS_AS(holding("p <= +10%"), UserError);
  const std::vector<Checked> regressions = check_regressions(comparison, 0.1);
  REQUIRE(regressions.size() == 2);
  CHECK(regressions[0].holding == Holding::held);
  CHECK(regressions[1].budget.text == "own p <= +10%");
  CHECK(regressions[1].subject == "p");
  CHECK(regressions[1].holding == Holding::broken);
}

TEST_CASE("a change that says nothing holds no budget") {
  const TrapMap map = some_map();
  const auto of_total = [&](const Change& change) {
    Comparison comparison;
    comparison.whole = change;
    return check_budgets({parse_budget("total <= +3%")}, {some_profile(), map}, &comparison).front();
  };
  CHECK(of_total(change_of(Verdict::same, {0.001, -0.02, 0.02})).holding == Holding::held);
  Change everything = change_of(Verdict::unresolved, {0.001, -0.02, 0.06});
  everything.shots_factor = 0;
  CHECK(of_total(everything).holding == Holding::unresolved);
  CHECK(of_total(everything).why == "sessions differ as much: only more sessions tell");
  everything.relative.high = 0.029;  // however little is known, that is below the limit
  CHECK(of_total(everything).holding == Holding::held);
  Change recorded = change_of(Verdict::slower, {0.2, 0.1, 0.3});
  recorded.after->of_one_run = true;
  CHECK(of_total(recorded).holding == Holding::unresolved);
  Change unknown = change_of(Verdict::unresolved, {0, -INFINITY, INFINITY});
  CHECK(of_total(unknown).why == "too little is known of it");
  Change fresh = change_of(Verdict::appeared, {INFINITY, INFINITY, INFINITY});
  fresh.before.reset();
  CHECK(of_total(fresh).why == "it is new: the baseline does not have it");
  Comparison moved;
  moved.lines = {change_of(Verdict::gone, {-1, -1, -1}), change_of(Verdict::slower, {0.2, 0.1, 0.3})};
  CHECK(check_budgets({parse_budget("A.java:11 <= +5%")}, {some_profile(), map}, &moved).front().holding ==
        Holding::broken);
}

TEST_CASE("everything slower by a twentieth holds no budget of the whole, as sessions differ as much") {
  SyntheticDevice device{.map = MapMaker()
                                    .trap(TrapKind::entry0, "p", 1)
                                    .trap(TrapKind::entry, "p", 1)
                                    .trap(TrapKind::before, "p", 10)
                                    .trap(TrapKind::before, "p", 11)
                                    .trap(TrapKind::exit, "p", 12)
                                    .map(),
                         .costs = {100, 100, 4000, 5000, 60},
                         .pass = 10,
                         .seed = 3};
  device.path = path_of({1, 2, 3, 4, 5});
  const Profile before = estimate(device.run(60));
  for (double& cost : device.costs) cost *= 1.05;
  device.seed = 4;
  const Profile after = estimate(device.run(60));
  const Comparison comparison = compare({{before, device.map}}, {{after, device.map}});
  const Checked total =
      check_budgets({parse_budget("total <= +3%")}, {after, device.map}, &comparison).front();
  INFO(total.measured.low << " " << total.measured.high << " " << name_of(comparison.whole.verdict));
  CHECK(total.holding != Holding::held);
}

TEST_CASE("names that markup and commands would take for their own are escaped") {
  Profile profile = some_profile();
  profile.functions[0].function = "operator<\"&\x01\">";
  profile.functions[0].path = "a,b:c%.java";
  const std::vector<Checked> all{checked("oper* <= 1ns", profile)};
  CHECK_THAT(to_junit(report_of(all)),
             Catch::Contains("operator&lt;&quot;&amp;") && !Catch::Contains("\x01"));
  CHECK_THAT(to_github(report_of(all)), Catch::StartsWith("::error file=a%2Cb%3Ac%25.java,line=10,"));
}

TEST_CASE("a budget of several sessions is as its worst one") {
  const std::vector<Checked> worst =
      worst_of({{checked("p <= 2us"), checked("q <= 1ns")}, {checked("p <= 2us")}});
  REQUIRE(worst.size() == 2);
  Profile slow = some_profile();
  slow.functions[0].inclusive = cost_of(5000, 10);
  CHECK(worst_of({{checked("p <= 2us")}, {checked("p <= 2us", slow)}}).front().holding == Holding::broken);
  CHECK(worst_of({{checked("p <= 2us", slow)}, {checked("p <= 2us")}}).front().holding == Holding::broken);
}

TEST_CASE("a budget of a fleet is as its worst device but for those that it may spare") {
  Profile slow = some_profile();
  slow.functions[0].inclusive = cost_of(5000, 10);
  const auto on = [](const std::string& device, Checked one) {
    one.device = device;
    return std::vector<Checked>{std::move(one)};
  };
  const std::vector<Checked> good = on("b", checked("p <= 2us"));
  const std::vector<std::vector<Checked>> devices{good, on("a", checked("p <= 2us", slow)),
                                                  unresolved_on("c", "it is left out: no reader", good)};
  CHECK(worst_of(devices).front().holding == Holding::broken);
  CHECK(worst_of(devices).front().device == "a");
  CHECK(worst_of(devices, 1).front().holding == Holding::unresolved);
  CHECK(worst_of(devices, 1).front().device == "c");
  CHECK(worst_of(devices, 1).front().why == "it is left out: no reader");
  CHECK(worst_of(devices, 2).front().holding == Holding::held);
  CHECK(worst_of(devices, 9).front().holding == Holding::held);
}

TEST_CASE("budgets are read as people write them, and what is none is refused with the reason") {
  const Budget budget = parse_budget("  own  A.*  <=  2.5 ms ");
  CHECK(budget.text == "own  A.*  <=  2.5 ms");
  CHECK(budget.subject == "A.*");
  CHECK(budget.is_own);
  CHECK(budget.limit == 2.5e6);
  CHECK(parse_budget("operator<= <= 3%").subject == "operator<=");
  CHECK(parse_budget("f<=12 instructions").unit == BudgetUnit::instructions);
  CHECK(parse_budget("f<=+0.5%").limit == Approx(0.005));
  for (const char* bad : {"f", "f < 3ms", "<= 3ms", "f <= ms", "f <= 3", "f <= 3 apples", "f <= -3ms",
                          "f <= +3ms", "f <= nan ms", "f <= "})
    CHECK_THROWS_AS(parse_budget(bad), UserError);
}

TEST_CASE("a file of budgets says where it is wrong") {
  const auto message = [](const std::string& text) -> std::string {
    try {
      return std::to_string(parse_budgets("b.json", text).size());
    } catch (const UserError& error) {
      return error.what();
    }
  };
  CHECK(
      message(R"({"format": "jcprof-budget", "version": 1, "budgets": ["a <= 1s", "b <= 1%"] /* two */})") ==
      "2");
  CHECK_THAT(message("{\"format\": \"jcprof-budget\", \"version\": 1, \"budgets\": [\n\"a = 1s\"]}"),
             Catch::Contains("b.json:2") && Catch::Contains("there is no \"<=\""));
  CHECK_THAT(message(R"({"format": "jcprof-project", "version": 1, "budgets": []})"),
             Catch::Contains("this is no file of budgets"));
  CHECK_THAT(message(R"({"format": "jcprof-budget", "version": 2, "budgets": []})"),
             Catch::Contains("version 2"));
  CHECK_THAT(message(R"({"format": "jcprof-budget", "version": 1, "limits": []})"),
             Catch::Contains("limits"));
}

TEST_CASE("people read the worst budgets first, with what was measured") {
  const std::vector<Checked> all{checked("p <= 2us"), checked("own q <= 0.3us"), checked("total <= 1us")};
  CHECK(to_text(report_of(all)) ==
        "            budget               measured  of\n"
        "broken      own q <= 0.3us     400 ns ±10  q(int)\n"
        "unresolved  total <= 1us    1.00 µs ±0.01\n"
        "held        p <= 2us        1.00 µs ±0.01\n"
        "pin on card: 1 broken, 1 unresolved, 1 held\n");
}

TEST_CASE("machines read the result as JSON, JUnit's XML and annotations") {
  const std::vector<Checked> all{checked("p <= 2us"), checked("own q <= 0.3us"), checked("total <= 1us")};
  const nlohmann::json json = nlohmann::json::parse(to_json(report_of(all)));
  CHECK(json["verdict"] == "broken");
  CHECK(json["budgets"][0]["measured"]["low"] == 390);
  CHECK(json["budgets"][0]["line"] == 20);
  CHECK(json["budgets"][0]["unit"] == "ns");
  const std::string junit = to_junit(report_of(all));
  CHECK_THAT(
      junit,
      Catch::Contains(R"(tests="3" failures="1" errors="1")") &&
          Catch::Contains(R"(<testcase classname="pin" name="p &lt;= 2us" file="src/A.java" line="10"/>)") &&
          Catch::Contains(R"(<failure type="broken" message="q(int): 400 ns ±10"/>)") &&
          Catch::Contains(R"(<error type="unresolved")"));
  CHECK(to_github(report_of(all)) ==
        "::error file=src/A.java,line=20,title=budget broken::own q <= 0.3us; q(int): 400 ns ±10\n"
        "::warning title=budget unresolved::total <= 1us; total: 1.00 µs ±0.01\n");
}

TEST_CASE("SARIF has a result for each budget that is not held, at its place") {
  CheckReport report = report_of({checked("p <= 2us"), checked("own q <= 0.3us"), checked("total <= 1us")});
  report.warnings = {"busy [x]"};
  const nlohmann::json run = nlohmann::json::parse(to_sarif(report)).at("runs").at(0);
  const nlohmann::json& results = run.at("results");
  REQUIRE(results.size() == 2);
  CHECK(results[0].at("ruleId") == "JC1003");
  CHECK(results[0].at("level") == "error");
  CHECK(results[0].at("message").at("text") == "own q <= 0.3us; q(int): 400 ns ±10");
  const nlohmann::json& physical = results[0].at("locations").at(0).at("physicalLocation");
  CHECK(physical.at("artifactLocation").at("uri") == "src/A.java");
  CHECK(physical.at("region").at("startLine") == 20);
  CHECK(results[1].at("ruleId") == "JC1004");
  // GitHub refuses results without a file.
  const nlohmann::json& of_total = results[1].at("locations").at(0);
  CHECK(of_total.at("physicalLocation").at("region").at("startLine") == 7);
  CHECK_FALSE(of_total.contains("logicalLocations"));
  CHECK(run.at("tool").at("driver").at("rules").at(results[1].at("ruleIndex").get<int>()).at("id") ==
        "JC1004");
  CHECK(run.at("invocations").at(0).at("toolExecutionNotifications").at(0).at("message").at("text") ==
        "busy \\[x\\]");
}

TEST_CASE("functions of one name in two files are two results, and two series of a history") {
  Profile profile = some_profile();
  profile.functions[1].function = "p";
  profile.functions[1].path = "src/B.java";
  const CheckReport report =
      report_of(check_budgets({parse_budget("own p <= 1ns")}, {profile, some_map()}, nullptr));
  const auto json = [](const std::string& text) { return nlohmann::json::parse(text); };
  const nlohmann::json results = json(to_sarif(report)).at("runs").at(0).at("results");
  REQUIRE(results.size() == 2);
  CHECK(results[0].at("partialFingerprints") != results[1].at("partialFingerprints"));
  const nlohmann::json bencher = json(to_bencher(report));
  CHECK(bencher.at("own p in src/A.java").at("latency").at("value") == 600);
  CHECK(bencher.at("own p in src/B.java").at("latency").at("value") == 400);
  CHECK(json(to_action_benchmark(report)).size() == 2);
}

TEST_CASE("histories of benchmarks get each subject once, by a name that its limit is no part of") {
  Profile unknown = some_profile();
  unknown.total.ticks = {engine::missing, engine::missing, engine::missing};
  const CheckReport report =
      report_of({checked("p <= 2us"), checked("p <= 1us"), checked("own q <= 30%"), checked("q <= 3 calls"),
                 checked("own p <= 1us"), checked("total <= 2us", unknown)});
  const auto json = [](const std::string& text) { return nlohmann::json::parse(text); };
  CHECK(
      json(to_bencher(report)) ==
      json("{\"p\": {\"latency\": {\"value\": 1000.0, \"lower_value\": 990.0, \"upper_value\": 1010.0}},"
           "\"own q(int)\": {\"share\": {\"value\": 40.0, \"lower_value\": 39.0, \"upper_value\": 41.0}},"
           "\"q(int)\": {\"hits\": {\"value\": 4.0, \"lower_value\": 4.0, \"upper_value\": 4.0}},"
           "\"own p\": {\"latency\": {\"value\": 600.0, \"lower_value\": 590.0, \"upper_value\": 610.0}}}"));
  const nlohmann::json action = json(to_action_benchmark(report));
  REQUIRE(action.size() == 4);
  CHECK(action[1] ==
        json("{\"name\": \"own q(int), share\", \"unit\": \"%\", \"value\": 40.0, \"range\": \"±1\","
             "\"extra\": \"own q <= 30%: broken\"}"));
}

}  // namespace jcprof::annotator
