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

std::vector<Span> spans_of(const RewrittenSource& source) {
  std::vector<Span> spans;
  for (const Insertion& insertion : source.insertions)
    if (can_go(*source.model, insertion))
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

/// The offset in the rewritten text at which an original line begins. Insertions that hold lines of their own
/// put the numbers right again, so a compiler's line is an original one; its columns begin behind the end of
/// those insertions.
std::size_t rewritten_line(std::size_t line, const RewrittenSource& source) {
  const std::string_view text = source.text;
  const std::string& original = source.model->text;
  const std::vector<Insertion>& insertions = source.insertions;
  const std::size_t start = start_of_line(line, original);
  auto behind = std::ranges::upper_bound(insertions, start, {}, &Insertion::at);
  std::size_t at = start;
  if (behind != insertions.begin()) {
    const Insertion& last = *std::prev(behind);
    at = last.rewritten_at + last.text.size() + span_end.size() + (start - last.at);
  }
  // In the middle of a line an insertion may begin it anew.
  const std::size_t line_end = std::min(original.find('\n', start), original.size());
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

std::size_t offset_of(const CompileError& error, const RewrittenSource& source) {
  const std::string_view text = source.text;
  std::size_t at = rewritten_line(error.line, source);
  for (std::size_t column = 1; column < error.column && at < text.size() && text[at] != '\n'; ++column)
    at += error.unit == ColumnUnit::bytes ? 1 : std::max<std::size_t>(1, utf8_length(text.substr(at)));
  return at;
}

std::size_t original_offset(std::size_t rewritten, const RewrittenSource& source) {
  std::size_t offset = rewritten;
  for (const Insertion& insertion : source.insertions) {
    if (insertion.rewritten_at > rewritten) break;
    const std::size_t end = insertion.rewritten_at + insertion.text.size() + span_end.size();
    offset = insertion.at + (rewritten - std::min(rewritten, end));
  }
  return offset;
}

/// The last function that begins at a place of the rewritten text, or before it.
std::optional<std::uint32_t> function_at(std::size_t rewritten, const RewrittenSource& source) {
  const std::size_t offset = original_offset(rewritten, source);
  const std::vector<Function>& functions = source.model->functions;
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].offset <= offset && (!found || functions[i].offset >= functions[*found].offset))
      found = i;
  return found;
}

std::optional<std::uint32_t> pointed_at(std::size_t at, const std::vector<Span>& spans) {
  for (const Span& span : spans)
    if (span.begin <= at && at < span.end) return span.site;
  return std::nullopt;
}

/// `return PM.value(…);`, or a constructor's entry in an initialiser, with the error between its two
/// insertions: the innermost.
std::optional<std::uint32_t> held_round(std::size_t at, const SourceModel& model,
                                        const std::vector<Span>& spans) {
  std::map<std::uint32_t, Span> whole;
  for (const Span& span : spans) whole.try_emplace(span.site, span).first->second.end = span.end;
  std::optional<Span> found;
  for (const auto& [site, span] : whole) {
    const TrapKind kind = model.sites[site].kind;
    if ((kind == TrapKind::returns || kind == TrapKind::entry) && span.begin <= at && at < span.end &&
        (!found || span.begin >= found->begin))
      found = span;
  }
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

std::vector<std::uint32_t> blamed(const CompileError& error, const RewrittenSource& source) {
  if (error.line == 0) return {};
  const std::size_t at = offset_of(error, source);
  const SourceModel& model = *source.model;
  const std::vector<Span> spans = spans_of(source);
  std::vector<std::uint32_t> of_function = sites_of(function_at(at, source), model, spans);
  if (says_too_large(error)) return finest(of_function, model);
  if (const auto site = pointed_at(at, spans)) return {*site};
  if (const auto site = held_round(at, model, spans)) return {*site};
  if (const auto site = nearest_on_line(at, source.text, spans)) return {*site};
  return of_function;
}

std::vector<std::uint32_t> blamed_behind(const CompileError& error, const RewrittenSource& source) {
  const std::size_t at = offset_of(error, source);
  for (const Span& span : spans_of(source))
    if (span.end > at) return {span.site};
  return {};
}

bool points_at_trap(const CompileError& error, const RewrittenSource& source) {
  const std::size_t at = offset_of(error, source);
  const std::vector<Span> spans = spans_of(source);
  return pointed_at(at, spans) || held_round(at, *source.model, spans);
}

std::vector<std::uint32_t> blamed_function(const CompileError& error, const RewrittenSource& source) {
  return sites_of(function_at(offset_of(error, source), source), *source.model, spans_of(source));
}

}  // namespace jcprof::rewriter
