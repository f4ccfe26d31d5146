// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edits.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace jcprof::rewriter {
namespace {

using TrapBySite = std::vector<const Trap*>;  // null: not chosen

/// The chosen site that wants a slot.
std::optional<std::uint32_t> wanting(const Slot& slot, const TrapBySite& chosen) {
  const auto site = std::ranges::find_if(slot.wanted_by, [&](auto i) { return chosen[i] != nullptr; });
  return site == slot.wanted_by.end() ? std::nullopt : std::optional(*site);
}

bool is_wanted(const SourceModel& model, const Slot& slot, const TrapBySite& chosen) {
  if (slot.unless && chosen[*slot.unless] != nullptr) return false;
  const std::optional<std::uint32_t> site = wanting(slot, chosen);
  if (slot.if_renamed) return site && chosen[*site]->name != name_of_marker(model.sites[*site].marker_name);
  return slot.wanted_by.empty() || site;
}

std::string filled(const std::string& form, const Placeholders& values) {
  std::string text;
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t open = std::min(form.find('{', at), form.size());
    text.append(form, at, open - at);
    const std::size_t close = form.find('}', open);
    const auto value = close == std::string::npos
                           ? values.end()
                           : values.find(std::string_view(form).substr(open + 1, close - open - 1));
    at = value == values.end() ? open + 1 : close + 1;
    if (value != values.end())
      text += value->second;
    else if (open < form.size())
      text += '{';
  }
  return text;
}

std::vector<Insertion> insertions_for(const SourceModel& model, const FilePlan& plan, Placeholders values) {
  std::vector<Insertion> insertions;
  if (!plan.instrumented) return insertions;
  TrapBySite chosen(model.sites.size());
  for (const PlannedTrap& planned : plan.traps) chosen[planned.site] = &planned.trap;
  std::string& name = values["name"];
  std::string& id = values["id"];
  std::size_t inserted = 0;
  for (const Slot& slot : model.slots) {
    if (!is_wanted(model, slot, chosen)) continue;
    const std::optional<std::uint32_t> site = wanting(slot, chosen);
    name = site ? chosen[*site]->name : "";
    id = site ? std::to_string(number(chosen[*site]->id)) : "";
    if (insertions.empty() || insertions.back().at != slot.at)
      inserted += span_begin.size() + (insertions.empty() ? 0 : span_end.size());
    insertions.push_back(
        {.at = slot.at, .text = filled(slot.text, values), .site = site, .rewritten_at = slot.at + inserted});
    inserted += insertions.back().text.size();
  }
  return insertions;
}

/// One edit an offset, ascending, with its delimiters.
std::vector<Edit> edits_of(const std::vector<Insertion>& insertions) {
  std::vector<Edit> edits;
  for (const Insertion& insertion : insertions) {
    if (edits.empty() || edits.back().offset != insertion.at)
      edits.push_back({.offset = insertion.at, .text = std::string(span_begin)});
    edits.back().text += insertion.text;
  }
  for (Edit& edit : edits) edit.text += span_end;
  return edits;
}

}  // namespace

RewrittenSource rewritten_source(const SourceModel& model, const FilePlan& plan, Placeholders values) {
  RewrittenSource source{.model = &model, .insertions = insertions_for(model, plan, std::move(values))};
  source.text = apply_edits(model.text, edits_of(source.insertions));
  return source;
}

std::string apply_edits(std::string_view text, const std::vector<Edit>& edits) {
  std::string result;
  std::size_t size = text.size();
  for (const Edit& edit : edits) size += edit.text.size();
  result.reserve(size);
  std::size_t done = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    check(i == 0 || edits[i - 1].offset < edits[i].offset, "edits ascend and do not meet");
    check(edits[i].offset <= text.size(), "an edit lies inside the text");
    result += text.substr(done, edits[i].offset - done);
    result += edits[i].text;
    done = edits[i].offset;
  }
  result += text.substr(done);
  return result;
}

bool carries_traps(std::string_view text) {
  return text.find(span_begin) != std::string_view::npos;
}

Fault traps_already(const std::string& file, std::string_view text) {
  return {.message = "the source carries jcprof's traps already",
          .place = place_at(file, text, text.find(span_begin)),
          .hint = "take them out with: jcprof strip " + file};
}

bool is_runtime_source(std::string_view text) {
  return (text.starts_with("// ") || text.starts_with("/* ")) && text.substr(3).starts_with(generated_mark);
}

std::string strip(const std::string& file, std::string_view text) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t begin = text.find(span_begin, at);
    result += text.substr(at, begin == std::string_view::npos ? begin : begin - at);
    if (begin == std::string_view::npos) return result;
    const std::size_t end = text.find(span_end, begin);
    if (end == std::string_view::npos)
      throw UserError(
          Fault{.message = "an inserted trap has no end",
                .place = place_at(file, text, begin),
                .hint = fmt::format("\"{}\" must follow \"{}\"; run jcprof gen again for a whole tree",
                                    span_end, span_begin)});
    at = end + span_end.size();
  }
}

}  // namespace jcprof::rewriter
