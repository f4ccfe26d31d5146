// SPDX-License-Identifier: Apache-2.0
// `jcprof profile` and `jcprof layers` on examples/optee-hmac, on a real OP-TEE.
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/agreement.hpp"
#include "tests/end_to_end/chromium.hpp"
#include "tests/end_to_end/known_work.hpp"
#include "tests/end_to_end/profiled.hpp"
#include "tests/optee/machine.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::line_with;
using test::replace_in;
using test::Said;
using test::Workplace;

const std::string counting = "--icount ";
const std::string password_trigger = R"("command": 1,
              "params": [{"value": "in", "b": "{input}"}, {"value": "out"}]})";

/// A copy of the example, which finds the machine from anywhere.
fs::path example(const Workplace& place) {
  const fs::path project = place.copied("examples/optee-hmac");
  replace_in(project / "jcprof.json", "../../scripts/optee-vm", test::optee_vm());
  return project;
}

/// The command that makes 100,000 passes of seven instructions.
fs::path loop_example(const Workplace& place) {
  const fs::path project = example(place);
  replace_in(project / "jcprof.json", password_trigger,
             R"("command": 3, "params": [{"value": "in", "a": 100000}, {"value": "out"}]})");
  return project;
}

/// Requests reach the machine some hundred bytes at a time, as a busy host may deliver them.
void in_pieces(const fs::path& project) {
  write_file(project / "pieces.py",
             "import os, subprocess, sys, time\n"
             "machine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)\n"
             "while data := os.read(0, 1 << 16):\n"
             "    for at in range(0, len(data), 700):\n"
             "        os.write(machine.stdin.fileno(), data[at:at + 700])\n"
             "        time.sleep(0.002)\n"
             "machine.stdin.close()\n"
             "sys.exit(machine.wait())\n");
  replace_in(project / "jcprof.json", "\"agent:", "\"agent:python3 {project}/pieces.py ");
}

Said profile(const Workplace& place, const fs::path& project, const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{"jcprof", "profile", project.string()};
  command.insert(command.end(), more.begin(), more.end());
  return place.run(command);
}

/// By what it is of. Hits stand beside the instructions.
std::map<std::string, double> counts_of(const json& profile) {
  std::map<std::string, double> counts{{"total", profile["total"]["value"]},
                                       {"entry", profile["entry"]["value"]}};
  for (const json& one : profile["lines"]) {
    const std::string line = fmt::format("{}:{}", one["path"].get<std::string>(), one["line"].get<int>());
    counts[line] = one["ticks"]["value"];
    counts[line + " hits"] = one["hits"];
  }
  for (const json& one : profile["functions"]) counts[one["function"]] = one["exclusive"]["ticks"]["value"];
  return counts;
}

json exported(const Workplace& place, const fs::path& project) {
  const std::string file = (project / "jcprof-out/profile.jcprof").string();
  return json::parse(place.run({"jcprof", "export", file, "--format", "json"}).out);
}

json profiled(const Workplace& place, const fs::path& project, const std::vector<std::string>& more = {}) {
  const Said said = profile(place, project, more);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  return exported(place, project);
}

TEST_CASE("two whole profiles under an instruction counter agree, however their requests come") {
  const Workplace place("optee-twice");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const fs::path project = example(place);
  json first = profiled(place, project, {"--rounds", "2", "--max-time", "10m"});
  in_pieces(project);
  json second = profiled(place, project, {"--fresh", "--rounds", "2", "--max-time", "10m"});
  // QEMU shifts all counts of some runs by a few dozen instructions (docs/optee.md).
  const double most = 1e-4 * first["total"]["value"].get<double>();
  const std::map<std::string, double> again = counts_of(second);
  for (const auto& [what, count] : counts_of(first)) {
    INFO(what);
    REQUIRE(again.contains(what));
    CHECK(again.at(what) == Approx(count).margin(most));
  }
  CHECK(again.size() == counts_of(first).size());
  CHECK(first["shots"] == second["shots"]);
  CHECK(first["unit"] == "instructions");
  CHECK(first["simulated"] == true);

  const json& all = first["lines"];
  const double lines = std::accumulate(all.begin(), all.end(), 0.0, [](double sum, const json& line) {
    return sum + line["ticks"]["value"].get<double>();
  });
  const double total = first["total"]["value"];
  const double unattributed = first["unattributed"]["value"];
  CHECK(first["entry"]["value"].get<double>() + lines + unattributed == Approx(total).epsilon(1e-9));
  CHECK(std::abs(unattributed) < 0.01 * total);

  const std::string annotated = read_file(project / "jcprof-out/annotated/ta/otp.c");
  CHECK(annotated.find(" M instructions ±") != std::string::npos);
  CHECK(annotated.find(" ms ") == std::string::npos);
}

TEST_CASE("stops and a recording of the same trusted application agree, in instructions") {
  const Workplace place("optee-recorded");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const fs::path project = example(place);
  const json stopped = profiled(place, project, {"--rounds", "6", "--no-refine"});
  const Said said = place.run({"jcprof", "record", "--project", project.string(), "--runs", "8"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const std::string file = (project / "jcprof-out/record/profile.jcprof").string();
  const json recorded = json::parse(place.run({"jcprof", "export", file, "--format", "json"}).out);
  CHECK(recorded["unit"] == "instructions");
  CHECK(recorded["recorded"]["lost"] == 0);
  // Those that stay in the secure world, whose instructions are what the counter counts.
  CHECK(test::disagreements(stopped, recorded, {"hmac_sha1", "set_key", "crc32", "truncate"}, 0) ==
        std::vector<std::string>{});
  test::chromium_finds_no_fault(place, {project / "jcprof-out"});
}

TEST_CASE("a loop of seven instructions a pass is reported as seven a pass") {
  const Workplace place("optee-loop");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const fs::path project = loop_example(place);
  const json profile = profiled(place, project);
  const json line = line_with(profile, project / "ta/checksum.c", "__asm__ volatile(");
  CHECK(line["ticks"]["value"].get<double>() / 100'000 == Approx(7).margin(0.01));
}

TEST_CASE("a trusted application in C++ has all of its statements measured") {
  const Workplace place("optee-cpp");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const fs::path project = place.copied("tests/optee/cpp_ta");
  replace_in(project / "jcprof.json", "agent:optee-vm", "agent:" + test::optee_vm());
  const Said said = profile(place, project, {"--rounds", "2", "--no-refine"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  CHECK((said.out + said.err).find("36 of 36 executable statements outside macros have a trap") !=
        std::string::npos);
  const json profile = exported(place, project);
  CHECK(profile["unit"] == "instructions");
  CHECK(profile["lines"].size() > 20);
  for (const json& line : profile["lines"]) CHECK(line["hits"] > 0);
}

TEST_CASE("a command is timed where there is no instruction counter") {
  const Workplace place("optee-time");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const fs::path project = loop_example(place);
  replace_in(project / "jcprof.json", counting, "");
  const json profile = profiled(place, project, {"--rounds", "20", "--no-refine", "--max-time", "10m"});
  CHECK(profile["unit"] == "ns");
  CHECK(profile["simulated"] == true);
  const json loop = line_with(profile, project / "ta/checksum.c", "__asm__ volatile(");
  CHECK(loop["share"]["value"] > 0.2);
}

TEST_CASE("the layers of a round trip sum to it, to the instruction") {
  const Workplace place("optee-layers");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const fs::path project = loop_example(place);
  REQUIRE(place.run({"jcprof", "gen", project.string()}).status == 0);
  REQUIRE(place
              .run({"make", "-C", (project / "jcprof-out/tree/ta").string(),
                    "O=" + (project / "jcprof-out/ta").string()})
              .status == 0);
  const Said said = place.run({"jcprof", "layers", project.string(), "--rounds", "20", "--json"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const json layers = json::parse(said.out);
  std::vector<std::string> names;
  double sum = 0;
  for (const json& layer : layers["layers"]) {
    names.push_back(layer["name"]);
    sum += layer["ticks"]["value"].get<double>();
  }
  CHECK(names == std::vector<std::string>{"clock", "driver", "secure monitor, core", "client library",
                                          "TA entry", "command"});
  CHECK(sum == layers["total"]["value"]);
  CHECK(layers["unit"] == "instructions");
  CHECK(layers["layers"].back()["ticks"]["value"].get<double>() == Approx(700'000).epsilon(0.01));
}

/// A stop between the two lines leaves the mark set, and the next command finds it.
void mark_under_way(const fs::path& project, const std::string& when_found) {
  replace_in(project / "ta/hmac_ta.c", "TEE_Result TA_InvokeCommandEntryPoint(",
             "static volatile int is_under_way;\n\nTEE_Result TA_InvokeCommandEntryPoint(");
  replace_in(project / "ta/hmac_ta.c", "      params[1].value.a = loop(params[0].value.a);\n",
             "      " + when_found +
                 "\n      is_under_way = 1;\n      params[1].value.a = loop(params[0].value.a);\n"
                 "      is_under_way = 0;\n");
}

TEST_CASE(
    "a TA that panics, or never comes back, where an earlier stop has left its mark is measured all the "
    "same") {
  const Workplace place("optee-dirty");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const bool panics = GENERATE(true, false);
  const fs::path project = loop_example(place);
  mark_under_way(project, panics ? "if (is_under_way) TEE_Panic(0x1234);" : "while (is_under_way);");
  replace_in(project / "jcprof.json", R"("timeout": "10s")", R"("timeout": "3s")");
  const json profile = profiled(place, project);
  const json line = line_with(profile, project / "ta/checksum.c", "__asm__ volatile(");
  CHECK(line["ticks"]["value"].get<double>() / 100'000 == Approx(7).margin(0.02));
  CHECK(test::is_sound(project / "jcprof-out/profile.jcprof"));
}

TEST_CASE("a TA that always panics, a missing one and a missing supplicant are told in words") {
  const Workplace place("optee-faults");
  JCPROF_NEEDS_OPTEE_MACHINE(place);
  const fs::path project = loop_example(place);
  std::string expected;
  SECTION("it panics") {
    replace_in(project / "ta/hmac_ta.c", "      params[1].value.a = loop(params[0].value.a);",
               "      TEE_Panic(0x1234);");
    expected = "0xffff3024";
  }
  SECTION("it is missing") {
    replace_in(project / "jcprof.json", R"("ta": "5779306f)", R"("ta": "6779306f)");
    expected = "6779306f";
  }
  SECTION("there is no supplicant") {
    replace_in(project / "jcprof.json", counting, counting + "--no-supplicant ");
    expected = "tee-supplicant";
  }
  const Said said = profile(place, project);
  INFO(said.out << said.err);
  CHECK(said.status == 3);
  CHECK(said.err.find(expected) != std::string::npos);
}

}  // namespace
}  // namespace jcprof
