// SPDX-License-Identifier: Apache-2.0
// Programs whose steps are their clock: what a profile says is right to the step, or wrong.
#include <functional>
#include <map>
#include <regex>
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

constexpr const char* fixture = "tests/end_to_end/exact_program";
constexpr const char* without_traps = "no traps";  // comments in its sources
constexpr const char* unclear_line = "not by line";
constexpr const char* unseen_calls = "with calls unseen";
constexpr const char* own_value = "a value of its own";

struct Program {
  std::string source;
  int groups = 1;  // of functions, each a command
  std::vector<std::string> exclude = {};
  std::string standard = "c++20";

  bool is_cpp() const { return source.ends_with(".cpp"); }
};

std::vector<std::string> compilers_of(const Program& program) {
  if (program.is_cpp()) return {"g++", "clang++-19"};
  return {"gcc", "clang-19"};
}

std::string standard_of(const Program& program) {
  return "-std=" + (program.is_cpp() ? program.standard : "gnu17");
}

json project_of(const Program& program, const std::string& compiler) {
  const std::string standard = standard_of(program);
  const std::string device =
      "for part in counted glue; do gcc -O2 -fPIC -I. -c -o \"$0/$part.o\" device/$part.c; done";
  const std::string library =
      fmt::format("{} {} -O2 -shared -fPIC -pthread -o \"$0/exact.so\" src/{} \"$0/counted.o\" \"$0/glue.o\"",
                  compiler, standard, program.source);
  return {{"format", "jcprof-project"},
          {"version", 1},
          {"target", "program"},
          {"sources", {"src/" + program.source}},
          {"entry", "exact"},
          {"profile", {{"exclude", program.exclude}}},
          {"compile", {{"compiler", compiler}, {"flags", {standard}}}},
          {"build", {{{"run", {"sh", "-c", device + "; " + library, "{out}"}}}}},
          {"transport", "agent:python3 {project}/device/agent.py {out}/exact.so"},
          {"trigger", {{"group", 0}}},
          {"session", {{"timeout", "20s"}}}};
}

json exported(const Workplace& place, const fs::path& profile) {
  const Said said = place.run({"jcprof", "export", profile.string(), "--format", "json"});
  REQUIRE(said.status == 0);
  return json::parse(said.out);
}

/// Of one group, in a tree that is made and built for the first one.
json stopped(const Workplace& place, const fs::path& project, json settings, int group) {
  settings["trigger"]["group"] = group;
  write_file(project / "jcprof.json", settings.dump(2));
  std::vector<std::string> argv{
      "jcprof", group == 0 ? "profile" : "run", project.string(), "--rounds", "3", "--no-zoom", "--fresh"};
  if (group == 0) argv.push_back("--no-refine");
  const Said said = place.run(argv);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  return exported(place, project / "jcprof-out/profile.jcprof");
}

/// A program that records itself, by the clock of steps.
void build_recording(const Workplace& place, const fs::path& project, const Program& program,
                     const std::string& compiler) {
  json settings = project_of(program, compiler);
  settings.erase("build");
  write_file(project / "jcprof.json", settings.dump(2));
  const Said generated = place.run({"jcprof", "gen", "--record", project.string()});
  INFO(generated.err);
  REQUIRE(generated.status == 0);
  const std::string command = fmt::format(
      "for part in counted started; do gcc -O2 -c -o $part.o device/$part.c; done; {} {} -O2 -pthread -I. "
      "-include device/steps.h '-DJCPROF_CLOCK=steps_taken()' -o ../recorded src/{} counted.o started.o",
      compiler, standard_of(program), program.source);
  const Said compiled = place.run({"sh", "-c", command}, (project / "jcprof-out/tree").string());
  INFO(compiled.err);
  REQUIRE(compiled.status == 0);
}

json recorded(const Workplace& place, const fs::path& project, int group) {
  const fs::path out = project / "jcprof-out";
  const Said said =
      place.run({"jcprof", "record", "--no-preload", "--traps", (out / "traps.json").string(), "-o",
                 (out / "log").string(), "--", (out / "recorded").string(), std::to_string(group)});
  INFO(said.err);
  REQUIRE(said.status == 0);
  return exported(place, out / "log/profile.jcprof");
}

/// The lines of the program's source that hold `part`, from 1.
std::set<int> lines_with(const Program& program, const std::string& part) {
  std::set<int> lines;
  std::istringstream text(read_file(fs::path(JCPROF_SOURCE_DIR) / fixture / "src" / program.source));
  int number = 0;
  for (std::string line; std::getline(text, line);)
    if (++number; line.find(part) != std::string::npos) lines.insert(number);
  return lines;
}

/// What a profile says, whole steps or not, that is not so.
class Comparison {
 public:
  Comparison(const json& profile, const TrueCosts& truth, const Program& program)
      : profile_(profile),
        truth_(truth),
        unclear_(lines_with(program, unclear_line)),
        unseen_(lines_with(program, unseen_calls)) {
    compare("the whole command", profile["total"], truth.total);
    if (profile["transport"] != "record") compare("in front of the first trap", profile["entry"], 0);
    compare("unattributed", profile["unattributed"], 0);
    for (const json& function : profile["functions"]) compare(function);
    compare_lines();
    compare_warnings();
  }

  std::vector<std::string> faults() && { return std::move(faults_); }

 private:
  void compare(const std::string& what, const json& ticks, long expected) {
    // A recording of one run has no interval.
    const bool is_outside = !ticks["low"].is_null() && (ticks["low"] > expected || ticks["high"] < expected);
    if (ticks["value"] != expected || is_outside)
      faults_.push_back(fmt::format("{}: {} steps, not {}", what, ticks["value"].dump(), expected));
  }

  void compare(const json& function) {
    const auto known = truth_.functions.find(function["line"]);
    const StepCost expected = known == truth_.functions.end() ? StepCost{} : known->second;
    const std::string name =
        fmt::format("{} (line {})", function["function"].get<std::string>(), function["line"].get<int>());
    compare(name, function["exclusive"]["ticks"], expected.own);
    if (unseen_.contains(function["line"]))
      unseen_functions_.insert(function["function"].get<std::string>());
    else
      compare(name + " with calls", function["inclusive"]["ticks"], expected.with_calls);
  }

  /// Of functions with costs outside of their traps, and of no others.
  void compare_warnings() {
    static const std::regex form("(.*): [^:]* counts? for [^:]*");
    std::set<std::string> named;
    for (const json& warning : profile_["warnings"]) {
      std::smatch parts;
      const std::string text = warning;
      if (!std::regex_match(text, parts, form)) continue;
      static const std::regex comma(", ");
      const std::string names = parts[1];
      for (auto name = std::sregex_token_iterator(names.begin(), names.end(), comma, -1);
           name != std::sregex_token_iterator(); ++name)
        named.insert(*name);
    }
    for (const std::string& name : named)
      if (!unseen_functions_.contains(name)) faults_.push_back(name + ": a warning that is not expected");
    for (const std::string& name : unseen_functions_)
      if (!named.contains(name)) faults_.push_back(name + ": no warning");
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
  const std::set<int> unclear_;  // lines that are not compared
  const std::set<int> unseen_;   // functions that are compared without their calls
  std::set<std::string> unseen_functions_ = {};
  std::vector<std::string> faults_;
};

/// Functions without traps that were met. `profile` is asked for that of each group.
std::set<int> check_groups(const TracedProgram& traced, const Program& program,
                           const std::function<json(int)>& profile_of_group) {
  std::set<int> unseen;
  for (int group = 0; group < program.groups; ++group) {
    INFO("group " << group);
    const json profile = profile_of_group(group);
    std::set<int> seen;
    for (const json& function : profile["functions"]) seen.insert(function["line"].get<int>());
    const TrueCosts truth = traced.costs(group, seen, lines_with(program, own_value));
    unseen.insert(truth.unseen.begin(), truth.unseen.end());
    CHECK(Comparison(profile, truth, program).faults() == std::vector<std::string>{});
  }
  return unseen;
}

void check_stopped(const Program& program) {
  const Workplace place("exact");
  for (const std::string& compiler : compilers_of(program)) {
    INFO(compiler);
    const fs::path project = place.copied(fixture, compiler);
    const TracedProgram traced(place, project, program.source, standard_of(program));
    const auto profile = [&](int group) {
      return stopped(place, project, project_of(program, compiler), group);
    };
    CHECK(check_groups(traced, program, profile) == lines_with(program, without_traps));
  }
}

void check_recorded(const Program& program) {
  const Workplace place("exact");
  for (const std::string& compiler : compilers_of(program)) {
    INFO(compiler);
    const fs::path project = place.copied(fixture, compiler);
    const TracedProgram traced(place, project, program.source, standard_of(program));
    build_recording(place, project, program, compiler);
    const auto profile = [&](int group) { return recorded(place, project, group); };
    CHECK(check_groups(traced, program, profile) == lines_with(program, without_traps));
  }
}

const Program moves_of_c{.source = "moves.c", .groups = 5, .exclude = {"unseen"}};
const Program moves_of_cpp{.source = "moves.cpp", .groups = 4};

TEST_CASE("what moves control in C is right to the step") {
  check_stopped(moves_of_c);
}

TEST_CASE("what moves control in C++ is right to the step") {
  check_stopped(moves_of_cpp);
}

const Program scope_ends{.source = "scope_ends.cpp", .groups = 6, .exclude = {"Silent::~Silent"}};
const Program initialisers{.source = "initialisers.cpp", .groups = 3};

TEST_CASE("what is destroyed in C++ is the time of who destroys it, to the step") {
  check_stopped(scope_ends);
}

TEST_CASE("what is initialised in C++ is the time of the constructor, to the step") {
  check_stopped(initialisers);
}

TEST_CASE("a recording of what is destroyed and initialised in C++ is right to the step") {
  check_recorded(scope_ends);
  check_recorded(initialisers);
}

const Program cleanups{.source = "cleanups.c", .groups = 2, .exclude = {"drop"}};
const Program macros{.source = "macros.c", .groups = 2};
const Program whole_tries{.source = "whole_tries.cpp", .groups = 2, .exclude = {"Silent::~Silent"}};
const Program constants{.source = "constants.cpp", .standard = "c++17"};
const Program combinations{.source = "combinations.cpp", .groups = 7};

TEST_CASE("what a variable of C is cleaned up by is the time of who leaves it, to the step") {
  check_stopped(cleanups);
  check_recorded(cleanups);
}

TEST_CASE("a function that a macro returns from ends there, to the step") {
  check_stopped(macros);
  check_recorded(macros);
}

TEST_CASE("a body that is a try is right to the step") {
  check_stopped(whole_tries);
  check_recorded(whole_tries);
}

TEST_CASE("constexpr functions of C++17 are right to the step") {
  check_stopped(constants);
  check_recorded(constants);
}

TEST_CASE("what moves control in several ways at once is right to the step") {
  check_stopped(combinations);
  Program without_threads = combinations;
  --without_threads.groups;
  check_recorded(without_threads);
}

TEST_CASE("what the standard library of C++ calls back is right to the step") {
  check_stopped({.source = "library.cpp", .groups = 4});
}

TEST_CASE("what another thread does takes the time of who waits for it, to the step") {
  check_stopped({.source = "threads.c"});
}

TEST_CASE("a recording of what moves control in C is right to the step") {
  check_recorded(moves_of_c);
}

TEST_CASE("a recording of what moves control in C++ is right to the step") {
  check_recorded(moves_of_cpp);
}

const Program values_of_c{.source = "values.c", .exclude = {"unseen"}};
const Program values_of_cpp{.source = "values.cpp"};

TEST_CASE("a value of C is worked out at its line and in its function, to the step") {
  check_stopped(values_of_c);
  check_recorded(values_of_c);
}

TEST_CASE("a value of C++ is worked out at its line and in its function, to the step") {
  check_stopped(values_of_cpp);
  check_recorded(values_of_cpp);
}

}  // namespace
}  // namespace jcprof
