// SPDX-License-Identifier: Apache-2.0
// Places of labgrid: taken, waited for, and given back whatever happens. With the real labgrid.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/labgrid/places.hpp"
#include "src/core/error.hpp"
#include "src/core/lab_address.hpp"
#include "tests/cli/lab.hpp"

namespace jcprof {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::Lab;
using test::LabBench;

const std::vector<std::string> short_run{"run", ".", "--rounds", "14", "-q"};
const std::vector<std::string> long_run{"run", ".", "--rounds", "1000000", "-q"};

TEST_CASE("an address in a lab is a place or tags, and the command of an agent") {
  const LabAddress named = lab_address_of("labgrid:desk-a  agent --device 'my board'").value();
  CHECK(named.place == "desk-a");
  CHECK(named.command == "agent --device 'my board'");
  CHECK_FALSE(named.is_here);
  const LabAddress tagged = lab_address_of("labgrid:?board=imx8,rack=a,power=cycle agent:./agent.py").value();
  CHECK(tagged.place.empty());
  CHECK(tagged.tags == std::vector<std::string>{"board=imx8", "rack=a"});
  CHECK(tagged.power == "cycle");
  CHECK(tagged.command == "./agent.py");
  CHECK(tagged.is_here);
  CHECK(lab_address_of("labgrid:desk-a?power=on agent").value().power == "on");
  CHECK_FALSE(lab_address_of("agent:ssh board agent"));
}

TEST_CASE("an address in a lab that is none is refused with its fault") {
  CHECK(fault_of_lab_address("") == "\"labgrid:\" needs a place behind it, or the tags of one");
  CHECK(fault_of_lab_address("?power=on agent") ==
        "\"labgrid:\" needs a place behind it, or the tags of one");
  CHECK(fault_of_lab_address("desk-a") == "the command of the agent is missing behind the place");
  CHECK(fault_of_lab_address("desk-a agent:") == "the command of the agent is missing behind the place");
  CHECK(fault_of_lab_address("desk-a?board=imx8 agent") ==
        "a place is known by its name alone; leave its tags out");
  for (const char* tag : {"board", "board=", "=imx8", "Board=imx8", "board=a=b"})
    CHECK(fault_of_lab_address(fmt::format("?{} agent", tag)) ==
          fmt::format("\"{}\" is no tag of a place, such as \"board=imx8\"", tag));
  CHECK(fault_of_lab_address("desk-a?power=off agent") ==
        "\"off\" is not what becomes of the power: \"on\" and \"cycle\" are");
  CHECK_THROWS_WITH(lab_address_of("labgrid:desk-a"),
                    Catch::Contains("is missing behind the place in \"labgrid:desk-a\"") &&
                        Catch::Contains("hint: such as \"labgrid:PLACE jcprof-agent-teec\""));
}

constexpr const char* two_places =
    "WARNING root: something else\n"
    "Place 'desk-a':\n  aliases: alice:mine, first\n  comment: tags: none\n  tags: board=imx8, rack=a\n"
    "  matches:\n    lab1/desk-a/*\n  acquired: host/bob\n  acquired resources:\n"
    "    lab1/desk-a/NetworkService/NetworkService\n  created: 2026-01-02 03:04:05\n"
    "Place 'desk-b':\n  matches:\n  acquired: None\n  acquired resources:\n";

TEST_CASE("the list of labgrid's client is read: names, aliases, tags and who holds a place") {
  const std::vector<harness::LabPlace> places = harness::read_places(two_places);
  REQUIRE(places.size() == 2);
  CHECK(places[0].name == "desk-a");
  CHECK(places[0].aliases == std::vector<std::string>{"alice:mine", "first"});
  CHECK(places[0].tags == std::vector<std::string>{"board=imx8", "rack=a"});
  CHECK(places[0].holder == "host/bob");
  CHECK(places[1].name == "desk-b");
  CHECK(places[1].tags.empty());
  CHECK(places[1].holder.empty());
  for (const char* name : {"desk-a", "first", "mine"})
    CHECK(harness::places_at({.place = name}, places).front().name == "desk-a");
  CHECK(harness::places_at({.tags = {"name=desk-b"}}, places).front().name == "desk-b");
  CHECK_THROWS_WITH(harness::places_at({.place = "desk-c"}, places),
                    Catch::StartsWith("labgrid has no place \"desk-c\"\nhint: did you mean \"desk-"));
  CHECK_THROWS_WITH(harness::places_at({.tags = {"board=imx8", "rack=b"}}, places),
                    "no place of labgrid has the tags \"board=imx8, rack=b\"\n"
                    "hint: `labgrid-client -v places` shows the tags of each");
}

TEST_CASE("a run takes a place of labgrid, measures there and releases it", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench("labgrid:first " + LabBench::agent());
  const ProcessResult result = bench.run(short_run);
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(bench.count(test::last_round) == 14);
  CHECK(bench.text("SELECT reader FROM run") == "desk-a");
  CHECK(lab.was_acquired("desk-a"));
  CHECK(lab.is_free());  // at once
  CHECK_THAT(lab.client({"reservations"}), Catch::Equals(""));
}

TEST_CASE("a place that somebody holds is waited for, and whoever holds it is named", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  lab.client({"-p", "desk-a", "acquire"}, "bob");
  const LabBench bench("labgrid:desk-a " + LabBench::agent());
  BackgroundProcess run(bench.command(short_run), {});
  CHECK(run.wait_for_output("waiting for place \"desk-a\", which ", 60s));
  CHECK_THAT(run.tail(), Catch::Contains("/bob holds"));
  CHECK_FALSE(run.ended(8s));
  CHECK_FALSE(std::filesystem::exists(bench.profile()));
  lab.client({"-p", "desk-a", "release"}, "bob");
  CHECK(run.ended(100s) == 0);
  CHECK(bench.count(test::last_round) == 14);
  CHECK(lab.is_free());
}

TEST_CASE("a run that waits for a place and is told to end leaves no reservation behind", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  lab.client({"-p", "desk-a", "acquire"}, "bob");
  const LabBench bench("labgrid:desk-a " + LabBench::agent());
  test::StartedAlone run = bench.start_alone(short_run);
  CHECK(test::becomes_true([&] { return !lab.client({"reservations"}).empty(); }));
  const auto before = std::chrono::steady_clock::now();
  run.signal(SIGTERM);
  CHECK(run.status() == 143);
  CHECK(std::chrono::steady_clock::now() - before < 10s);
  CHECK(test::becomes_true([&] { return lab.client({"reservations"}).empty(); }));
  CHECK(test::becomes_true([&] { return lab.processes_with("bin/labgrid-client wait").empty(); }));
  CHECK_FALSE(lab.holder("desk-a").empty());  // it is bob's
}

TEST_CASE("a place is released after a failed run", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench("labgrid:desk-a no-such-agent");
  const ProcessResult result = bench.run(short_run);
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.tail,
             Catch::Contains("the agent failed in its hello: the agent ended with status 127") &&
                 Catch::Contains("hint: `labgrid-client -p desk-a acquire`, and then the command above"));
  CHECK(lab.was_acquired("desk-a"));
  CHECK(lab.is_free());
}

TEST_CASE("a place is released after Ctrl-C, SIGTERM and SIGKILL, and the next run goes on", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench("labgrid:desk-a " + LabBench::agent());
  long rounds = 0;
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    test::StartedAlone run = bench.start_alone(long_run);
    bench.wait_for_rounds(static_cast<int>(rounds) + 3);
    CHECK_FALSE(lab.holder("desk-a").empty());
    run.signal(signal);
    CHECK(run.status() == 128 + signal);
    CHECK(lab.becomes_free());
    const long now = bench.count(test::last_round);
    CHECK(now >= rounds + 3);
    rounds = now;
  }
  const ProcessResult result = bench.run({"run", ".", "--rounds", std::to_string(rounds + 4), "-q"});
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(bench.count(test::last_round) == rounds + 4);
  CHECK(bench.text("SELECT count(*) || ' ' || min(state) FROM run") == "1 complete");
  CHECK(lab.is_free());
}

TEST_CASE("an agent on our own computer finds the place in LG_PLACE, which is ours by its tags", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench(
      "labgrid:?board=imx8,rack=b agent:sh -c 'test $LG_PLACE = desk-b && exec " JCPROF_FAULTY_AGENT " {{}'");
  const ProcessResult result = bench.run(short_run);
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(bench.text("SELECT reader FROM run") == "desk-b");
  CHECK_FALSE(lab.was_acquired("desk-a"));
  CHECK(lab.is_free());
}

TEST_CASE("devices with the same tags get a place each, and wait if there are too few", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench("labgrid:?board=imx8 " + LabBench::agent());
  const std::string transport = "labgrid:?board=imx8 " + LabBench::agent();
  bench.list({{"x", transport}, {"y", transport}, {"z", transport}});
  const ProcessResult result = bench.run({"run", ".", "--devices", "devices.json", "--rounds", "14"});
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.tail, Catch::Contains("3 of 3 devices are complete"));
  std::vector<std::string> places;
  const json fleet = bench.fleet();
  for (const json& device : fleet["devices"]) {
    places.push_back(device["place"]);
    CHECK(device["reader"] == device["place"]);
    CHECK(device["state"] == "complete");
  }
  std::ranges::sort(places);
  CHECK(std::ranges::unique(places).size() == 1);  // one of the two had two of the devices
  CHECK(lab.is_free());
}

TEST_CASE("a device whose process is killed loses no sample and no place, and the next call goes on",
          "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench("labgrid:desk-a " + LabBench::agent());
  bench.list({{"x", "labgrid:desk-a " + LabBench::agent()}, {"y", "labgrid:desk-b " + LabBench::agent()}});
  const std::vector<std::string> words{"run", ".", "--devices", "devices.json", "--rounds", "1000000"};
  test::StartedAlone run = bench.start_alone(words);
  for (const char* device : {"x", "y"}) bench.wait_for_rounds(3, device);
  const std::vector<pid_t> killed = lab.processes_with("--as-device x");
  REQUIRE(!killed.empty());
  ::kill(killed.front(), SIGKILL);
  CHECK(test::becomes_true([&] { return lab.holder("desk-a").empty(); }));
  CHECK_FALSE(lab.holder("desk-b").empty());
  const long before = bench.count(test::samples, "x");
  run.signal(SIGTERM);
  CHECK(run.status() == 143);
  CHECK(lab.becomes_free());
  CHECK(before > 0);
  const long rounds = std::max(bench.count(test::last_round, "x"), bench.count(test::last_round, "y")) + 4;
  const ProcessResult again =
      bench.run({"run", ".", "--devices", "devices.json", "--rounds", std::to_string(rounds)});
  INFO(again.tail);
  CHECK(again.exit_status == 0);
  CHECK(bench.count(test::samples, "x") > before);
  for (const char* device : {"x", "y"}) CHECK(bench.count("SELECT count(*) FROM run", device) == 1);
  CHECK(lab.is_free());
}

TEST_CASE("a place that is held already is used, and stays held", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  lab.client({"-p", "desk-b", "acquire"});
  const LabBench bench("labgrid:?board=imx8 " + LabBench::agent());
  ::setenv("JCPROF_PLACE", "desk-b", 1);
  const ProcessResult result = bench.run(short_run);
  ::unsetenv("JCPROF_PLACE");
  INFO(result.tail);
  CHECK(result.exit_status == 0);
  CHECK(bench.text("SELECT reader FROM run") == "desk-b");
  CHECK_FALSE(lab.holder("desk-b").empty());
}

TEST_CASE("a run goes on without its coordinator, and its place is released when there is one again",
          "[real]") {
  JCPROF_NEEDS_LAB();
  Lab lab;
  const LabBench bench("labgrid:desk-a " + LabBench::agent());
  test::StartedAlone run = bench.start_alone(long_run);
  bench.wait_for_rounds(3);
  lab.stop_coordinator();
  const long rounds = bench.count(test::last_round);
  bench.wait_for_rounds(static_cast<int>(rounds) + 5);
  run.signal(SIGTERM);
  CHECK(run.status() == 143);
  CHECK(!lab.processes_with("jcprof-labgrid").empty());  // it goes on trying
  lab.start_coordinator();
  CHECK(lab.becomes_free());
  const ProcessResult again =
      bench.run({"run", ".", "--rounds", std::to_string(bench.count(test::last_round) + 4), "-q"});
  INFO(again.tail);
  CHECK(again.exit_status == 0);
  CHECK(lab.is_free());
}

TEST_CASE("jcprof doctor says which places a project may mean, or why it means none", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  lab.client({"-p", "desk-b", "acquire"}, "bob");
  const LabBench good("labgrid:?board=imx8 " + LabBench::agent());
  const std::string said = good.run({"doctor", "."}).tail;
  CHECK_THAT(said, Catch::Contains("ok       labgrid: desk-a is free, desk-b is held by ") &&
                       Catch::Contains("/bob\n"));
  CHECK_THAT(LabBench("labgrid:desk agent").run({"doctor", "."}).tail,
             Catch::Contains(
                 "missing  labgrid: labgrid has no place \"desk\"\n         did you mean \"desk-a\"?\n"));
}

TEST_CASE("what is wrong with a lab is said with a cause and a remedy", "[real]") {
  JCPROF_NEEDS_LAB();
  Lab lab;
  const auto says = [](const std::string& transport, int status, const std::string& text) {
    const LabBench bench(transport);
    const ProcessResult result = bench.run(short_run);
    CHECK(result.exit_status == status);
    CHECK_THAT(result.tail, Catch::StartsWith(text));
  };
  says("labgrid:desk agent", 2, "labgrid has no place \"desk\"\nhint: did you mean \"desk-a\"?");
  says("labgrid:?board=imx9 agent", 2,
       "no place of labgrid has the tags \"board=imx9\"\nhint: `labgrid-client -v places` shows the tags of "
       "each");
  says("labgrid:desk-a?power=cycle agent", 3,
       "cannot have place \"desk-a\": target has no compatible resource available\n"
       "hint: labgrid-client must do the same on the command line");
  CHECK(lab.becomes_free());
  lab.stop_coordinator();
  says("labgrid:desk-a agent", 3,
       fmt::format("labgrid-client lists no places: no coordinator of labgrid answers at \"{}\"\n"
                   "hint: start it, or name it by LG_COORDINATOR=HOST:PORT; `labgrid-client places` tries it",
                   std::getenv("LG_COORDINATOR")));
  ::setenv("PATH", "/usr/bin:/bin", 1);
  says("labgrid:desk-a agent", 3,
       "labgrid-client cannot be started, and the transport is \"labgrid:\"\n"
       "hint: `pip install labgrid` brings it; its folder must be in PATH");
}

}  // namespace
}  // namespace jcprof
