// SPDX-License-Identifier: Apache-2.0
// The traced run is held against the command that is measured.
#include "harness/survey.hpp"

#include <catch2/catch.hpp>

#include "tests/support/fake_transport.hpp"

namespace jcprof::harness {
namespace {

using test::FakeTransport;

const std::string unlike =
    ": the path is not that of the measured command; bring the target back to one state "
    "before each run: \"before_each\" or \"reset\" in \"session\"";

Survey surveyed(FakeTransport& target, std::uint32_t inputs = 1) {
  TrapMap map;
  map.traps.push_back({.id = TrapId{1}});
  std::vector<StoredInput> all;
  for (std::uint32_t i = 0; i < inputs; ++i) all.push_back({.index = i, .bytes = {0xAB}});
  return survey(map, target, all);
}

std::vector<std::string> texts_of(const Survey& survey) {
  std::vector<std::string> texts;
  for (const Warning& warning : survey.warnings) texts.push_back(to_text(warning));
  return texts;
}

std::vector<std::string> warned(FakeTransport& target) {
  return texts_of(surveyed(target));
}

/// A steady path; full runs answer 9000 with two bytes.
FakeTransport steady() {
  FakeTransport target;
  target.paths[0] = {TrapId{1}};
  return target;
}

}  // namespace

TEST_CASE("a traced run that answers as the plain one does is no reason for a warning, nor for another run") {
  FakeTransport target = steady();
  CHECK(warned(target).empty());
  CHECK(target.asked.size() == 1);
}

TEST_CASE("a traced run that answers another status than the plain one is told, with both") {
  FakeTransport target = steady();
  target.traced_end = {{.outcome = Outcome::ended, .status = 0x6985}};
  CHECK(warned(target) ==
        std::vector<std::string>{
            "traced answer: input 0 (ab): the traced run answers 6985 with 0 bytes, the plain "
            "one answers 9000 with 2 bytes" +
            unlike});
  target.whole.status = 0;
  target.traced_end = {{.outcome = Outcome::ended, .status = 3, .reply = {1, 2}}};
  CHECK(warned(target) == std::vector<std::string>{
                              "traced answer: input 0 (ab): the traced run ends with status 3, the plain one "
                              "ends with status 0" +
                              unlike});
}

TEST_CASE("a traced run that answers another length is told where plain runs agree on theirs") {
  FakeTransport target = steady();
  target.traced_end = {{.outcome = Outcome::ended, .status = 0x9000, .reply = {1}}};
  CHECK(warned(target) ==
        std::vector<std::string>{
            "traced answer: input 0 (ab): the traced run answers 9000 with 1 bytes, the plain "
            "one answers 9000 with 2 bytes" +
            unlike});
  target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n % 4 == 0) sample.reply = {1, 2, 3};
  };
  CHECK(warned(target).empty());
}

TEST_CASE("one traced run that ends otherwise by chance is not told") {
  for (const Sample& once : {Sample{.outcome = Outcome::ended, .status = 0x9000, .reply = {1}},
                             Sample{.outcome = Outcome::ended, .status = 0x6F00}}) {
    FakeTransport target = steady();
    // All windows of the first trace are of that run.
    target.before_trace = [&](std::uint64_t n) {
      target.traced_end = n == 1 ? std::optional(once) : std::nullopt;
    };
    CHECK(warned(target).empty());
  }
}

TEST_CASE("no warning comes of traced runs that end otherwise twice and then as plain ones do") {
  FakeTransport target = steady();
  // Each path takes twelve traced runs, as shots carry no signature.
  target.before_trace = [&](std::uint64_t n) {
    const Sample odd{.outcome = Outcome::ended, .status = 0x6F00};
    target.traced_end = n <= 24 ? std::optional(odd) : std::nullopt;
  };
  CHECK(warned(target).empty());
  CHECK(target.traces == 36);
}

TEST_CASE("where the first plain run was an odd one the answer of most plain runs is the good one") {
  FakeTransport target = steady();
  target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n == 1) sample = {.outcome = Outcome::ended, .status = 0x6F00};
  };
  const Survey survey = surveyed(target);
  CHECK(survey.good.front().status == 0x9000);
  CHECK(survey.good.front().length == 2);
  CHECK(texts_of(survey) ==
        std::vector<std::string>{
            "answer: 8 of 9 plain runs of input 0 (ab) answer 9000, the others otherwise; bring the target "
            "back to one state before each run: \"before_each\" or \"reset\" in \"session\""});
}

TEST_CASE("a command that is answered right only once is refused with both answers and what to do") {
  FakeTransport target = steady();
  target.right = {0x9000};
  target.traced_end = {{.outcome = Outcome::ended, .status = 0x6985}};
  target.twist = [](const Shot&, std::uint64_t n, Sample& sample) {
    if (n > 1) sample = {.outcome = Outcome::ended, .status = 0x6985};
  };
  CHECK_THROWS_WITH(
      surveyed(target),
      "the command is answered right at first, with 9000, and then otherwise: 8 of 9 plain runs of input 0 "
      "(ab) answer 6985\n"
      "hint: it leaves a state behind: undo that in \"before_each\" of \"session\", or by \"reset\" there; "
      "if that answer is right, put \"expect\": \"6985\" into \"trigger\" of jcprof.json");
  // An answer that the project wants too is told as one that varies.
  target.asked.clear();
  target.right = {0x9000, 0x6985};
  const Survey survey = surveyed(target);
  CHECK(survey.good.front().status == 0x6985);
  REQUIRE(survey.warnings.size() == 1);
  CHECK(survey.warnings.front().kind == WarningKind::answer);
}

TEST_CASE("an input whose traced run is answered otherwise is left out, and the others stay") {
  FakeTransport target = steady();
  target.traced_end = {{.outcome = Outcome::ended, .status = 0x6985}};
  target.odd_input = 0;
  const Survey survey = surveyed(target, 3);
  REQUIRE(survey.paths.size() == 1);
  CHECK(survey.paths.front().inputs == std::vector<std::uint32_t>{1, 2});
  CHECK(texts_of(survey) ==
        std::vector<std::string>{"input: input 0 (ab) is left out: the traced run answers 6985 with 0 bytes, "
                                 "the plain one answers 9000 with 2 bytes" +
                                 unlike});
}

TEST_CASE("jcprof measures every input, and warns of each, where all traced runs are answered otherwise") {
  FakeTransport target = steady();
  target.traced_end = {{.outcome = Outcome::ended, .status = 0x6985}};
  const Survey survey = surveyed(target, 2);
  REQUIRE(survey.paths.size() == 1);
  CHECK(survey.paths.front().inputs == std::vector<std::uint32_t>{0, 1});
  REQUIRE(survey.warnings.size() == 2);
  for (const Warning& warning : survey.warnings) CHECK(warning.kind == WarningKind::traced_answer);
}

TEST_CASE("where runs take several paths another status is told, and the profile stays what it is") {
  FakeTransport target = steady();
  target.before_trace = [&target](std::uint64_t n) { target.paths[0].resize(1 + n % 2, TrapId{1}); };
  target.traced_end = {{.outcome = Outcome::ended, .status = 0x6985}};
  const std::vector<std::string> texts = warned(target);
  REQUIRE(texts.size() == 2);
  CHECK(texts[0].starts_with("answer: input 0 (ab): the traced run answers 6985"));
  CHECK(texts[1].starts_with("path varies: "));
}

TEST_CASE("an agent that does not say how a traced run ends is asked for nothing more") {
  FakeTransport target = steady();
  target.traced_end = {{.outcome = Outcome::ended}};
  CHECK(warned(target).empty());
}

}  // namespace jcprof::harness
