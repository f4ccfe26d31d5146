// SPDX-License-Identifier: Apache-2.0
#include "annotator/source_comments.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"
#include "annotator/line_ends.hpp"
#include "annotator/started.hpp"
#include "annotator/tables.hpp"

namespace jcprof::annotator {
namespace {

// Strict, so that no comment of the user's is taken for ours: the whole text from "//" to the end of the line
// must have one of these forms.
constexpr std::string_view own_forms =
    R"(// (?:)"
    R"([0-9.]+ (?:ns|µs|ms|s|[kMG]? ?(?:cycles|instructions))(?: ±(?:[0-9.]+|\?))? \([0-9.]+ %\)(?: ×[0-9]+)?)"
    R"((?:, [0-9.]+ (?:ns|µs|ms|s|[kMG]? ?(?:cycles|instructions)) each)?)"
    R"((?:; own [0-9.]+ (?:ns|µs|ms|s|[kMG]? ?(?:cycles|instructions))(?: ±(?:[0-9.]+|\?))? \([0-9.]+ %\))?)"
    R"((?:; own < [0-9.]+ (?:ns|µs|ms|s|[kMG]? ?(?:cycles|instructions)))?(?:; first of [0-9]+)?)"
    R"(|< [0-9.]+ (?:ns|µs|ms|s|[kMG]? ?(?:cycles|instructions))(?: ×[0-9]+)?(?:; first of [0-9]+)?)"
    R"(|not measured(?: \([0-9]+ rounds?\))?(?: ×[0-9]+)?)"
    R"((?:; own [0-9.]+ (?:ns|µs|ms|s|[kMG]? ?(?:cycles|instructions))(?: ±(?:[0-9.]+|\?))? \([0-9.]+ %\))?)"
    R"((?:; own < [0-9.]+ (?:ns|µs|ms|s|[kMG]? ?(?:cycles|instructions)))?(?:; first of [0-9]+)?)"
    R"(|not reached|unreliable(?: ×[0-9]+)?(?:; first of [0-9]+)?)"
    R"(|jcprof: no room for a comment at (?:line [0-9]+ \([a-z ]+\)(?:, )?)+)"
    R"() \([A-Za-z0-9._+ -]*,)"
    R"((?:[0-9]+| [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC| no date| jcprof)\))";
// No comment of ours is longer. The note about lines without room is cut to stay below it.
constexpr std::size_t longest_own = 600;

bool is_own(std::string_view comment) {
  static const std::regex form{std::string(own_forms)};
  return comment.size() <= longest_own && std::regex_match(comment.begin(), comment.end(), form);
}

/// The line without the comments of ours that it ends with, and without the blank that was put before each.
std::string_view stripped(std::string_view line) {
  while (true) {
    const std::size_t start = line.rfind("// ");
    if (start == std::string_view::npos || start == 0 || line[start - 1] != ' ') return line;
    if (!is_own(line.substr(start))) return line;
    line = line.substr(0, start - 1);
  }
}

/// Calls `each(number, line, end)` for every line; `end` is its line terminator as it stands there.
template <class Each>
void for_each_line(std::string_view text, Each each) {
  std::size_t number = 1;
  while (true) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    std::size_t length = line.size();
    if (line.ends_with('\r')) --length;
    const std::size_t whole = newline == std::string_view::npos ? text.size() : newline + 1;
    each(number++, line.substr(0, length), text.substr(length, whole - length));
    if (newline == std::string_view::npos) return;
    text.remove_prefix(whole);
  }
}

/// A name without "(R)" and "(TM)", and without characters that could end a comment or hide one from our own
/// pattern.
std::string plain(const std::string& name) {
  static const std::regex marks(R"(\((?:R|TM)\))", std::regex::icase);
  std::string result = std::regex_replace(name, marks, "").substr(0, 60);
  std::ranges::replace_if(
      result,
      [](char c) {
        return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
                 c == '_' || c == '+' || c == '-' || c == ' ');
      },
      '_');
  return result;
}

/// "40.2 ms ±0.3 (31.4 %)"
std::string known_cost(const Estimate& estimate, ClockUnit unit) {
  const CostCells cost = cost_cells(estimate, unit);
  return fmt::format("{} ({})", cost.with_half_width(), cost.share);
}

std::string cost_text(const Estimate& cost, std::uint64_t times, double average, ClockUnit unit) {
  const std::string passes = times == 0 ? "" : " " + times_text(times);
  if (!was_measured(cost)) return fmt::format("// {}{}", no_value(cost), passes);
  if (is_bound(cost)) return fmt::format("// < {}{}", upper_bound(cost.ticks.high, unit), passes);
  std::string text = "// " + known_cost(cost, unit) + passes;
  if (times > 1) text += fmt::format(", {} each", each(average, scale_for(cost.ticks.value, unit), unit));
  return text;
}

std::string line_text(const LineEstimate& line, ClockUnit unit) {
  return cost_text(line.cost, line.hits, line.cost.ticks.value / static_cast<double>(line.hits), unit);
}

using FunctionsOfLine = std::vector<const FunctionEstimate*>;

/// Functions that begin on one line are instances of a template, or one constructor's variants: as they may
/// call each other, their times are not added up.
std::string function_text(const FunctionsOfLine& functions, ClockUnit unit) {
  const FunctionEstimate& first = **std::ranges::max_element(
      functions, {}, [](const FunctionEstimate* function) { return function->inclusive.ticks.value; });
  const double average =
      first.spread ? first.spread->average : first.inclusive.ticks.value / static_cast<double>(first.calls);
  std::string text = cost_text(first.inclusive, first.calls, average, unit);
  if (!is_bound(first.inclusive) && !first.inclusive.unreliable && was_measured(first.exclusive))
    text += "; own " + (is_bound(first.exclusive) ? "< " + upper_bound(first.exclusive.ticks.high, unit)
                                                  : known_cost(first.exclusive, unit));
  if (functions.size() > 1) text += fmt::format("; first of {}", functions.size());
  return text;
}

std::string_view reason_for(LineEnd end) {
  return end == LineEnd::literal ? "a literal goes on" : "a backslash joins the next line";
}

/// `// jcprof: no room …`, signed like the comments that found none.
std::string note_about(const std::vector<SkippedLine>& skipped, const std::string& comment) {
  constexpr std::size_t most_named = 8;  // keeps the note below longest_own
  std::string note = "// jcprof: no room for a comment at ";
  for (std::size_t i = 0; i < std::min(most_named, skipped.size()); ++i)
    note += fmt::format("{}line {} ({})", i == 0 ? "" : ", ", skipped[i].line, skipped[i].reason);
  return note + " " + comment.substr(comment.rfind('('));
}

}  // namespace

std::string signature_of(const RunInfo& run, Dating dating) {
  const std::string device = plain(run.device.empty() ? "unknown" : run.device);
  return fmt::format("({}{}, {})", device, run.simulated ? " simulated" : "",
                     dating == Dating::dated ? date_of(run.started) : "jcprof");
}

std::vector<LineComment> comments_for(const Profile& profile, std::string_view path, Dating dating) {
  std::map<std::size_t, std::string> texts;
  if (profile.recorded) {
    std::map<std::size_t, FunctionsOfLine> functions;
    for (const FunctionEstimate& function : profile.functions)
      if (function.path == path) functions[function.line].push_back(&function);
    for (const auto& [line, those] : functions) texts[line] = function_text(those, profile.run.unit);
  }
  for (const UnreachedLine& line : profile.unreached)
    if (line.path == path) texts[line.line] = "// not reached";
  for (const LineEstimate& line : profile.lines)
    if (line.path == path) texts[line.line] = line_text(line, profile.run.unit);
  const std::string signature = signature_of(profile.run, dating);
  std::vector<LineComment> comments;
  comments.reserve(texts.size());
  for (const auto& [line, text] : texts)
    comments.push_back({.line = line, .text = fmt::format("{} {}", text, signature)});
  return comments;
}

std::string without_comments(std::string_view text) {
  std::string result;
  for_each_line(text, [&](std::size_t, std::string_view line, std::string_view end) {
    result += stripped(line);
    result += end;
  });
  return result;
}

AnnotatedText annotate_text(std::string_view text, std::string_view language,
                            const std::vector<LineComment>& comments) {
  const std::string original = without_comments(text);
  const std::vector<LineEnd> ends = line_ends(original, language);
  std::map<std::size_t, const LineComment*> by_line;
  AnnotatedText result;
  for (const LineComment& comment : comments) {
    if (comment.line < 1 || comment.line > ends.size()) continue;
    const LineEnd end = ends[comment.line - 1];
    if (end == LineEnd::open)
      by_line[comment.line] = &comment;
    else
      result.skipped.push_back({.line = comment.line, .reason = std::string(reason_for(end))});
  }
  for_each_line(original, [&](std::size_t number, std::string_view line, std::string_view end) {
    result.text += line;
    const auto comment = by_line.find(number);
    if (comment != by_line.end()) result.text += " " + comment->second->text;
    if (number == 1 && !result.skipped.empty() && ends.front() == LineEnd::open)
      result.text += " " + note_about(result.skipped, comments.front().text);
    result.text += end;
  });
  return result;
}

}  // namespace jcprof::annotator
