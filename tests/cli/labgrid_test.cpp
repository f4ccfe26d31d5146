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
#include "src/core/file.hpp"
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

void kill_holder(const Lab& lab) {
  for (const pid_t process : lab.processes_with("jcprof-labgrid")) ::kill(process, SIGKILL);
}

/// That of the only reservation.
std::string token_in(const Lab& lab) {
  const std::string all = lab.client({"reservations"});
  const std::size_t begin = all.find('\'') + 1;
  return all.substr(begin, all.find('\'', begin) - begin);
}

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
  CHECK(fault_of_lab_address("desk-a?power=on,power=cycle agent") == "the power is named twice");
  CHECK(fault_of_lab_address("desk-a? agent") == "nothing stands behind the \"?\"");
  CHECK(fault_of_lab_address("board=imx8 agent") == "\"board=imx8\" is no place; tags stand behind a \"?\"");
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
  const auto names_at = [](const LabAddress& address, const std::vector<harness::LabPlace>& all) {
    std::string names;
    for (const harness::LabPlace& place : harness::places_at(address, all, "alice"))
      names += place.name + " ";
    return names;
  };
  for (const char* name : {"desk-a", "first", "mine"}) CHECK(names_at({.place = name}, places) == "desk-a ");
  CHECK(names_at({.tags = {"name=desk-b"}}, places) == "desk-b ");
  CHECK_THROWS_WITH(names_at({.place = "desk-c"}, places),
                    Catch::StartsWith("labgrid has no place \"desk-c\"\nhint: did you mean \"desk-"));
  CHECK_THROWS_WITH(harness::places_at({.place = "mine"}, places, "bob"),
                    Catch::StartsWith("labgrid has no place \"mine\""));
  CHECK_THROWS_WITH(names_at({.tags = {"board=imx8", "rack=b"}}, places),
                    "no place of labgrid has the tags \"board=imx8, rack=b\"\n"
                    "hint: `labgrid-client -v places` shows the tags of each");
  const std::vector<harness::LabPlace> alike{{.name = "desk-a", .aliases = {"desk-b", "both", "bob:own"}},
                                             {.name = "desk-b", .aliases = {"both", "alice:own"}}};
  CHECK(names_at({.place = "desk-b"}, alike) == "desk-b ");
  CHECK(names_at({.place = "own"}, alike) == "desk-b ");
  CHECK_THROWS_WITH(names_at({.place = "both"}, alike),
                    "\"both\" is an alias of several places of labgrid: desk-a, desk-b\n"
                    "hint: use the name of the place itself");
}

TEST_CASE("a run takes a place of labgrid, and gives it back however it ends", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench("labgrid:first " + LabBench::agent());
  const ProcessResult first = bench.run(short_run);
  INFO(first.tail);
  CHECK(first.exit_status == 0);
  CHECK(bench.count(test::last_round) == 14);
  CHECK(bench.text("SELECT reader FROM run") == "desk-a");
  CHECK(lab.was_acquired("desk-a"));
  CHECK(lab.is_free());  // at once
  CHECK_THAT(lab.client({"reservations"}), Catch::Equals(""));
  long rounds = 14;
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
  test::StartedAlone run = bench.start_alone(long_run);
  bench.wait_for_rounds(static_cast<int>(rounds) + 3);
  kill_holder(lab);
  run.signal(SIGTERM);
  CHECK(run.status() == 143);
  CHECK_THAT(read_file(bench.folder() / "said"),
             Catch::Contains("warning: place \"desk-a\" stays yours, because the process that held it was "
                             "ended; `labgrid-client -p desk-a release` gives it back\n"));
  lab.client({"-p", "desk-a", "release"});
  rounds = bench.count(test::last_round);
  const ProcessResult last = bench.run({"run", ".", "--rounds", std::to_string(rounds + 4), "-q"});
  INFO(last.tail);
  CHECK(last.exit_status == 0);
  CHECK(bench.count(test::last_round) == rounds + 4);
  CHECK(bench.text("SELECT count(*) || ' ' || min(state) FROM run") == "1 complete");
  CHECK(lab.is_free());
}

TEST_CASE("a run waits for a place that somebody holds, and gives its turn back when it is told to end",
          "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  lab.client({"-p", "desk-a", "acquire"}, "bob");
  const LabBench bench("labgrid:desk-a " + LabBench::agent());
  const auto is_reserved = [&] { return !lab.client({"reservations"}).empty(); };
  const auto is_gone = [&] {
    return !is_reserved() && lab.processes_with("bin/labgrid-client wait").empty();
  };
  {
    test::StartedAlone run = bench.start_alone(short_run);
    CHECK(test::becomes_true(is_reserved));
    const auto before = std::chrono::steady_clock::now();
    run.signal(SIGTERM);
    CHECK(run.status() == 143);
    CHECK(std::chrono::steady_clock::now() - before < 10s);
    CHECK(test::becomes_true(is_gone));
  }
  {
    test::StartedAlone run = bench.start_alone(short_run);
    CHECK(test::becomes_true(is_reserved));
    kill_holder(lab);
    CHECK(run.status() == 3);
    CHECK_THAT(read_file(bench.folder() / "said"),
               Catch::Contains("the process that was to hold place \"desk-a\" was ended\n"));
    lab.client({"cancel-reservation", token_in(lab)});
  }
  BackgroundProcess run(bench.command(short_run), {});
  CHECK(run.wait_for_output("waiting for place \"desk-a\", which ", 60s));
  CHECK_THAT(run.tail(), Catch::Contains("/bob holds"));
  CHECK(test::becomes_true(is_reserved));
  const std::string token = token_in(lab);
  lab.client({"cancel-reservation", token});
  CHECK(test::becomes_true([&] { return is_reserved() && token_in(lab) != token; }));  // made again
  CHECK_FALSE(run.ended(2s));
  CHECK_FALSE(std::filesystem::exists(bench.profile()));
  CHECK_FALSE(lab.holder("desk-a").empty());  // it is bob's
  lab.client({"-p", "desk-a", "release"}, "bob");
  CHECK(run.ended(100s) == 0);
  CHECK(bench.count(test::last_round) == 14);
  CHECK(lab.is_free());
}

TEST_CASE("a place by its tags stays that of a run, and one that is held already stays held", "[real]") {
  JCPROF_NEEDS_LAB();
  const Lab lab;
  const LabBench bench("labgrid:?board=imx8 agent:sh -c 'test $LG_PLACE = desk-b && exec " JCPROF_FAULTY_AGENT
                       " {{}'");
  lab.client({"-p", "desk-b", "acquire"});
  ::setenv("JCPROF_PLACE", "desk-b", 1);
  const ProcessResult held = bench.run(short_run);
  INFO(held.tail);
  CHECK(held.exit_status == 0);
  CHECK(bench.text("SELECT reader FROM run") == "desk-b");
  const LabBench other("labgrid:first " + LabBench::agent());
  other.list({{"x", "labgrid:desk-a " + LabBench::agent()}});
  const ProcessResult unlike = other.run(short_run);
  CHECK(unlike.exit_status == 2);
  CHECK_THAT(unlike.tail,
             Catch::StartsWith("JCPROF_PLACE is \"desk-b\", and the transport names place \"first\"\n"));
  const ProcessResult several = other.run({"run", ".", "--devices", "devices.json", "--rounds", "14"});
  CHECK(several.exit_status == 2);
  CHECK_THAT(several.tail,
             Catch::StartsWith("JCPROF_PLACE names one place, and each device takes a place of"));
  ::setenv("JCPROF_PLACE", "", 1);
  CHECK_FALSE(lab.holder("desk-b").empty());
  lab.client({"-p", "desk-b", "release"});
  CHECK(bench.run({"run", ".", "--rounds", "18", "-q"}).exit_status == 0);
  CHECK(bench.text("SELECT reader FROM run") == "desk-b");
  json project = json::parse(read_file(bench.folder() / "jcprof.json"));
  project["install"] = json::array({json{{"run", {"sh", "-c", "echo $LG_PLACE >>{out}/installed"}}}});
  write_file(bench.folder() / "jcprof.json", project.dump());
  INFO(bench.run({"profile", ".", "--rounds", "14", "-q"}).tail);
  CHECK(read_file(bench.folder() / "jcprof-out/installed").starts_with("desk-b\n"));
  const std::vector<std::string> sessions{"run", ".", "--sessions", "2", "--rounds", "14", "-q"};
  const LabBench apart("labgrid:?board=imx8 " + LabBench::agent());
  lab.client({"-p", "desk-a", "acquire"}, "bob");
  CHECK(apart.run({"run", ".", "--sessions", "1", "--rounds", "14", "-q"}).exit_status == 0);
  lab.client({"-p", "desk-b", "acquire"}, "bob");
  lab.client({"-p", "desk-a", "release"}, "bob");
  const ProcessResult elsewhere = apart.run(sessions);
  CHECK(elsewhere.exit_status == 2);
  CHECK_THAT(
      elsewhere.tail,
      Catch::Contains("the stored sessions were measured at place \"desk-b\", and this is \"desk-a\"\n"));
  lab.client({"-p", "desk-b", "release"}, "bob");
  CHECK(apart.run(sessions).exit_status == 0);
  CHECK(lab.is_free());
  ::unsetenv("JCPROF_PLACE");
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
  says("labgrid:desk-a no-such-agent", 3, "the agent failed in its hello: the agent ended with status 127");
  CHECK(lab.was_acquired("desk-a"));
  CHECK(lab.is_free());
  says("labgrid:desk-a?power=cycle agent", 3,
       "cannot have place \"desk-a\": target has no compatible resource available\n"
       "hint: labgrid-client must do the same on the command line");
  CHECK(lab.is_free());
  lab.client({"-p", "desk-b", "acquire"}, "bob");
  CHECK_THAT(
      LabBench("labgrid:?board=imx8 " + LabBench::agent()).run({"doctor", "."}).tail,
      Catch::Contains("ok       labgrid: desk-a is free, desk-b is held by ") && Catch::Contains("/bob\n"));
  CHECK_THAT(LabBench("labgrid:desk agent").run({"doctor", "."}).tail,
             Catch::Contains(
                 "missing  labgrid: labgrid has no place \"desk\"\n         did you mean \"desk-a\"?\n"));
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
