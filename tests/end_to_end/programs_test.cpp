// SPDX-License-Identifier: Apache-2.0
// `jcprof profile` on C programs, each shot a process of its own and in one process behind an agent.
#include <csignal>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/known_work.hpp"
#include "tests/end_to_end/profiled.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::check_known_work;
using test::KnownLine;
using test::profiled;
using test::TestClock;
using test::Workplace;

/// A copy of a folder of ours in the workplace, with the agent of c-sort beside it.
fs::path copied(const Workplace& place, const fs::path& folder) {
  const fs::path to = place.copied(folder);
  place.copied("examples/c-sort/agent", to.filename().string() + "/agent");
  return to;
}

const std::vector<KnownLine> known_lines{{"spin(4)", 4.0 / 40},
                                         {"spin(8)", 8.0 / 40},
                                         {"spin(16)", 16.0 / 40},
                                         {"spin(2)", 8.0 / 40, 4},
                                         {"spin(1)", 4.0 / 40, 4}};

constexpr const char* loop_of_work = R"(  unsigned x = units;
  unsigned long passes = units * 300000ul;
  while (passes-- > 0) {
    x = x * 5u + 1u;
    __asm__ volatile("" : "+r"(x));
  }
)";

TEST_CASE("known work has its shares, each shot a process of its own") {
  const Workplace place("known-exec", TestClock::virtual_time);
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  test::replace_in(project / "jcprof.json", R"("clock": "cpu")", R"("clock": "wall")");
  test::spin_in_virtual_time(project / "src/work.c", loop_of_work);
  const json profile = profiled(place, project / "jcprof.json", 12);
  check_known_work(profile, project / "src/work.c", known_lines);
  CHECK(profile["transport"] == "exec");
  CHECK(profile["unit"] == "ns");
  CHECK(profile["simulated"] == false);
}

TEST_CASE("known work has its shares in one process behind an agent") {
  const Workplace place("known-agent", TestClock::virtual_time);
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  test::spin_in_virtual_time(project / "src/work.c", loop_of_work);
  const json profile = profiled(place, project / "agent.json", 12);
  check_known_work(profile, project / "src/work.c", known_lines);
  CHECK(profile["transport"] == "agent");
}

/// A loop that a compiler takes strlen() out of, unless a trap stands in it.
constexpr const char* loop_with_strlen = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned sum_of(const char* text) {
  unsigned sum = 0;
  for (size_t i = 0; i < strlen(text); i++) {
    sum += (unsigned char)text[i];
  }
  return sum;
}

int main(void) {
  static char text[20001];
  memset(text, 'x', sizeof text - 1);
  for (volatile int i = 0; i < 1000000; i++);
  printf("%u\n", sum_of(text));
  return 0;
}
)";

TEST_CASE("a profile by stops says that its traps change the program, where they do", "[real]") {
  const Workplace place("changed-by-traps");
  const fs::path project = place / "sums";
  fs::create_directory(project);
  write_file(project / "sums.c", loop_with_strlen);
  write_file(project / "jcprof.json", R"({
  "format": "jcprof-project", "version": 1,
  "target": "program",
  "sources": ["sums.c"],
  "entry": "main",
  "build": [{"run": ["cc", "-O2", "-o", "{out}/sums", "sums.c"]}],
  "trigger": {"run": ["{out}/sums"], "clock": "cpu"}
})");
  const auto changed = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command{"jcprof", "profile", project.string(), "--rounds", "16", "--fresh"};
    command.insert(command.end(), more.begin(), more.end());
    const test::Said said = place.run(command);
    INFO(said.out << said.err);
    REQUIRE(said.status == 0);
    return said.out + said.err;
  };
  CHECK_THAT(changed({}), Catch::Contains("changed by traps: without traps the program takes "));
  test::replace_in(project / "jcprof.json", R"("entry": "main")",
                   R"("entry": "main", "profile": {"level": "function"})");
  CHECK_THAT(changed({}), !Catch::Contains("changed by traps"));
}

TEST_CASE("a command that fails is named at the first look at its path, and nothing is built for it again") {
  const Workplace place("first-look");
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  test::replace_in(project / "jcprof.json", R"("run": ["{out}/work"])",
                   R"("run": ["sh", "-c", "$0; exit 3", "{out}/work"])");
  const test::Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "2"});
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Catch::Contains("ended with status 3, expected was 0"));
  CHECK_THAT(said.out, !Catch::Contains("functions only"));
}

TEST_CASE("the first look at the path goes by the transport that is asked for") {
  const Workplace place("first-look-transport");
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  const std::string agent = "agent:python3 {project}/agent/agent.py {out}/work.so";
  test::replace_in(project / "agent.json", agent, "agent:false");
  const test::Said said = place.run(
      {"jcprof", "profile", (project / "agent.json").string(), "--rounds", "2", "--transport", agent});
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, !Catch::Contains("functions only"));
}

constexpr const char* one_compiler = R"([{"run": ["cc", "-o", "{out}/p", "p.c"]}])";

/// A program whose entry runs `body`; profiled as it stands, without a wish for so many rounds.
test::Said profiled_whole(const Workplace& place, const std::string& body, const std::string& functions = "",
                          const std::string& build = one_compiler) {
  write_file(place / "p/p.c", "#define PM_CHECK\nstatic volatile unsigned sum;\n" + functions +
                                  "int main(void) {\n" + body + "  return 0;\n}\n");
  write_file(place / "p/jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "program",
  "sources": ["*.c"], "entry": "main", "build": )" +
                                          build +
                                          R"(,
  "trigger": {"run": ["{out}/p"], "clock": "cpu"}, "session": {"timeout": "60s"},
  "measure": {"max_time": "20s"}})");
  return place.run({"jcprof", "profile", (place / "p").string()});
}

/// Asks the recording that `jcprof profile` has made by itself.
std::optional<std::string> recorded(const Workplace& place, const std::string& sql) {
  return test::value_of(place / "p/jcprof-out/record/profile.jcprof", sql);
}

TEST_CASE("a program that is too short to be timed from outside is recorded, with its lines") {
  const Workplace place("too-short");
  const test::Said said = profiled_whole(place, "  sum++;\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out,
             Catch::Contains("record: the command takes ") &&
                 Catch::Contains("that is too little to be timed from outside. jcprof records one run "
                                 "of it instead\n") &&
                 Catch::Contains("jcprof-out/record/profile.jcprof"));
  CHECK(recorded(place, "SELECT count(*) FROM line WHERE line = 4") == "1");
  // Each warning once, with the table.
  constexpr const char* note =
      "warning: jcprof profile recorded one run, with the first input: the command takes ";
  CHECK_THAT(said.out, Catch::Contains(note));
  CHECK_THAT(said.err, !Catch::Contains(note) && !Catch::Contains("profile: "));
  // annotate shows the newer profile.
  const test::Said shown = place.run({"jcprof", "annotate", (place / "p").string(), "--show"});
  INFO(shown.err);
  CHECK(shown.status == 0);
  CHECK_THAT(shown.out, Catch::Contains("main"));
}

TEST_CASE("a path that stays too long is recorded at functions, and standard output stays the table's") {
  const Workplace place("too-long");
  // Traps set by hand stay, whatever is left out.
  const test::Said said =
      profiled_whole(place,
                     "  for (unsigned i = 0; i < 300000; i++) {\n    sum += i;\n    PM_CHECK;\n  }\n  "
                     "__builtin_puts(\"of the program\");\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Catch::Contains("record: the command passes ") && !Catch::Contains("of the program"));
  CHECK(recorded(place, "SELECT transport FROM run") == "record");
}

TEST_CASE("a function that is called too often for stops, and holds the work, is found by a recording",
          "[real]") {
  const Workplace place("hot-helper");
  const test::Said said = profiled_whole(
      place, "  for (unsigned i = 0; i < 600000; i++) sum += hot(i);\n  cold(1);\n",
      "static unsigned hot(unsigned n) {\n  unsigned x = n;\n  for (int i = 0; i < 40; i++) x = x * 5 + i;\n"
      "  return x;\n}\nstatic unsigned cold(unsigned n) {\n  return n;\n}\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Catch::Contains("without traps in hot what is hot could not be seen"));
  CHECK(recorded(place, "SELECT function FROM function ORDER BY exclusive DESC LIMIT 1") == "hot");
  CHECK(recorded(place, "SELECT calls FROM function WHERE function = 'hot'") == "600000");
}

TEST_CASE("small functions that hide the hot one in a recording are left out of a second one", "[real]") {
  const Workplace place("small-helpers");
  const test::Said said = profiled_whole(
      place, "  for (unsigned i = 0; i < 2000; i++) sum += hot(i) + twice(i);\n",
      "static unsigned tiny(unsigned n) {\n  return n + 1;\n}\n"
      "static unsigned twice(unsigned n) {\n  for (int i = 0; i < 1500; i++) n = tiny(n);\n  return n;\n}\n"
      "static unsigned hot(unsigned n) {\n  for (int i = 0; i < 4000; i++) n = n * 5 + i;\n  return n;\n}\n");
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Catch::Contains("record: the calls of tiny take less time than to record them"));
  CHECK_THAT(said.out, Catch::Contains("their time is their callers' (twice)"));
  CHECK(recorded(place, "SELECT function FROM function LIMIT 1") == "hot");
  CHECK(recorded(place, "SELECT count(*) FROM function WHERE function = 'tiny'") == "0");
}

TEST_CASE("a lighter recording that fails leaves the one before it, and nothing else") {
  const Workplace place("no-lighter");
  constexpr const char* builds_a_recording_once =
      R"([{"run": ["cc", "-o", "{out}/p", "p.c"]},
          {"run": ["sh", "-c", "case $0 in */record) mkdir $0/once;; esac", "{out}"]}])";
  const test::Said said =
      profiled_whole(place, "  for (unsigned i = 0; i < 300000; i++) sum += tiny(i);\n",
                     "static unsigned tiny(unsigned n) {\n  return n + 1;\n}\n", builds_a_recording_once);
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Catch::Contains("record: the calls of tiny take less time than to record them"));
  CHECK_THAT(said.err, Catch::Contains("once"));
  CHECK(recorded(place, "SELECT calls FROM function WHERE function = 'tiny'") == "300000");
  CHECK_FALSE(std::filesystem::exists(place / "p/jcprof-out/record/profile.before"));
}

TEST_CASE("a program whose recording fails says why stops do not measure it, and why a recording does not") {
  const Workplace place("no-recording");
  const test::Said said = profiled_whole(place, "#ifdef JCPROF_RECORD\n  return 3;\n#endif\n  sum++;\n");
  CHECK(said.status == 1);
  CHECK_THAT(said.err, Catch::StartsWith("the command takes ") &&
                           !Catch::Contains("jcprof record --project") &&
                           Catch::Contains("ended with status 3, expected was 0"));
}

TEST_CASE("a recording that finds no room on the disk ends with 4, and says how to record less") {
  const Workplace place("full-log");
  write_file(place / "p/p.c",
             "static volatile unsigned sum;\nint main(void) {\n"
             "  for (unsigned i = 0; i < 200000; i++) sum += i;\n  return 0;\n}\n");
  write_file(place / "p/jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "program",
  "sources": ["*.c"], "entry": "main", "build": [{"run": ["cc", "-o", "{out}/p", "p.c"]}],
  "trigger": {"run": ["{out}/p"]}})");
  const test::Said said =
      place.run({"jcprof", "record", "--project", (place / "p").string(), "--max-log", "256K"});
  INFO(said.err);
  CHECK(said.status == 4);
  CHECK_THAT(said.err, Catch::Contains(R"(record fewer functions or lines ("include" and "level")"));
}

TEST_CASE("jcprof record --project records a program with its arguments and standard input, once") {
  const Workplace place("record-program");
  write_file(place / "p/p.c",
             "#include <stdio.h>\nint main(int argc, char** argv) {\n  int sum = argc;\n"
             "  for (int c = getchar(); c != EOF; c = getchar()) sum += c;\n"
             "  return argc == 2 && argv[1][0] == 'x' && sum > 2 ? 0 : 1;\n}\n");
  write_file(place / "p/in.txt", "abc");
  write_file(place / "p/jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "program",
  "sources": ["*.c"], "entry": "main", "build": [{"run": ["cc", "-o", "{out}/p", "p.c"]}],
  "trigger": {"run": ["{out}/p", "x"], "stdin": "in.txt"}})");
  const test::Said said = place.run({"jcprof", "record", "--project", (place / "p").string()});
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK(recorded(place, "SELECT sum(hits) FROM line WHERE line = 4") == "3");
  const test::Said twice =
      place.run({"jcprof", "record", "--project", (place / "p").string(), "--runs", "2"});
  CHECK(twice.status == 2);
  CHECK_THAT(twice.err, Catch::Contains("--runs does not go with a program behind \"exec:\": jcprof records "
                                        "one run\nhint: leave --runs out"));
}

TEST_CASE("own cost is by how much a recorded program is slower than one without traps") {
  const Workplace place("own-cost");
  // Each call takes more where it has traps, recorded or not, as those do that cannot be inlined with them.
  write_file(place / "p/p.c",
             "#include <string.h>\n"
             "static void tiny(int more) {\n  for (volatile int k = 0; k < more; k++) {}\n}\n"
             "int main(int argc, char** argv) {\n"
             "  const int more = argc > 1 && strstr(argv[1], \"plain\") ? 0 : 8000;\n"
             "  for (int i = 0; i < 200000; i++) tiny(more);\n  return 0;\n}\n");
  write_file(place / "p/jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "program",
  "sources": ["*.c"], "entry": "main", "profile": {"level": "function"},
  "build": [{"run": ["cc", "-O2", "-o", "{out}/p", "p.c"]}], "trigger": {"run": ["{out}/p", "{out}"]}})");
  const test::Said said = place.run({"jcprof", "record", "--project", (place / "p").string()});
  INFO(said.err);
  REQUIRE(said.status == 0);
  // Calibration takes off 1 % of the run. If the processor gets twice as fast amid the run, a fifth remains.
  CHECK(recorded(place,
                 "SELECT overhead > 2 * in_calls FROM (SELECT overhead FROM recorded_thread), "
                 "(SELECT sum(exclusive) AS in_calls FROM function)") == "1");
  const TrapMap plain = read_trap_map(place / "p/jcprof-out/record/plain/traps.json");
  CHECK(std::ranges::all_of(plain.traps, [](const Trap& trap) { return trap.function == "main"; }));
}

TEST_CASE("where the build without traps fails, a recording has the calibrated cost of an event") {
  const Workplace place("unbuilt");
  write_file(place / "p/p.c", "#include <time.h>\nint main(void) {\n  return clock() == 0 ? 1 : 0;\n}\n");
  write_file(place / "p/jcprof.json", R"({"format": "jcprof-project", "version": 1, "target": "program",
  "sources": ["*.c"], "entry": "main", "trigger": {"run": ["{out}/p"]},
  "build": [{"run": ["sh", "-c", "case $0 in */plain) exit 3 ;; esac; cc -o $0/p p.c", "{out}"]}]})");
  const test::Said said = place.run({"jcprof", "record", "--project", (place / "p").string()});
  INFO(said.err);
  CHECK(said.status == 0);
  CHECK_THAT(said.out, Catch::Contains("record: the build without traps failed, so jcprof calibrates what an "
                                       "event costs: "));
  CHECK(recorded(place, "SELECT calls FROM function") == "1");
}

TEST_CASE("a run that is killed leaves no file of reports behind") {
  const Workplace place("killed");
  const fs::path project = copied(place, "tests/end_to_end/known_work");
  const fs::path where = project / "where";
  test::replace_in(
      project / "jcprof.json", R"({"run": ["{out}/work"])",
      R"({"run": ["sh", "-c", "echo $JCPROF_REPORT >$0; exec \"$1\"", "{project}/where", "{out}/work"])");
  test::Running profile = place.start({"jcprof", "profile", (project / "jcprof.json").string()});
  REQUIRE(test::becomes_true([&] { return fs::exists(where) && fs::file_size(where) > 1; },
                             std::chrono::seconds{90}));
  std::string report = read_file(where);
  report.resize(report.find('\n'));
  CHECK(fs::exists(report));
  REQUIRE(::kill(profile.pid(), SIGKILL) == 0);
  CHECK(profile.wait() == 128 + SIGKILL);
  CHECK_FALSE(fs::exists(report));
}

}  // namespace
}  // namespace jcprof
