// SPDX-License-Identifier: Apache-2.0
// jcprof fleet and check on devices that jcprof run --devices measured: synthetic ones, in virtual time.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/process.hpp"
#include "src/core/trap_map.hpp"
#include "tests/core/temporary_folder.hpp"
#include "tests/support/line_traps.hpp"

namespace jcprof {
namespace {

using nlohmann::json;

constexpr std::size_t blocks = 12;
constexpr std::size_t slow_block = 4;  // behind the trap of line 5

struct FleetAnswer {
  int status = 0;
  std::string text;  // both of its streams
};

/// A project as if it had been built, and a file of devices.
class CardRack {
 public:
  CardRack() {
    std::string source;
    for (std::size_t i = 0; i < blocks; ++i) source += ";\n";
    write_file(folder_ / "a.c", source);
    write_file(
        folder_ / "jcprof.json",
        json{{"format", "jcprof-project"},
             {"version", 1},
             {"target", "program"},
             {"sources", {"a.c"}},
             {"entry", "f"},
             {"transport", agent({})},
             {"trigger", {{"function", "f"}, {"device", "card"}, {"blocks", blocks}, {"shape", "flat"}}}}
            .dump());
    write_file(folder_ / "jcprof-out" / output_marker, "");
    write_file(folder_ / "jcprof-out/traps.json", write_trap_map(test::traps_at_lines(source, blocks, 2)));
  }

  static std::string agent(const json& options) {
    return "agent:" JCPROF_SYNTHETIC_AGENT " '" + options.dump() + "'";
  }

  void add(const std::string& name, const std::string& transport, const std::string& group = "") {
    json one{{"name", name}, {"transport", transport}};
    if (!group.empty()) one["group"] = group;
    devices_.push_back(one);
  }
  /// So many cards, of which one is a tenth slower at a line (none: it is `count`).
  void add_cards(std::size_t count, std::size_t slow) {
    for (std::size_t d = 0; d < count; ++d) {
      json options{{"seed", 100 + d}};
      if (d == slow) options["slow"] = {{"block", slow_block}, {"by", 1.1}};
      add(fmt::format("d{}", d), agent(options));
    }
  }

  FleetAnswer run(const std::vector<std::string>& words) const {
    std::vector<std::string> argv{JCPROF_BIN_DIR "/jcprof"};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto log = folder_ / "said";
    const ProcessResult result =
        run_and_wait({.argv = argv, .cwd = folder_.path(), .environment = {{"JCPROF_YES", "1"}}},
                     {.file = log}, std::chrono::seconds{200});
    return {result.exit_status, read_file(log)};
  }
  FleetAnswer measure() const {
    write_file(folder_ / "devices.json",
               json{{"format", "jcprof-devices"}, {"version", 1}, {"devices", devices_}}.dump());
    return run({"run", ".", "--devices", "devices.json", "--rounds", "40"});
  }

 private:
  test::TemporaryFolder folder_;
  json devices_ = json::array();
};

}  // namespace

TEST_CASE("jcprof fleet names the slow one of ten cards, and jcprof check holds budgets on them") {
  CardRack rack;
  rack.add_cards(10, 3);
  rack.add("gone", "agent:/nowhere/agent");
  const FleetAnswer measured = rack.measure();
  INFO(measured.text);
  CHECK(measured.status == 3);
  const FleetAnswer said = rack.run({"fleet", "."});
  INFO(said.text);
  CHECK(said.status == 1);
  CHECK_THAT(said.text, Catch::Contains(": 10 devices; d3 differs from the others\n"));
  CHECK_THAT(said.text, Catch::Contains("slower at a.c:5"));
  CHECK_THAT(said.text, Catch::Contains("warning: gone is left out: it failed: "));
  const json report = json::parse(rack.run({"fleet", "jcprof-out/devices/fleet.json", "--json"}).text);
  std::string found;
  for (const json& line : report["types"][0]["lines"])
    for (const json& device : line["devices"])
      if (device["verdict"] == "slower" || device["verdict"] == "faster")
        found += fmt::format("{}:{} ", device["name"].get<std::string>(), line["line"].get<int>());
  CHECK(found == "d3:5 ");
  CHECK(report["left_out"][0]["name"] == "gone");
  CHECK_THAT(rack.run({"fleet", "jcprof-out/devices", "--markdown"}).text,
             Catch::Contains("d3 differs from the others"));

  // The line takes most on the slow card: a limit between it and the others.
  double slow = 0;
  double others = 0;
  for (const json& line : report["types"][0]["lines"])
    if (line["line"] == 5) {
      others = line["median"].get<double>();
      slow = others * (1 + line["devices"][3]["relative"]["value"].get<double>());
    }
  const std::string budget = fmt::format("a.c:5 <= {:.0f}ns", (others + slow) / 2);
  const FleetAnswer all = rack.run({"check", "jcprof-out/devices", "--budget", budget});
  INFO(all.text);
  CHECK(all.status == 1);
  CHECK_THAT(all.text, Catch::Contains("d3"));
  // One may break it, and one is left out.
  CHECK(rack.run({"check", "jcprof-out/devices", "--budget", budget, "--devices-share", "90"}).status == 4);
  CHECK(rack.run({"check", "jcprof-out/devices", "--budget", budget, "--devices-share", "80"}).status == 0);
  CHECK(rack.run({"check", "jcprof-out/devices/d1", "--budget", budget, "--devices-share", "80"}).status ==
        2);
}

TEST_CASE("jcprof fleet ends with 0 if all cards are alike, and with 4 if there are too few") {
  CardRack rack;
  rack.add_cards(4, 4);
  rack.add("other", CardRack::agent({{"seed", 9}}), "of another make");
  CHECK(rack.measure().status == 0);
  const FleetAnswer said = rack.run({"fleet", "."});
  INFO(said.text);
  CHECK(said.status == 0);
  CHECK_THAT(said.text, Catch::Contains("5 devices; none differs from the others\n"));
  CHECK_THAT(said.text, Catch::Contains("of another make: 1 device"));
  CHECK(rack.run({"fleet", ".", "--strict"}).status == 4);

  CardRack two;
  two.add_cards(2, 2);
  CHECK(two.run({"fleet", "."}).status == 2);
  CHECK(two.measure().status == 0);
  const FleetAnswer few = two.run({"fleet", "."});
  CHECK(few.status == 4);
  CHECK_THAT(few.text, Catch::Contains("2 devices; too few to compare\n"));
}

}  // namespace jcprof
