// SPDX-License-Identifier: Apache-2.0
// jcprof run and profile --devices: a profile for each device, whatever becomes of the others.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "programs/device_list.hpp"
#include "src/core/file.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/process.hpp"
#include "src/core/store.hpp"
#include "src/core/text.hpp"
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

constexpr const char* source = "int f(int a)\n{\n    a += 1;\n    a += 2;\n    return a;\n}\n";

/// A project of agents, as if it had been built.
class Bench {
 public:
  Bench() {
    const json project{{"format", "jcprof-project"},
                       {"version", 1},
                       {"target", "program"},
                       {"sources", {"a.c"}},
                       {"entry", "f"},
                       {"build", {{{"run", {"sh", "-c", "echo built >>{project}/built"}}}}},
                       {"install", {{{"run", {"sh", "-c", "echo $JCPROF_DEVICE >>{project}/installed"}}}}},
                       {"transport", agent()},
                       {"trigger", {{"function", "f"}}}};
    write_file(folder_ / "jcprof.json", project.dump());
    write_file(folder_ / "a.c", source);
  }

  /// With traps at four lines.
  void build() const {
    const TrapMap map = test::traps_at_lines(source, 4, 2);
    write_file(folder_ / "jcprof-out" / output_marker, "");
    write_file(folder_ / "jcprof-out/traps.json", write_trap_map(map));
  }

  static std::string agent(const json& options = json::object()) {
    return "agent:" JCPROF_FAULTY_AGENT " '" + options.dump() + "'";
  }

  /// No two devices have the same.
  static std::string of_its_own(std::string transport, const std::string& name) {
    replace_all(transport, "'{}'", fmt::format(R"('{{"name": "{}"}}')", name));
    return transport;
  }
  /// Devices with these names and transports.
  void list(const std::vector<std::pair<std::string, std::string>>& devices) const {
    json list = json::array();
    for (const auto& [name, transport] : devices)
      list.push_back({{"name", name}, {"transport", of_its_own(transport, name)}});
    write_file(folder_ / "devices.json",
               json{{"format", "jcprof-devices"}, {"version", 1}, {"devices", list}}.dump());
  }

  Command command(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{JCPROF_BIN_DIR "/jcprof"};
    argv.insert(argv.end(), words.begin(), words.end());
    return {.argv = argv, .cwd = folder_.path(), .environment = {{"JCPROF_YES", "1"}}};
  }
  Said run(const std::vector<std::string>& words) const {
    const fs::path log = folder_ / "said";
    const ProcessResult result = run_and_wait(command(words), {.file = log}, std::chrono::seconds{100});
    return {.status = result.exit_status, .text = read_file(log)};
  }
  Said measure() const { return run({"run", ".", "--devices", "devices.json", "--rounds", "14"}); }

  json fleet() const { return json::parse(read_file(folder_ / "jcprof-out/devices/fleet.json")); }
  std::string states() const {
    std::string text;
    const json all = fleet();
    for (const json& one : all["devices"])
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", one["name"].get<std::string>(),
                          one["state"].get<std::string>(), one.value("exit", -1));
    return text;
  }
  fs::path profile(const std::string& device) const {
    return folder_ / "jcprof-out/devices" / device / "profile.jcprof";
  }
  std::string ask(const std::string& device, const std::string& sql) const {
    return query(profile(device), sql).rows.at(0).at(0).value_or("");
  }
  const fs::path& folder() const { return folder_.path(); }
  std::string text_of(const std::string& file) const { return read_file(folder_ / file); }

 private:
  test::TemporaryFolder folder_;
};

constexpr const char* rounds = "SELECT max(round) FROM sample";

TEST_CASE("each device of a file gets a profile of its own, and one file lists them") {
  const Bench bench;
  bench.build();
  bench.list({{"desk", Bench::agent()}, {"lab1-a", Bench::agent()}, {"lab1-b", Bench::agent()}});
  const Said said = bench.measure();
  INFO(said.text);
  CHECK(said.status == 0);
  CHECK(bench.states() == "desk complete 0, lab1-a complete 0, lab1-b complete 0");
  for (const char* name : {"desk", "lab1-a", "lab1-b"}) {
    CHECK(bench.ask(name, rounds) == "14");
    CHECK_THAT(said.text, Catch::Contains(fmt::format("{}: complete on ", name)));
  }
  CHECK_THAT(said.text, Catch::Contains("3 of 3 devices are complete: "));
  const json fleet = bench.fleet();
  CHECK(fleet["format"] == "jcprof-fleet");
  CHECK(fleet["devices"][0]["profile"] == "desk/profile.jcprof");
  // Other verbs take the profile of a device.
  CHECK(bench.run({"annotate", bench.profile("desk").parent_path().string(), "--show"}).status == 0);
}

TEST_CASE("a device that is not there is reported, the others go on, and the next call measures it") {
  const Bench bench;
  bench.build();
  bench.list({{"good", Bench::agent()}, {"gone", "agent:/nowhere/agent"}});
  const Said said = bench.measure();
  INFO(said.text);
  CHECK(said.status == 3);
  CHECK(bench.states() == "good complete 0, gone failed 3");
  CHECK_THAT(said.text, Catch::Contains("gone: failed: "));
  CHECK_THAT(said.text,
             Catch::Contains("1 of 2 devices are complete; the same command, without --fresh, resumes"));
  CHECK_THAT(bench.fleet()["devices"][1]["error"].get<std::string>(), Catch::Contains("/nowhere/agent"));
  bench.list({{"good", Bench::agent()}, {"gone", Bench::agent()}});
  const std::string before = bench.ask("good", "SELECT count(*) FROM sample WHERE round > 0");
  CHECK(bench.measure().status == 0);
  CHECK(bench.states() == "good complete 0, gone complete 0");
  CHECK(bench.ask("good", "SELECT count(*) FROM sample WHERE round > 0") == before);
}

/// Kills the agents that a command line with this word started in the bench's folder.
int kill_agents(const Bench& bench, const std::string& word) {
  int killed = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::error_code gone;
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (fs::read_symlink(entry.path() / "cwd", gone) != bench.folder() || gone) continue;
    std::ifstream file(entry.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.starts_with(JCPROF_FAULTY_AGENT) && line.find(word) != std::string::npos)
      killed += ::kill(std::stoi(name), SIGKILL) == 0 ? 1 : 0;
  }
  return killed;
}

/// Waits until this many rounds are stored.
void wait_for_rounds(const Bench& bench, const std::string& device, int wanted) {
  const auto has_rounds = [&] {
    try {
      return std::stoi(bench.ask(device, "SELECT coalesce(max(round), 0) FROM sample")) >= wanted;
    } catch (const std::exception&) {
      return false;  // there is no profile yet
    }
  };
  for (int i = 0; i < 600 && !has_rounds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{50});
}

TEST_CASE("a device that dies in its run loses no sample, and the next call resumes it") {
  const Bench bench;
  bench.build();
  write_file(bench.folder() / "alive", "");
  bench.list({{"good", Bench::agent()},
              {"dying", "agent:sh -c 'test -e alive && exec " JCPROF_FAULTY_AGENT
                        " \"$0\"' '{\"name\": \"mortal\"}'"}});
  const std::vector<std::string> words{"run",      ".",       "--devices",  "devices.json",
                                       "--rounds", "1000000", "--max-time", "8s"};
  {
    BackgroundProcess run(bench.command(words), {});
    wait_for_rounds(bench, "dying", 3);
    fs::remove(bench.folder() / "alive");
    CHECK(kill_agents(bench, "mortal") == 1);
    CHECK(run.ended(std::chrono::seconds{60}) == 3);
  }
  CHECK(bench.states() == "good complete 0, dying failed 3");
  const int before = std::stoi(bench.ask("dying", rounds));
  CHECK(before >= 3);
  write_file(bench.folder() / "alive", "");
  const Said said =
      bench.run({"run", ".", "--devices", "devices.json", "--rounds", std::to_string(before + 4)});
  INFO(said.text);
  CHECK(said.status == 0);
  CHECK(bench.states() == "good complete 0, dying complete 0");
  CHECK(bench.ask("dying", "SELECT count(*) FROM run") == "1");
  CHECK(std::stoi(bench.ask("dying", rounds)) == before + 4);
}

TEST_CASE("a signal ends all devices, and the next call resumes all") {
  const Bench bench;
  bench.build();
  bench.list({{"a", Bench::agent()}, {"b", Bench::agent()}});
  {
    BackgroundProcess run(
        bench.command({"run", ".", "--devices", "devices.json", "--rounds", "1000000", "--json"}), {});
    for (const char* device : {"a", "b"}) wait_for_rounds(bench, device, 3);
    run.stop(std::chrono::seconds{20});
    CHECK(run.ended() == 143);
  }
  CHECK_THAT(bench.states(), Catch::StartsWith("a interrupted ") && Catch::Contains(", b interrupted "));
  const int before = std::stoi(bench.ask("a", rounds));
  CHECK(bench.run({"run", ".", "--devices", "devices.json", "--rounds", std::to_string(before + 4), "-q"})
            .status == 0);
  CHECK(bench.states() == "a complete 0, b complete 0");
  CHECK(std::stoi(bench.ask("a", rounds)) == before + 4);
}

TEST_CASE("jcprof profile builds once, and installs on each device") {
  const Bench bench;
  bench.list({{"a", Bench::agent()}, {"b", Bench::agent()}});
  const Said said = bench.run({"profile", ".", "--devices", "devices.json", "--rounds", "14"});
  INFO(said.text);
  CHECK(said.status == 0);
  CHECK(bench.text_of("built") == "built\n");
  const std::string installed = bench.text_of("installed");
  CHECK((installed == "a\nb\n" || installed == "b\na\n"));
  CHECK(bench.states() == "a complete 0, b complete 0");
}

TEST_CASE("what is wrong with a file of devices is said with its place, and nothing is measured") {
  const Bench bench;
  bench.build();
  const auto says = [&](const std::string& text) {
    write_file(bench.folder() / "devices.json", text);
    const Said said = bench.measure();
    CHECK(said.status == 2);
    return said.text;
  };
  const auto listing = [](const std::string& devices) {
    return R"({"format": "jcprof-devices", "version": 1, "devices": [)" + devices + "]}";
  };
  CHECK_THAT(says(listing("")), Catch::Contains("there is no device"));
  CHECK_THAT(says(listing(R"({"name": "../a", "transport": "pcsc:"})")),
             Catch::Contains("\"../a\" is no name of a device"));
  CHECK_THAT(says(listing(R"({"name": "a", "transport": "pcsc:"}, {"name": "a", "transport": "vpcd:"})")),
             Catch::Contains("there are two devices \"a\""));
  CHECK_THAT(says(listing(R"({"name": "a", "transport": "pcsd:"})")), Catch::Contains("pcsd"));
  CHECK_THAT(says(R"({"format": "x", "version": 1, "devices": []})"),
             Catch::Contains("\"format\" is not \"jcprof-devices\""));
  CHECK_THAT(bench.run({"run", ".", "--devices", "devices.json", "--transport", "pcsc:"}).text,
             Catch::Contains("--transport"));
}

TEST_CASE("a fleet.json is read as it was written") {
  const test::TemporaryFolder folder;
  const cli::FleetDevice board{.device = {.name = "a", .transport = "labgrid:?board=x agent", .group = "x"},
                               .state = cli::DeviceState::failed,
                               .exit = 3,
                               .place = "desk-a",
                               .error = "it is gone",
                               .run = RunInfo{.reader = "desk-a", .device = "card"}};
  write_file(folder / "fleet.json", cli::in_json({.project = "p", .devices = {board}}).dump());
  const cli::Fleet fleet = cli::read_fleet(folder / "fleet.json");
  CHECK(fleet.project == "p");
  REQUIRE(fleet.devices.size() == 1);
  const cli::FleetDevice& one = fleet.devices.front();
  CHECK(one.device.name == board.device.name);
  CHECK(one.device.transport == board.device.transport);
  CHECK(one.device.group == board.device.group);
  CHECK(one.state == board.state);
  CHECK(one.exit == board.exit);
  CHECK(one.place == board.place);
  CHECK(one.error == board.error);
}

}  // namespace
}  // namespace jcprof
