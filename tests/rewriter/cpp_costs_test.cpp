// SPDX-License-Identifier: Apache-2.0
// A C++ program that counts its own steps is rewritten, compiled, and stopped at each event of its path. The
// steps between two events go to the function that owns the time there: each has as many as the program says.
#include <cstring>
#include <map>

#include <catch2/catch.hpp>

#include "annotator/estimate/attribution.hpp"
#include "src/core/process.hpp"
#include "tests/rewriter/c_rewriting.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;

namespace {

using Steps = std::map<std::string, long>;

/// A program with its traps, in a folder of its own.
struct Built {
  fs::path folder;
  TrapMap map;
};

Built build(const std::string& compiler, const std::string& flag, TrapLevel level) {
  const fs::path originals = fs::path(JCPROF_SOURCE_DIR) / "tests/rewriter/costs";
  CRewritten rewritten =
      rewrite_c(read_c(originals, {"program.cpp"}, {unit_of(originals, "program.cpp", {"-std=c++17"})},
                       {Reach::program})
                    .models,
                {.entry = {"main"}, .scope = {.include = {"*"}, .exclude = {}, .level = level}});
  Built built{.folder = written("costs", {{"program.cpp", rewritten.texts.front()},
                                          {"steps.h", read_file(originals / "steps.h")}})};
  built.map.language = "c++";
  built.map.traps = std::move(rewritten.traps);
  const Command compile{.argv = {compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", flag, "-DJCPROF",
                                 "-DJCPROF_PROGRAM", "-o", "program", "program.cpp"},
                        .cwd = built.folder};
  const ProcessResult compiled =
      run_and_wait(compile, {.file = built.folder / "log"}, std::chrono::minutes{2});
  INFO(read_file(built.folder / "log"));
  REQUIRE(compiled.exit_status == 0);
  return built;
}

/// Runs it; the steps that it came to.
long run(const Built& built, const std::vector<std::pair<std::string, std::string>>& environment) {
  write_file(built.folder / "steps", std::string(sizeof(long), '\0'));
  run_and_wait({.argv = {"./program"}, .cwd = built.folder, .environment = environment},
               {.file = built.folder / "out"}, std::chrono::seconds{60});
  long steps = 0;
  std::memcpy(&steps, read_file(built.folder / "steps").data(), sizeof(steps));
  return steps;
}

/// The events of the report: 32-bit ids behind a head of 72 bytes, their number at its 40th.
std::vector<Event> traced(const Built& built) {
  run(built, {{"JCPROF_TRACE", "trace"}});
  const std::string report = read_file(built.folder / "trace");
  std::uint64_t count = 0;
  std::memcpy(&count, report.data() + 40, sizeof(count));
  std::vector<Event> path;
  std::map<std::uint32_t, std::uint32_t> hits;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t id = 0;
    std::memcpy(&id, report.data() + 72 + sizeof(id) * i, sizeof(id));
    path.push_back({.trap = TrapId{id}, .hit = ++hits[id]});
  }
  return path;
}

Steps measured(const Built& built) {
  const std::vector<Event> path = traced(built);
  const annotator::Attribution owners = annotator::attribute(built.map, path);
  std::vector<long> reached;
  for (const Event& event : path)
    reached.push_back(run(built, {{"JCPROF_TRAP", std::to_string(number(event.trap))},
                                  {"JCPROF_HIT", std::to_string(event.hit)}}));
  reached.push_back(run(built, {}));
  Steps own;
  for (std::size_t i = 0; i < path.size(); ++i)
    own[owners.functions[owners.blocks[i].function].name] += reached[i + 1] - reached[i];
  std::erase_if(own, [](const auto& one) { return one.second == 0; });
  return own;
}

/// As the program says at its end.
Steps true_steps(const Built& built) {
  run(built, {});
  std::istringstream lines(read_file(built.folder / "out"));
  Steps own;
  std::string who;
  for (long steps = 0; lines >> who >> steps;) own[who] = steps;
  return own;
}

}  // namespace

TEST_CASE("what C++ runs where no statement stands costs the function that it belongs to, to the step") {
  struct Way {
    std::string compiler;
    std::string flag;
    TrapLevel level;
  };
  const std::string clang = "/usr/lib/llvm-19/bin/clang++";
  for (const Way& way : {Way{"g++", "-O0", TrapLevel::statement}, Way{"g++", "-O2", TrapLevel::function},
                         Way{clang, "-O2", TrapLevel::statement}}) {
    if (way.compiler == clang && !fs::exists(clang)) continue;
    INFO(way.compiler << " " << way.flag);
    const Built built = build(way.compiler, way.flag, way.level);
    const Steps truth = true_steps(built);
    REQUIRE(truth.contains("main"));
    CHECK(measured(built) == truth);
  }
}
