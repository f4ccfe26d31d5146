// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c/merge.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rewriter/found_tree.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {
namespace {

/// One unit's fragment of a function, or its none.
struct Opinion {
  const CView* view = nullptr;
  const CFragment* fragment = nullptr;
};

bool compiles(const CView& view, std::size_t offset) {
  return range_over(view.skipped, static_cast<std::uint32_t>(offset)) == nullptr;
}

/// "JCPROF_TRAP_V({id},x)"
std::string text_of(const TrapForm& form) {
  const bool keeps = !form.kept.empty();
  return fmt::format("JCPROF_TRAP{}{}{}({{id}}{}{})", form.declares || keeps ? "_" : "",
                     form.declares ? "D" : "", keeps ? "V" : "", keeps ? "," : "", form.kept);
}

/// The form that stands wherever both may: a declaration where one must be, and no variable that only one may
/// name.
TrapForm common_form(const TrapForm& a, const TrapForm& b) {
  return {.declares = a.declares || b.declares, .kept = a.kept == b.kept ? a.kept : std::string{}};
}

/// Everything about a site that units can disagree on, but for its form, as one text.
std::string signature(const CFragment& fragment, std::uint32_t index, const std::vector<const Slot*>& slots) {
  const Site& site = fragment.sites[index];
  std::string text =
      fmt::format("{} {} {} {} {} {}", static_cast<int>(site.kind), static_cast<int>(site.level), site.begin,
                  site.end, fragment.functions[site.function].offset, site.marker_name);
  for (const Slot* slot : slots) text += fmt::format("\n{} {}", slot->at, slot->text);
  return text;
}

std::vector<std::vector<const Slot*>> slots_of_sites(const CFragment& fragment) {
  std::vector<std::vector<const Slot*>> slots(fragment.sites.size());
  for (const Slot& slot : fragment.slots)
    for (const std::uint32_t site : slot.wanted_by) slots[site].push_back(&slot);
  return slots;
}

/// The fragment without the sites that `keep` refuses.
template <typename Keep>
CFragment filtered(const CFragment& fragment, Keep keep) {
  CFragment result = fragment;
  result.sites.clear();
  result.slots.clear();
  std::vector<std::optional<std::uint32_t>> renamed(fragment.sites.size());
  for (std::uint32_t i = 0; i < fragment.sites.size(); ++i)
    if (keep(i)) {
      renamed[i] = static_cast<std::uint32_t>(result.sites.size());
      result.sites.push_back(fragment.sites[i]);
    }
  for (Slot slot : fragment.slots) {
    std::vector<std::uint32_t> wanted_by;
    for (const std::uint32_t site : slot.wanted_by)
      if (renamed[site]) wanted_by.push_back(*renamed[site]);
    const bool is_wanted = slot.wanted_by.empty() || !wanted_by.empty();
    slot.wanted_by = std::move(wanted_by);
    if (is_wanted) result.slots.push_back(std::move(slot));
  }
  return result;
}

/// Adds what `from` has and `to` has not; functions are known by their places: units may name one differently
/// (a namespace that is a macro), and the first one's name stands.
void add_fragment(CFragment& to, const CFragment& from, const std::set<std::uint32_t>& known) {
  std::vector<std::uint32_t> functions;
  for (std::uint32_t i = 0; i < from.functions.size(); ++i) {
    const auto same = std::ranges::find(to.functions, from.functions[i].offset, &Function::offset);
    functions.push_back(static_cast<std::uint32_t>(same - to.functions.begin()));
    if (same != to.functions.end()) {
      same->names_processor |= from.functions[i].names_processor;
      continue;
    }
    to.functions.push_back(from.functions[i]);
    to.parameters.push_back(from.parameters[i]);
  }
  const CFragment rest = filtered(from, [&](std::uint32_t i) { return !known.contains(i); });
  const auto offset = static_cast<std::uint32_t>(to.sites.size());
  for (Site site : rest.sites) {
    site.function = functions[site.function];
    to.sites.push_back(site);
  }
  for (Slot slot : rest.slots) {
    if (slot.wanted_by.empty() && std::ranges::find(to.slots, slot) != to.slots.end()) continue;
    for (std::uint32_t& site : slot.wanted_by) site += offset;
    to.slots.push_back(std::move(slot));
  }
  to.left_alone.insert(to.left_alone.end(), from.left_alone.begin(), from.left_alone.end());
  for (const CStatement& statement : from.statements)
    to.statements.push_back({statement.begin, functions[statement.function]});
}

/// Sites as they follow each other in the text, which those of several units together do not yet.
void sort_sites(CFragment& fragment) {
  std::ranges::stable_sort(fragment.slots, {}, &Slot::at);
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> renamed(fragment.sites.size(), 0);
  std::vector<bool> is_placed(fragment.sites.size());
  for (const Slot& slot : fragment.slots) {
    const bool is_trap =
        slot.text.find("{id}") != std::string::npos || slot.text.find("{trap}") != std::string::npos;
    if (!is_trap || is_placed[slot.wanted_by.front()]) continue;
    is_placed[slot.wanted_by.front()] = true;
    renamed[slot.wanted_by.front()] = static_cast<std::uint32_t>(order.size());
    order.push_back(slot.wanted_by.front());
  }
  check(order.size() == fragment.sites.size(), "each site has a trap's text");
  std::vector<Site> sites;
  for (const std::uint32_t site : order) sites.push_back(fragment.sites[site]);
  fragment.sites = std::move(sites);
  for (Slot& slot : fragment.slots)
    for (std::uint32_t& site : slot.wanted_by) site = renamed[site];
}

/// The unit compiles neither the site nor what it inserts.
bool is_elsewhere(const CView& view, const Site& site, const std::vector<const Slot*>& slots) {
  return !compiles(view, site.begin) && std::ranges::none_of(slots, [&](const Slot* slot) {
    return compiles(view, slot->at) && compiles(view, slot->at == 0 ? 0 : slot->at - 1);
  });
}

/// The sites of one opinion, by signature.
using SignedSites = std::map<std::string, std::uint32_t>;

SignedSites signed_sites(const Opinion& opinion) {
  SignedSites sites;
  if (opinion.fragment == nullptr) return sites;
  const auto slots = slots_of_sites(*opinion.fragment);
  for (std::uint32_t i = 0; i < slots.size(); ++i)
    sites.emplace(signature(*opinion.fragment, i, slots[i]), i);
  return sites;
}

/// A site stands when each unit that compiles it, and what it inserts, has it in the same way but for the
/// form of its trap.
CFragment agreed(const std::vector<Opinion>& opinions) {
  std::vector<SignedSites> sites;
  std::map<std::string, TrapForm> forms;
  for (const Opinion& opinion : opinions) {
    sites.push_back(signed_sites(opinion));
    for (const auto& [text, i] : sites.back()) {
      const TrapForm& own = opinion.fragment->sites[i].form;
      const auto [known, is_new] = forms.try_emplace(text, own);
      if (!is_new) known->second = common_form(known->second, own);
    }
  }
  CFragment result;
  std::set<std::string> taken;
  for (std::size_t o = 0; o < opinions.size(); ++o) {
    if (opinions[o].fragment == nullptr) continue;
    CFragment fragment = *opinions[o].fragment;
    const auto slots = slots_of_sites(fragment);
    std::set<std::uint32_t> known;
    for (const auto& [text, i] : sites[o]) {
      const bool is_agreed = std::ranges::all_of(opinions, [&](const Opinion& other) {
        return is_elsewhere(*other.view, fragment.sites[i], slots[i]) ||
               sites[static_cast<std::size_t>(&other - opinions.data())].contains(text);
      });
      if (!is_agreed && fragment.sites[i].counts)
        result.left_alone.push_back(
            {.offset = fragment.sites[i].begin, .reason = "units that compile it disagree"});
      if (!is_agreed || !taken.insert(text).second) known.insert(i);
      fragment.sites[i].form = forms.at(text);
    }
    if (result.functions.empty()) result.body = fragment.body;
    add_fragment(result, fragment, known);
  }
  sort_sites(result);
  return result;
}

/// Sites in the order of the text, slots in that in which they are inserted.
void append(SourceModel& model, CFragment fragment, std::vector<CStatement>& statements) {
  const auto functions = static_cast<std::uint32_t>(model.functions.size());
  const auto sites = static_cast<std::uint32_t>(model.sites.size());
  for (Function& function : fragment.functions) model.functions.push_back(std::move(function));
  for (Site& site : fragment.sites) {
    site.function += functions;
    model.sites.push_back(std::move(site));
  }
  for (Slot& slot : fragment.slots) {
    for (std::uint32_t& site : slot.wanted_by) site += sites;
    if (const std::size_t trap = slot.text.find("{trap}"); trap != std::string::npos)
      slot.text.replace(trap, std::string_view("{trap}").size(),
                        text_of(model.sites[slot.wanted_by.front()].form));
    model.slots.push_back(std::move(slot));
  }
  model.left_alone.insert(model.left_alone.end(), fragment.left_alone.begin(), fragment.left_alone.end());
  for (const CStatement& statement : fragment.statements)
    statements.push_back({statement.begin, statement.function + functions});
}

/// Counts the lines that no unit compiles, for each run of lines that hold a token.
void add_inactive(const CText& text, const std::vector<CSeen>& seen, SourceModel& model) {
  std::size_t line_end = 0;
  bool in_run = false;
  for (const CToken& token : text.tokens()) {
    if (token.begin < line_end) continue;
    const bool inactive =
        token.kind != CToken::Kind::directive &&
        std::ranges::none_of(seen, [&](const CSeen& s) { return compiles(s.view, token.begin); });
    if (token.kind == CToken::Kind::directive) continue;
    if (inactive && !in_run)
      model.left_alone.push_back(
          {.offset = token.begin, .reason = "lines that no unit compiles", .count = 0});
    if (inactive) ++model.left_alone.back().count;
    in_run = inactive;
    line_end = std::min(text.text().find('\n', token.end), text.text().size());
  }
}

void tidy(SourceModel& model, std::vector<CStatement> statements) {
  std::ranges::stable_sort(statements, {}, &CStatement::begin);
  const auto repeated = std::ranges::unique(statements, {}, &CStatement::begin);
  statements.erase(repeated.begin(), repeated.end());
  for (const CStatement& statement : statements) ++model.functions[statement.function].statements;
  std::ranges::stable_sort(model.slots, {}, &Slot::at);
  std::ranges::sort(model.left_alone, [](const LeftAlone& a, const LeftAlone& b) {
    return std::tie(a.offset, a.reason) < std::tie(b.offset, b.reason);
  });
  const auto same = std::ranges::unique(model.left_alone);
  model.left_alone.erase(same.begin(), same.end());
}

/// `homes`: the files that have one of its name.
void tell_file(Function& function, const std::vector<SourceModel>& models, std::size_t file,
               const std::set<std::size_t>& homes) {
  const std::string name(name_of_file(models[file].path));
  const auto namesakes =
      std::ranges::count_if(homes, [&](std::size_t home) { return name_of_file(models[home].path) == name; });
  function.file = namesakes == 1 ? name : models[file].path;
  if (function.owner.empty()) function.owner = name.substr(0, name.find('.'));
}

}  // namespace

std::vector<std::string> merge_views(const CText& text, const std::vector<CSeen>& seen, SourceModel& model) {
  if (seen.empty()) {
    model.left_alone.push_back({.offset = 0, .reason = "no unit includes the file"});
    return {};
  }
  std::map<std::uint32_t, std::vector<Opinion>> by_body;
  for (const CSeen& s : seen)
    for (const CFragment& fragment : s.model.fragments) by_body[fragment.body];
  for (auto& [body, opinions] : by_body)
    for (const CSeen& s : seen) {
      const std::size_t before = opinions.size();
      for (auto f = std::ranges::lower_bound(s.model.fragments, body, {}, &CFragment::body);
           f != s.model.fragments.end() && f->body == body; ++f)
        opinions.push_back({.view = &s.view, .fragment = &*f});
      if (opinions.size() == before && compiles(s.view, body))
        opinions.push_back({.view = &s.view, .fragment = nullptr});
    }
  std::vector<std::string> parameters;
  std::vector<CStatement> statements;
  for (const auto& [body, opinions] : by_body) {
    const CFragment* first = opinions.front().fragment;
    const bool equal = std::ranges::all_of(opinions, [&](const Opinion& o) {
      return o.fragment != nullptr && (o.fragment == first || *o.fragment == *first);
    });
    CFragment fragment = equal ? *first : agreed(opinions);
    parameters.insert(parameters.end(), fragment.parameters.begin(), fragment.parameters.end());
    append(model, std::move(fragment), statements);
  }
  for (const CSeen& s : seen)
    model.left_alone.insert(model.left_alone.end(), s.model.left_alone.begin(), s.model.left_alone.end());
  tidy(model, std::move(statements));
  add_inactive(text, seen, model);
  std::ranges::stable_sort(model.left_alone, {}, &LeftAlone::offset);
  return parameters;
}

void name_functions(std::vector<SourceModel>& models,
                    const std::vector<std::vector<std::string>>& parameters) {
  std::map<std::string, std::set<std::size_t>> files;
  for (std::size_t file = 0; file < models.size(); ++file)
    for (const Function& function : models[file].functions) files[function.name].insert(file);
  for (std::size_t file = 0; file < models.size(); ++file) {
    for (Function& function : models[file].functions)
      if (const std::set<std::size_t>& homes = files[function.name]; homes.size() > 1)
        tell_file(function, models, file, homes);
    tell_namesakes_apart(models[file].functions, parameters[file]);
    for (Function& function : models[file].functions)
      if (!function.file.empty()) function.name.insert(0, function.file + ":");
  }
}

}  // namespace jcprof::rewriter
