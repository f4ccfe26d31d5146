// SPDX-License-Identifier: Apache-2.0
#include "rewriter/blame.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// An insertion in the rewritten text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t site = 0;
};

bool can_go(const SourceModel& model, const Insertion& insertion) {
  return insertion.site && model.sites[*insertion.site].kind != TrapKind::entry0;
}

std::vector<Span> spans_of(const SourceModel& model, const std::vector<Insertion>& insertions) {
  std::vector<Span> spans;
  for (const Insertion& insertion : insertions)
    if (can_go(model, insertion))
      spans.push_back(
          {insertion.rewritten_at, insertion.rewritten_at + insertion.text.size(), *insertion.site});
  return spans;
}

std::size_t start_of_line(std::size_t line, std::string_view text) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < line && at < text.size(); ++i)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}

/// Where an original line begins in the rewritten text. Insertions that hold lines of their own put the
/// numbers right again, so a compiler's line is an original one; its columns begin behind what those
/// insertions end with.
std::size_t rewritten_line(std::size_t line, std::string_view text, const SourceModel& model,
                           const std::vector<Insertion>& insertions) {
  const std::size_t start = start_of_line(line, model.text);
  auto behind = std::ranges::upper_bound(insertions, start, {},
                                         [](const Insertion& insertion) { return insertion.at; });
  std::size_t at = start;
  if (behind != insertions.begin()) {
    const Insertion& last = *std::prev(behind);
    at = last.rewritten_at + last.text.size() + span_end.size() + (start - last.at);
  }
  // In the middle of a line an insertion may begin it anew.
  const std::size_t line_end = std::min(model.text.find('\n', start), model.text.size());
  for (; behind != insertions.end() && behind->at <= line_end; ++behind) {
    const std::size_t newline = behind->text.rfind('\n');
    if (newline == std::string::npos) continue;
    const std::size_t begins = behind->rewritten_at + newline + 1;
    const std::string_view rest = text.substr(begins, text.find('\n', begins) - begins);
    if (rest.find("JCPROF_") != std::string_view::npos) at = begins;
  }
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t offset_of(const CompileError& error, std::string_view text, const SourceModel& model,
                      const std::vector<Insertion>& insertions) {
  std::size_t at = rewritten_line(error.line, text, model, insertions);
  for (std::size_t column = 1; column < error.column && at < text.size() && text[at] != '\n'; ++column)
    at += error.unit == ColumnUnit::bytes ? 1 : std::max<std::size_t>(1, utf8_length(text.substr(at)));
  return at;
}

std::size_t original_offset(std::size_t rewritten, const std::vector<Insertion>& insertions) {
  std::size_t offset = rewritten;
  for (const Insertion& insertion : insertions) {
    if (insertion.rewritten_at > rewritten) break;
    const std::size_t end = insertion.rewritten_at + insertion.text.size() + span_end.size();
    offset = insertion.at + (rewritten - std::min(rewritten, end));
  }
  return offset;
}

/// The last function that begins there or before.
std::optional<std::uint32_t> function_at(const SourceModel& model, std::size_t offset) {
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < model.functions.size(); ++i)
    if (model.functions[i].offset <= offset &&
        (!found || model.functions[i].offset >= model.functions[*found].offset))
      found = i;
  return found;
}

std::optional<std::uint32_t> pointed_at(std::size_t at, const std::vector<Span>& spans) {
  for (const Span& span : spans)
    if (span.begin <= at && at < span.end) return span.site;
  return std::nullopt;
}

/// `return PM.value(…);` with the error between its two insertions: the innermost.
std::optional<std::uint32_t> held_round(std::size_t at, const SourceModel& model,
                                        const std::vector<Span>& spans) {
  std::map<std::uint32_t, Span> whole;
  for (const Span& span : spans) whole.try_emplace(span.site, span).first->second.end = span.end;
  std::optional<Span> found;
  for (const auto& [site, span] : whole)
    if (model.sites[site].kind == TrapKind::returns && span.begin <= at && at < span.end &&
        (!found || span.begin >= found->begin))
      found = span;
  return found ? std::optional(found->site) : std::nullopt;
}

std::optional<std::uint32_t> nearest_on_line(std::size_t at, std::string_view text,
                                             const std::vector<Span>& spans) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const auto distance = [&](const Span& span) { return span.begin > at ? span.begin - at : at - span.end; };
  std::optional<Span> found;
  for (const Span& span : spans)
    if (line <= span.begin && span.begin < end && (!found || distance(span) < distance(*found))) found = span;
  return found ? std::optional(found->site) : std::nullopt;
}

std::vector<std::uint32_t> sites_of(std::optional<std::uint32_t> function, const SourceModel& model,
                                    const std::vector<Span>& spans) {
  std::set<std::uint32_t> sites;
  for (const Span& span : spans)
    if (model.sites[span.site].function == function) sites.insert(span.site);
  return {sites.begin(), sites.end()};
}

std::vector<std::uint32_t> finest(std::vector<std::uint32_t> sites, const SourceModel& model) {
  TrapLevel level = TrapLevel::none;
  for (const std::uint32_t site : sites) level = std::max(level, model.sites[site].level);
  std::erase_if(sites, [&](std::uint32_t site) { return model.sites[site].level != level; });
  return sites;
}

}  // namespace

bool says_too_large(const CompileError& error) {
  return error.message.find("too large") != std::string::npos;
}

std::vector<std::uint32_t> blamed(const CompileError& error, std::string_view text, const SourceModel& model,
                                  const std::vector<Insertion>& insertions) {
  if (error.line == 0) return {};
  const std::size_t at = offset_of(error, text, model, insertions);
  const std::vector<Span> spans = spans_of(model, insertions);
  const auto function = function_at(model, original_offset(at, insertions));
  if (says_too_large(error)) return finest(sites_of(function, model, spans), model);
  if (const auto site = pointed_at(at, spans)) return {*site};
  if (const auto site = held_round(at, model, spans)) return {*site};
  if (const auto site = nearest_on_line(at, text, spans)) return {*site};
  return sites_of(function, model, spans);
}

std::vector<std::uint32_t> blamed_behind(const CompileError& error, std::string_view text,
                                         const SourceModel& model, const std::vector<Insertion>& insertions) {
  const std::size_t at = offset_of(error, text, model, insertions);
  for (const Span& span : spans_of(model, insertions))
    if (span.end > at) return {span.site};
  return {};
}

bool points_at_trap(const CompileError& error, std::string_view text, const SourceModel& model,
                    const std::vector<Insertion>& insertions) {
  const std::size_t at = offset_of(error, text, model, insertions);
  const std::vector<Span> spans = spans_of(model, insertions);
  return pointed_at(at, spans) || held_round(at, model, spans);
}

std::vector<std::uint32_t> blamed_function(const CompileError& error, std::string_view text,
                                           const SourceModel& model,
                                           const std::vector<Insertion>& insertions) {
  const std::size_t at = offset_of(error, text, model, insertions);
  return sites_of(function_at(model, original_offset(at, insertions)), model, spans_of(model, insertions));
}

}  // namespace jcprof::rewriter
