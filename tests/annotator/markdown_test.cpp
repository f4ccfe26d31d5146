// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/exports.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "annotator/record/profile.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_measured.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::annotator {
namespace {

/// As GitHub's own renderer makes it.
std::string html(const Profile& profile) {
  const test::ForeignReader reader;
  reader.write("summary.md", to_markdown(profile));
  return reader.says({"cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "summary.md"});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a measured run as Markdown") {
  Profile profile = test::some_measured();
  profile.lines.resize(2);
  profile.functions.resize(1);
  profile.warnings = {"the clock ticks ``` slowly"};
  CHECK(to_markdown(profile) ==
        "### `pin` on `synthetic`, **SIMULATED**\n"
        "\n"
        "10 rounds, 130 shots; total 10.98 µs ±0.01, of it 9.000 µs before the first trap and 0.000 ns ±0 "
        "unattributed. Intervals are 95 % within this session; another session may be faster or slower as a "
        "whole.\n"
        "\n"
        "- hottest line: `A.java:20` (over 99 % sure)\n"
        "- hottest function: `p` (over 99 % sure)\n"
        "\n"
        "| typical | ± | share | hits | line | function |\n"
        "|--:|--:|--:|--:|---|---|\n"
        "| 1.120 µs | ±0.004 | 56.6 % | ×1 | `A.java:20` | `p` |\n"
        "| 300 ns | ±3 | 15.2 % | ×1 | `A.java:1` | `p` |\n"
        "\n"
        "| typical own | ± | share | with calls | ± | share | calls | function | line |\n"
        "|--:|--:|--:|--:|--:|--:|--:|---|---|\n"
        "| 1.80 µs | ±0.01 | 90.9 % | 1.98 µs | ±0.01 | 100.0 % | ×1 | `p` | `A.java:1` |\n"
        "\n"
        "````text\n"
        "warning: the clock ticks ``` slowly\n"
        "````\n");
}

TEST_CASE("GitHub's renderer shows the lines and functions of a profile as tables") {
  const std::string page = html(test::some_measured());
  INFO(page);
  CHECK(count(page, "<table>") == 2);
  CHECK(count(page, "<tr>") == 1 + test::some_measured().lines.size() + 1 + 3);
  CHECK(count(page, "<td align=\"right\">1.120 µs</td>") == 1);
  CHECK(count(page, "<td align=\"right\">56.6 %</td>") == 1);
  CHECK(count(page, "<strong>SIMULATED</strong>") == 1);
}

TEST_CASE("a recording as Markdown says what it consists of") {
  const std::string page = html(recorded_profile(test::some_recording()));
  INFO(page);
  CHECK(
      count(page,
            "<p>230 events of 2 threads, 3 more lost; total 1.2 µs ±0.1. "
            "Intervals are how far another recording of as many commands would be from this one, 95 times in "
            "100.") == 1);
  CHECK(count(page, "<table>") == 1);
  CHECK(count(page, "<pre><code class=\"language-text\">warning: lost: 3 events found no room") == 1);
}

TEST_CASE("names mark nothing up in Markdown") {
  Profile profile = test::some_measured();
  const std::string hostile = "`</code>|<script>alert(1)</script>\\|[a](http://b) @octocat **x**\n\n# y";
  profile.run.project = profile.lines[0].function = profile.functions[0].path = hostile;
  profile.warnings = {"````\n" + hostile};
  const std::string page = html(profile);
  INFO(page);
  CHECK(count(page, "<script") == 0);
  CHECK(count(page, "<a ") == 0);
  CHECK(count(page, "<strong>") == 1);
  CHECK(count(page, "<h1") == 0);
  CHECK(count(page, "<h3>") == 1);
  CHECK(count(page, "<tr>") == 1 + profile.lines.size() + 1 + 3);
  // The project, a function, a path and the warning, each as it is.
  CHECK(count(page,
              "`&lt;/code&gt;|&lt;script&gt;alert(1)&lt;/script&gt;\\|[a](http://b) @octocat **x**??# y") ==
        4);
}

}  // namespace jcprof::annotator
