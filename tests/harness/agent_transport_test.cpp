// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/command.hpp"
#include "harness/agent/transport.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "harness/agent/examination.hpp"
#include "harness/calibration.hpp"
#include "harness/path.hpp"
#include "harness/survey.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/agents.hpp"

namespace jcprof::harness {
namespace {

using std::chrono::milliseconds;
using test::faulty_agent;

Event event(std::uint32_t trap, std::uint32_t hit = 1) {
  return {.trap = TrapId{trap}, .hit = hit};
}

const std::vector<Shot> all_events{{.stop = event(1)},    {.stop = event(2)},    {.stop = event(3)},
                                   {.stop = event(2, 2)}, {.stop = event(3, 2)}, {.stop = event(4)},
                                   {.stop = {}}};

/// "stopped 1, stopped 2, …, ended 50": outcomes, and times in millions of ticks.
std::string shown(const std::vector<Sample>& samples) {
  std::string text;
  for (const Sample& sample : samples) {
    const bool is_timed = sample.outcome == Outcome::stopped || sample.outcome == Outcome::ended;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(sample.outcome),
                        is_timed ? fmt::format("{}", sample.ticks / 1'000'000) : "(" + sample.why + ")");
  }
  return text;
}

std::vector<Sample> measured(Transport& transport, const std::vector<Shot>& shots,
                             std::size_t wanted = 1000) {
  std::vector<Sample> samples;
  transport.measure(shots, [&](const Shot&, const Sample& sample) {
    samples.push_back(sample);
    return samples.size() < wanted;
  });
  return samples;
}

std::string shown_of(const AgentSetup& setup) {
  const auto transport = make_agent_transport(setup, nullptr);
  return shown(measured(*transport, all_events));
}

AgentSetup hasty(AgentSetup setup) {
  setup.settings.timeout = milliseconds{200};
  setup.settings.start_timeout = milliseconds{1000};
  return setup;
}

const std::string as_it_should_be =
    "stopped 1, stopped 2, stopped 3, stopped 4, stopped 5, stopped 6, ended 50";

TEST_CASE("a batch of shots comes back in order, each with what was reached") {
  const auto transport = make_agent_transport(faulty_agent("{}"), nullptr);
  CHECK(shown(measured(*transport, all_events)) == as_it_should_be);
  const Description agent = transport->describe();
  CHECK(agent.transport == "agent");
  CHECK(agent.agent == "faulty/1");
  CHECK(agent.device == "nothing");
  CHECK(agent.simulated);
}

TEST_CASE(
    "a trigger whose first run fails behind an agent is not measured, unless the project expects that") {
  AgentSetup setup = faulty_agent(R"({"status": 4294901766})");
  setup.settings.greeting.trigger = R"({"command":3})";
  CHECK(test::fault_text([&] {
          const auto transport = make_agent_transport(setup, nullptr);
          transport->set_inputs({Bytes{0xAB}});
          measured(*transport, {Shot{}});
        }) ==
        "the trigger {\"command\":3} with the input ab was answered with FFFF0006 "
        "(TEEC_ERROR_BAD_PARAMETERS), expected was 00000000\n"
        "hint: correct its command, its parameters or \"inputs\", or what goes before it in \"session\"; if "
        "that answer is right, put \"expect\": \"FFFF0006\" into \"trigger\" of jcprof.json");
  setup.right.expect = "FFFF000?";
  CHECK(shown_of(setup) == as_it_should_be);
}

TEST_CASE("an agent whose target takes its time to start is waited for while its log grows") {
  const std::string agent =
      std::string("exec 3<&0; for i in 1 2 3 4 5; do sleep 0.4; echo booting $i >&2; done; exec ") +
      JCPROF_FAULTY_AGENT + " '{}' <&3";
  AgentSetup setup = test::agent_setup({"sh", "-c", agent});
  // Longer than one pause by far, for a busy host, and shorter than all of them.
  setup.settings.start_timeout = milliseconds{1600};
  CHECK(shown_of(setup) == as_it_should_be);
}

/// An agent in front of a card that counts tries, with one fault, asked as a run asks it.
std::string end_of_tries(const std::string& fault, int times, int shot = 1) {
  const test::TemporaryFolder folder;
  const std::string options = fmt::format(
      R"({{"card":{{"reader":"A","protocol":"T=1","atr":"3b00","counts_tries":true}},"fault":"{}","times":{},)"
      R"("shot":{},"memory":"{}","can":["trace","calibrate","path"]}})",
      fault, times, shot, (folder / "memory").string());
  return test::fault_text([&] {
    const auto transport = make_agent_transport(hasty(faulty_agent(options)), nullptr);
    transport->set_path(0, {});
    transport->calibrate(CalibrationKind::unarmed, 1);
    measured(*transport, {Shot{}});
    measured(*transport, all_events);
    measured(*transport, all_events);
  });
}

TEST_CASE("however an agent is lost in tries that were not right, the run ends before the next one") {
  for (const char* fault : {"shot_exits", "shot_hangs", "shot_garbage", "shot_early_ok", "shot_wrong_n",
                            "calibrate_dies", "calibrate_garbage", "path_dies"}) {
    INFO(fault);
    CHECK_THAT(end_of_tries(fault, 1), Catch::Contains("it may have used up a try"));
  }
  // A right one excuses one loss, and stops that are answered none.
  CHECK(end_of_tries("shot_exits", 1, 3) == "(no error)");
  CHECK_THAT(end_of_tries("shot_exits", 2, 3), Catch::Contains("it may have used up a try"));
  CHECK(end_of_tries("end_dies", 2) == "(no error)");
}

TEST_CASE("jcprof tells the path of each input again to an agent that it has started again") {
  const test::TemporaryFolder folder;
  AgentSetup setup =
      faulty_agent(fmt::format(R"({{"fault":"shot_exits","shot":3,"memory":"{}","can":["trace","path"]}})",
                               (folder / "memory").string()));
  setup.settings.log.file = folder / "agent.log";
  {
    const auto transport = make_agent_transport(setup, nullptr);
    transport->set_inputs({{}, {0xAB}});
    transport->set_path(0, std::vector{TrapId{1}, TrapId{2}});
    transport->set_path(1, std::vector{TrapId{1}, TrapId{3}});
    measured(*transport, all_events);
  }
  const std::string told = "path of \"\": [1,2]\npath of \"ab\": [1,3]\n";
  CHECK(read_file(folder / "agent.log") == told + told + "bye\n");
}

TEST_CASE("an agent that is started again in front of another card ends the run") {
  const test::TemporaryFolder folder;
  CHECK_THAT(test::fault_text([&] {
               shown_of(faulty_agent(fmt::format(
                   R"({{"card":{{"reader":"A","protocol":"T=1","atr":"3b00"}},"fault":"hello_other_card",)"
                   R"("start":2,"times":9,"memory":"{}"}})",
                   (folder / "memory").string())));
             }),
             Catch::Contains("(A, T=1, ATR 3b00) and says now that it is \"nothing\" (A, T=1, ATR 3bff)"));
}

TEST_CASE("a shot whose trusted application has died says how it panicked") {
  CHECK_THAT(
      shown_of(faulty_agent(
          R"({"fault":"shot_lost","shot":3,"why":"TEEC_ERROR_TARGET_DEAD","log":"E/TC:?? 0 TA panicked with code 0xffff000f\nE/LD:  Call stack:\nE/LD:   0x0000000040024a1c\n"})")),
      Catch::Contains(
          "lost (TEEC_ERROR_TARGET_DEAD: it panicked with code 0xffff000f (TEEC_ERROR_SECURITY), at 0x"));
}

TEST_CASE("where no command comes back, the end of the agent's log says why") {
  const auto transport = make_agent_transport(
      faulty_agent(
          R"({"fault":"shot_lost","times":3,"trap":0,"log":"cart.c:67: total: Assertion `n > 0' failed.\n"})"),
      nullptr);
  transport->set_inputs({{}});
  CHECK_THROWS_WITH(
      full_run(*transport, 0),
      Catch::StartsWith("the command under study could not be run once (lost: it caught fire)") &&
          Catch::Contains("cart.c:67: total: Assertion `n > 0' failed."));
}

TEST_CASE("more shots than a batch holds are several batches") {
  CHECK(shown_of(faulty_agent(R"({"max_batch": 2})")) == as_it_should_be);
}

TEST_CASE("an agent that counts its shots from one is understood") {
  const auto transport = make_agent_transport(faulty_agent(R"({"first_n": 1})"), nullptr);
  CHECK(shown(measured(*transport, {{.stop = {}}})) == "ended 50");
  CHECK(shown(measured(*transport, all_events)) == as_it_should_be);
}

TEST_CASE("a crash costs the shot in flight, the rest is sent to the next agent") {
  const test::TemporaryFolder folder;
  const auto shown_with = [&](const std::string& fault) {
    std::filesystem::remove(folder / "memory");
    const AgentSetup setup = faulty_agent(
        fmt::format(R"({{"fault":"{}","shot":3,"memory":"{}"}})", fault, (folder / "memory").string()));
    // So many bytes take a busy machine a while.
    return shown_of(fault == "shot_huge_line" ? setup : hasty(setup));
  };
  const auto without_third = [](const std::string& third) {
    return "stopped 1, stopped 2, " + third + ", stopped 4, stopped 5, stopped 6, ended 50";
  };
  CHECK(shown_with("shot_crashes") ==
        without_third("lost (the agent ended by signal 11 (Segmentation fault))"));
  CHECK(shown_with("shot_exits") == without_third("lost (the agent ended with status 0)"));
  CHECK(shown_with("shot_hangs") == without_third("timed_out (the agent did not answer in time)"));
  CHECK(shown_with("shot_blank") == without_third("lost (this is no JSON: the agent wrote \"\")"));
  CHECK(shown_with("shot_huge_line") == without_third("lost (the agent wrote a line of more than 16 MiB)"));
  CHECK(shown_with("shot_early_ok") == without_third("lost (the agent says \"ok\" after 2 of 7 shots)"));
  CHECK(shown_with("shot_swallowed") == without_third("lost (the agent answers shot 3 where shot 2 is due)"));
  CHECK(shown_with("shot_error") == without_third("lost (the target is gone)"));
  CHECK(shown_with("shot_lost") == without_third("lost (it caught fire)"));
  CHECK(shown_with("shot_timed_out") == without_third("timed_out (the agent gives no reason)"));
  CHECK(shown_with("shot_refused") == without_third("refused (not today)"));
  CHECK(shown_with("shot_elsewhere") == without_third("elsewhere (it stopped at trap 1, hit 9 instead)"));
  CHECK(shown_with("shot_nowhere") ==
        without_third("refused (it stopped, and the agent does not say where)"));
  CHECK(shown_with("shot_floods_log") == as_it_should_be);
  CHECK(shown_with("end_dies") == as_it_should_be);
  CHECK(shown_with("end_one_too_many") == as_it_should_be);
}

TEST_CASE("an agent may say itself that a stop came elsewhere") {
  // Of the third of all events, and of the end.
  const auto said = [](const std::string& sample, int shot = 3) {
    return shown_of(
        faulty_agent(fmt::format(R"({{"fault":"shot_says","shot":{},"says":{}}})", shot, sample)));
  };
  const auto without_third = [](const std::string& why) {
    return "stopped 1, stopped 2, elsewhere (" + why + "), stopped 4, stopped 5, stopped 6, ended 50";
  };
  CHECK(said(R"({"outcome":"elsewhere","trap":2,"hit":7})") ==
        without_third("it stopped at trap 2, hit 7 instead"));
  CHECK(said(R"({"outcome":"elsewhere","trap":3,"hit":1})") ==
        without_third("it stopped there in another command of the trigger"));
  CHECK(said(R"({"outcome":"elsewhere","trap":3,"hit":1,"why":"in command 2 of 3"})") ==
        without_third("in command 2 of 3"));
  CHECK(said(R"({"outcome":"elsewhere"})") == without_third("the agent gives no reason"));
  CHECK(said(R"({"outcome":"elsewhere","trap":2,"hit":7})", 7) ==
        "stopped 1, stopped 2, stopped 3, stopped 4, stopped 5, stopped 6, "
        "refused (it stopped at trap 2, hit 7, though nothing was armed)");
}

TEST_CASE("a batch that nobody wants any more is not mixed into the next one") {
  const auto transport = make_agent_transport(faulty_agent("{}"), nullptr);
  CHECK(shown(measured(*transport, all_events, 2)) == "stopped 1, stopped 2");
  CHECK(shown(measured(*transport, {{.stop = event(4)}})) == "stopped 6");
  CHECK(shown(measured(*transport, all_events, 7)) == as_it_should_be);
  CHECK(transport->trace(0, 0, 100).traps.size() == 6);
}

TEST_CASE("an agent that hangs while its batch is dropped is started again") {
  const test::TemporaryFolder folder;
  const auto transport = make_agent_transport(
      hasty(faulty_agent(
          fmt::format(R"({{"fault":"shot_hangs","shot":5,"memory":"{}"}})", (folder / "memory").string()))),
      nullptr);
  CHECK(shown(measured(*transport, all_events, 2)) == "stopped 1, stopped 2");
  CHECK(shown(measured(*transport, {{.stop = event(4)}})) == "stopped 6");
}

TEST_CASE("a target that the agent lost is reset before the next batch, where the agent can") {
  const test::TemporaryFolder folder;
  AgentSetup setup = faulty_agent(R"({"fault":"shot_lost","shot":2})");
  setup.settings.log.file = folder / "agent.log";
  {
    const auto transport = make_agent_transport(setup, nullptr);
    CHECK(shown(measured(*transport, {{.stop = event(1)}, {.stop = event(2)}})) ==
          "stopped 1, lost (it caught fire)");
    CHECK(shown(measured(*transport, {{.stop = event(1)}})) == "stopped 1");
  }
  CHECK(read_file(folder / "agent.log") == "reset\nbye\n");
}

TEST_CASE("an agent per batch finds everything on its input, and is started for each batch") {
  const test::TemporaryFolder folder;
  AgentSetup setup =
      faulty_agent(fmt::format(R"({{"max_batch":3,"memory":"{}"}})", (folder / "memory").string()));
  setup.settings.log.file = folder / "agent.log";
  setup.settings.life = AgentLife::batch;
  const auto transport = make_agent_transport(setup, nullptr);
  CHECK(shown(measured(*transport, all_events)) == as_it_should_be);
  CHECK(shown(measured(*transport, all_events, 4)) == "stopped 1, stopped 2, stopped 3, stopped 4");
  CHECK(shown(measured(*transport, all_events)) == as_it_should_be);
  CHECK(transport->trace(0, 0, 100).traps.size() == 6);
  CHECK(transport->calibrate(CalibrationKind::unarmed, 100)->ticks == 3'001'000);
  // One to describe itself, three for shots, a trace, a calibration.
  CHECK(read_file(folder / "memory") == "6 1");
}

TEST_CASE("agents that are none are told apart") {
  const auto fault = [](const AgentSetup& setup) {
    return test::fault_text([&] { make_agent_transport(hasty(setup), nullptr)->describe(); });
  };
  CHECK(fault(test::agent_setup({"/no/such/agent"})) ==
        "cannot start \"/no/such/agent\": No such file or directory\nhint: is it installed, and in PATH?");
  const std::string hint =
      "\nhint: docs/agent-protocol.md lists what it must answer; `jcprof doctor --agent` tests it";
  CHECK(fault(test::agent_setup({"sh", "-c", "echo no board >&2; exit 3"})) ==
        "the agent failed in its hello: the agent ended with status 3 (last in its log: no board)\n"
        "sh -c echo no board >&2; exit 3\n"
        "the last of its log:\n"
        "no board" +
            hint);
  CHECK(fault(test::agent_setup({"sh", "-c", "echo hello; sleep 60"})) ==
        "the agent failed in its hello: this is no JSON: the agent wrote \"hello\"\n"
        "sh -c echo hello; sleep 60\n"
        "the last of its log:\n"
        "(nothing)" +
            hint);
  CHECK(fault(test::agent_setup({"sleep", "60"})) ==
        "the agent failed in its hello: the agent did not answer in time\n"
        "sleep 60\n"
        "the last of its log:\n"
        "(nothing)" +
            hint);
  const std::string command = JCPROF_FAULTY_AGENT;
  CHECK(fault(faulty_agent(R"({"fault":"hello_version"})")) ==
        "the agent speaks version 2 of the protocol, this jcprof 0.1.0 version 1\n" + command +
            " {\"fault\":\"hello_version\"}\n"
            "the last of its log:\n"
            "(nothing)\n"
            "hint: use a jcprof and an agent of the same version");
  CHECK(fault(faulty_agent(R"({"fault":"hello_error"})")) ==
        "the agent says: no\n" + command +
            " {\"fault\":\"hello_error\"}\nthe last of its log:\n(nothing)\nhint: try again");
}

TEST_CASE("an agent that never gives a good answer is given up") {
  const auto transport =
      make_agent_transport(faulty_agent(R"({"fault":"shot_exits","times":1000})"), nullptr);
  std::vector<Sample> samples;
  const std::string fault = test::fault_text([&] {
    transport->measure(all_events, [&](const Shot&, const Sample& sample) {
      samples.push_back(sample);
      return true;
    });
  });
  CHECK(samples.size() == 3);
  CHECK(fault.starts_with(
      "the agent gave no valid answer 3 times in a row, the last time: the agent ended with status 0\n"));
}

TEST_CASE("calibrations are asked for as the protocol has them") {
  const auto transport = make_agent_transport(faulty_agent("{}"), nullptr);
  const auto ticks = [&](CalibrationKind kind, std::uint64_t passes) {
    const std::optional<CalibrationTime> time = transport->calibrate(kind, passes);
    return time ? fmt::format("{} {}: {}", name_of(time->kind), time->passes, time->ticks) : "(none)";
  };
  CHECK(ticks(CalibrationKind::empty, 100) == "empty 100: 1000");
  CHECK(ticks(CalibrationKind::unarmed, 100) == "unarmed 100: 3001000");
  CHECK(ticks(CalibrationKind::counting, 100) == "counting 100: 3001000");
  CHECK(ticks(CalibrationKind::unwind, 0) == "unwind 0: 1000");
  CHECK(ticks(CalibrationKind::returned, 1) == "returned 1: 31000");
  CHECK(ticks(CalibrationKind::stop, 1) == "stop 1: 31000");
  CHECK(ticks(CalibrationKind::frames, 8) == "(none)");
  CHECK_FALSE(make_agent_transport(faulty_agent(R"({"can":["trace"]})"), nullptr)
                  ->calibrate(CalibrationKind::unarmed, 100));
  CHECK_FALSE(make_agent_transport(faulty_agent(R"({"fault":"calibrate_error"})"), nullptr)
                  ->calibrate(CalibrationKind::unarmed, 100));
}

TEST_CASE("an agent that refuses one kind of a calibration has the others asked for") {
  const auto timed = [](const std::string& kind) {
    const auto transport =
        make_agent_transport(faulty_agent(fmt::format(R"({{"refuses":"{}"}})", kind)), nullptr);
    std::string text;
    for (const CalibrationTime& time :
         calibrate(*transport, {.repetitions = 1, .is_exact = true}, [] { return true; }))
      if (!text.ends_with(name_of(time.kind))) text += fmt::format(" {}", name_of(time.kind));
    return text;
  };
  CHECK(
      timed("") ==
      " empty unarmed counting returned stop returned stop returned stop returned stop returned stop unwind");
  CHECK(timed("counting") ==
        " empty unarmed returned stop returned stop returned stop returned stop returned stop unwind");
  CHECK(timed("unarmed") ==
        " empty counting returned stop returned stop returned stop returned stop returned stop unwind");
  CHECK(timed("stop") == " empty unarmed counting returned unwind");
}

TEST_CASE("without a trace nobody knows the path, and a trap that is not in the map is none") {
  const auto fault = [](const std::string& options) {
    return test::fault_text([&] { make_agent_transport(faulty_agent(options), nullptr)->trace(0, 0, 10); });
  };
  CHECK(fault(R"({"can":["calibrate"]})") ==
        "the agent faulty/1 cannot trace, so jcprof does not know at which events to stop\n"
        "hint: the agent must serve \"trace\" and name it in its hello (docs/agent-protocol.md)");
  CHECK(fault(R"({"fault":"trace_unknown"})") ==
        "the agent traced trap 999, and traps.json has 4\nhint: does the target run what jcprof-gen wrote "
        "last?");
}

TEST_CASE("windows with a digest of the agent's own are joined when they stay the same") {
  const auto transport = make_agent_transport(faulty_agent(R"({"window":2})"), nullptr);
  const TracedPath path = trace_path(*transport, 0);
  CHECK(path.state == PathState::steady);
  CHECK(path.events.size() == 6);
  CHECK(path.runs == 2 * 3 + 2 * 16);
}

TEST_CASE("the faulty agent without a fault, and the synthetic one, pass the examination") {
  for (const AgentSetup& setup : {faulty_agent("{}"), test::agent_setup({JCPROF_SYNTHETIC_AGENT})})
    for (const AgentCheck& check : examine_agent(setup.settings, {})) {
      INFO(check.what << ": " << check.why);
      CHECK(check.verdict != CheckVerdict::failed);
    }
}

TEST_CASE("the examination finds each fault, and goes on behind it") {
  const auto found = [](const std::string& options) {
    std::string text;
    for (const AgentCheck& check : examine_agent(hasty(faulty_agent(options)).settings, {}))
      if (check.verdict == CheckVerdict::failed) text += check.what + ": " + check.why + "\n";
    return text;
  };
  CHECK(
      found(R"({"fault":"hello_version"})") ==
      "hello is answered, with everything that it should say: it speaks version 2 of the protocol, not 1\n");
  CHECK_THAT(
      found(R"({"fault":"shot_elsewhere","trap":2})"),
      Catch::Contains("it stops where it is asked to, and says where that is: trap 2, hit 2 was asked for: "
                      "stopped at trap 1, hit 9"));
  CHECK_THAT(found(R"({"fault":"trace_error"})"), Catch::Contains("the path is traced: it says: no\n"));
  CHECK_THAT(found(R"({"fault":"calibrate_error"})"),
             Catch::Contains("calibration is as it says in \"can\": "));
  CHECK_THAT(found(R"({"fault":"shot_nan_ticks"})"),
             Catch::Contains("the whole command runs to its end: this is no JSON"));
}

TEST_CASE("an agent's command is split as the simplest line of a shell, and never by one") {
  using Argv = std::vector<std::string>;
  const Placeholders values{{"project", "/home/some one"}, {"seed", "1"}};
  CHECK(agent_argv("python3 {project}/agent.py --seed {seed}", values) ==
        Argv{"python3", "/home/some one/agent.py", "--seed", "1"});
  CHECK(agent_argv(R"(ssh board 'cd x; ./agent $HOME' "a \"b\" c" d\ e '')", values) ==
        Argv{"ssh", "board", "cd x; ./agent $HOME", "a \"b\" c", "d e", ""});
  CHECK_THROWS_WITH(agent_argv("python3 'agent.py", values),
                    Catch::Contains("a quote in \"python3 'agent.py\" is not closed"));
  CHECK_THROWS_WITH(agent_argv("  ", values), Catch::Contains("needs the command of the agent"));
}

}  // namespace
}  // namespace jcprof::harness
