// SPDX-License-Identifier: Apache-2.0
// The reports that people get of the examples, and Chromium's opinion of them.
#include <fstream>
#include <regex>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "tests/end_to_end/workplace.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Said;
using test::Workplace;

std::string expect(const Workplace& place, const std::vector<std::string>& argv) {
  const Said said = place.run(argv);
  INFO(said.out << said.err);
  REQUIRE(said.status == 0);
  return said.out;
}

/// c-sort in the workplace, and one profile of it by the name of its folder.
class Sort {
 public:
  explicit Sort(const std::string& name) : place(name), project(place.example("c-sort")) {}

  std::string profile(const std::string& out) const {
    return expect(place, {"jcprof", "profile", project.string(), "-o", out, "--no-refine", "--rounds", "10"});
  }

  Workplace place;
  fs::path project;
};

struct Report {
  std::string page;  // without its data
  json data;
};

Report report_in(const fs::path& folder) {
  const std::string html = read_file(folder / "report.html");
  const std::string opening = "id=\"profile\">";
  const std::size_t begin = html.find(opening) + opening.size();
  const std::size_t end = html.find("</script>", begin);
  REQUIRE(end != std::string::npos);
  return {html.substr(0, begin) + html.substr(end), json::parse(html.substr(begin, end - begin))};
}

const json& line_of(const json& lines, int line) {
  for (const json& one : lines)
    if (one["line"] == line) return one;
  FAIL("no line " << line);
  return lines;
}

}  // namespace

TEST_CASE("a profile comes with a report that has its sources and asks for nothing") {
  const Sort sort("report");
  CHECK(sort.profile("out").ends_with("\nreport:    @/out/report.html\n"));
  const Report report = report_in(sort.place / "out");
  // Names of namespaces are no requests; these would be.
  const std::regex request(
      R"(<(link|img|iframe|object|embed|base|form|audio|video)\b|\b(src|href)\s*=\s*["'])");
  const std::size_t script = report.page.rfind("<script>");
  REQUIRE(script != std::string::npos);
  const std::string markup = report.page.substr(0, script);
  CHECK_FALSE(std::regex_search(markup, request));
  CHECK(markup.find("@import") == std::string::npos);
  CHECK(markup.find("url(") == std::string::npos);
  CHECK(report.data["project"] == "c-sort");
  CHECK(report.data["files"][0]["path"] == "src/sort.c");
  CHECK(report.data["files"][0]["text"] == read_file(sort.project / "src/sort.c"));
  CHECK(line_of(report.data["lines"], 30).contains("rounds"));
  CHECK(report.data["tree"]["functions"][0][0] == "main");
}

TEST_CASE("a source that was changed has no text in the report, and no annotated copy") {
  const Sort sort("report-changed");
  sort.profile("out");
  std::ofstream(sort.project / "src/sort.c", std::ios::app) << "\n";
  const Said said = sort.place.run({"jcprof", "annotate", sort.project.string(), "-o", "out"});
  CHECK(said.status == 2);
  CHECK(said.out == "report:    @/out/report.html\n");
  CHECK(said.err.find("src/sort.c: changed since it was measured") != std::string::npos);
  const json file = report_in(sort.place / "out").data["files"][0];
  CHECK(file["path"] == "src/sort.c");
  CHECK(file["text"].is_null());
  CHECK(file["why"] == "changed since it was measured");
}

TEST_CASE("a change is seen beside the profile from before it") {
  const Sort sort("report-against");
  sort.profile("before");
  test::replace_in(sort.project / "src/sort.c", "  if (count <= FEW) {",
                   "  if (!words) return;\n  if (count <= FEW) {");
  sort.profile("after");
  expect(sort.place, {"jcprof", "annotate", sort.project.string(), "-o", "after", "--against",
                      "before/profile.jcprof", "-q"});
  const json against = report_in(sort.place / "after").data["against"];
  CHECK(against["project"] == "c-sort");
  CHECK(line_of(against["lines"], 29)["verdict"] == "new");
  CHECK(line_of(against["lines"], 31)["was"] == 30);
  for (const json& line : against["lines"]) CHECK(line["verdict"] != "gone");
  const Said refused = sort.place.run(
      {"jcprof", "annotate", sort.project.string(), "-o", "after", "--against", "nowhere.jcprof"});
  CHECK(refused.status == 2);
  CHECK(refused.err.starts_with("there is no \"nowhere.jcprof\""));
}

TEST_CASE("Chromium finds no fault in the reports of the examples") {
  const Sort sort("report-chromium");
  sort.profile("before");
  sort.profile("sort");
  expect(sort.place, {"jcprof", "annotate", sort.project.string(), "-o", "sort", "--against",
                      "before/profile.jcprof", "-q"});
  expect(sort.place, {"jcprof", "profile", sort.place.example("javacard-pin").string(), "-o", "pin",
                      "--no-refine", "--rounds", "10"});
  const fs::path words = sort.place.example("record-wordcount");
  expect(sort.place, {"make", "-C", words.string(), "JCPROF_INCLUDE=" JCPROF_SOURCE_DIR "/templates"});
  expect(sort.place, {"jcprof", "record", "-q", "-o", "words", "--", (words / "wordcount").string(),
                      JCPROF_SOURCE_DIR "/README.md"});
  expect(sort.place, {"jcprof", "annotate", "words/profile.jcprof", "-q"});
  std::vector<std::string> check{"env", "JCPROF_CACHE=" JCPROF_CACHE, JCPROF_NODE,
                                 JCPROF_SOURCE_DIR "/tests/page/check-reports.mjs"};
  for (const char* folder : {"before", "sort", "pin", "words"})
    check.push_back((sort.place / folder / "report.html").string());
  const std::string said = expect(sort.place, check);
  if (said.starts_with("SKIPPED:")) WARN(said);
}

}  // namespace jcprof
