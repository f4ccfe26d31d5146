// SPDX-License-Identifier: Apache-2.0
#include "annotator/source_comments.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "annotator/estimate/quantity.hpp"

namespace jcprof::annotator {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Profile small_profile() {
  Profile profile;
  profile.run.device = "gd60";
  profile.run.started = "2017-07-25T21:10:19.581Z";
  const auto cost = [](double value, double half, double share) {
    return Estimate{.ticks = {value, value - half, value + half},
                    .share = {share, 0, 1},
                    .raw = value,
                    .rounds = 10,
                    .resolved = value > half};
  };
  profile.lines = {{"A.java", 3, "p", 1, cost(40.2e6, 0.3e6, 0.314)},
                   {"A.java", 4, "p", 50, cost(40.2e6, 0.3e6, 0.314)},
                   {"A.java", 5, "p", 1, cost(1e3, 299e3, 0.001)},
                   {"B.java", 1, "q", 1, cost(5, 1, 0.1)}};
  profile.unreached = {{"A.java", 6, "p"}};
  return profile;
}

std::string annotated(std::string_view text, const Profile& profile, std::string_view language = "java") {
  return annotate_text(text, language, comments_for(profile, "A.java")).text;
}

constexpr std::string_view source =
    "class A {\n"
    "  void p() {\n"
    "    a();\n"
    "    for (;;) b();  // mine\n"
    "\tc();  \n"
    "    d(); /* goes\n"
    "    on */ }}";

}  // namespace

TEST_CASE("lines get their cost behind them, with the device and the date of the run") {
  CHECK(annotated(source, small_profile()) ==
        "class A {\n"
        "  void p() {\n"
        "    a(); // 40.2 ms ±0.3 (31.4 %) ×1 (gd60, 2017-07-25 21:10 UTC)\n"
        "    for (;;) b();  // mine // 40.2 ms ±0.3 (31.4 %) ×50, 0.80 ms each (gd60, 2017-07-25 21:10 UTC)\n"
        "\tc();   // < 300 µs ×1 (gd60, 2017-07-25 21:10 UTC)\n"
        "    d(); /* goes // not reached (gd60, 2017-07-25 21:10 UTC)\n"
        "    on */ }}");
}

TEST_CASE("what was passed and never measured is called that") {
  Profile profile = small_profile();
  profile.lines[0].cost = {.ticks = {0, -INFINITY, INFINITY}};
  const std::string text = annotated(source, profile);
  CHECK(text.find("    a(); // not measured ×1 (gd60, 2017-07-25 21:10 UTC)\n") != std::string::npos);
  CHECK(without_comments(text) == source);
}

TEST_CASE("annotating again replaces what was there, and taking it out gives the original bytes") {
  const std::string once = annotated(source, small_profile());
  CHECK(annotated(once, small_profile()) == once);
  Profile other = small_profile();
  other.lines.erase(other.lines.begin());
  other.run.simulated = true;
  other.run.device = "jcardsim";
  CHECK(annotated(once, other) == annotated(source, other));
  CHECK(without_comments(once) == source);
  CHECK(without_comments(annotated(source, other)) == source);
}

TEST_CASE("undated comments of another run with the same times are the same") {
  const auto undated = [](const std::string& started) {
    Profile profile = small_profile();
    profile.run.started = started;
    return annotate_text(source, "java", comments_for(profile, "A.java", Dating::undated)).text;
  };
  const std::string text = undated("2017-07-25T21:10:19.581Z");
  CHECK(text.find("    a(); // 40.2 ms ±0.3 (31.4 %) ×1 (gd60, jcprof)\n") != std::string::npos);
  CHECK(undated("2026-01-02T03:04:05Z") == text);
  CHECK(without_comments(text) == source);
}

TEST_CASE("carriage returns stay at the ends of their lines") {
  CHECK(annotated("\r\n\r\na();\r\n", small_profile()) ==
        "\r\n\r\na(); // 40.2 ms ±0.3 (31.4 %) ×1 (gd60, 2017-07-25 21:10 UTC)\r\n"
        " // 40.2 ms ±0.3 (31.4 %) ×50, 0.80 ms each (gd60, 2017-07-25 21:10 UTC)");
}

TEST_CASE("comments of the user's that look a little like ours are left alone") {
  for (const std::string line :
       {"x(); // 40.2 ms", "x(); // < 0.3 ms", "x(); // not reached", "x(); // 40.2 ms ±0.3 (31.4 %) ×1",
        "x(); // not reached (ever)", "x(); // 40.2 ms ±0.3 (31.4 %) ×1 (gd60, 2017-07-25 21:10 UTC) really",
        "x();// not reached (gd60, 2017-07-25 21:10 UTC)", "// not reached (gd60, 2017-07-25 21:10 UTC)"})
    CHECK(without_comments(line) == line);
  for (const std::string signature :
       {"(gd60,1501017019581)", "(gd60, 2017-07-25 21:10 UTC)", "(gd60, no date)", "(gd60, jcprof)"})
    CHECK(without_comments("a(); // not reached " + signature + "\n") == "a();\n");
}

TEST_CASE("a simulator is marked within the signature, and no device name can break the comment") {
  RunInfo run{.started = "nonsense", .device = "jcardsim", .simulated = true};
  CHECK(signature_of(run) == "(jcardsim simulated, no date)");
  run = {.started = "1970-01-01T00:00:01Z", .device = "a\\u000a*/\n,)"};
  CHECK(signature_of(run) == "(a_u000a_____, 1970-01-01 00:00 UTC)");
  CHECK(signature_of({.started = "2000-03-01T00:00:00.5Z"}) == "(unknown, 2000-03-01 00:00 UTC)");
  run.device = "Intel(R) Core(tm) i7";
  CHECK(signature_of(run) == "(Intel Core i7, 1970-01-01 00:00 UTC)");
}

TEST_CASE("a line inside a text block keeps its text, and line 1 says so") {
  const std::string text =
      "class A {\n"
      "  String s = \"\"\"\n"
      "    a \\\"\"\" \n"
      "    b\n"
      "    \"\"\"; String t = \"\"\" + '\"'; // \"\"\"\n"
      "  }\n";
  Profile profile = small_profile();
  profile.lines.resize(2);
  profile.unreached.clear();
  const std::string result = annotated(text, profile);
  CHECK(result ==
        "class A { // jcprof: no room for a comment at line 3 (a literal goes on), line 4 (a literal goes on)"
        " (gd60, 2017-07-25 21:10 UTC)\n" +
            text.substr(text.find('\n') + 1));
  CHECK(without_comments(result) == text);
  CHECK(annotated(result, profile) == result);
}

TEST_CASE("C: a backslash joins lines, raw strings go on, and digit separators are no quotes") {
  const std::string text = "int a = 1'000;\n\n#define X \\\n  b() \\\n c(R\"x(\n d)\" )x\");\n";
  Profile profile = small_profile();
  const AnnotatedText result = annotate_text(text, "c++", comments_for(profile, "A.java"));
  REQUIRE(result.skipped.size() == 3);
  CHECK(result.skipped[0].line == 3);
  CHECK(result.skipped[0].reason == "a backslash joins the next line");
  CHECK(result.skipped[2].reason == "a literal goes on");
  CHECK(without_comments(result.text) == text);
}

TEST_CASE("values have the digits that their interval carries") {
  const auto shown = [](double value, double half, ClockUnit unit = ClockUnit::ns) {
    const Quantity q = quantity({value, value - half, value + half}, unit);
    return q.value + " ±" + q.half_width;
  };
  CHECK(shown(40.2e6, 0.3e6) == "40.2 ms ±0.3");
  CHECK(shown(40.23456e6, 0.0021e6) == "40.235 ms ±0.002");
  CHECK(shown(40.2e6, 12e6) == "40 ms ±12");
  CHECK(shown(812, 4) == "812 ns ±4");
  CHECK(shown(1500, 0) == "1.500 µs ±0");
  CHECK(shown(1.5e9, 1) == "1.50000 s ±0.000000001");
  CHECK(shown(999.9, 20) == "1.00 µs ±0.02");
  CHECK(shown(0, 0) == "0.000 ns ±0");
  CHECK(shown(40.2e6, infinity) == "40.2 ms ±?");
  CHECK(quantity({129e3, 82e3, 226e3}, ClockUnit::ns).half_width == "97");  // off the middle
  CHECK(shown(123456, 300, ClockUnit::instructions) == "123.5 k instructions ±0.3");
  CHECK(upper_bound(271e3, ClockUnit::ns) == "271 µs");
  CHECK(upper_bound(0, ClockUnit::cycles) == "0.0 cycles");
  CHECK(percent(0.314) == "31.4 %");
  CHECK(percent(0.0062) == "0.62 %");
}

}  // namespace jcprof::annotator
