// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/report.hpp"

#include <chrono>
#include <limits>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/record/profile.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

using nlohmann::json;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t roomy = 1'000'000;

Estimate cost(double value, double half) {
  return {.ticks = {value, value - half, value + half},
          .share = {value / 1000, (value - half) / 1000, (value + half) / 1000},
          .rounds = 4,
          .resolved = value > half};
}

/// main (20) calls put (3) twice; 700 + 300 ticks.
Profile small_profile() {
  Profile profile;
  profile.run = {.project = "pin", .transport = "vpcd", .device = "jcardsim", .simulated = true, .seed = 7};
  profile.language = "java";
  profile.rounds = 4;
  profile.shots = 40;
  profile.total = cost(1300, 10);
  profile.entry = cost(250, 5);
  profile.unattributed = {50, 40, infinity};
  profile.lines = {{"A.java", 21, "A.main", 2, cost(700, 20), {}, {690, 700, 710, 695}},
                   {"B.java", 4, "B.put", 2, cost(300, 400), {}, {}}};
  profile.functions = {{"A.main", "A.java", 20, 1, cost(700, 20), cost(1000, 20)},
                       {"B.put", "B.java", 3, 2, cost(300, 400), cost(300, 400)}};
  profile.loops = {{"A.main", "A.java", 20, 1, 2, cost(1000, 20)}};
  profile.paths = {{.rate = 0.75, .events = 9, .inputs = {0, 1}, .total = cost(1300, 10)},
                   {.rate = 0.25, .events = 4, .inputs = {1}}};
  profile.inputs = {{.index = 0, .bytes = {0x00, 0xA4}, .input_class = "good"},
                    {.index = 1, .bytes = {0xFF}}};
  profile.edges = {
      {TrapId{1}, TrapId{2}, "A.main", "A.java", 21, 2, cost(700, 20), 0.75, 6.5, 5.25, 8, "B.java", 3},
      {TrapId{2}, TrapId{0}, "B.put", "B.java", 4, 1}};
  profile.unreached = {{"A.java", 30, "A.main"}};
  profile.noted = {{.kind = WarningKind::grid, .text = "answers on a grid", .advice = "use another reader"}};
  profile.warnings = {to_text(profile.noted[0]), "4 rounds are few"};
  profile.tree.functions = {{.name = "A.main", .path = "A.java", .line = 20},
                            {.name = "B.put", .path = "B.java", .line = 3}};
  profile.tree.nodes = {
      {.function = 0, .calls = 1, .exclusive = 700, .inclusive = 1000, .lines = {{"A.java", 21, 700}}},
      {.function = 1,
       .parent = 0,
       .from_line = 21,
       .calls = 2,
       .exclusive = 300,
       .inclusive = 300,
       .lines = {{"B.java", 4, 300}}}};
  return profile;
}

const std::vector<ReportSource> sources{
    {"A.java", "class A {}\n", ""}, {"B.java", std::nullopt, "the file has changed since it was measured"}};

json data_of(const ReportSubject& subject, std::size_t most_bytes = roomy) {
  return json::parse(report_data(subject, most_bytes));
}

}  // namespace

TEST_CASE("a report's data are what the profile says") {
  const Profile profile = small_profile();
  const json data = data_of({.profile = profile, .sources = sources});
  CHECK(data["format"] == "jcprof-report");
  CHECK(data["version"] == 1);
  CHECK(data["project"] == "pin");
  CHECK(data["recorded"] == false);
  CHECK(data["simulated"] == true);
  CHECK(data["unit"] == "ns");
  CHECK(data["total"] == json::parse("[1300,1290,1310]"));
  CHECK(data["unattributed"] == json::parse("[50,40,null]"));
  CHECK(data["files"] == json::parse(R"([{"path":"A.java","text":"class A {}\n","why":""},
                                         {"path":"B.java","text":null,"why":"the file has changed since it was measured"}])"));
  CHECK(data["warnings"] == json::parse(R"([{"text":"answers on a grid","advice":"use another reader"},
                                            {"text":"4 rounds are few","advice":""}])"));
  CHECK(data["facts"][0] == json::parse(R"(["device","jcardsim"])"));
  CHECK(data["lines"][0] == json::parse(R"({"file":0,"line":21,"function":"A.main","hits":2,
    "cost":{"ticks":[700,680,720],"share":[0.7,0.68,0.72],"resolved":true},
    "rounds":{"count":4,"from":690,"to":710,
      "bins":[1,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1],
      "outliers":[],"more":0,"rounds":[[1,1,690,690,690],[2,2,700,700,700],[3,3,710,710,710],[4,4,695,695,695]]}})"));
  CHECK(data["lines"][1]["cost"]["resolved"] == false);
  CHECK_FALSE(data["lines"][1].contains("rounds"));
  CHECK(data["functions"][1]["calls"] == 2);
  CHECK(data["functions"][0]["inclusive"]["ticks"][0] == 1000);
  CHECK(data["unreached"] == json::parse("[[0,30]]"));
  CHECK(data["loops"][0]["passes"] == 2);
  CHECK(data["threads"] == json::array());
  CHECK(data["against"].is_null());
}

TEST_CASE("paths have their inputs in hex, edges both their ends") {
  const Profile profile = small_profile();
  const json data = data_of({.profile = profile});
  CHECK(data["paths"] == json::parse(R"([
    {"rate":0.75,"events":9,"inputs":[["00a4","good"],["ff",""]],"more":0,"total":[1300,1290,1310]},
    {"rate":0.25,"events":4,"inputs":[["ff",""]],"more":0,"total":null}])"));
  CHECK(data["edges"] == json::parse(R"([
    {"file":0,"line":21,"function":"A.main","to_file":1,"to":3,"rate":0.75,"count":2,"ticks":[700,680,720],
     "mean":6.5,"q05":5.25,"q95":8},
    {"file":1,"line":4,"function":"B.put","to_file":-1,"to":0,"rate":1,"count":1,"ticks":null,
     "mean":null,"q05":null,"q95":null}])"));
  CHECK(data["files"][0]["why"] == "not below the project's folder");
}

TEST_CASE("the tree has its functions and lines by number") {
  const Profile profile = small_profile();
  CHECK(data_of({.profile = profile})["tree"] ==
        json::parse(R"({"functions":[["A.main",0,20,false],["B.put",1,3,false]],
                        "nodes":[[0,-1,0,1,700,1000,[[0,21,700]]],[1,0,21,2,300,300,[[1,4,300]]]],"left_out":0})"));
}

TEST_CASE("a recording has threads, single calls and the slowest ones") {
  RecordedRun run = test::some_recording();
  run.recording.slow = {{.symbol = 3, .thread = 2, .at = 12.5, .ticks = 99},
                        {.symbol = 3, .thread = 1, .at = 1, .ticks = 98}};
  const Profile profile = recorded_profile(run);
  const json data = data_of({.profile = profile, .recording = &run.recording});
  CHECK(data["recorded"] == true);
  CHECK(data["entry"].is_null());
  CHECK(data["unattributed"].is_null());
  CHECK(data["total"][0] == 1200.8);
  CHECK(data["threads"][0]["name"] == "1 words");
  CHECK(data["threads"][0]["running"] == 1500);
  CHECK(data["threads"][0]["waiting"] == 20);
  CHECK(data["threads"][1]["lost"] == 3);
  CHECK_FALSE(data["threads"][1].contains("running"));
  CHECK(data["functions"][0]["name"] == "put");
  CHECK(data["functions"][0]["slow"] == json::parse("[[1,12.5,99],[0,1,98]]"));
  CHECK(data["functions"][0]["each"]["q50"] == 5.996);
  CHECK_FALSE(data["functions"][1].contains("slow"));
  CHECK(data["warnings"][0] ==
        json::parse(R"({"text":"3 events found no room","advice":"give --memory more"})"));
  std::size_t threads = 0;
  for (const json& function : data["tree"]["functions"]) threads += function[3] == true ? 1 : 0;
  CHECK(threads == 2);
}

TEST_CASE("a comparison has both costs and the verdict") {
  const Profile before = small_profile();
  Profile after = small_profile();
  after.lines[0].cost = cost(900, 20);
  after.lines[1].line = 5;
  after.lines[1].function = "B.other";
  const Against against{before, compare({{before, {}}}, {{after, {}}})};
  const json data = data_of({.profile = after, .against = &against})["against"];
  CHECK(data["project"] == "pin");
  CHECK(data["speed"] == 1);
  CHECK(data["total"] == json::parse("[1300,1290,1310]"));
  REQUIRE(data["lines"].size() == 4);  // without digests and traps nothing is known to be the same line
  // In the order of verdicts.
  CHECK(data["lines"][0]["verdict"] == "new");
  CHECK(data["lines"][0]["before"].is_null());
  CHECK(data["lines"][0]["relative"].is_null());
  CHECK(data["lines"][2]["verdict"] == "gone");
  CHECK(data["lines"][2]["line"] == 0);
  CHECK(data["lines"][2]["was"] == 21);
  CHECK(data["functions"][0]["verdict"] == "unresolved");
  CHECK(data["functions"][0]["difference"][0] == 0);
}

TEST_CASE("the same profile gives the same bytes") {
  CHECK(report_data({.profile = small_profile(), .sources = sources}, roomy) ==
        report_data({.profile = small_profile(), .sources = sources}, roomy));
}

TEST_CASE("names and sources of any bytes are text within the data's script") {
  const std::string hostile =
      "</script><script>alert(1)</script><!--&\x1b[31m\xff\xe2\x80\xa8\xe2\x80\xa9\"\\";
  Profile profile = small_profile();
  profile.run.project = profile.run.device = profile.lines[0].function = profile.lines[0].path = hostile;
  profile.functions[0].function = profile.tree.functions[0].name = hostile;
  profile.noted[0].text = profile.noted[0].advice = hostile;
  profile.inputs[0].input_class = hostile;
  const std::string text =
      report_data({.profile = profile, .sources = {{hostile, hostile + "\n", ""}}}, roomy);
  for (const char* harm : {"<", ">", "&", "\x1b", "\xff", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    CHECK(text.find(harm) == std::string::npos);
  const std::string shown =
      "</script><script>alert(1)</script><!--&\x1b[31m\xef\xbf\xbd\xe2\x80\xa8\xe2\x80\xa9\"\\";
  const json data = json::parse(text);
  CHECK(data["project"] == shown);
  CHECK(data["lines"][0]["function"] == shown);
  CHECK(data["files"][0]["path"] == shown);
  CHECK(data["files"][0]["text"] == shown + "\n");
  CHECK(data["tree"]["functions"][0][0] == shown);
  CHECK(data["warnings"][0]["advice"] == shown);
  CHECK(data["paths"][0]["inputs"][0][1] == shown);
}

TEST_CASE("of an endless name the beginning is shown") {
  Profile profile = small_profile();
  profile.lines[0].function = std::string(1999, 'a') + std::string(1000, '\xc3') + "\xa4";
  const json data = data_of({.profile = profile});
  CHECK(data["lines"][0]["function"].get<std::string>().size() < 2010);
}

TEST_CASE("calls without a caller never stay, and the dearest do") {
  Profile profile = small_profile();
  // 10,000 calls below one another, and 10,000 beside them that cost nothing to speak of.
  profile.tree.nodes = {{.function = 0, .calls = 1, .inclusive = 1000}};
  for (std::uint32_t i = 0; i < 10'000; ++i)
    profile.tree.nodes.push_back({.function = 1, .parent = i, .calls = 1, .inclusive = 1000 - i / 100.0});
  for (std::uint32_t i = 0; i < 10'000; ++i)
    profile.tree.nodes.push_back({.function = 1, .parent = 0, .calls = 1, .inclusive = 0.001});
  const json tree = data_of({.profile = profile}, 100'000)["tree"];
  const json& nodes = tree["nodes"];
  CHECK(nodes.size() + tree["left_out"].get<std::size_t>() == 20'001);
  CHECK(nodes.size() > 500);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    REQUIRE(nodes[i][1].get<std::size_t>() < i);
    CHECK(nodes[i][5] <= nodes[nodes[i][1].get<std::size_t>()][5]);
  }
  CHECK(nodes[300][5].get<double>() > 900);
}

/// 10,000 lines of 500 rounds, half a million calls: what neither report nor page may choke on.
Profile big_profile() {
  Profile profile = small_profile();
  profile.lines.clear();
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < 10'000; ++i) {
    LineEstimate& line = profile.lines.emplace_back(LineEstimate{.path = "A.java", .line = i + 1});
    line.function = "some.package.Applet.function" + std::to_string(i / 50);
    line.cost = cost(10'000'000.0 / static_cast<double>(i + 1), 12.345);
    for (int round = 0; round < 500; ++round) {
      noise = noise * 1664525 + 1013904223;
      line.rounds.push_back(line.cost.ticks.value + noise / 4e7);
    }
    profile.edges.push_back(
        {TrapId{1}, TrapId{2}, line.function, "A.java", i + 1, 2, line.cost, 1, 6.5, 5.25, 8});
  }
  profile.tree.nodes.resize(1);
  for (std::uint32_t i = 1; i < 500'000; ++i)
    profile.tree.nodes.push_back({.function = 1,
                                  .parent = (i - 1) / 3,
                                  .calls = i,
                                  .exclusive = 1.0 / i,
                                  .inclusive = 1000.0 / (i + 1)});
  return profile;
}

TEST_CASE("a report stays below its bound, and says what it leaves out") {
  const Profile profile = big_profile();
  std::string source;
  for (int i = 0; i < 10'000; ++i) source += "      int value" + std::to_string(i) + " = a < b && c;\n";
  const ReportSubject subject{.profile = profile, .sources = {{"A.java", source, ""}}};
  const std::string text = report_data(subject, 9'500'000);
  CHECK(text.size() <= 9'500'000);
  CHECK(text.size() > 8'000'000);  // room is used
  const json data = json::parse(text);
  CHECK(data["lines"].size() == 10'000);
  CHECK(data["files"][0]["text"] == source);
  CHECK(data["lines"][0].contains("rounds"));
  CHECK(data["lines"][9999]["rounds"].is_null());
  CHECK(data["tree"]["nodes"].size() > 1000);
  CHECK(data["warnings"][0]["text"].get<std::string>().starts_with(
      "the report leaves these out to stay below 10 MB, the coldest first: "));
}

TEST_CASE("whatever comes, a report keeps its bound") {
  Profile profile = big_profile();
  const std::string endless(1500, '<');
  for (std::size_t i = 0; i < 2000; ++i) {
    profile.lines[i].path = endless + std::to_string(i);
    profile.functions.push_back({endless, profile.lines[i].path, 1, 1, cost(1, 1), cost(1, 1)});
    profile.warnings.push_back(endless);
  }
  profile.run.device = profile.run.agent = profile.run.reader = endless;
  const std::string text =
      report_data({.profile = profile, .sources = {{"A.java", std::string(9'000'000, 'x'), ""}}}, 1'000'000);
  CHECK(text.size() <= 1'000'000);
  CHECK(json::parse(text)["tree"]["nodes"].size() > 10);
}

TEST_CASE("files that come up when their list is written are unknown, not beyond its end") {
  Profile profile = small_profile();
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const std::string path = "src/F" + std::to_string(i) + ".java";
    profile.functions.push_back({"f", path, 1, 1, cost(1, 1), cost(1, 1)});
    profile.tree.functions.push_back({.name = "f", .path = path, .line = 1});
    const auto function = static_cast<std::uint32_t>(profile.tree.functions.size() - 1);
    profile.tree.nodes.push_back({.function = function,
                                  .parent = 0,
                                  .calls = 1,
                                  .exclusive = 1e-6,
                                  .inclusive = 1e-6,
                                  .lines = {{path, 1, 1e-6}}});
  }
  const json data = json::parse(report_data({.profile = profile}, 1'000'000));
  const std::size_t files = data["files"].size();
  CHECK(files < 4000);
  CHECK(data["tree"]["functions"].size() > files);
  for (const json& function : data["tree"]["functions"]) CHECK(function[1] < files);
  for (const json& node : data["tree"]["nodes"])
    for (const json& line : node[6]) CHECK(line[0] < files);
}

}  // namespace jcprof::annotator
