// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/report.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/text.hpp"

// The begins and ends of the page's parts in page.S.
extern "C" {
extern const char jcprof_page_html[];
extern const char jcprof_page_html_end[];
extern const char jcprof_page_style[];
extern const char jcprof_page_style_end[];
extern const char jcprof_page_script[];
extern const char jcprof_page_script_end[];
}

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_bytes = 10'000'000;
constexpr std::size_t frame_bytes =
    10'000;  // of policy, title, and what report_data may take beyond its bound

std::string_view bundled(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::uint32_t nibble(char hex) {
  return static_cast<std::uint32_t>(hex <= '9' ? hex - '0' : hex - 'a' + 10);
}

/// RFC 4648 of what `hex` says.
std::string base64(std::string_view hex) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  // Three bytes, six digits, are four letters.
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    const std::string_view digits = hex.substr(i, 6);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 6; ++k) bits = bits << 4U | (k < digits.size() ? nibble(digits[k]) : 0);
    const std::size_t letters = digits.size() / 2 + 1;
    for (std::size_t k = 0; k < 4; ++k) result += k < letters ? alphabet[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return result;
}

std::string policy(std::string_view style, std::string_view script) {
  return fmt::format(
      "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action "
      "'none'",
      base64(sha256(style)), base64(sha256(script)));
}

}  // namespace

std::string report_html(const ReportSubject& subject) {
  std::string_view page = bundled(jcprof_page_html, jcprof_page_html_end);
  const std::string_view style = bundled(jcprof_page_style, jcprof_page_style_end);
  const std::string_view script = bundled(jcprof_page_script, jcprof_page_script_end);
  const std::size_t taken = page.size() + style.size() + script.size() + frame_bytes;
  check(taken < most_bytes / 2, "the page leaves room for data");
  const std::string data = report_data(subject, most_bytes - taken);
  const std::string title =
      markup_escaped(plain_line(beginning_of(subject.profile.run.project, 200))) + " – jcprof";
  const std::array<std::pair<std::string_view, std::string>, 5> parts{{{"@POLICY@", policy(style, script)},
                                                                       {"@TITLE@", title},
                                                                       {"@STYLE@", std::string(style)},
                                                                       {"@DATA@", data},
                                                                       {"@SCRIPT@", std::string(script)}}};
  std::string result;
  // Only what stands behind a marker is looked at further: data may hold the text of another one.
  for (const auto& [marker, part] : parts) {
    const std::size_t at = page.find(marker);
    check(at != std::string_view::npos, "the page has its markers in order");
    result += page.substr(0, at);
    result += part;
    page.remove_prefix(at + marker.size());
  }
  return result.append(page);
}

}  // namespace jcprof::annotator
