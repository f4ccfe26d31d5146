// SPDX-License-Identifier: Apache-2.0
// Mistakes and broken environments: what a person reads, word for word, and the exit code.
#include <regex>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using test::replace_in;
using test::Said;
using test::Workplace;

/// A copy of javacard-pin called "pin". Changes to it are undone between the cases of a test by reset().
struct Bench {
  explicit Bench(const std::string& name) : place(name), project(place.example("javacard-pin", "pin")) {}

  void generate(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv{"jcprof-gen", "pin", "-q"};
    argv.insert(argv.end(), more.begin(), more.end());
    const Said said = place.run(argv);
    INFO(said.err);
    REQUIRE(said.status == 0);
  }
  void reset() const {
    for (const char* file : {"jcprof.json", "src/PinApplet.java"})
      write_file(project / file, read_file(fs::path(JCPROF_SOURCE_DIR) / "examples/javacard-pin" / file));
  }
  void change(const std::string& from, const std::string& to) const {
    replace_in(project / "jcprof.json", from, to);
  }
  void change_source(const std::string& from, const std::string& to) const {
    replace_in(project / "src/PinApplet.java", from, to);
  }
  /// Replaces "start": its "run" and what else `rest` adds.
  void start_with(const std::string& run, const std::string& rest = "") const {
    const std::string text = read_file(project / "jcprof.json");
    const std::size_t begin = text.find("\"start\"");
    const std::size_t end = text.find("]},", begin);
    REQUIRE(end != std::string::npos);
    change(text.substr(begin, end + 3 - begin), fmt::format("\"start\": {{\"run\": [{}]{}}},", run, rest));
  }

  Workplace place;
  fs::path project;
};

/// Ports and the places in jCardSim's stack are not ours to promise.
std::string without_numbers_of_others(std::string text) {
  text = std::regex_replace(text, std::regex("port=[0-9]+"), "port=N");
  return std::regex_replace(text, std::regex("(\tat [^\n]*\n)+"), "\tat …\n");
}

void fails(const Bench& bench, const std::vector<std::string>& argv, int status, const std::string& text) {
  const Said said = bench.place.run(argv);
  CHECK(without_numbers_of_others(said.err) == text);
  CHECK(said.status == status);
  CHECK(said.out.empty());
}

TEST_CASE("a simulator that does not start is shown with its command and its last words") {
  const Bench bench("start");
  bench.generate();
  bench.place.build(bench.project);

  bench.start_with("\"false\"");
  fails(bench, {"jcprof-run", "pin"}, 3,
        "the device program ended before its card was there\n"
        "false\n"
        "its last output (all of it is in @/pin/jcprof-out/logs/start.log):\n"
        "(none)\n"
        "hint: run the command above by hand; \"start\" in jcprof.json says what is run\n");
  bench.reset();
  bench.start_with("\"no-such-java\", \"{port}\"");
  fails(bench, {"jcprof-run", "pin"}, 3,
        "cannot start \"no-such-java\": No such file or directory\nhint: is it installed, and in PATH?\n");
  bench.reset();
  bench.start_with("\"sleep\", \"60\"", ", \"ready\": \"up\", \"timeout_s\": 1");
  fails(bench, {"jcprof-run", "pin"}, 3,
        "the device program did not say \"up\" within 1 s\n"
        "sleep 60\n"
        "its last output (all of it is in @/pin/jcprof-out/logs/start.log):\n"
        "(none)\n"
        "hint: \"ready\" in \"start\" of jcprof.json is the text that is waited for\n");
  bench.reset();
  bench.change("com.example.pin.PinApplet", "com.example.pin.Missing");
  fails(bench, {"jcprof-run", "pin"}, 3,
        "the device program ended before its card was there: it cannot load the applet; the class that it is "
        "told must be on its class path\n"
        "java -XX:TieredStopAtLevel=1 -Dcom.licel.jcardsim.vsmartcard.host=127.0.0.1"
        " -Dcom.licel.jcardsim.vsmartcard.port=N -Dcom.licel.jcardsim.card.applet.0.AID=F0000000010101"
        " -Dcom.licel.jcardsim.card.applet.0.Class=com.example.pin.Missing"
        " -cp @/pin/../lib/jcardsim.jar:@/pin/jcprof-out/classes com.licel.jcardsim.remote.VSmartCard "
        "/dev/null\n"
        "its last output (all of it is in @/pin/jcprof-out/logs/start.log):\n"
        "Exception in thread \"main\" javacard.framework.SystemException\n"
        "\tat …\n"
        "hint: run the command above by hand; \"start\" in jcprof.json says what is run\n");
  CHECK(bench.place.processes("java").empty());
}

TEST_CASE("an applet without traps, and one with older traps, are told apart") {
  const Bench bench("builds");
  bench.generate();
  const std::string classes = (bench.project / "jcprof-out/classes").string();
  REQUIRE(bench.place
              .run({"javac", "-J-XX:TieredStopAtLevel=1", "--release", "8", "-nowarn", "-Xlint:-options",
                    "-cp", JCPROF_JCARDSIM, "-d", classes, "pin/src/PinApplet.java"})
              .status == 0);
  fails(bench, {"jcprof-run", "pin"}, 2,
        "the applet on the card does not answer jcprof (6D00, INS not supported): was the instrumented build "
        "installed?\n"
        "hint: \"after_reset\" in \"session\" must SELECT it; \"install\" and \"once\" must install what "
        "stands in "
        "jcprof-out/tree\n");

  bench.place.build(bench.project);
  bench.change("\"exclude\": [\"PinApplet.seal\"]",
               "\"exclude\": [\"PinApplet.seal\"], \"level\": \"block\"");
  bench.generate();
  const Said said = bench.place.run({"jcprof-run", "pin"});
  CHECK(said.status == 2);
  CHECK(std::regex_replace(said.err, std::regex("[0-9a-f]{8}"), "BUILD") ==
        "the applet on the card is build BUILD, traps.json is of build BUILD\n"
        "hint: build and install what jcprof-gen wrote last: \"jcprof profile\" does all of it\n");
  CHECK(test::is_sound(bench.project / "jcprof-out/profile.jcprof"));
}

TEST_CASE("a build step that fails ends the profile with its output") {
  const Bench bench("build");
  bench.change("\"src/PMC.java\"]", "\"src/Missing.java\"]");
  const Said said = bench.place.run({"jcprof", "profile", "pin", "-q"});
  CHECK(said.status == 2);
  CHECK(said.out.empty());
  CHECK(said.err ==
        "the build step failed with status 2: error: file not found: src/Missing.java\n"
        "javac -J-XX:TieredStopAtLevel=1 --release 8 -encoding UTF-8 -nowarn "
        "-Xlint:-options -cp "
        "@/pin/../lib/jcardsim.jar"
        " -sourcepath src -d @/pin/jcprof-out/classes src/PinApplet.java src/PM.java src/Missing.java\n"
        "error: file not found: src/Missing.java\n"
        "Usage: javac <options> <source files>\n"
        "use --help for a list of possible options\n"
        "hint: its output is in @/pin/jcprof-out/logs/build.log\n");
  bench.reset();
  bench.change("\"javac\"", "\"no-javac\"");
  fails(bench, {"jcprof", "profile", "pin", "-q"}, 3,
        "cannot start \"no-javac\": No such file or directory\nhint: is it installed, and in PATH?\n");
  bench.reset();
  bench.change("\"javac\", \"-J-XX:TieredStopAtLevel=1\", \"--release\"",
               "\"sleep\", \"60\"], \"timeout_s\": 1}, {\"run\": [\"x\", \"--release\"");
  fails(bench, {"jcprof", "profile", "pin", "-q"}, 3,
        "the build-1 step took longer than 1 s: sleep 60\n"
        "hint: allow more by \"timeout_s\"; its output is in @/pin/jcprof-out/logs/build-1.log\n");
}

TEST_CASE("a source that was changed or lost since jcprof-gen is named") {
  const Bench bench("changed");
  bench.generate();
  bench.change_source("1000;", "1001;");
  fails(bench, {"jcprof", "run", "pin"}, 2,
        "src/PinApplet.java: the file has changed since `jcprof gen` put traps into its copy\n"
        "hint: run `jcprof gen`, build and install again; or run `jcprof profile`, which does it all\n");
  fs::remove(bench.project / "src/PinApplet.java");
  fails(bench, {"jcprof", "run", "pin"}, 2,
        "@/pin/src/PinApplet.java: cannot read: No such file or directory\n");
}

TEST_CASE("a file of an earlier stage that is missing or broken is named, with the way to a good one") {
  const Bench bench("files");
  fails(bench, {"jcprof", "run", "pin"}, 2,
        "there is no \"@/pin/jcprof-out/traps.json\"\n"
        "hint: run `jcprof gen` first, or `jcprof profile`, which does it all\n");
  bench.generate();
  fails(bench, {"jcprof", "annotate", "pin"}, 2,
        "there is no \"@/pin/jcprof-out/profile.jcprof\"\n"
        "hint: run `jcprof run` first, or `jcprof profile`, which does it all\n");
  fails(bench, {"jcprof", "export", "missing.jcprof", "--format", "json"}, 2,
        "missing.jcprof: there is no such profile\nhint: `jcprof run` writes one\n");
  fails(bench, {"jcprof", "query", "missing.jcprof", "SELECT 1"}, 2,
        "missing.jcprof: there is no such profile\nhint: `jcprof run` writes one\n");

  const fs::path profile = bench.project / "jcprof-out/profile.jcprof";
  const std::string no_profile =
      "not a profile (not even an SQLite file)\nhint: `jcprof run` writes profiles\n";
  write_file(profile, "These are not the rows that you are looking for.\n");
  for (const std::string verb : {"run", "annotate"})
    fails(bench, {"jcprof", verb, "pin"}, 2, "@/pin/jcprof-out/profile.jcprof: " + no_profile);
  fails(bench, {"jcprof", "export", profile.string(), "--format", "json"}, 2,
        "@/pin/jcprof-out/profile.jcprof: " + no_profile);
  fails(bench, {"jcprof", "query", profile.string(), "SELECT 1"}, 2,
        "@/pin/jcprof-out/profile.jcprof: " + no_profile);
  CHECK(read_file(profile) == "These are not the rows that you are looking for.\n");

  const fs::path traps = bench.project / "jcprof-out/traps.json";
  const std::string text = read_file(traps);
  write_file(traps, text.substr(0, text.find("\"language\"") + 14));
  fails(bench, {"jcprof", "run", "pin"}, 2,
        "@/pin/jcprof-out/traps.json:1: the file ends inside a string\n"
        "  1 | {\"format\":\"jcprof-traps\",\"version\":1,\"language\":\"ja\n"
        "    |                                                    ^\n");
}

TEST_CASE("an unknown verb or option is refused, with the nearest known one") {
  const Bench bench("words");
  fails(bench, {"jcprof", "profil", "pin"}, 2, "unknown verb \"profil\"\nhint: did you mean \"profile\"?\n");
  fails(bench, {"jcprof", "measure", "pin"}, 2,
        "unknown verb \"measure\"\nhint: jcprof --help lists the verbs\n");
  const std::string unknown = " has no option \"--round\"\nhint: did you mean \"--rounds\"?\n";
  fails(bench, {"jcprof-run", "pin", "--round"}, 2, "jcprof-run" + unknown);
  // Before anything is built, let alone installed.
  fails(bench, {"jcprof", "profile", "pin", "--round"}, 2, "jcprof profile" + unknown);
  CHECK_FALSE(fs::exists(bench.project / "jcprof-out"));
  fails(bench, {"jcprof-gen"}, 2,
        ".: there is no jcprof.json in this folder\nhint: name the project file, or a folder that holds a "
        "jcprof.json; `jcprof init` writes one\n");
}

TEST_CASE("what the project file names and the sources lack is told before anything is written") {
  const Bench bench("names");
  bench.change("PinApplet.process", "PinApplet.proces");
  fails(bench, {"jcprof", "gen", "pin"}, 2,
        "the entry \"PinApplet.proces\" is not in the sources\nhint: did you mean \"PinApplet.process\"?\n");
  bench.reset();
  bench.change("src/*.java", "source/*.java");
  fails(bench, {"jcprof", "gen", "pin"}, 2,
        "jcprof.json:5: \"source/*.java\" matches no file\n"
        "  5 |   \"sources\": [\"source/*.java\"],\n"
        "    |               ^\n");
  bench.reset();
  bench.change("\"PinApplet.*\"", "\"PinAplet.*\"");
  fails(bench, {"jcprof", "gen", "pin"}, 2, "\"PinAplet.*\" names no function and no file of the sources\n");
  bench.reset();
  bench.change_source("        open();", "        open()");
  fails(bench, {"jcprof", "gen", "pin"}, 2,
        "src/PinApplet.java:86: \";\" is missing\n"
        "  86 |         open()\n"
        "     |               ^\n"
        "hint: the file must compile before it can be profiled\n");
  CHECK_FALSE(fs::exists(bench.project / "jcprof-out"));
}

TEST_CASE("an APDU that is malformed is shown with a caret, by every command") {
  const Bench bench("apdu");
  bench.change("B0310000 {input}", "B0310000 05 {input}");
  bench.change("\"apdu\": \"B0330000\"", "\"apdu\": \"B03300\"");
  for (const std::string verb : {"gen", "run", "profile"})
    fails(bench, {"jcprof", verb, "pin"}, 2,
          "pin/jcprof.json:26: an APDU begins with CLA INS P1 P2, but here are 3 bytes\n"
          "  26 |     \"before_each\": [{\"apdu\": \"B03300\", \"expect\": \"9000\"}]  // a stop on the way "
          "costs a try: give it back\n"
          "     |                               ^\n");
}

TEST_CASE("a wrong PIN ends the run at the first answer that says so") {
  const Bench bench("abort");
  bench.change("31323334", "31323335");
  // What jCardSim prints ends up in a log: one line an answer.
  bench.change_source(
      "ISOException.throwIt((short) (0x63C0 | triesLeft));",
      "System.err.println(\"wrong PIN\"); ISOException.throwIt((short) (0x63C0 | triesLeft));");
  bench.generate();
  bench.place.build(bench.project);
  fails(bench, {"jcprof-run", "pin"}, 1,
        "the trigger was answered with 63C2: the run is ended, as \"abort_on\" asks\n"
        "hint: a PIN or a key may be about to block; look at the card, or change \"abort_on\" in \"session\" "
        "of "
        "jcprof.json\n");
  const std::string log = read_file(bench.project / "jcprof-out/logs/start.log");
  CHECK(log.starts_with("wrong PIN\n"));
  CHECK(log.find("wrong PIN", 1) == std::string::npos);
  CHECK(test::is_sound(bench.project / "jcprof-out/profile.jcprof"));
  fails(bench, {"jcprof", "annotate", "pin"}, 2,
        "the profile holds no run yet\nhint: `jcprof run` adds one\n");
  CHECK(bench.place.processes("java").empty());
}

}  // namespace
}  // namespace jcprof
