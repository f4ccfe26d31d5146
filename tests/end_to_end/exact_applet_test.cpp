// SPDX-License-Identifier: Apache-2.0
// An applet whose steps are its time: a second each. Profiles are compared with what the applet itself says
// of each step when it runs without jcprof.
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/profiled.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::replace_in;
using test::Said;
using test::TestClock;
using test::Workplace;

constexpr const char* applet = "tests/end_to_end/exact_applet";
constexpr double ns_of_step = 1e9;

struct StepCost {
  int own = 0;
  int with_calls = 0;
};

/// What the commands of the trigger take.
struct TrueCosts {
  int total = 0;
  std::map<std::string, StepCost> functions;
  std::map<std::pair<std::string, int>, int> lines;  // by file and line
  int card = 0;                                      // in front of the applet and behind it
};

constexpr const char* told = R"(
        StringBuilder text = new StringBuilder("step ").append(n);
        for (StackTraceElement call : new Throwable().getStackTrace()) {
            text.append(' ').append(call.getFileName()).append(' ').append(call.getLineNumber());
            text.append(' ').append(call.getClassName()).append('.').append(call.getMethodName());
        }
        System.out.println(text);
)";

/// The function that a line is in: by jcprof's lines, each of which is in one function here. Another line has
/// its own name.
std::string function_at(const json& profile, const std::string& path, int number, const std::string& name) {
  for (const json& line : profile["lines"])
    if (line["path"] == path && line["line"] == number) return line["function"];
  return name;
}

/// The applet without jcprof.
class ToldApplet {
 public:
  explicit ToldApplet(const Workplace& place) : place_(place), project_(place.copied(applet, "told")) {
    replace_in(project_ / "src/exact/Steps.java", "        // taken\n", told);
    said_by({"javac", "-J-XX:TieredStopAtLevel=1", "--release", "8", "-encoding", "UTF-8", "-nowarn",
             "-Xlint:-options", "-cp", JCPROF_JCARDSIM, "-sourcepath", "src", "-d", "classes",
             "traced/Traced.java"});
  }

  /// Names of functions and lines are those of the profile.
  TrueCosts costs(const json& profile, const std::vector<std::string>& commands) const {
    std::vector<std::string> argv{"java", "-XX:TieredStopAtLevel=1", "-cp", JCPROF_JCARDSIM ":classes",
                                  "Traced"};
    argv.insert(argv.end(), commands.begin(), commands.end());
    const std::string out = said_by(argv);
    TrueCosts costs;
    std::istringstream text(out.substr(out.find("selected\n")));
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("step ")) add(line, profile, costs);
    return costs;
  }

 private:
  std::string said_by(const std::vector<std::string>& argv) const {
    const Said said = place_.run(argv, project_.string());
    INFO(said.err);
    REQUIRE(said.status == 0);
    return said.out;
  }

  static void add(const std::string& line, const json& profile, TrueCosts& costs) {
    std::istringstream words(line);
    std::string word, file, name;
    int steps = 0, at = 0;
    words >> word >> steps;
    costs.total += steps;
    std::set<std::string> under_way;
    while (words >> file >> at >> name) {
      if (!file.starts_with("Exact") || name.find(".access$") != std::string::npos) continue;
      name = function_at(profile, "src/exact/" + file, at, name);
      if (under_way.empty()) {
        costs.functions[name].own += steps;
        costs.lines[{"src/exact/" + file, at}] += steps;
      }
      if (under_way.insert(name).second) costs.functions[name].with_calls += steps;
    }
    if (under_way.empty()) costs.card += steps;
  }

  const Workplace& place_;
  fs::path project_;
};

/// A copy of the applet, with its traps, in a card whose steps pass time.
fs::path built_applet(const Workplace& place) {
  const fs::path project = place.copied(applet);
  const fs::path steps = project / "src/exact/Steps.java";
  replace_in(steps, "        // taken\n", "        passTime(n * 1000000000L);\n");
  replace_in(steps, "final class Steps {\n", "final class Steps {\n" + test::java_virtual_time);
  const Said said = place.run({"jcprof", "profile", project.string(), "--rounds", "1", "--max-time", "100h"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  return project;
}

json profile_of(const Workplace& place, const fs::path& project, const std::vector<std::string>& commands) {
  json settings = json::parse(read_file(project / "jcprof.json"));
  settings["trigger"] = {{"apdu", commands}, {"expect", "9000|6EFE"}};  // B0040000 fails by itself
  write_file(project / "jcprof.json", settings.dump(2));
  const Said said = place.run(
      {"jcprof", "run", project.string(), "--rounds", "14", "--max-time", "10000h", "--no-zoom", "--fresh"});
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  const Said exported =
      place.run({"jcprof", "export", (project / "jcprof-out/profile.jcprof").string(), "--format", "json"});
  REQUIRE(exported.status == 0);
  return json::parse(exported.out);
}

/// Lines that a comment says are not told apart.
std::set<std::pair<std::string, int>> unclear_lines() {
  std::set<std::pair<std::string, int>> lines;
  for (const auto& entry : fs::directory_iterator(fs::path(JCPROF_SOURCE_DIR) / applet / "src/exact")) {
    std::istringstream text(read_file(entry.path()));
    int number = 0;
    for (std::string line; std::getline(text, line);)
      if (++number; line.find("// not by line") != std::string::npos)
        lines.emplace("src/exact/" + entry.path().filename().string(), number);
  }
  return lines;
}

class Comparison {
 public:
  Comparison(const json& profile, const TrueCosts& truth, std::size_t commands)
      : profile_(profile), truth_(truth) {
    compare("the commands", profile["total"], truth.total);
    const int of_each = truth.card / static_cast<int>(commands);
    compare("in front of the applet and behind it", profile["entry"], of_each);
    if (commands > 1 || !profile["between"].is_null())  // null: an exception ended the only one
      compare("after the last trap", profile["between"], truth.card - of_each);
    compare_functions();
    compare_lines();
  }

  std::vector<std::string> faults() && { return std::move(faults_); }

 private:
  /// The nearest whole step is the right one.
  void compare(const std::string& what, const json& ticks, int expected) {
    const double steps = ticks["value"].get<double>() / ns_of_step;
    if (std::abs(steps - expected) > 0.3)  // a busy machine may take a part of a second
      faults_.push_back(fmt::format("{}: {:.2f} steps, not {}", what, steps, expected));
  }

  void compare_functions() {
    std::map<std::string, StepCost> left = truth_.functions;
    for (const json& function : profile_["functions"]) {
      const std::string name = function["function"];
      compare(name, function["exclusive"]["ticks"], left[name].own);
      compare(name + " with calls", function["inclusive"]["ticks"], left[name].with_calls);
      left.erase(name);
    }
    for (const auto& [name, cost] : left) faults_.push_back(name + " is missing");
  }

  void compare_lines() {
    auto left = truth_.lines;
    for (const auto& unclear : unclear_) left.erase(unclear);
    for (const json& line : profile_["lines"]) {
      const std::pair<std::string, int> at{line["path"], line["line"]};
      if (unclear_.contains(at)) continue;
      compare(fmt::format("{}:{}", at.first, at.second), line["ticks"], left[at]);
      left.erase(at);
    }
    for (const auto& [at, steps] : left)
      faults_.push_back(fmt::format("{}:{}: missing, not {}", at.first, at.second, steps));
  }

  const json& profile_;
  const TrueCosts& truth_;
  const std::set<std::pair<std::string, int>> unclear_ = unclear_lines();
  std::vector<std::string> faults_;
};

TEST_CASE("what moves control in an applet is right to the step") {
  const Workplace place("exact-applet", TestClock::virtual_time);
  const fs::path project = built_applet(place);
  const ToldApplet told_applet(place);
  const std::string flow = "B001000000", exceptions = "B002000000", classes = "B003000000",
                    failure = "B004000000";
  for (const std::vector<std::string>& commands :
       std::vector<std::vector<std::string>>{{flow}, {classes, exceptions, classes, failure}}) {
    INFO(fmt::format("{}", fmt::join(commands, " ")));
    const json profile = profile_of(place, project, commands);
    const TrueCosts truth = told_applet.costs(profile, commands);
    CHECK(Comparison(profile, truth, commands.size()).faults() == std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace jcprof
