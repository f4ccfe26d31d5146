// SPDX-License-Identifier: Apache-2.0
// Names come from sources, cards and logs. Whatever bytes they are, each format stays what it is.
#include <algorithm>
#include <regex>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "annotator/annotated_tree.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/record/profile.hpp"
#include "annotator/show/show.hpp"
#include "src/core/text.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

/// Markup, a terminal's escape, ends of lines, what parts folded stacks, a callgrind line, a text that runs
/// backwards, NUL, and bytes that are no UTF-8.
const std::string hostile =
    std::string("<b>\x1b[2J;\nfn=(9) x\r\n\xE2\x80\xAE\xC2\x9B") + '\0' + "\xFF\xED\xA0\x80 1";

Profile with_hostile_names(Profile profile) {
  profile.run.project = profile.run.device = hostile;
  profile.warnings = {hostile};
  for (LineEstimate& line : profile.lines) line.function = line.path = hostile;
  for (FunctionEstimate& function : profile.functions) function.function = function.path = hostile;
  for (SourceDigest& source : profile.sources) source.path = hostile;
  for (CostFunction& function : profile.tree.functions)
    if (!function.is_thread) function.name = function.path = function.module = hostile;
  for (CostNode& node : profile.tree.nodes)
    for (CostLine& line : node.lines) line.path = hostile;
  return profile;
}

std::vector<Profile> hostile_profiles() {
  return {with_hostile_names(test::some_measured()),
          with_hostile_names(recorded_profile(test::some_recording()))};
}

/// Of a text of lines: none but those, and nothing that a terminal would obey.
bool is_harmless(const std::string& text) {
  return is_utf8(text) && text.find('\x1b') == std::string::npos && text.find('\0') == std::string::npos &&
         text.find("\xE2\x80\xAE") == std::string::npos && text.find("\xC2\x9B") == std::string::npos;
}

std::size_t first_line(const Profile& profile) {
  return profile.lines.empty() ? profile.functions.front().line : profile.lines.front().line;
}

}  // namespace

TEST_CASE("hostile names leave folded stacks a line a stack") {
  for (const Profile& profile : hostile_profiles()) {
    const std::string text = to_folded(profile);
    CHECK(is_harmless(text));
    CHECK(std::regex_match(text, std::regex("([^\n]+ [0-9]+\n)+")));
    CHECK(std::ranges::count(text, '\n') == (profile.recorded ? 5 : 6));
  }
}

TEST_CASE("hostile names leave JSON, speedscope, the Firefox Profiler's and SARIF well-formed") {
  for (const Profile& profile : hostile_profiles())
    for (const std::string& text : {to_json(profile), to_speedscope(profile), to_firefox(profile),
                                    to_sarif(profile), line_json(profile, {hostile, first_line(profile)})}) {
      CHECK(nlohmann::json::accept(text));
      CHECK(is_harmless(text));
    }
}

TEST_CASE("hostile names leave metrics a series a line, and perf script a frame a line") {
  for (const Profile& profile : hostile_profiles()) {
    const std::string metrics = to_openmetrics(profile);
    const std::string perf = to_perf(profile);
    CHECK(is_harmless(metrics));
    CHECK(is_harmless(perf));
    std::istringstream lines(metrics);
    for (std::string line; std::getline(lines, line);)
      CHECK(std::regex_match(line, std::regex("# .+|jcprof_[a-z_]+\\{.+\\} [-+.e0-9]+")));
    // libstdc++ recurses for each character of a match: the first samples will do.
    CHECK(std::regex_search(
        perf.substr(perf.find("\n#\n") + 3, 2000),
        std::regex(
            "^[^ \n]+ 1/[0-9]+ [0-9.]+: [0-9]+ [a-z-]+: \n(\t +[0-9a-f]+ [^\n]+ \\([^ \n]+\\)\n)+\n")));
  }
}

TEST_CASE("speedscope shows what is no plain text as question marks") {
  const auto document = nlohmann::json::parse(to_speedscope(hostile_profiles().front()));
  for (const auto& frame : document["shared"]["frames"])
    CHECK(frame["file"].get<std::string>() == "<b>?[2J;?fn=(9) x??????? 1");
}

TEST_CASE("hostile names leave CSV a record a line") {
  for (const Profile& profile : hostile_profiles()) {
    const std::string text = to_csv(profile);
    CHECK(is_harmless(text));
    CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) ==
          1 + (profile.recorded ? profile.functions.size() : profile.lines.size()));
  }
}

TEST_CASE("a spreadsheet finds no formula in CSV, and numbers stay numbers") {
  Profile profile = test::some_measured();
  REQUIRE(profile.lines.size() >= 4);
  profile.lines[0].function = "=HYPERLINK(\"x\")";
  profile.lines[1].function = "+1";
  profile.lines[2].function = "-[A b]";
  profile.lines[3].path = "@SUM(1)";
  profile.lines[3].cost.ticks.low = -2.5;
  const std::string text = to_csv(profile);
  for (const char* cell :
       {",\"'=HYPERLINK(\"\"x\"\")\",", ",\"'+1\",", ",\"'-[A b]\",", "\n\"'@SUM(1)\",", ",-2.5,"}) {
    INFO(cell);
    CHECK(text.find(cell) != std::string::npos);
  }
}

TEST_CASE("the hottest lines of annotated sources are shown harmless") {
  const Profile profile = hostile_profiles().front();
  std::string text;
  for (int line = 0; line < 60; ++line) text += "\x1b[2J\xE2\x80\xAE\xC2\x9B\xFF\n";
  const std::string shown = hot_lines(profile, {{.path = hostile, .file = {}, .text = text, .notes = {}}}, 3);
  CHECK(is_harmless(shown));
  CHECK(std::ranges::count(shown, '\n') == 4);
}

TEST_CASE("a hostile path is a URI with all its bytes") {
  const auto sarif = nlohmann::json::parse(to_sarif(hostile_profiles().front()));
  const std::string uri =
      sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
  CHECK(uri.starts_with("%3Cb%3E%1B%5B2J%3B%0Afn%3D%289%29%20x%0D%0A%E2%80%AE%C2%9B%00%FF%ED%A0%80%201"));
}

TEST_CASE("callgrind_annotate reads hostile names and the same total") {
  for (const Profile& profile : hostile_profiles()) {
    const test::ForeignReader reader;
    reader.write("callgrind.out", to_callgrind(profile));
    const std::string text = reader.says({"callgrind_annotate", "callgrind.out"});
    INFO(text);
    CHECK(is_harmless(text));
    CHECK(text.find("WARNING") == std::string::npos);
    CHECK(std::regex_search(
        text, std::regex(profile.recorded ? "\n1,201 .*PROGRAM TOTALS\n" : "\n1,980 .*PROGRAM TOTALS\n")));
  }
}

TEST_CASE("pprof reads hostile names and the same total") {
  const std::string program = test::from_cache("pprof/pprof");
  if (program.empty()) return;
  for (const Profile& profile : hostile_profiles()) {
    const test::ForeignReader reader;
    reader.write("profile.pb.gz", to_pprof(profile));
    const std::string text = reader.says({program, "-symbolize=none", "-top", "-unit=ns", "profile.pb.gz"});
    INFO(text);
    CHECK(is_harmless(text));
    CHECK(text.find(profile.recorded ? "1201ns total" : "1980ns total") != std::string::npos);
  }
}

TEST_CASE("a row of CSV stays one record, whatever is in the name") {
  Profile profile = test::some_measured();
  profile.lines.resize(1);
  profile.lines[0].function = "a\"b,\nc";
  const test::ForeignReader reader;
  reader.write("profile.csv", to_csv(profile));
  reader.write("read.py", R"(import csv
rows = list(csv.reader(open("profile.csv", newline="")))
print(len(rows), rows[1][2] == 'a"b,?c', round(float(rows[1][5])))
)");
  CHECK(reader.says({"/usr/bin/python3", "read.py"}) == "2 True 1120\n");
}

}  // namespace jcprof::annotator
