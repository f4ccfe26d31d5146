// SPDX-License-Identifier: Apache-2.0
// The reports that people get of the examples.
#include <fstream>
#include <regex>

#include <fmt/format.h>
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
  explicit Sort(const std::string& name) : place(name), project(place.copied("examples/c-sort")) {}

  std::string profile(const std::string& out) const {
    return expect(place, {"jcprof", "profile", project.string(), "-o", out, "--no-refine", "--rounds", "8"});
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

const json& file_of(const Report& report, const std::string& path) {
  for (const json& file : report.data["files"])
    if (file["path"] == path) return file;
  FAIL("no file " << path);
  return report.data;
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
  CHECK(file_of(report, "src/sort.c")["text"] == read_file(sort.project / "src/sort.c"));
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
  CHECK(said.err.find("src/sort.c: the file has changed since it was measured") != std::string::npos);
  const Report report = report_in(sort.place / "out");
  const json& file = file_of(report, "src/sort.c");
  CHECK(file["text"].is_null());
  CHECK(file["why"] == "the file has changed since it was measured");
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
  const json diff = json::parse(sort.place.run({"jcprof", "diff", "before", "after", "--json"}).out);
  CHECK(diff["format"] == "jcprof-diff");
  CHECK(line_of(diff["lines"], 29)["verdict"] == "new");
  CHECK(line_of(diff["lines"], 31)["line_before"] == 30);
  const Said refused = sort.place.run(
      {"jcprof", "annotate", sort.project.string(), "-o", "after", "--against", "nowhere.jcprof"});
  CHECK(refused.status == 2);
  CHECK(refused.err.starts_with("there is no \"nowhere.jcprof\""));
}

}  // namespace jcprof
