// SPDX-License-Identifier: Apache-2.0
// jcprof run --sessions and --interleave: which sessions there are, in which order, and what becomes of those
// of an earlier call.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/process.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/line_traps.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Said {
  int status = 0;
  std::string text;  // both of its streams
};

/// Projects "new" and "old" of one agent, as if they had been built. An install step writes into "installed".
class Bench {
 public:
  explicit Bench(const json& agent = json::object()) {
    for (const char* name : {"new", "old"}) {
      write_project(name, agent);
      build(name, fmt::format("{}/jcprof-out", name));
    }
  }

  fs::path operator/(const std::string& name) const { return folder_ / name; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Without "name" in the file: that of the folder counts.
  void write_project(const std::string& name, json agent) const {
    agent["memory"] = path("memory");
    const std::string note = fmt::format("echo {} >>{}", name, path("installed"));
    const json project{{"format", "jcprof-project"},
                       {"version", 1},
                       {"target", "program"},
                       {"sources", {"a.c"}},
                       {"entry", "f"},
                       {"install", {{{"run", {"sh", "-c", note}}, {"cwd", "{project}"}}}},
                       {"transport", "agent:" JCPROF_FAULTY_AGENT " '" + agent.dump() + "'"},
                       {"trigger", {{"function", "f"}}}};
    write_file(folder_ / name / "jcprof.json", project.dump());
  }

  /// With traps at four lines.
  void build(const std::string& project, const std::string& out,
             const std::string& source = "1;\n2;\n3;\n4;\n", bool has_source = true) const {
    const TrapMap map = test::traps_at_lines(source, 4, 3);
    if (has_source) write_file(folder_ / project / "a.c", source);
    write_file(folder_ / out / output_marker, "");
    write_file(folder_ / out / "traps.json", write_trap_map(map));
  }

  Said run(std::vector<std::string> words, const std::string& yes = "1") const {
    words.insert(words.begin(), JCPROF_BIN_DIR "/jcprof");
    const Command command{.argv = words,
                          .cwd = folder_.path(),
                          .environment = {{"JCPROF_YES", yes}, {"XDG_STATE_HOME", path("state")}}};
    const ProcessResult result = run_and_wait(command, {.file = *this / "said"}, std::chrono::seconds{100});
    return {.status = result.exit_status, .text = read_file(*this / "said")};
  }

  /// `jcprof run new` with these, a few rounds a session.
  Said measure(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"run", "new", "--rounds", "14"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  json measured(std::vector<std::string> more) const {
    more.emplace_back("--json");
    more.emplace_back("--quiet");
    const Said result = measure(more);
    INFO(result.text);
    REQUIRE(result.status == 0);
    return json::parse(result.text);
  }

  std::string installed() const {
    return fs::exists(*this / "installed") ? read_file(*this / "installed") : "";
  }
  bool has(const std::string& session) const { return fs::exists(*this / session / "profile.jcprof"); }
  std::string started(const std::string& session) const {
    return query(*this / session / "profile.jcprof", "SELECT group_concat(started || id) FROM run")
        .rows.at(0)
        .at(0)
        .value_or("");
  }

 private:
  test::TemporaryFolder folder_;
};

/// "old 1 new 1 …", with a star at those that this call measured.
std::string order(const json& result) {
  std::string text;
  for (const json& session : result["sessions"]) {
    const fs::path folder = fs::path(session["profile"].get<std::string>()).parent_path();
    const fs::path project = folder.parent_path().parent_path().parent_path();
    CHECK(folder.filename() == std::to_string(session["session"].get<int>()));
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", project.filename().string(),
                        session["session"].get<int>(), session["shots"] > 0 ? "*" : "");
  }
  return text;
}

int sessions_in(const Said& diff, const char* side) {
  return json::parse(diff.text)[side]["sessions"];
}

}  // namespace

TEST_CASE("sessions of one build are profiles of their own, and one side of a comparison") {
  const Bench bench;
  const json result = bench.measured({"--sessions", "2"});
  CHECK(order(result) == "new 1*, new 2*");
  CHECK(result["state"] == "complete");
  CHECK(result["sides"] == json{bench.path("new/jcprof-out/sessions")});
  CHECK(bench.installed().empty());
  for (const char* session : {"1", "2"}) {
    const fs::path profile = bench / "new/jcprof-out/sessions" / session / "profile.jcprof";
    CHECK(query(profile, "SELECT count(*) FROM run WHERE state = 'complete'").rows.at(0).at(0) == "1");
    CHECK(query(profile, "SELECT count(*) > 0 FROM calibration").rows.at(0).at(0) == "1");
    CHECK(query(profile, "SELECT max(round) FROM sample").rows.at(0).at(0) == "14");
  }
  const Said diff = bench.run({"diff", "new", "new/jcprof-out/sessions/1", "--json"});
  CHECK(diff.status == 0);
  CHECK(sessions_in(diff, "before") == 2);
  CHECK(sessions_in(diff, "after") == 1);
  CHECK(bench.run({"annotate", "new/jcprof-out/sessions/1", "--show"}).status == 0);
  // The last one stands for all where one is wanted.
  CHECK(bench.run({"annotate", "new"}).status == 0);
  CHECK(fs::exists(bench / "new/jcprof-out/sessions/2/report.html"));
  // With a number alone it is a session like any other run.
  CHECK(bench.run({"check", "new", "--budget", "total <= 100ms"}).status == 0);
}

TEST_CASE("check adds what it measured to a history, once for each run, and history shows it") {
  const Bench bench;
  bench.measured({"--sessions", "2"});
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"check", "new", "--history", "h.jcphist"});
    return bench.run(more);
  };
  CHECK(check({"--budget", "total <= 100ms", "--label", "c1"}).status == 0);
  CHECK(check({"--budget", "total <= 100ms", "--budget", "f <= 4 calls", "--label", "c2"}).status == 0);
  const Said told = bench.run({"history", "h.jcphist", "--json", "--html", "h.html"});
  INFO(told.text);
  REQUIRE(told.status == 0);
  const json series = json::parse(told.text)["series"];
  REQUIRE(series.size() == 2);
  CHECK(series[0]["subject"] == "f in a.c");
  CHECK(series[1]["subject"] == "total");
  REQUIRE(series[1]["entries"].size() == 1);
  CHECK(series[1]["entries"][0]["label"] == "c2");
  CHECK(series[1]["entries"][0]["measured"]["value"] > 0);
  CHECK_THAT(read_file(bench / "h.html"), Catch::Contains("<h2>total</h2>"));
  CHECK_THAT(bench.run({"history", "h.jcphist"}).text, Catch::StartsWith("f in a.c of new on "));
}

TEST_CASE("a history of nothing but changes is a mistake, and so is one that is not there") {
  const Bench bench;
  const Said changes =
      bench.run({"check", "new", "--against", "old", "--max-regression", "3", "--history", "h"});
  CHECK(changes.status == 2);
  CHECK_THAT(changes.text, Catch::Contains("--history keeps what budgets measure, but no changes"));
  CHECK_FALSE(fs::exists(bench / "h"));
  CHECK(bench.run({"history", "h"}).status == 2);
  CHECK(bench.run({"check", "new", "--label", "c1"}).status == 2);
}

TEST_CASE("sessions that are complete stay, and a larger number adds some") {
  const Bench bench;
  bench.measured({"--sessions", "2"});
  CHECK(order(bench.measured({"--sessions", "2"})) == "new 1, new 2");
  const Said told = bench.measure({"--sessions", "3"});
  CHECK(told.status == 0);
  CHECK_THAT(told.text, Catch::StartsWith("session 1 of 3 is complete (--fresh measures anew): "));
  CHECK_THAT(told.text, Catch::Contains("\nsession 3 of 3\n"));
  CHECK(order(bench.measured({"--sessions", "2", "--fresh"})) == "new 1*, new 2*");
  CHECK_FALSE(bench.has("new/jcprof-out/sessions/3"));
}

TEST_CASE("a session that a limit ended is complete, and its warning says how to get a longer one") {
  const Bench bench;
  const std::vector<std::string> limited{"--sessions", "1", "--max-shots", "60"};
  const json session = bench.measured(limited)["sessions"][0];
  CHECK(session["shots"] == 60);
  const auto is_limit = [](const json& warning) {
    return warning["text"].get<std::string>().starts_with("ended by --max-shots");
  };
  const auto warning = std::ranges::find_if(session["warnings"], is_limit);
  REQUIRE(warning != session["warnings"].end());
  CHECK((*warning)["advice"] == "`jcprof run --fresh` measures the sessions anew");
  CHECK(order(bench.measured(limited)) == "new 1");
}

TEST_CASE("two builds alternate on one device, and neither is always the first") {
  const Bench bench;
  const json result = bench.measured({"--interleave", "old"});
  CHECK(order(result) == "old 1*, new 1*, new 2*, old 2*, old 3*, new 3*");
  CHECK(bench.installed() == "old\nnew\nnew\nold\nold\nnew\n");
  CHECK(result["sides"] ==
        json{bench.path("old/jcprof-out/sessions"), bench.path("new/jcprof-out/sessions")});
  const Said diff = bench.run({"diff", "old", "new", "--json"});
  INFO(diff.text);
  CHECK(diff.status == 0);
  CHECK(sessions_in(diff, "before") == 3);
  CHECK(sessions_in(diff, "after") == 3);
  const Said again = bench.measure({"--interleave", "old"});
  CHECK_THAT(again.text, Catch::EndsWith(fmt::format("\nwhat changed: jcprof diff {} {}\n",
                                                     bench.path("old/jcprof-out/sessions"),
                                                     bench.path("new/jcprof-out/sessions"))));
}

TEST_CASE("the other build may be an output folder of the same project, whose sources are gone") {
  const Bench bench;
  bench.build("new", "new/jcprof-out/before", "0;\n2;\n3;\n4;\n", false);
  const json result = bench.measured({"--interleave", "new/jcprof-out/before", "--sessions", "1"});
  CHECK(result["sides"][0] == bench.path("new/jcprof-out/before/sessions"));
  CHECK(bench.installed() == "new\nnew\n");
  // That of another project, beside it.
  CHECK(bench.measure({"--interleave", "old/jcprof-out", "--sessions", "1", "--fresh"}).status == 0);
  CHECK(bench.installed() == "new\nnew\nold\nnew\n");
}

TEST_CASE("sessions of another build are measured anew, and those in turn with them too") {
  const Bench bench;
  bench.measured({"--interleave", "old", "--sessions", "2"});
  bench.build("new", "new/jcprof-out", "10;\n2;\n3;\n4;\n");
  const Said told = bench.measure({"--interleave", "old", "--sessions", "1"});
  CHECK(told.status == 0);
  CHECK_THAT(told.text, Catch::Contains("note: jcprof discards the stored sessions and begins anew: they are "
                                        "of another build, project file, transport or seed\n"));
  for (const char* project : {"old", "new"}) {
    CHECK(bench.has(fmt::format("{}/jcprof-out/sessions/1", project)));
    CHECK_FALSE(bench.has(fmt::format("{}/jcprof-out/sessions/2", project)));
  }
  CHECK(order(bench.measured({"--interleave", "old", "--sessions", "1"})) == "old 1, new 1");
}

TEST_CASE("sessions that were measured alone do not mix with sessions in turn") {
  const Bench bench;
  bench.measured({"--sessions", "1"});
  const std::string before = bench.started("new/jcprof-out/sessions/1");
  const Said refused = bench.measure({"--interleave", "old"});
  CHECK(refused.status == 2);
  CHECK(refused.text ==
        fmt::format("the sessions in \"{}\" were measured alone, or in turn with another build\n"
                    "hint: --fresh discards them; or keep them elsewhere\n",
                    bench.path("new/jcprof-out/sessions")));
  CHECK(bench.started("new/jcprof-out/sessions/1") == before);
  CHECK_FALSE(bench.has("old/jcprof-out/sessions/1"));
  CHECK(order(bench.measured({"--interleave", "old", "--sessions", "1", "--fresh"})) == "old 1*, new 1*");
}

TEST_CASE("a session that fails is named, earlier ones stay, and the same command resumes") {
  const Bench bench({{"fault", "trace_dies"}, {"start", 3}, {"times", 100}});
  const Said failed = bench.measure({"--interleave", "old", "--sessions", "2"});
  CHECK(failed.status == 3);
  CHECK_THAT(failed.text,
             Catch::Contains(fmt::format("session 2 of 2 of {}: ", bench.path("new/jcprof-out"))));
  CHECK_THAT(failed.text,
             Catch::Contains("the same command, without --fresh, resumes there: earlier sessions stay"));
  CHECK(bench.has("old/jcprof-out/sessions/1"));
  CHECK(bench.has("new/jcprof-out/sessions/1"));
  CHECK_FALSE(bench.has("new/jcprof-out/sessions/2"));
  write_file(bench / "memory", "100 0");
  CHECK(order(bench.measured({"--interleave", "old", "--sessions", "2"})) == "old 1, new 1, new 2*, old 2*");
}

TEST_CASE("old sessions stay until the target has answered for new ones") {
  const Bench bench;
  bench.measured({"--sessions", "2"});
  bench.write_project("new", {{"fault", "trace_dies"}, {"times", 100}, {"start", 0}});
  write_file(bench / "memory", "9 100");
  CHECK(bench.measure({"--sessions", "2", "--fresh"}).status == 3);
  CHECK(bench.has("new/jcprof-out/sessions/1"));
  CHECK(bench.has("new/jcprof-out/sessions/2"));
}

TEST_CASE("both builds are looked at before the first shot") {
  const Bench bench;
  const auto is_refused = [&](const std::string& other, int status, const std::string& why) {
    const Said result = bench.measure({"--interleave", other});
    INFO(result.text);
    CHECK(result.status == status);
    CHECK_THAT(result.text, Catch::Contains(why));
    CHECK(bench.installed().empty());
    CHECK_FALSE(bench.has("new/jcprof-out/sessions/1"));
  };
  is_refused("new", 2, "--interleave names the build itself");
  is_refused("nowhere", 2, "nowhere");
  {
    const OutputFolder held({.folder = bench / "old/jcprof-out", .verb = "jcprof gen"});
    is_refused("old", 3, "is in use: jcprof gen");
  }
  write_file(bench / "old/a.c", "another");
  is_refused("old", 2, "the file has changed since `jcprof gen` put traps into its copy");
  fs::remove(bench / "old/jcprof-out/traps.json");
  is_refused("old", 2, bench.path("old/jcprof-out/traps.json"));
}

TEST_CASE("a link in the place of the sessions is not followed") {
  const Bench bench;
  fs::create_directory(bench / "elsewhere");
  fs::create_symlink(bench / "elsewhere", bench / "new/jcprof-out/sessions");
  const Said refused = bench.measure({"--sessions", "1"});
  INFO(refused.text);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.text, Catch::Contains("link"));
  CHECK(fs::is_empty(bench / "elsewhere"));
}

TEST_CASE("two builds on one card need a way to install each") {
  const Bench bench;
  json project = json::parse(read_file(bench / "new/jcprof.json"));
  project.erase("install");
  project["target"] = "applet";
  project["trigger"] = {{"apdu", "B0310000"}};
  project["transport"] = "pcsc:";
  write_file(bench / "new/jcprof.json", project.dump());
  const Said refused = bench.measure({"--interleave", "old"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.text, Catch::Contains("two builds share one card, and the project does not say how"));
}

TEST_CASE("install steps of builds in turn run only if they are allowed") {
  const Bench bench;
  const std::string step = "\n  install: sh -c ";
  const Said alone = bench.run({"run", "new", "--sessions", "1"}, "0");
  CHECK(alone.status == 2);
  CHECK_THAT(alone.text, Catch::Contains("you have not allowed yet") && !Catch::Contains(step));
  const Said in_turn = bench.run({"run", "new", "--interleave", "old"}, "0");
  CHECK(in_turn.status == 2);
  CHECK_THAT(in_turn.text, Catch::Contains("you have not allowed yet") && Catch::Contains(step));
  CHECK(bench.installed().empty());
}

TEST_CASE("a dry run of sessions shows both builds and the order") {
  const Bench bench;
  const Said shown = bench.measure({"--interleave", "old", "--sessions", "2", "--dry-run"});
  CHECK(shown.status == 0);
  const std::string session = "/jcprof-out/sessions/";
  CHECK_THAT(shown.text, Catch::Contains(fmt::format(
                             "session: {0}{2}1\nsession: {1}{2}1\nsession: {1}{2}2\nsession: {0}{2}2\n",
                             bench.path("old"), bench.path("new"), session)));
  CHECK_THAT(shown.text,
             Catch::StartsWith(fmt::format("build: {}\ninstall: sh -c ", bench.path("old/jcprof-out"))));
  CHECK(bench.installed().empty());
}

TEST_CASE("memory has no sessions") {
  const Bench bench;
  const Said refused = bench.measure({"--sessions", "2", "--memory"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.text, Catch::Contains("--memory"));
  CHECK_THAT(refused.text, Catch::Contains("--sessions"));
}

}  // namespace jcprof
