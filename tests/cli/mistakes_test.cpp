// SPDX-License-Identifier: Apache-2.0
// Typical mistakes in a project of one's own: jcprof doctor tries the project, and names the cause of each in
// one sentence. Those of applets are in tests/harness/card_refusals_test.cpp and device_cause_test.cpp.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "programs/doctor_try.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "src/core/trap_map.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/fake_transport.hpp"

namespace jcprof::cli {
namespace {

using nlohmann::json;

constexpr const char* program = R"(#include <stdlib.h>
static int turns(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int main(int argc, char** argv) { turns(argc > 1 ? atoi(argv[1]) : 9); return argc > 2 ? atoi(argv[2]) : 0; }
)";

/// What jcprof doctor finds in that program, with changes to a project file that is right (RFC 7396).
json found_in(const test::TemporaryFolder& folder, const json& changes, const std::string& source = program) {
  json project = {{"format", "jcprof-project"},
                  {"version", 1},
                  {"target", "program"},
                  {"sources", {"*.c"}},
                  {"entry", "main"},
                  {"build", {{{"run", {"cc", "-o", "{out}/app", "a.c"}}}}},
                  {"trigger", {{"run", {"{out}/app", "9"}}, {"clock", "cpu"}}}};
  project.merge_patch(changes);
  write_file(folder / "a.c", source);
  write_file(folder / "jcprof.json", project.dump(1));
  const ProcessResult result = run_and_wait(
      {.argv = {"sh", "-c", JCPROF_BIN_DIR "/jcprof doctor --yes --json 2>err"}, .cwd = folder.path()}, {},
      std::chrono::seconds{100});
  const json found = json::parse(result.tail);
  const bool is_good = std::ranges::none_of(
      found, [](const json& one) { return one["verdict"] == "failed" || one["verdict"] == "missing"; });
  CHECK(result.exit_status == (is_good ? 0 : 1));
  return found;
}

json found_with(const json& changes) {
  return found_in(test::TemporaryFolder(), changes);
}

/// The last finding: "subject: what; way out".
std::string fault_with(const json& changes) {
  const json last = found_with(changes).back();
  CHECK((last["verdict"] == "failed" || last["verdict"] == "missing"));
  return last["subject"].get<std::string>() + ": " + last["what"].get<std::string>() + "; " +
         last["way_out"].get<std::string>();
}

json trigger(const json& run, const std::string& key = "expect", const std::string& value = "0") {
  return {{"trigger", {{"run", run}, {key, value}}}};
}

json built_by(const json& run) {
  return {{"build", {{{"run", run}}}}};
}

TEST_CASE("a project that is right is tried up to its path, and the estimate comes last") {
  const json found = found_with(json::object());
  std::vector<std::string> subjects;
  for (const json& one : found)
    if (one["verdict"] == "ok") subjects.push_back(one["subject"]);
  for (const char* subject : {"traps", "build", "target", "trigger", "path"})
    CHECK_THAT(subjects, Catch::VectorContains(std::string(subject)));
  CHECK(found.back()["subject"] == "estimate");
}

TEST_CASE("a program that fails is named with its status") {
  CHECK_THAT(fault_with(trigger({"{out}/app", "9", "3"})),
             Catch::StartsWith("trigger: the program ") &&
                 Catch::Contains("app 9 3 ended with status 3, expected was 0"));
}

TEST_CASE("a build that fails without traps too is the project's own") {
  CHECK_THAT(fault_with(built_by({"cc", "-o", "{out}/app", "none.c"})),
             Catch::StartsWith("build: the build step failed") &&
                 Catch::EndsWith("; it fails without traps too: correct \"build\" or the sources first"));
}

TEST_CASE("a build that jcprof's header alone breaks is not blamed on the project") {
  const std::string fault =
      fault_with(built_by({"cc", "-Wfatal-errors", "-Djcprof_run=1", "-o", "{out}/app", "a.c"}));
  CHECK_THAT(fault, Catch::StartsWith("build: the build step failed"));
  CHECK_THAT(fault, Catch::Contains("; it does not fail without jcprof's header: "));
}

TEST_CASE("the first line of a failed build names the cause") {
  const test::TemporaryFolder folder;
  write_file(folder / "b.c", "int b(void) {\n  return none;\n}\n");
  const std::string with_error =
      found_in(folder, {{"sources", {"a.c"}}, {"build", {{{"run", {"make", "-s", "b.o", "CC=gcc"}}}}}})
          .back()["what"];
  CHECK_THAT(with_error, Catch::StartsWith("the build step failed with status 2: b.c:2:10: error: "));
  const json found = found_in(
      folder,
      {{"sources", {"a.c"}}, {"build", {{{"run", {"make", "-s", "b.o", "CC=aarch64-linux-none-gcc"}}}}}});
  CHECK_THAT(found.back()["what"].get<std::string>(),
             Catch::StartsWith(
                 "the build step failed with status 2: there is no program \"aarch64-linux-none-gcc\"\n"));
  CHECK_THAT(found.back()["way_out"].get<std::string>(), Catch::StartsWith("install it; "));
}

TEST_CASE("a build that fails because of traps alone is said to") {
  const test::TemporaryFolder folder;
  const json found = found_in(
      folder, built_by({"sh", "-c", "[ $(grep -o '/\\*\\[j\\*/' a.c | wc -l) -lt 12 ] && cc -o \"$0\" a.c",
                        "{out}/app"}));
  CHECK(found.back()["subject"] == "build");
  CHECK_THAT(found.back()["way_out"].get<std::string>(), Catch::Contains("it does not fail without traps"));
  // What was told of is what is left.
  const auto traps = std::ranges::find_if(found, [](const json& one) { return one["subject"] == "traps"; });
  REQUIRE(traps != found.end());
  CHECK((*traps)["what"] ==
        std::to_string(read_trap_map(folder / "jcprof-out/traps.json").traps.size()) + " of them");
}

TEST_CASE("a server beside an agent, which no second one can stand beside, is there once at a time") {
  const json server = {"flock", "-n", "{project}/port", "sh", "-c", "echo ready; exec sleep 100"};
  const json found =
      found_with({{"entry", "turns"},
                  {"transport", "agent:" JCPROF_SYNTHETIC_AGENT},
                  {"trigger", {{"run", nullptr}, {"clock", nullptr}, {"device", "card"}, {"blocks", 9}}},
                  {"start", {{"run", server}, {"ready", "ready"}}}});
  INFO(found.dump(1));
  CHECK(found.back()["subject"] == "estimate");
}

TEST_CASE("a server that ends before it is ready is said to have ended, and not to be late") {
  CHECK_THAT(
      fault_with({{"entry", "turns"},
                  {"transport", "agent:" JCPROF_SYNTHETIC_AGENT},
                  {"trigger", {{"run", nullptr}, {"clock", nullptr}, {"device", "card"}, {"blocks", 9}}},
                  {"start", {{"run", {"sh", "-c", "echo boot"}}, {"ready", "up"}}}}),
      Catch::StartsWith("target: the device program ended before it said \"up\"\nsh -c echo boot\n") &&
          Catch::EndsWith("boot; run the command above by hand; \"start\" in jcprof.json says what is run"));
}

TEST_CASE("a measurement takes its rounds, or four times the shots of a warm-up") {
  const FirstContact few{.events = 3, .shot_s = 1};
  CHECK(seconds_to_measure(few) == 240);
  const FirstContact some{.events = 99, .shot_s = 0.5};
  CHECK(seconds_to_measure(some) == 0.5 * (60 + 20 * 100));
  const FirstContact many{.events = 1'000'000, .shot_s = 1};  // they are zoomed into
  CHECK(seconds_to_measure(many) == 60 + 20 * 200);
  CHECK(seconds_to_measure({}) == 0);
}

TEST_CASE("a median is of the shots that were answered as asked") {
  test::FakeTransport target;
  target.paths[0] = {TrapId{1}, TrapId{2}};
  const Event second{.trap = TrapId{2}, .hit = 1};
  target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n % 5 > 2) sample = {.outcome = n % 2 == 0 ? Outcome::lost : Outcome::ended, .ticks = 7};
  };
  CHECK(median_time(target, {.stop = second}) == 2000);
  target.twist = [](const Shot&, std::uint64_t, Sample& sample) { sample = {.outcome = Outcome::timed_out}; };
  CHECK_FALSE(median_time(target, {.stop = second}));
}

TEST_CASE("a compiler that is not there is named before anything is tried") {
  const json found = found_with(built_by({"no-such-cc", "a.c"}));
  CHECK(
      std::ranges::any_of(found, [](const json& one) { return one["what"] == "no-such-cc is not in PATH"; }));
  CHECK(std::ranges::none_of(found, [](const json& one) { return one["subject"] == "traps"; }));
}

TEST_CASE("a wrong path of the program, its folder or its input is named") {
  CHECK_THAT(fault_with(trigger({"{out}/apq", "9"})), Catch::Contains("apq\": No such file or directory"));
  CHECK_THAT(fault_with(trigger({"{out}/app"}, "cwd", "{project}/none")),
             Catch::Contains("cannot enter ") && Catch::Contains("\"cwd\" in \"trigger\""));
  CHECK_THAT(fault_with(trigger({"{out}/app"}, "stdin", "none.txt")),
             Catch::Contains("cannot read ") && Catch::Contains("\"stdin\" in \"trigger\""));
}

TEST_CASE("a program that was not built from the tree is told from one that is") {
  CHECK_THAT(fault_with(built_by({"cc", "-o", "{out}/app", "{project}/a.c"})),
             Catch::Contains("did not get as far as the entry; is it built from jcprof-out/tree"));
}

TEST_CASE("a wrong glob, key and entry are named") {
  CHECK_THAT(fault_with({{"sources", {"src/*.c"}}}), Catch::Contains("\"src/*.c\" matches no file"));
  CHECK_THAT(fault_with({{"entri", "main"}}),
             Catch::Contains("unknown key \"entri\"") && Catch::Contains("did you mean \"entry\"?"));
  CHECK(fault_with({{"entry", "man"}}) ==
        "traps: the entry \"man\" is not in the sources; did you mean \"main\"?");
  CHECK_THAT(fault_with({{"profile", {{"exclude", {"turn"}}}}}),
             Catch::StartsWith("traps: ") && Catch::Contains("\"turn\"") &&
                 Catch::EndsWith("did you mean \"turns\"?"));
}

TEST_CASE("a header that is not found is named with the line that includes it") {
  const test::TemporaryFolder folder;
  const json found =
      found_in(folder, json::object(), "\n#include \"none.h\"\nint main(void) { return 0; }\n");
  CHECK_THAT(found.back()["what"].get<std::string>(), Catch::EndsWith("/a.c:2: 'none.h' file not found"));
  CHECK(read_file(folder / "err").empty());
}

TEST_CASE("a header that only make makes, and has not yet, is blamed on that") {
  const test::TemporaryFolder folder;
  write_file(folder / "Makefile", "app: made.h\n\tcc -o $@ a.c\nmade.h:\n\ttouch $@\n");
  const json found = found_in(folder, {{"compile", {{"make", "."}}}, {"build", {{{"run", {"make", "app"}}}}}},
                              "#include \"made.h\"\nint main(void) { return 0; }\n");
  INFO(found.dump(1));
  CHECK_THAT(found.back()["what"].get<std::string>(), Catch::Contains("'made.h' file not found"));
  CHECK_THAT(found.back()["way_out"].get<std::string>(),
             Catch::StartsWith("if make makes it, run make first, in "));
}

TEST_CASE("a cross compiler that is not there is named where its headers are missing") {
  const test::TemporaryFolder folder;
  const json found = found_in(folder, {{"compile", {{"compiler", "aarch64-linux-none-gcc"}}}},
                              "#include <of_the_other_machine.h>\nint main(void) { return 0; }\n");
  CHECK_THAT(found.back()["what"].get<std::string>(),
             Catch::EndsWith("'of_the_other_machine.h' file not found"));
  CHECK(found.back()["way_out"] ==
        "its compiler, \"aarch64-linux-none-gcc\", is not there, nor may be its headers: install it");
  const json other = found_in(folder, {{"compile", {{"compiler", "aarch64-linux-none-gcc"}}}},
                              "int main(void) { return 0 }\n");
  CHECK_THAT(other.back()["what"].get<std::string>(), Catch::Contains("expected ';'"));
  CHECK_THAT(other.back()["way_out"].get<std::string>(), !Catch::Contains("compiler"));
}

TEST_CASE("a development kit that is not there is named as what the environment must give") {
  const test::TemporaryFolder folder;
  write_file(folder / "ta/Makefile", "include $(TA_DEV_KIT_DIR)/mk/ta_dev_kit.mk\n");
  const json found = found_in(folder, {{"target", "optee-ta"},
                                       {"entry", "TA_InvokeCommandEntryPoint"},
                                       {"transport", "agent:true"},
                                       {"compile", {{"make", "ta"}}},
                                       {"build", nullptr},
                                       {"sources", {"*.c"}},
                                       {"trigger",
                                        {{"run", nullptr},
                                         {"clock", nullptr},
                                         {"ta", "8aaaf200-2450-11e4-abe2-0002a5d5c51b"},
                                         {"command", 0}}}});
  INFO(found.dump(1));
  CHECK_THAT(found.back()["what"].get<std::string>(),
             Catch::StartsWith("jcprof.json:") && Catch::Contains("ta_dev_kit.mk: No such file"));
  CHECK_THAT(found.back()["way_out"].get<std::string>(), Catch::StartsWith("is TA_DEV_KIT_DIR the folder"));
}

TEST_CASE("jcprof profile says what jcprof-gen refused, once, with its place and its exit code") {
  const test::TemporaryFolder folder;
  found_in(folder, json::object());
  write_file(folder / "a.c", "#include \"none.h\"\nint main(void) { return 0; }\n");
  const ProcessResult result =
      run_and_wait({.argv = {JCPROF_BIN_DIR "/jcprof", "profile", "--yes", "."}, .cwd = folder.path()}, {},
                   std::chrono::seconds{100});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.tail, Catch::Contains("a.c:1: 'none.h' file not found\n  1 | #include \"none.h\"\n"));
  CHECK(result.tail.find("none.h' file") == result.tail.rfind("none.h' file"));
}

TEST_CASE("a program that succeeds only once is refused: the message says what to undo") {
  const auto fault_after = [](const std::string& runs) {
    return fault_with(
        trigger({"sh", "-c",
                 "echo >> {out}/runs; [ $(wc -l < {out}/runs) -gt " + runs + " ] && s=3; exec \"$0\" 9 $s",
                 "{out}/app"}));
  };
  CHECK_THAT(fault_after("1"),
             Catch::Contains("ended with status 3, expected was 0") &&
                 Catch::Contains("run it by hand, twice: ") &&
                 Catch::Contains("undo in \"before_each\" of \"session\" what its first run leaves behind"));
}

TEST_CASE("a program whose runs take different ways is said to, with what to do") {
  const test::TemporaryFolder folder;
  const json found = found_in(folder, {{"trigger", {{"cwd", "{out}"}}}},
                              "#include <stdio.h>\nstatic volatile int s;\nint main(void) {\n"
                              "  FILE* runs = fopen(\"runs\", \"a\");\n  fputc('x', runs);\n"
                              "  if (ftell(runs) % 2) s++;\n  else s--;\n  return fclose(runs);\n}\n");
  INFO(found.dump(1));
  const auto varies =
      std::ranges::find_if(found, [](const json& one) { return one["subject"] == "path varies"; });
  REQUIRE(varies != found.end());
  CHECK_THAT((*varies)["way_out"].get<std::string>(), Catch::Contains("before_each"));
}

TEST_CASE("a program that hangs and one that crashes are told apart") {
  json hangs = trigger({"sleep", "100"});
  hangs["session"] = {{"timeout", "500ms"}};
  CHECK_THAT(fault_with(hangs),
             Catch::StartsWith("trigger: the command under study could not be run once (timed_out") &&
                 Catch::EndsWith("does it wait for input (\"stdin\" in \"trigger\"), or need longer "
                                 "(\"timeout\" in \"session\")?"));
  CHECK_THAT(fault_with(trigger({"sh", "-c", "kill -SEGV $$"})),
             Catch::Contains("it was ended by SIGSEGV") && Catch::EndsWith("say what is sent"));
}

TEST_CASE("a step of the session that fails is named") {
  CHECK_THAT(fault_with({{"session", {{"before_each", {{{"run", {"false"}}}}}}}}),
             Catch::StartsWith("trigger: step 1 of \"before_each\" failed with status 1: false"));
}

Project timed(ProgramClock clock, TargetKind target = TargetKind::program) {
  Project project;
  project.target = target;
  if (target == TargetKind::program) {
    project.transport = "exec:";
    project.trigger.run = {"app"};
  }
  project.trigger.clock = clock;
  return project;
}

TEST_CASE("what to expect: work that the way hides, a clock, and how long it takes") {
  const FirstContact hidden{.events = 10, .whole_ns = 2e6, .behind_ns = 2e4, .shot_s = 0.002};
  CHECK(render(prospects(timed(ProgramClock::wall), hidden)) ==
        "remark   prospect: the command takes 2 ms, and 20 us of it behind its entry: that is too little to "
        "be timed from outside\n"
        "         jcprof profile records one run of it by itself\n"
        "remark   prospect: the wall clock also counts what other programs take\n"
        "         \"clock\": \"cpu\" in \"trigger\", where the program computes and does not wait\n"
        "ok       estimate: 10 rounds, the least, of 10 stops take 200 ms; a long path is zoomed into and "
        "takes less\n"
        "nothing that is needed is missing\n");
  Project enclave = timed(ProgramClock::wall, TargetKind::sgx_enclave);
  enclave.file = "kv/jcprof.json";
  CHECK_THAT(
      render(prospects(enclave, hidden)),
      Catch::StartsWith("remark   prospect: of 2 ms only 20 us lie behind the entry") &&
          Catch::Contains("give the command more work; `jcprof record --project kv/jcprof.json` tells") &&
          !Catch::Contains("by itself"));
  Project asking = timed(ProgramClock::cpu);
  asking.measure.max_shots = 1000;
  CHECK_THAT(render(prospects(asking, hidden)),
             Catch::StartsWith("remark   prospect: of 2 ms only 20 us") && !Catch::Contains("by itself"));
  const FirstContact slow{.events = 200'000, .whole_ns = 3e8, .behind_ns = 2.9e8, .shot_s = 0.3};
  CHECK(render(prospects(timed(ProgramClock::wall, TargetKind::applet), slow)) ==
        "remark   estimate: 10 rounds, the least, of 200000 stops take 10000 min; a long path is zoomed into "
        "and "
        "takes less\n"
        "         a coarser \"level\", or fewer functions in \"include\" of \"profile\"\n"
        "nothing that is needed is missing\n");
}

}  // namespace
}  // namespace jcprof::cli
