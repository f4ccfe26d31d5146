// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

#include <catch2/catch.hpp>

#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/annotator/speedscope_page.hpp"

namespace jcprof::annotator {
namespace {

/// Samples and ticks of each stack, outermost first, as readers of `perf script` take a text apart.
struct Samples {
  std::size_t count = 0;
  double ticks = 0;
};

std::map<std::string, Samples> stacks_in(const std::string& text) {
  static const std::regex header(R"((\S+) (\d+)/(\d+) +(\d+\.\d{9}): (\d+) (\S+): ?)");
  static const std::regex frame(R"(\s+([0-9a-f]+) (.+) \((\S*)\))");
  std::map<std::string, Samples> stacks;
  std::istringstream lines(text);
  double before = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::smatch parts;
    INFO(line);
    REQUIRE(std::regex_match(line, parts, header));
    const double ticks = std::stod(parts[5]);
    CHECK(std::stod(parts[4]) > before);
    before = std::stod(parts[4]);
    const std::string thread = parts[1];
    std::string stack;
    while (std::getline(lines, line) && !line.empty()) {
      REQUIRE(std::regex_match(line, parts, frame));
      stack = ";" + parts[2].str() + stack;
    }
    Samples& samples = stacks[thread + stack];
    ++samples.count;
    samples.ticks += ticks;
  }
  return stacks;
}

}  // namespace

TEST_CASE("the text of perf script has as many samples of a stack as it has ticks") {
  const auto stacks = stacks_in(to_perf(test::some_measured()));
  CHECK(stacks.at("pin;p [A.java:1];A.java:20").count == 1120);
  double sum = 0;
  for (const auto& [stack, samples] : stacks) sum += samples.ticks;
  CHECK(sum == 1980);
}

TEST_CASE("the text of perf script tells the threads of a recording apart") {
  const auto stacks = stacks_in(to_perf(recorded_profile(test::some_recording())));
  CHECK(stacks.at("thread_1_words;main [words.c:20];count [words.c:5];put [words.c:1]").ticks ==
        Approx(599.6).margin(1));
  CHECK(stacks.at("thread_2;count [words.c:5]").ticks == Approx(150).margin(1));
}

TEST_CASE("a long run has ten thousand samples in the text of perf script, of one period") {
  Profile profile = test::some_measured();
  for (CostNode& node : profile.tree.nodes) {
    node.exclusive *= 1e9;
    for (CostLine& line : node.lines) line.cost *= 1e9;
  }
  std::size_t count = 0;
  for (const auto& [stack, samples] : stacks_in(to_perf(profile))) count += samples.count;
  CHECK(count == 10'000);
}

TEST_CASE("the text of perf script says what was measured, and tells namesakes of two files apart") {
  Profile profile = test::some_measured();
  for (std::size_t i = 0; i < profile.tree.functions.size(); ++i) {
    profile.tree.functions[i].name = "f";
    profile.tree.functions[i].path = i == 0 ? "A.java" : "B.java";
  }
  const std::string text = to_perf(profile);
  CHECK(text.starts_with("# ========\n# device : synthetic\n# SIMULATED : yes\n# unit : ns\n"));
  CHECK(text.find(" f [A.java:") != std::string::npos);
  CHECK(text.find(" f [B.java:") != std::string::npos);
}

TEST_CASE("deep stacks have fewer samples in the text of perf script, so that it stays below 60 MB") {
  Profile profile = test::some_measured();
  profile.tree = {};
  profile.tree.functions = {{.name = std::string(400, 'f'), .path = "A.java", .line = 1}};
  for (std::uint32_t i = 0; i < 500; ++i)
    profile.tree.nodes.push_back({.parent = i == 0 ? CostNode::none : i - 1, .exclusive = i < 499 ? 0 : 1e9});
  const std::string text = to_perf(profile);
  CHECK(text.size() < 60'000'000);
  CHECK(text.size() > 20'000'000);
}

TEST_CASE("names in the text of perf script stay on their line, in their field") {
  Profile profile = test::some_measured();
  profile.run.project = "a b\nc";
  for (CostFunction& function : profile.tree.functions) {
    function.name = "(lost) f (x)\n\n";
    function.module = "/a b/c";
  }
  const auto stacks = stacks_in(to_perf(profile));
  CHECK(std::ranges::all_of(stacks,
                            [](const auto& one) { return one.first.starts_with("a_b?c;[lost] f [x]??"); }));
}

TEST_CASE("speedscope in Chromium shows the text of perf script with its times") {
  const std::string table = test::speedscope_table(to_perf(test::some_measured()));
  if (table.empty()) return;
  INFO(table);
  CHECK(table.find("1.12µs (57%) 1.12µs (57%) A.java:20\n") != std::string::npos);
  CHECK(table.find("1.98µs (100%) 0.00ns (<0.01%) p [A.java:1]\n") != std::string::npos);
}

}  // namespace jcprof::annotator
