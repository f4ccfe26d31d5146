// SPDX-License-Identifier: Apache-2.0
// The stages one by one, and the options that all commands share.
#include <cstdlib>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Said;
using test::Workplace;

void says(const Said& said, int status, const std::string& out, const std::string& err = "") {
  CHECK(said.status == status);
  CHECK(said.out == out);
  CHECK(said.err == err);
}

json parsed(const Said& said) {
  INFO(said.err << said.out);
  CHECK(said.status == 0);
  return json::parse(said.out);
}

TEST_CASE("each stage runs alone, from anywhere, on a folder with blanks, with its output elsewhere") {
  const Workplace place("stages");
  const fs::path project = place.example("javacard-pin", "my pin applet");
  const std::string out = (place / "some where/out").string();
  const std::string tree = out + "/tree";

  const json generated = parsed(place.run({"jcprof-gen", "my pin applet", "-o", "some where/out", "--json"}));
  CHECK(generated["tree"] == "@/some where/out/tree");
  CHECK(generated["map"] == "@/some where/out/traps.json");
  CHECK(generated["traps"] == 46);
  CHECK(place
            .run({"javac", "-J-XX:TieredStopAtLevel=1", "--release", "8", "-nowarn", "-Xlint:-options", "-cp",
                  JCPROF_JCARDSIM, "-d", "../classes", "src/PinApplet.java", "src/PM.java", "src/PMC.java"},
                 tree)
            .status == 0);

  const json measured = parsed(
      place.run({"jcprof-run", "jcprof.json", "-o", out, "--rounds", "10", "--max-time", "10m", "--json"},
                project.string()));
  CHECK(measured["state"] == "complete");
  CHECK(measured["continued"] == false);
  CHECK(measured["simulated"] == true);
  CHECK(measured["profile"] == "@/some where/out/profile.jcprof");
  for (const json& warning : measured["warnings"])
    CHECK((warning["kind"] == "unsteady" || warning["kind"] == "trend" || warning["kind"] == "two speeds"));

  const json annotated =
      parsed(place.run({"jcprof-annotate", project.string() + "/", "-o", "../some where/out", "--json"},
                       (place / "lib").string()));
  CHECK(annotated["format"] == "jcprof-profile");
  CHECK(annotated["rounds"] == 10);
  const json exported = parsed(place.run({"jcprof", "export", out + "/profile.jcprof", "--format", "json"}));
  CHECK(exported == annotated);
  CHECK(place.run({"jcprof", "export", out + "/profile.jcprof", "--format", "csv"})
            .out.starts_with(
                "path,line,function,hits,rounds,ns,ns_low,ns_high,share,share_low,share_high,resolved,"));
  // Each format of stacks sums to the same.
  const auto sum_of = [&](const char* format) {
    std::istringstream text(place.run({"jcprof", "export", out + "/profile.jcprof", "--format", format}).out);
    std::string line;
    double sum = 0;
    double last = 0;
    for (; std::getline(text, line); sum += last) last = std::strtod(&line[line.rfind(' ') + 1], nullptr);
    return format == std::string("folded") ? sum : last;
  };
  CHECK(sum_of("folded") > 100'000);
  CHECK(sum_of("callgrind") == sum_of("folded"));
  CHECK(place.run({"jcprof", "export", out + "/profile.jcprof", "--format", "markdown"})
            .out.starts_with("### `javacard-pin` on `jcardsim`, **SIMULATED**\n"));
  CHECK(parsed(place.run({"jcprof", "query", out + "/profile.jcprof",
                          "SELECT count(DISTINCT round) AS n FROM sample WHERE round > 0", "--json"})) ==
        json::parse(R"([{"n": 10}])"));
  // A column more of one name, and what a terminal would take for its own.
  CHECK(place
            .run({"jcprof", "query", out + "/profile.jcprof",
                  "SELECT 1 AS x, 2 AS x, char(155) || char(8238) AS y", "--json"})
            .out == "[\n  {\n    \"x\": 1,\n    \"x:1\": 2,\n    \"y\": \"\\u009b\\u202e\"\n  }\n]\n");
  CHECK_FALSE(fs::exists(project / "jcprof-out"));

  // A terminal gets colours, but not one that NO_COLOR forbids.
  const std::string colour = "\x1b[";
  const auto on_terminal = [&](const std::string& before) {
    return place.run(
        {"script", "-qec",
         before + JCPROF_BIN_DIR + "/jcprof-annotate '" + project.string() + "' -o '" + out + "'",
         "/dev/null"});
  };
  CHECK(on_terminal("TERM=xterm ").out.find(colour) != std::string::npos);
  CHECK(on_terminal("TERM=dumb ").out.find(colour) == std::string::npos);
  CHECK(on_terminal("TERM=xterm NO_COLOR=1 ").out.find(colour) == std::string::npos);
  const Said piped = place.run({"jcprof", "annotate", project.string(), "-o", out});
  CHECK(piped.out.find(colour) == std::string::npos);
  CHECK(piped.out.find("my pin applet on jcardsim, SIMULATED") ==
        std::string::npos);  // its name is javacard-pin
  CHECK(piped.out.find("javacard-pin on jcardsim, SIMULATED: 10 rounds") != std::string::npos);
}

TEST_CASE("a command that is told to be quiet prints nothing") {
  const Workplace place("quiet");
  place.example("javacard-pin");
  says(place.run({"jcprof", "profile", "javacard-pin", "--quiet", "--rounds", "6"}), 0, "");
  says(place.run({"jcprof-gen", "javacard-pin", "-q"}), 0, "");
  says(place.run({"jcprof-annotate", "javacard-pin/jcprof.json", "-q"}), 0, "");
  says(place.run({"jcprof", "strip", "javacard-pin/jcprof-out/tree", "-q"}), 0, "");
}

TEST_CASE("a profile can be had as JSON and nothing else") {
  const Workplace place("json");
  place.example("javacard-pin");
  CHECK(parsed(place.run({"jcprof", "profile", "javacard-pin", "--json", "--rounds", "6"}))["rounds"] == 6);
}

TEST_CASE("every command tells its version and what it does") {
  const Workplace place("help");
  for (const std::string program : {"jcprof", "jcprof-gen", "jcprof-run", "jcprof-annotate"}) {
    says(place.run({program, "--version"}), 0, "jcprof " JCPROF_VERSION "\n");
    CHECK(place.run({program, "--help"}).out.find("Usage: " + program + " ") != std::string::npos);
  }
  for (const std::string verb : {"gen", "run", "annotate", "profile", "export", "query", "strip"}) {
    INFO(verb);
    says(place.run({"jcprof", verb, "--version"}), 0, "jcprof " JCPROF_VERSION "\n");
    const Said help = place.run({"jcprof", verb, "--help"});
    CHECK(help.status == 0);
    CHECK(help.out.find("Usage: jcprof") != std::string::npos);
    CHECK(help.err.empty());
  }
}

}  // namespace
}  // namespace jcprof
