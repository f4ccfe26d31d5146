// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "programs/diagnosis.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {
namespace {

MachineFacts good_machine() {
  return {.readers = {{{.reader = "Reader A", .card = "gd60, ATR 3b00", .usable = true}}},
          .javac = "javac 17.0.15",
          .java = "openjdk 17",
          .release_8 = true,
          .clock_step_ns = 20,
          .clock_read_ns = 25.4,
          .governor = "performance",
          .cores = 4,
          .load = 0.5};
}

TEST_CASE("on a machine that has all, every line is ok") {
  const ProjectFacts project{.file = "/p/jcprof.json",
                             .sources = 3,
                             .wants_reader = true,
                             .out = "/p/jcprof-out",
                             .is_out_writable = true,
                             .free_bytes = 5'000'000'000};
  const std::vector<Finding> findings = diagnose(good_machine(), project);
  CHECK(render(findings) ==
        "ok       PC/SC daemon: answers\n"
        "ok       reader: \"Reader A\": gd60, ATR 3b00\n"
        "ok       javac: javac 17.0.15, compiles with --release 8\n"
        "ok       java: openjdk 17\n"
        "ok       clock: steps of 20 ns, 25 ns a reading\n"
        "ok       load: 0.5 on 4 cores\n"
        "ok       project: /p/jcprof.json, 3 sources\n"
        "ok       output: /p/jcprof-out: 5000 MB free\n"
        "nothing that is needed is missing\n");
  CHECK(is_complete(findings));
}

TEST_CASE("what is missing comes with a way to get it, and a slow machine with remarks") {
  const MachineFacts machine{
      .clock_step_ns = 4e6, .clock_read_ns = 300, .governor = "powersave", .cores = 2, .load = 3.21};
  const ProjectFacts project{.file = "/p/jcprof.json",
                             .sources = 1,
                             .wants_reader = true,
                             .lost_paths = {{"class path", "classpath", "/p/lib/api.jar"}},
                             .lost_programs = {"ant"},
                             .out = "/p/out"};
  const std::vector<Finding> findings = diagnose(machine, project);
  CHECK(render(findings) ==
        "missing  PC/SC daemon: does not answer; only `pcsc:` needs it\n"
        "         install pcscd and libccid, then \"systemctl start pcscd.socket\", or \"pcscd\" as root\n"
        "missing  javac: not in PATH; applets are compiled with it\n"
        "         install default-jdk-headless\n"
        "missing  java: not in PATH; simulators run in it\n"
        "         install default-jdk-headless\n"
        "remark   clock: steps of 4000000 ns, 300 ns a reading\n"
        "         is the clock source \"tsc\"? (/sys/devices/system/clocksource)\n"
        "remark   CPU frequency: governor \"powersave\": times of a simulator drift with it\n"
        "         \"cpupower frequency-set -g performance\" as root (linux-cpupower)\n"
        "remark   load: 3.2 on 2 cores\n"
        "         end other work: it widens the intervals\n"
        "ok       project: /p/jcprof.json, 1 sources\n"
        "missing  class path: /p/lib/api.jar does not exist\n"
        "         put it there, or correct \"classpath\" in \"compile\"\n"
        "missing  program: ant is not in PATH\n"
        "         install it (Debian: ant): \"build\", \"install\", \"start\", \"exchange\", \"trigger\" or "
        "\"transport\" "
        "runs it\n"
        "missing  output: /p/out cannot be written\n"
        "         name another folder with -o\n"
        "6 missing\n");
  CHECK_FALSE(is_complete(findings));
}

TEST_CASE("without a project that wants a reader, none is only a remark") {
  MachineFacts machine = good_machine();
  machine.readers->clear();
  machine.release_8 = false;
  const std::vector<Finding> findings = diagnose(machine, std::nullopt);
  CHECK(render(findings) ==
        "ok       PC/SC daemon: answers\n"
        "remark   readers: none; only `pcsc:` needs one\n"
        "         plug one in; `pcsc_scan` of pcsc-tools shows what the daemon sees\n"
        "remark   javac: javac 17.0.15, cannot compile with --release 8\n"
        "         most Java Card tools want that: install openjdk-17-jdk-headless\n"
        "ok       java: openjdk 17\n"
        "ok       clock: steps of 20 ns, 25 ns a reading\n"
        "ok       load: 0.5 on 4 cores\n"
        "nothing that is needed is missing\n");
  CHECK(is_complete(findings));
}

TEST_CASE("for a program a compiler is looked at, and neither readers nor Java") {
  MachineFacts machine = good_machine();
  machine.javac.clear();
  machine.cc = "gcc 12";
  ProjectFacts project{.file = "/p/jcprof.json",
                       .sources = 2,
                       .is_applet = false,
                       .lost_programs = {"/p/run.sh"},
                       .out = "/p/out",
                       .is_out_writable = true,
                       .free_bytes = 5'000'000'000};
  CHECK(render(diagnose(machine, project)) ==
        "ok       cc: gcc 12\n"
        "ok       clock: steps of 20 ns, 25 ns a reading\n"
        "ok       load: 0.5 on 4 cores\n"
        "ok       project: /p/jcprof.json, 2 sources\n"
        "missing  program: /p/run.sh cannot be run\n"
        "         put it there, and make it executable: \"build\", \"install\", \"start\", \"exchange\", "
        "\"trigger\" or "
        "\"transport\" runs it\n"
        "ok       output: /p/out: 5000 MB free\n"
        "1 missing\n");
  machine.cc.clear();
  project.lost_programs.clear();
  CHECK(render(diagnose(machine, project)).starts_with("remark   cc: not in PATH; most programs are"));
}

TEST_CASE("the findings as JSON say the same") {
  CHECK(
      nlohmann::json::parse(to_json({{Verdict::missing, "java", "not in PATH", "install it"}})) ==
      nlohmann::json::parse(
          R"([{"verdict": "missing", "subject": "java", "what": "not in PATH", "way_out": "install it"}])"));
}

TEST_CASE("jcprof doctor names what a project lacks, changes nothing and fails") {
  const test::TemporaryFolder folder;
  write_file(folder / "A.java", "class A {}");
  write_file(folder / "jcprof.json",
             R"({"format": "jcprof-project", "version": 1, "target": "applet", "sources": ["*.java"],
"entry": "A.process", "transport": "vpcd:", "trigger": {"apdu": "80000000"},
"compile": {"classpath": ["{project}/none.jar"]}, "build": [{"run": ["no-such-program"]}],
"session": {"exchange": {"run": ["{project}/no-such-hook"]}}})");
  const ProcessResult result = run_and_wait(
      {.argv = {JCPROF_BIN_DIR "/jcprof", "doctor"}, .cwd = folder.path()}, {}, std::chrono::seconds{100});
  INFO(result.tail);
  CHECK(result.exit_status == 1);
  CHECK(result.tail.find("jcprof.json, 1 sources\n") != std::string::npos);
  CHECK(result.tail.find("missing  class path: " + (folder / "none.jar").string()) != std::string::npos);
  CHECK(result.tail.find("missing  program: no-such-program is not in PATH") != std::string::npos);
  CHECK(result.tail.find("missing  program: " + (folder / "no-such-hook").string() + " cannot be run") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "jcprof-out"));
}

/// The lines of jcprof doctor that say "missing", for a program with these sections.
std::string missing_of(const test::TemporaryFolder& folder, const std::string& sections) {
  write_file(folder / "a.c", "int main(void) { return 0; }");
  write_file(folder / "jcprof.json",
             R"({"format": "jcprof-project", "version": 1, "target": "program", "sources": ["*.c"],
"entry": "main", "trigger": {}, )" +
                 sections + "}");
  const ProcessResult result =
      run_and_wait({.argv = {"sh", "-c", JCPROF_BIN_DIR "/jcprof doctor --json 2>err"}, .cwd = folder.path()},
                   {}, std::chrono::seconds{100});
  std::string missing;
  for (const auto& finding : nlohmann::json::parse(result.tail))
    if (finding.at("verdict") == "missing")
      missing +=
          finding.at("subject").get<std::string>() + ": " + finding.at("what").get<std::string>() + "\n";
  return missing;
}

TEST_CASE("an agent that cannot be started is missing, but not one that a step may make") {
  const test::TemporaryFolder folder;
  CHECK(missing_of(folder, R"("transport": "agent:no-such-agent {out}/x")") ==
        "program: no-such-agent is not in PATH\n");
  CHECK(missing_of(folder, R"("transport": "agent:'./my agent'")") ==
        "program: " + (folder / "my agent").string() + " cannot be run\n");
  const std::string build = R"("build": [{"run": ["true"]}], )";
  CHECK(missing_of(folder, build + R"("transport": "agent:bin/agent")").empty());
  CHECK(missing_of(folder, build + R"("transport": "agent:/no/agent")") ==
        "program: /no/agent cannot be run\n");
  CHECK(missing_of(folder, R"("transport": "agent:{out}/agent")").empty());
  CHECK(missing_of(folder, R"("transport": "agent:jcprof-agent-ecall bridge.so")").empty());
}

TEST_CASE("what \"compile\" names is missing where it is not there, whatever would be built later") {
  const test::TemporaryFolder folder;
  const std::string head = R"("transport": "agent:true", "build": [{"run": ["true"]}], "compile": )";
  CHECK(missing_of(folder, head + R"({"database": "build/compile_commands.json"})") ==
        "compile database: " + (folder / "build/compile_commands.json").string() + " does not exist\n");
  CHECK(missing_of(folder, head + R"({"make": "ta"})") ==
        "makefile's folder: " + (folder / "ta").string() + " does not exist\n");
  CHECK(missing_of(folder, head + R"({"make": "."})").empty());
}

}  // namespace
}  // namespace jcprof::cli
