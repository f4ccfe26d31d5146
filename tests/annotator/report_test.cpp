// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/report.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"

namespace jcprof::annotator {
namespace {

Profile named(const std::string& project) {
  Profile profile;
  profile.run.project = project;
  return profile;
}

std::string html_of(const std::string& project) {
  const Profile profile = named(project);
  return report_html({.profile = profile});
}

std::string between(const std::string& text, const std::string& before, const std::string& behind) {
  const std::size_t begin = text.find(before);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find(behind, begin + before.size());
  REQUIRE(end != std::string::npos);
  return text.substr(begin + before.size(), end - begin - before.size());
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a report is one page with its data, its script and its style in it") {
  const std::string html = html_of("pin");
  CHECK(html.starts_with("<!doctype html>"));
  CHECK(between(html, "<title>", "</title>") == "pin – jcprof");
  const auto data = nlohmann::json::parse(between(html, "id=\"profile\">", "</script>"));
  CHECK(data["project"] == "pin");
  CHECK(between(html, "</script>\n<script>", "</script>").size() > 10);
  for (const char* marker : {"@POLICY@", "@TITLE@", "@STYLE@", "@DATA@", "@SCRIPT@"})
    CHECK(html.find(marker) == std::string::npos);
}

TEST_CASE("a report's policy allows its own script and style and nothing else") {
  const std::string html = html_of("pin");
  const std::string policy = between(html, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
  CHECK(policy.starts_with("default-src 'none'; style-src 'sha256-"));
  const auto hex_of = [&](const std::string& kind) {
    std::string hex;
    std::uint32_t bits = 0;
    int known = 0;
    for (const char c : between(policy, kind + "-src 'sha256-", "=")) {
      const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
      bits = (bits << 6U | static_cast<std::uint32_t>(letters.find(c))) & 0xFFFFU;
      for (known += 6; known >= 4 && hex.size() < 64; known -= 4)
        hex += "0123456789abcdef"[bits >> static_cast<unsigned>(known - 4) & 0xFU];
    }
    return hex;
  };
  CHECK(hex_of("script") == sha256(between(html, "</script>\n<script>", "</script>")));
  CHECK(hex_of("style") == sha256(between(html, "<style>", "</style>")));
}

TEST_CASE("a project's name is no markup, and markers in it are text") {
  const std::string html = html_of("</title><script>alert(1)</script>@DATA@@SCRIPT@\x1b");
  CHECK(between(html, "<title>", "</title>") ==
        "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;@DATA@@SCRIPT@? – jcprof");
  CHECK(count(html, "<script") == 2);
  CHECK(count(html, "</script") == 2);
  const auto data = nlohmann::json::parse(between(html, "id=\"profile\">", "</script>"));
  CHECK(data["project"] == "</title><script>alert(1)</script>@DATA@@SCRIPT@\x1b");
}

TEST_CASE("a title is cut between characters, and turns no text") {
  const std::string name(199, 'a');
  CHECK(between(html_of(name + "é"), "<title>", "</title>") == name + " – jcprof");
  CHECK(between(html_of("a\xE2\x80\xAE"
                        "b"),
                "<title>", "</title>") == "a?b – jcprof");
}

TEST_CASE("a report of a large recording is below ten megabytes") {
  Profile profile = named("large");
  profile.recorded = Recorded{};
  const std::string name(300, '<');
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    profile.tree.functions.push_back({.name = name + std::to_string(i)});
    profile.tree.nodes.push_back({.function = i, .calls = 1, .exclusive = 1, .inclusive = 1});
  }
  const std::string html = report_html({.profile = profile});
  CHECK(html.size() <= 10'000'000);
  CHECK(html.size() > 8'000'000);
}

}  // namespace jcprof::annotator
