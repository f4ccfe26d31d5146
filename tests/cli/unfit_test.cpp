// SPDX-License-Identifier: Apache-2.0
#include "programs/unfit.hpp"
#include "programs/record_project.hpp"
#include "programs/without_traps.hpp"

#include <chrono>
#include <limits>

#include <catch2/catch.hpp>

#include "harness/survey_words.hpp"

namespace jcprof::cli {
namespace {

Project project_of(TargetKind target, const std::string& transport) {
  Project project;
  project.file = "/my code/jcprof.json";
  project.target = target;
  project.transport = transport;
  return project;
}

Project program(ProgramClock clock = ProgramClock::wall) {
  Project project = project_of(TargetKind::program, "exec:");
  project.trigger.clock = clock;
  return project;
}

annotator::LineEstimate line(double high) {
  annotator::LineEstimate estimate{.path = "a.c", .line = 1};
  estimate.cost.ticks = {5, 0, high};
  return estimate;
}

constexpr double unknown = std::numeric_limits<double>::infinity();

annotator::Profile profile_of(std::vector<annotator::LineEstimate> lines) {
  annotator::Profile profile;
  profile.rounds = 3;
  profile.blocks.resize(4999);
  profile.lines = std::move(lines);
  return profile;
}

TEST_CASE("a run that knows a line is fit, and so is one whose lines are unreliable") {
  CHECK_FALSE(unfit(profile_of({line(unknown), line(9)}), program()));
  annotator::LineEstimate unreliable = line(unknown);
  unreliable.cost.unreliable = true;
  CHECK_FALSE(unfit(profile_of({unreliable}), program()));
  CHECK_FALSE(unfit(profile_of({}), program()));
}

PathLook timed(double whole_ns, double behind_ns) {
  return {.path = {.events = {{.trap = TrapId{1}, .hit = 1}}, .total = 1},
          .contact = {.events = 1, .whole_ns = whole_ns, .behind_ns = behind_ns}};
}

TEST_CASE(
    "a command that is over in a millisecond, or is on its way to the entry all the time, is not worth a "
    "run") {
  const auto fault_of = [](const PathLook& look, ProgramClock clock = ProgramClock::wall) {
    return unfit(look, FewerTraps::none, program(clock));
  };
  CHECK_FALSE(fault_of(timed(1.1e6, 0.5e6)));
  CHECK_FALSE(fault_of(timed(30e6, 2e6)));
  CHECK_FALSE(fault_of(timed(0, 0)));  // nobody has timed it
  CHECK(fault_of(timed(30e6, 0.5e6)));
  CHECK_THAT(fault_of(timed(0.9e6, 0.5e6), ProgramClock::cpu)->message,
             Catch::StartsWith("the command takes 900 us of processor time, and 500 us of it behind"));
  const std::optional<Fault> fault = fault_of(timed(0.9e6, 0.5e6));
  REQUIRE(fault);
  CHECK(fault->message ==
        "the command takes 900 us, and 500 us of it behind its entry: that is too little to be timed from "
        "outside");
  CHECK(fault->hint ==
        "`jcprof record --project '/my code/jcprof.json'` or perf tells in one run; or give the command more "
        "work. --rounds measures it "
        "all the same");
}

TEST_CASE(
    "a command whose work is in other threads is not measured by stops, unless somebody asks for shots") {
  PathLook look = timed(1e9, 1e9);
  CHECK_FALSE(unfit(look, FewerTraps::none, program()));
  TrapMap map;
  map.traps = {{.id = TrapId{1}, .kind = TrapKind::entry0, .function = "main"}};
  CHECK_FALSE(harness::warning_of_threads(map, 0.05));
  look.contact.threads = harness::warning_of_threads(map, 0.85);
  const std::optional<Fault> fault = not_measured(look, FewerTraps::none, program(), {});
  REQUIRE(fault);
  CHECK(fault->message ==
        "other threads take 85 % of the processor's time, and stops measure the first thread alone");
  CHECK_THAT(fault->hint, Catch::Contains("tells in one run; or give the command one thread"));
  CHECK(not_measured(look, FewerTraps::none, program(), {.asks_for_time = true}));
  CHECK_FALSE(not_measured(look, FewerTraps::none, program(), {.asks_for_shots = true}));
  // The entry may run in one of the other threads.
  map.traps[0].function = "work";
  CHECK_FALSE(harness::warning_of_threads(map, 0.85));
}

TEST_CASE("a path that stays cut is not worth a run, and whether more traps could go is said") {
  PathLook look = timed(1e9, 1e9);
  look.path.state = harness::PathState::cut;
  look.path.total = 100'000'000;
  const auto message = [&](FewerTraps fewer) { return unfit(look, fewer, program())->message; };
  CHECK(message(FewerTraps::none) ==
        "the command passes 100000000 traps, also with as few as can be: that is too many to stop at");
  CHECK(message(FewerTraps::untried) ==
        "the command passes 100000000 traps, also after several builds with fewer: that is too many to stop "
        "at");
  look.path.events.clear();
  CHECK(
      message(FewerTraps::none) ==
      "the command ends within its \"timeout\" without traps, but not with them, also with as few as can be");
  CHECK(message(FewerTraps::untried) ==
        "the command ends within its \"timeout\" without traps, but not with them, also after several builds "
        "with fewer");
}

TEST_CASE(
    "a program behind an agent of somebody's own cannot be recorded by jcprof, a trusted application can") {
  CHECK(tool_of_one_run(project_of(TargetKind::program, "agent:mine")) == "perf tells in one run");
  CHECK(tool_of_one_run(project_of(TargetKind::optee_ta, "agent:optee-vm")) ==
        "`jcprof record --project '/my code/jcprof.json'` tells in one run");
  CHECK(tool_of_one_run(project_of(TargetKind::applet, "vpcd:")).empty());
}

TEST_CASE("a run in which the functions that are passed most would have no traps is not worth it") {
  CHECK_FALSE(unfit(Shortening{.coarse = {Trap{}}}, program()));
  const std::optional<Fault> fault = unfit(
      Shortening{.left_out = {{.function = "leaf", .calls = 1'000'000}}, .events = 3'000'000}, program());
  REQUIRE(fault);
  CHECK(
      fault->message ==
      "the command passes 3000000 traps: that is too many to stop at, and without traps in leaf what is hot "
      "could not be seen");
  CHECK(unfit(Shortening{.functions_only = true}, program())->message ==
        "the command ends within its \"timeout\" without traps, but not with them");
}

TEST_CASE("a command whose stops take longer than the project's time is not worth a run") {
  PathLook look = timed(1e9, 1e9);
  look.contact.events = 100'000;
  look.contact.shot_s = 1;
  Project patient = program();
  CHECK_FALSE(unfit(look, FewerTraps::none, patient));  // it may take as long as it likes
  patient.measure.max_time = std::chrono::minutes{60};
  CHECK_FALSE(unfit(look, FewerTraps::none, patient));
  patient.measure.max_time = std::chrono::minutes{10};
  CHECK_THAT(unfit(look, FewerTraps::none, patient)->message,
             Catch::StartsWith("a run of the command takes 1 s: to measure it with stops takes about ") &&
                 Catch::EndsWith(" s, more than \"max_time\""));
  look.contact.whole_ns = 0.9e6;
  CHECK_THAT(unfit(look, FewerTraps::none, patient)->message, Catch::StartsWith("the command takes 900 us"));
}

TEST_CASE("a run whose noise hides every function tells nothing, one that knows a function does") {
  annotator::Profile profile = profile_of({line(9)});
  CHECK_FALSE(hidden_by_noise(profile, program()));  // there is none
  profile.functions.resize(2);
  CHECK(hidden_by_noise(profile, program())->message ==
        "the noise of 3 rounds hides every function's own time");
  // A function that calls all others is known in any case.
  profile.functions.back().inclusive.resolved = true;
  CHECK(hidden_by_noise(profile, program()));
  profile.functions.back().exclusive.resolved = true;
  CHECK_FALSE(hidden_by_noise(profile, program()));
}

TEST_CASE("a path too long for the time is said, with the better tool") {
  const std::optional<Fault> fault = unfit(profile_of({line(unknown)}), program());
  REQUIRE(fault);
  CHECK(fault->message ==
        "no line of the command has a time: 3 rounds of 5000 stops are too few for an interval");
  CHECK(fault->hint ==
        "`jcprof record --project '/my code/jcprof.json'` or perf tells in one run; else more time "
        "(\"max_time\"), a coarser \"level\", or fewer functions (\"include\") in jcprof.json");
  CHECK(unfit(profile_of({line(unknown)}), project_of(TargetKind::applet, "vpcd:"))
            ->hint.starts_with("more time"));
  CHECK(unfit(profile_of({line(unknown)}), project_of(TargetKind::optee_ta, "agent:x"))->hint.find("perf") ==
        std::string::npos);
}

TEST_CASE("jcprof profile records programs alone, by the transport that measures, where it has the choice") {
  const PathLook brief = timed(0.9e6, 0.5e6);
  const auto is_measured = [&](const Project& project, const ProfileWish& wish) {
    return !not_measured(brief, FewerTraps::none, project, wish);
  };
  CHECK(records_by_itself(program(), {}));
  CHECK(records_by_itself(program(), {.transport = "exec:"}));
  CHECK_FALSE(records_by_itself(program(), {.transport = "agent:mine"}));
  CHECK_FALSE(records_by_itself(project_of(TargetKind::sgx_enclave, ""), {}));
  CHECK_FALSE(records_by_itself(project_of(TargetKind::optee_ta, ""), {}));
  CHECK_FALSE(is_measured(program(), {}));
  CHECK(is_measured(program(), {.asks_for_shots = true}));
  CHECK(is_measured(project_of(TargetKind::sgx_enclave, ""), {}));
  Project limited = program();
  CHECK_FALSE(wish_of(limited).asks_for_shots);
  limited.measure.max_shots = 5;
  CHECK(is_measured(limited, wish_of(limited)));
}

TEST_CASE(
    "a path that takes more than the time is measured where the time was asked for, or nothing records") {
  PathLook slow = timed(1e9, 1e9);
  slow.contact.shot_s = 5;
  Project project = program();
  project.measure.max_time = std::chrono::seconds{10};
  CHECK(not_measured(slow, FewerTraps::none, project, {}));
  CHECK_FALSE(not_measured(slow, FewerTraps::none, project, {.asks_for_time = true}));
  CHECK_FALSE(not_measured(slow, FewerTraps::none, project, {.transport = "agent:mine"}));
}

TEST_CASE("where runs take different paths, that is the cause") {
  annotator::Profile profile = profile_of({line(unknown)});
  profile.noted = {{.kind = WarningKind::path_varies}};
  CHECK(unfit(profile, program())->message ==
        "no line of the command has a time: its runs take different paths, and too few shots show which one");
}

TEST_CASE("an event costs what recording adds, and is in doubt by how plain runs differ") {
  const harness::RecordProgress recorded{.events = 1000, .threads = 1};
  const auto cost = [&](const std::vector<double>& plain_ns, double recorded_ns) {
    return cost_of_event({.ns = plain_ns}, recorded_ns, recorded).event_ps;
  };
  CHECK(cost({1e6, 1.001e6, 1.002e6}, 1.011e6) == 10'000);  // of 10 µs
  // A million of them. Student's t of 2 degrees of freedom is 4.303: 4.303 * 1 ms * sqrt(1 + 1/3).
  const harness::RecordProgress many{.events = 1'000'000, .threads = 1};
  CHECK(cost_of_event({.ns = {1e9, 1.001e9, 1.002e9}}, 1.011e9, many).doubt_ps == Approx(4968).margin(2));
  // Up to 200 µs of the difference may come once in a run.
  CHECK(cost_of_event({.ns = {1e9, 1e9, 1e9}}, 1.011e9, many).doubt_ps == 200);
  CHECK(cost_of_event({.ns = {1e6, 1e6, 1e6}}, 1.011e6, recorded).doubt_ps == 11'000);
  CHECK(cost({1e6, 1e6, 1e6}, 1e6) == 0);
  CHECK(cost({1e6, 1e6}, 2e6) == 0);
  CHECK(cost({1e6, 1e6, 1e6}, 0.9e6) == 0);
  // A run that is no slower leaves as much in doubt.
  CHECK(cost_of_event({.ns = {1e9, 1.001e9, 1.002e9}}, 0.999e9, many).doubt_ps == Approx(4968).margin(2));
  const PlainRuns same{.ns = {1e6, 1e6, 1e6}};
  CHECK(cost_of_event(same, 2e6, {.events = 1000, .lost = 1, .threads = 1}).event_ps == 0);
  // The program recorded the discarded events, too.
  CHECK(cost_of_event(same, 2e6, {.events = 300, .lost = 700, .discarded = 700}).event_ps == 1'000'000);
  CHECK(cost_of_event(same, 2e6, {.events = 300, .lost = 701, .discarded = 700}).event_ps == 0);
  CHECK(cost_of_event(same, 2e6, {.events = 1000, .threads = 2}).event_ps == 1'000'000);
  CHECK(cost_of_event(same, 2e6, {.threads = 1}).event_ps == 0);
  // Markers are in the plain runs, too.
  CHECK(cost_of_event({.ns = {1e6, 1e6, 1e6}, .events = 900}, 2e6, recorded).event_ps == 10'000'000);
  CHECK(cost_of_event({.ns = {1e6, 1e6, 1e6}, .events = 1000}, 2e6, recorded).event_ps == 0);
}

}  // namespace
TEST_CASE("a recording that shows much more time than plain runs take says that traps change the program") {
  const PlainRuns plain{.ns = {3.0e6, 3.1e6, 3.2e6}};
  const auto warning = [&](double recorded, std::optional<double> away = 0, ClockUnit unit = ClockUnit::ns) {
    annotator::RecordedRun run;
    run.info.unit = unit;
    run.recording.threads = {{.serial = 1, .recorded = recorded / 2, .away = 0},
                             {.serial = 2, .recorded = recorded / 2, .away = away}};
    return changed_by_traps(plain, run);
  };
  // Student's t of 2 degrees of freedom is 4.303: 4.303 * 0.1 ms * sqrt(1 + 1/3) = 0.497 ms.
  REQUIRE(warning(4.5e6));
  CHECK(warning(4.5e6)->kind == WarningKind::changed);
  CHECK_THAT(
      warning(5.4e6)->text,
      Catch::StartsWith("without traps the program takes 3.1 ms, and the recording shows 5.4 ms that"));
  CHECK_FALSE(warning(4.3e6));
  CHECK_FALSE(warning(5.4e6, std::nullopt));
  CHECK_FALSE(warning(5.4e6, 0, ClockUnit::cycles));
  CHECK_FALSE(changed_by_traps({.ns = {3e6, 3e6}}, {}));
}

TEST_CASE("a profile that shows much more time than a build without traps takes says that traps change it") {
  const auto warning = [](double low, double whole = 13e6, ClockUnit unit = ClockUnit::ns) {
    annotator::Profile profile;
    profile.run.unit = unit;
    profile.total.ticks = {.value = low + 1e6, .low = low, .high = low + 2e6};
    profile.entry.ticks = {.value = 0.9e6, .low = 0.8e6, .high = 1e6};
    return changed_by_traps(FirstContact{.whole_ns = whole, .behind_ns = 10e6}, profile);
  };
  // 1.25 * 10 ms + 0.2 ms behind 1 ms of entry.
  REQUIRE(warning(13.8e6));
  CHECK(warning(13.8e6)->kind == WarningKind::changed);
  CHECK_THAT(warning(13.8e6)->text,
             Catch::StartsWith("without traps the program takes 10 ms, and the profile shows 13 ms that"));
  CHECK_FALSE(warning(13.6e6));
  CHECK_FALSE(warning(13.8e6, 0));  // it was not timed
  CHECK_FALSE(warning(13.8e6, 13e6, ClockUnit::instructions));
}

}  // namespace jcprof::cli
