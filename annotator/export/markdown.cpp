// SPDX-License-Identifier: Apache-2.0
#include "annotator/export/markdown.hpp"

#include <algorithm>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "annotator/export/exports.hpp"
#include "annotator/tables.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {
namespace {

constexpr std::size_t most_rows = 10;
constexpr std::string_view markup = "`|\\<>&*_~[]()!:@#\"'";

std::string place(std::string_view path, std::size_t line) {
  return path.empty() ? "" : markdown_code(fmt::format("{}:{}", path, line));
}

std::string left_out(std::size_t count) {
  return count > most_rows ? fmt::format("\n… and {} more\n", count - most_rows) : "";
}

std::string lines(const Profile& profile) {
  if (profile.lines.empty()) return "";
  std::string text = fmt::format("\n| {} | ± | share | hits | line | function |\n|--:|--:|--:|--:|---|---|\n",
                                 cost_name(profile));
  for (const LineEstimate& line : profile.lines | std::views::take(most_rows)) {
    const CostCells cost = cost_cells(line.cost, profile.run.unit);
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cost.value, cost.half_width, cost.share,
                        times_text(line.hits), place(line.path, line.line), markdown_code(line.function));
  }
  return text + left_out(profile.lines.size());
}

std::string hottest(const Profile& profile) {
  std::string text;
  std::istringstream sentences(hottest_text(profile, markdown_code));
  for (std::string sentence; std::getline(sentences, sentence);)
    text += fmt::format("{}- {}\n", text.empty() ? "\n" : "", sentence);
  return text;
}

std::string functions(const Profile& profile) {
  if (profile.functions.empty()) return "";
  std::string text = fmt::format(
      "\n| {} | ± | share | with calls | ± | share | calls | function | line |\n"
      "|--:|--:|--:|--:|--:|--:|--:|---|---|\n",
      cost_name(profile, "own"));
  for (const FunctionEstimate& function : profile.functions | std::views::take(most_rows)) {
    const CostCells own = cost_cells(function.exclusive, profile.run.unit);
    const CostCells all = cost_cells(function.inclusive, profile.run.unit);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", own.value, own.half_width,
                        own.share, all.value, all.half_width, all.share, times_text(function.calls),
                        markdown_code(function.function), place(function.path, function.line));
  }
  return text + left_out(profile.functions.size());
}

/// In a block of code, whose fence is longer than any in it.
std::string warnings(const Profile& profile) {
  if (profile.warnings.empty()) return "";
  std::string text;
  for (const std::string& warning : profile.warnings) text += "warning: " + plain_line(warning) + "\n";
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fmt::format("\n{}text\n{}{}\n", fence, text, fence);
}

}  // namespace

std::string markdown_code(std::string_view name) {
  const std::string text = plain_line(name.empty() ? "?" : name);
  if (text.find_first_of("`|\\") == std::string::npos) return fmt::format("`{}`", text);
  std::string numbers;
  for (const char c : text) {
    const bool marks_up = markup.find(c) != std::string_view::npos;
    numbers += marks_up ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
  }
  return fmt::format("<code>{}</code>", numbers);
}

std::string to_markdown(const Profile& profile) {
  const RunInfo& run = profile.run;
  std::string text = fmt::format("### {} on {}{}\n\n", markdown_code(run.project),
                                 run.device.empty() ? "an unknown device" : markdown_code(run.device),
                                 run.simulated ? ", **SIMULATED**" : "");
  if (!run.reader.empty())
    text += fmt::format("Reader {}, {}. ", markdown_code(run.reader), markdown_code(run.protocol));
  text += fmt::format("{}; {}. Intervals are {}.\n", extent(profile), total_text(profile),
                      interval_text(profile));
  return text + hottest(profile) + lines(profile) + functions(profile) + warnings(profile);
}

}  // namespace jcprof::annotator
