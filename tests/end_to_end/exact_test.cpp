// SPDX-License-Identifier: Apache-2.0
// Programs whose steps are their clock: what a profile says is right to the step, or wrong.
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/exact_truth.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Said;
using test::StepCost;
using test::TracedProgram;
using test::TrueCosts;
using test::Workplace;

struct Program {
  std::string source;
  int groups = 1;  // of functions, each a command
  std::vector<std::string> exclude = {};

  bool is_cpp() const { return source.ends_with(".cpp"); }
};

struct Build {
  std::string compiler;
  std::string optimisation;
};

json project_of(const Program& program, const Build& build) {
  const std::string standard = program.is_cpp() ? "-std=c++20" : "-std=gnu17";
  const std::string device =
      "for part in counted glue; do gcc -O2 -fPIC -I. -c -o \"$0/$part.o\" device/$part.c; done";
  const std::string library =
      fmt::format("{} {} {} -shared -fPIC -pthread -o \"$0/exact.so\" src/{} \"$0/counted.o\" \"$0/glue.o\"",
                  build.compiler, standard, build.optimisation, program.source);
  return {{"format", "jcprof-project"},
          {"version", 1},
          {"target", "program"},
          {"sources", {"src/" + program.source}},
          {"entry", "exact"},
          {"profile", {{"exclude", program.exclude}}},
          {"compile", {{"compiler", build.compiler}, {"flags", {standard}}}},
          {"build", {{{"run", {"sh", "-c", device + "; " + library, "{out}"}}}}},
          {"transport", "agent:python3 {project}/device/agent.py {out}/exact.so"},
          {"trigger", {{"group", 0}}},
          {"session", {{"timeout", "20s"}}}};
}

/// Of one group, in a tree that is made and built for the first one.
json profile_of(const Workplace& place, const fs::path& project, json settings, int group) {
  settings["trigger"]["group"] = group;
  write_file(project / "jcprof.json", settings.dump(2));
  std::vector<std::string> argv{
      "jcprof", group == 0 ? "profile" : "run", project.string(), "--rounds", "3", "--no-zoom", "--fresh"};
  if (group == 0) argv.push_back("--no-refine");
  const Said said = place.run(argv);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const Said exported =
      place.run({"jcprof", "export", (project / "jcprof-out/profile.jcprof").string(), "--format", "json"});
  REQUIRE(exported.status == 0);
  return json::parse(exported.out);
}

/// The lines of a source that hold `part`, from 1.
std::set<int> lines_with(const fs::path& source, const std::string& part) {
  std::set<int> lines;
  std::istringstream text(read_file(source));
  int number = 0;
  for (std::string line; std::getline(text, line);)
    if (++number; line.find(part) != std::string::npos) lines.insert(number);
  return lines;
}

/// What a profile says, whole steps or not, that is not so.
class Comparison {
 public:
  /// `unclear`: lines that are not compared.
  Comparison(const json& profile, const TrueCosts& truth, const std::set<int>& unclear)
      : profile_(profile), truth_(truth), unclear_(unclear) {
    compare("the whole command", profile["total"], truth.total);
    compare("in front of the first trap", profile["entry"], 0);
    compare("unattributed", profile["unattributed"], 0);
    for (const json& function : profile["functions"]) compare(function);
    compare_lines();
  }

  std::vector<std::string> faults() && { return std::move(faults_); }

 private:
  void compare(const std::string& what, const json& ticks, long expected) {
    if (ticks["value"] != expected || ticks["low"] > expected || ticks["high"] < expected)
      faults_.push_back(fmt::format("{}: {} steps, not {}", what, ticks["value"].dump(), expected));
  }

  void compare(const json& function) {
    const auto known = truth_.functions.find(function["line"]);
    const StepCost expected = known == truth_.functions.end() ? StepCost{} : known->second;
    const std::string name =
        fmt::format("{} (line {})", function["function"].get<std::string>(), function["line"].get<int>());
    compare(name, function["exclusive"]["ticks"], expected.own);
    compare(name + " with calls", function["inclusive"]["ticks"], expected.with_calls);
  }

  void compare_lines() {
    std::map<int, long> left = truth_.lines;
    for (const int unclear : unclear_) left.erase(unclear);
    for (const json& line : profile_["lines"]) {
      const int number = line["line"];
      if (unclear_.contains(number)) continue;
      compare(fmt::format("line {}", number), line["ticks"], left[number]);
      left.erase(number);
    }
    for (const auto& [number, steps] : left)
      faults_.push_back(fmt::format("line {}: missing, not {}", number, steps));
  }

  const json& profile_;
  const TrueCosts& truth_;
  const std::set<int>& unclear_;
  std::vector<std::string> faults_;
};

constexpr const char* without_traps = "no traps";  // comments in the sources
constexpr const char* unclear_line = "not by line";

/// Functions without traps that were met.
std::set<int> check_exact(const Workplace& place, const Program& program, const Build& build) {
  const fs::path project =
      place.copied("tests/end_to_end/exact_program", build.compiler + build.optimisation);
  const TracedProgram traced(place, project, program.source);
  const std::set<int> unclear = lines_with(project / "src" / program.source, unclear_line);
  std::set<int> unseen;
  for (int group = 0; group < program.groups; ++group) {
    INFO(build.compiler << ' ' << build.optimisation << ", group " << group);
    const json profile = profile_of(place, project, project_of(program, build), group);
    std::set<int> seen;
    for (const json& function : profile["functions"]) seen.insert(function["line"].get<int>());
    const TrueCosts truth = traced.costs(group, seen);
    unseen.insert(truth.unseen.begin(), truth.unseen.end());
    CHECK(Comparison(profile, truth, unclear).faults() == std::vector<std::string>{});
    CHECK(profile["warnings"] == json::array());
  }
  return unseen;
}

void check_exact(const Program& program) {
  const Workplace place("exact");
  const std::set<int> expected = lines_with(
      fs::path(JCPROF_SOURCE_DIR) / "tests/end_to_end/exact_program/src" / program.source, without_traps);
  const std::vector<std::string> compilers = program.is_cpp() ? std::vector<std::string>{"g++", "clang++-19"}
                                                              : std::vector<std::string>{"gcc", "clang-19"};
  for (const std::string& compiler : compilers)
    for (const char* const optimisation : {"-O0", "-O2"})
      CHECK(check_exact(place, program, {.compiler = compiler, .optimisation = optimisation}) == expected);
}

TEST_CASE("what moves control in C is right to the step") {
  check_exact({.source = "moves.c", .groups = 5, .exclude = {"unseen"}});
}

TEST_CASE("what moves control in C++ is right to the step") {
  check_exact({.source = "moves.cpp", .groups = 4});
}

}  // namespace
}  // namespace jcprof
