// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edits.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

constexpr std::string_view span_begin = "/*[j*/";
constexpr std::string_view span_end = "/*j]*/";

using TrapBySite = std::unordered_map<std::uint32_t, const Trap*>;

/// The text of a slot for the trap that wants it; nothing when no chosen site does.
std::optional<std::string> filled(const Slot& slot, const TrapBySite& chosen, const RuntimeNames& names) {
  Placeholders values{{"pm", names.pm}, {"pmc", names.pmc}};
  const auto wanting = std::ranges::find_if(slot.wanted_by, [&](auto site) { return chosen.contains(site); });
  if (wanting == slot.wanted_by.end() && !slot.wanted_by.empty()) return std::nullopt;
  if (slot.unless && chosen.contains(*slot.unless)) return std::nullopt;
  if (wanting != slot.wanted_by.end()) {
    const Trap& trap = *chosen.at(*wanting);
    values.emplace("name", trap.name);
    values.emplace("id", std::to_string(number(trap.id)));
  }
  std::string text;
  for (std::size_t i = 0; i < slot.text.size(); ++i) {
    const std::size_t end = slot.text[i] == '{' ? slot.text.find('}', i) : std::string::npos;
    const auto value =
        end == std::string::npos ? values.end() : values.find(slot.text.substr(i + 1, end - i - 1));
    if (value == values.end()) {
      text += slot.text[i];
    } else {
      text += value->second;
      i = end;
    }
  }
  return text;
}

}  // namespace

std::vector<Edit> edits_for(const SourceModel& model, const FilePlan& plan, const RuntimeNames& names) {
  std::vector<Edit> edits;
  if (!plan.instrumented) return edits;
  TrapBySite chosen;
  for (const PlannedTrap& planned : plan.traps) chosen.emplace(planned.site, &planned.trap);
  for (const Slot& slot : model.slots) {
    const std::optional<std::string> text = filled(slot, chosen, names);
    if (!text) continue;
    if (edits.empty() || edits.back().offset != slot.at) edits.push_back({.offset = slot.at, .text = {}});
    edits.back().text += *text;
  }
  for (Edit& edit : edits) edit.text = fmt::format("{}{}{}", span_begin, edit.text, span_end);
  return edits;
}

std::string apply_edits(std::string_view text, const std::vector<Edit>& edits) {
  std::string result;
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
