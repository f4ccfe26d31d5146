// SPDX-License-Identifier: Apache-2.0
// Properties of the rewriter on generated programs (java_nesting.hpp): what was inserted can be taken out
// again, the rest compiles, does the same unarmed and traced, and stops where it is armed. All programs of a
// batch are one project; one JVM runs them all (Nestings.java). A program that fails is shrunk.
// JCPROF_NESTINGS and JCPROF_SEED in the environment give another number of programs and another seed.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "rewriter/edits.hpp"
#include "rewriter/generate.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/rewriter/java_nesting.hpp"

namespace fs = std::filesystem;
using namespace jcprof;
using namespace jcprof::rewriter;

namespace {

using Candidate = rc::Shrinkable<Program>;

const fs::path here = fs::path(JCPROF_SOURCE_DIR) / "tests/rewriter";

// A class of constants holds 65,535 entries, two a trap: as many programs as stay below that with certainty.
constexpr std::size_t programs_a_batch = 100;
constexpr std::size_t fewest_in_a_batch = 32;  // when shrinking
constexpr std::chrono::seconds patience{120};  // which a test run must outlive (cmake/targets.cmake)

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

std::vector<Candidate> generated(std::uint64_t seed, std::size_t count) {
  const rc::Gen<Program> any = programs();
  rc::Random random(seed);
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(any(random.split(), 4 + static_cast<int>(i % 60)));
  return result;
}

std::string class_name(std::size_t index) {
  return fmt::format("N{:05}", index);
}

/// What is wrong with a program, by its index.
using Faults = std::map<std::size_t, std::string>;

class Checker {
 public:
  explicit Checker(fs::path work) : work_(std::move(work)) {
    fs::remove_all(work_);
    fs::create_directories(work_ / "runner");
    run({"javac", "-J-XX:TieredStopAtLevel=1", "-encoding", "UTF-8", "-cp", JCPROF_JCARDSIM, "-d",
         (work_ / "runner").string(), (here / "Behaviour.java").string(), (here / "Nestings.java").string()});
  }

  Faults check(const std::vector<Program>& programs) {
    faults_.clear();
    std::vector<std::string> java{"java",
                                  "-XX:TieredStopAtLevel=1",
                                  "-Dfile.encoding=UTF-8",
                                  "-cp",
                                  fmt::format("{}:{}", JCPROF_JCARDSIM, (work_ / "runner").string()),
                                  "Nestings"};
    for (std::size_t first = 0; first < programs.size(); first += programs_a_batch) {
      const fs::path folder = work_ / fmt::format("batch{}", first / programs_a_batch);
      fs::remove_all(folder);
      for (std::size_t i = first; i < std::min(first + programs_a_batch, programs.size()); ++i)
        write_file(folder / "original" / (class_name(i) + ".java"), java_class(class_name(i), programs[i]));
      for (const auto& support : fs::directory_iterator(here / "nestings"))
        fs::copy_file(support, folder / "original" / support.path().filename());
      instrument(folder);
      java.push_back(folder.string());
    }
    read_faults(run(java));
    return faults_;
  }

  const std::string& summary() const { return summary_; }

 private:
  std::string run(const std::vector<std::string>& argv) {
    const fs::path log = work_ / "log";
    const ProcessResult result = run_and_wait({.argv = argv, .cwd = work_},
                                              {.file = log, .keep_bytes = 1 << 24}, std::chrono::minutes{30});
    INFO(result.tail);
    REQUIRE(result.exit_status == 0);
    return read_file(log);
  }

  void instrument(const fs::path& folder) {
    Project project;
    project.root = folder / "original";
    project.file = project.root / "jcprof.json";
    project.sources = {"*.java"};
    project.entry = {"NestingApplet.process"};
    project.profile.exclude = {"World.*"};
    generate(project, folder);
    fs::rename(folder / "tree", folder / "instrumented");
    for (const auto& entry : fs::directory_iterator(project.root)) {
      const std::string name = entry.path().filename().string();
      const std::string fault =
          fault_of(name, read_file(entry.path()), read_file(folder / "instrumented" / name));
      if (fault.empty()) continue;
      REQUIRE_FALSE(fs::exists(here / "nestings" / name));
      faults_.emplace(std::stoul(name.substr(1)), fault);
    }
  }

  static std::string fault_of(const std::string& name, const std::string& original, const std::string& text) {
    if (strip(name, text) != original) return "strip does not give the original back";
    for (std::size_t at = 0; (at = text.find(reachable_end, at)) != std::string::npos;) {
      at = text.find_first_not_of(" \n", at + reachable_end.size());
      if (!text.substr(at).starts_with("/*[j*/PM.check(")) return "the end of a block has no trap";
    }
    return "";
  }

  void read_faults(const std::string& output) {
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string mark;
      std::string folder;
      std::string program;
      words >> mark >> folder >> program;
      if (mark == "FAULT")
        faults_.emplace(std::stoul(program.substr(1)), line.substr(line.find(program) + program.size() + 1));
      else
        summary_ = line;
    }
  }

  fs::path work_;
  Faults faults_;
  std::string summary_;
};

struct Failure {
  Candidate program;
  std::string fault;
};

std::string text_of(const Candidate& candidate) {
  return java_class(class_name(0), candidate.value());
}

/// Greedily: always on to the shortest of the simpler programs that fail, too, as long as there is one.
class Shrinker {
 public:
  Shrinker(Checker& checker, Failure failing) : checker_(checker), failing_(std::move(failing)) {
    tried_.insert(text_of(failing_.program));
  }

  Failure smallest() {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end && to_simpler()) continue;
    return failing_;
  }

 private:
  bool to_simpler() {
    rc::Seq<Candidate> simpler = failing_.program.shrinks();
    for (std::size_t batch = fewest_in_a_batch;; batch *= 2) {
      const std::vector<Candidate> candidates = untried(simpler, batch);
      if (candidates.empty()) return false;
      std::vector<Program> values;
      for (const Candidate& candidate : candidates) values.push_back(candidate.value());
      const Faults faults = checker_.check(values);
      if (faults.empty()) continue;
      const auto length = [&](const auto& fault) { return text_of(candidates.at(fault.first)).size(); };
      const auto& [index, fault] = *std::ranges::min_element(faults, {}, length);
      failing_ = {candidates.at(index), fault};
      return true;
    }
  }

  /// Most ways to shrink a value leave its text the same.
  std::vector<Candidate> untried(rc::Seq<Candidate>& simpler, std::size_t most) {
    std::vector<Candidate> result;
    while (result.size() < most) {
      rc::Maybe<Candidate> next = simpler.next();
      if (!next) break;
      if (tried_.insert(text_of(*next)).second) result.push_back(std::move(*next));
    }
    return result;
  }

  Checker& checker_;
  Failure failing_;
  std::set<std::string> tried_;
};

}  // namespace

TEST_CASE("a thousand generated nestings can be undone, compile, behave the same, and stop where armed") {
  const std::uint64_t seed = from_environment("JCPROF_SEED", 20240229);
  const std::vector<Candidate> candidates = generated(seed, from_environment("JCPROF_NESTINGS", 1000));
  std::vector<Program> values;
  for (const Candidate& candidate : candidates) values.push_back(candidate.value());
  Checker checker(fs::path(JCPROF_BINARY_DIR) / fmt::format("tests/nestings.{}", seed));
  const Faults faults = checker.check(values);
  INFO(checker.summary());
  if (faults.empty()) {
    CHECK(checker.summary().starts_with(fmt::format("{} programs, ", values.size())));
    return;
  }
  const auto length = [&](const auto& fault) { return text_of(candidates.at(fault.first)).size(); };
  const auto& [index, fault] = *std::ranges::min_element(faults, {}, length);
  const Failure smallest = Shrinker(checker, {candidates.at(index), fault}).smallest();
  FAIL(fmt::format("{} of {} programs fail; shrunk from {}:\n{}\n{}", faults.size(), values.size(),
                   class_name(index), smallest.fault, text_of(smallest.program)));
}
