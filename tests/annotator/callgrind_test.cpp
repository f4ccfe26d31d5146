// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <regex>

#include <catch2/catch.hpp>

#include "annotator/record/profile.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

/// What callgrind_annotate prints, without thousands' commas and blanks before numbers.
std::string annotated(const Profile& profile, const std::string& inclusive) {
  const test::ForeignReader reader;
  reader.write("callgrind.out", to_callgrind(profile));
  const std::string text =
      reader.says({"callgrind_annotate", "--threshold=100", "--inclusive=" + inclusive, "callgrind.out"});
  return std::regex_replace(std::regex_replace(text, std::regex("([0-9]),(?=[0-9])"), "$1"),
                            std::regex("\n +"), "\n");
}

bool has(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

/// main calls f, which calls itself twice, at line 12.
Profile recursion() {
  Profile profile;
  profile.tree.functions = {{.name = "f", .path = "f.c", .line = 10},
                            {.name = "main", .path = "f.c", .line = 20}};
  profile.tree.nodes = {
      {.function = 1, .calls = 1, .exclusive = 100, .inclusive = 200},
      {.function = 0, .parent = 0, .from_line = 21, .calls = 1, .exclusive = 60, .inclusive = 100},
      {.function = 0, .parent = 1, .from_line = 12, .calls = 1, .exclusive = 30, .inclusive = 40},
      {.function = 0, .parent = 2, .from_line = 12, .calls = 1, .exclusive = 10, .inclusive = 10}};
  return profile;
}

}  // namespace

TEST_CASE("callgrind_annotate reads a measured run's costs by line") {
  const std::string text = annotated(test::some_measured(), "no");
  INFO(text);
  CHECK(has(text, "1980 (100.0%)  PROGRAM TOTALS"));
  CHECK(has(text, "1800 (90.91%)  A.java:p"));
  CHECK(has(text, "120 ( 6.06%)  A.java:g"));
  CHECK(has(text, "60 ( 3.03%)  A.java:f"));
}

TEST_CASE("callgrind_annotate adds up what calls take") {
  const std::string text = annotated(test::some_measured(), "yes");
  INFO(text);
  CHECK(has(text, "1980 (100.0%)  A.java:p"));
  CHECK(has(text, "120 ( 6.06%)  A.java:g"));
}

TEST_CASE("a measured run as callgrind has it") {
  CHECK(to_callgrind(test::some_measured()) ==
        "# callgrind format\n"
        "version: 1\n"
        "creator: jcprof 0.1.0\n"
        "cmd: pin\n"
        "desc: Device: synthetic, SIMULATED\n"
        "desc: Transport: vpcd\n"
        "desc: Started: 2026-01-02T03:04:05.678Z\n"
        "positions: line\n"
        "event: ns : nanoseconds\n"
        "events: ns\n"
        "summary: 1980\n"
        "\n"
        "fl=(1) A.java\nfn=(1) p\n1 300\n10 300\n20 1120\n30 80\n"
        "cfi=(1)\ncfn=(2) g\ncalls=1 50\n20 120\n"
        "cfi=(1)\ncfn=(3) f\ncalls=1 40\n20 60\n"
        "\n"
        "fl=(1)\nfn=(2)\n50 120\n"
        "\n"
        "fl=(1)\nfn=(3)\n40 60\n"
        "\n"
        "totals: 1980\n");
}

TEST_CASE("callgrind_annotate reads a recording: threads above, modules beside") {
  const std::string text = annotated(recorded_profile(test::some_recording()), "yes");
  INFO(text);
  CHECK(has(text, "1201 (100.0%)  PROGRAM TOTALS"));
  CHECK(has(text, "1101 (91.67%)  /src/words.c:count [/home/words]"));
  CHECK(has(text, "1000 (83.26%)  ???:thread 1 words [???]"));
  CHECK(has(text, "51 ( 4.25%)  ???:memcpy [/lib/libc.so.6]"));
}

TEST_CASE("a recursion takes what its outermost call takes, and no more") {
  const std::string text = annotated(recursion(), "yes");
  INFO(text);
  CHECK(has(text, "100 (50.00%)  f.c:f"));
  CHECK(to_callgrind(recursion()).find("cfn=(1)\ncalls=2 10\n12 0\n") != std::string::npos);
}

TEST_CASE("functions of one name in two files are two") {
  Profile profile = test::some_measured();
  profile.tree.functions[1].name = profile.tree.functions[2].name = "init";
  profile.tree.functions[2].path = "B.java";
  const std::string text = to_callgrind(profile);
  INFO(text);
  CHECK(text.find("cfi=(1)\ncfn=(2) init\n") != std::string::npos);
  CHECK(text.find("cfi=(2) B.java\ncfn=(3) init\n") != std::string::npos);
}

TEST_CASE("lines of another file than the function's are counted there") {
  Profile profile = test::some_measured();
  profile.tree.nodes[0].lines[1].path = "macros.h";
  const std::string text = annotated(profile, "no");
  INFO(text);
  CHECK(has(text, "1500 (75.76%)  A.java:p"));
  CHECK(has(text, "300 (15.15%)  macros.h:p"));
  CHECK(to_callgrind(profile).find("\nfi=(2) macros.h\n10 300\nfe=(1)\n") != std::string::npos);
}

}  // namespace jcprof::annotator
