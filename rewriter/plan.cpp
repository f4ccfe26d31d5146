// SPDX-License-Identifier: Apache-2.0
#include "rewriter/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/found_tree.hpp"
#include "rewriter/line_index.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

constexpr std::size_t longest_digested = 2000;

// FNV-1a (Fowler, Noll, Vo 1991) with 64 bits: keys tell the traps of one program apart, nobody forges them.
constexpr std::uint64_t fnv_basis = 0xCBF29CE484222325;
constexpr std::uint64_t fnv_prime = 0x100000001B3;

std::uint64_t digest(std::uint64_t digest, std::string_view text) {
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * fnv_prime;
  return digest;
}

/// "PinApplet.verify(byte)" → "PinApplet.verify"
std::string_view without_parameters(std::string_view name) {
  return name.substr(0, name.find('('));
}

/// Without its file, which it has in front only while another file has one of its name.
std::string_view name_in_file(const Function& function) {
  return std::string_view(function.name).substr(function.file.empty() ? 0 : function.file.size() + 1);
}

/// "a.c:f" or "src/a.c:f", which no other file need have.
bool matches_with_file(std::string_view pattern, const SourceModel& model, std::string_view name) {
  if (pattern.find(':') == std::string_view::npos) return false;
  return glob_matches(pattern, fmt::format("{}:{}", model.path, name)) ||
         glob_matches(pattern, fmt::format("{}:{}", name_of_file(model.path), name));
}

/// In Java a point may also stand between a class and its method.
bool is_file_pattern(std::string_view pattern, SourceLanguage language) {
  if (pattern.find('/') != std::string_view::npos) return true;
  if (language == SourceLanguage::c) return pattern.find('.') != std::string_view::npos;
  return pattern.find('.') != pattern.rfind('.') || pattern.ends_with(".java");
}

struct Sources {
  const std::vector<SourceModel>& models;
  const TrapPolicy& policy;

  bool is_java() const { return policy.language == SourceLanguage::java; }
};

using FunctionRef = std::pair<std::size_t, std::uint32_t>;  // file, function

const Function& function_at(const Sources& in, const FunctionRef& f) {
  return in.models[f.first].functions[f.second];
}

std::vector<std::string> function_names(const Sources& in) {
  std::vector<std::string> names;
  for (const SourceModel& model : in.models)
    for (const Function& function : model.functions) names.emplace_back(without_parameters(function.name));
  return names;
}

// --- Entries ---

const ClassInfo* class_of(const Sources& in, const FunctionRef& f) {
  const std::vector<ClassInfo>& classes = in.models[f.first].classes;
  const auto found = std::ranges::find(classes, function_at(in, f).owner, &ClassInfo::name);
  return found == classes.end() ? nullptr : &*found;
}

/// The class of `f` extends that of `base`.
bool is_base(const Sources& in, const FunctionRef& base, const FunctionRef& f) {
  const ClassInfo* c = class_of(in, f);
  const std::string name = qualified_name(in.models[base.first].scope, function_at(in, base).owner);
  return c != nullptr && is_one_of(name, c->bases);
}

bool has_entry0(const SourceModel& model, std::uint32_t function) {
  return std::ranges::any_of(model.sites, [&](const Site& site) {
    return site.function == function && site.kind == TrapKind::entry0;
  });
}

/// `process(APDU, byte)` beside `process(APDU)`: the card calls the other one.
bool is_helper_overload(const Sources& in, const Function& function) {
  return in.is_java() && function.name.ends_with(')') && !function.name.ends_with("APDU)");
}

/// The functions that an entry's name stands for. A bare `process` may be that of several classes. Then it is
/// that of applets, and of them that of those that the card calls, which no other overrides.
std::vector<FunctionRef> entries_named(const Sources& in, const std::string& wanted) {
  std::vector<FunctionRef> all;
  for (std::size_t file = 0; file < in.models.size(); ++file) {
    const SourceModel& model = in.models[file];
    for (std::uint32_t i = 0; i < model.functions.size(); ++i)
      if (matches_function(wanted, model, model.functions[i]) && has_entry0(model, i) &&
          !is_helper_overload(in, model.functions[i]))
        all.emplace_back(file, i);
  }
  const auto of_applet = [&](const FunctionRef& f) {
    const ClassInfo* c = class_of(in, f);
    return c != nullptr && c->applet;
  };
  const bool any_applet = std::ranges::any_of(all, of_applet);
  std::vector<FunctionRef> entries;
  std::ranges::copy_if(all, std::back_inserter(entries), [&](const FunctionRef& f) {
    const bool overridden = std::ranges::any_of(all, [&](const FunctionRef& o) { return is_base(in, f, o); });
    return !overridden && (!any_applet || of_applet(f));
  });
  return entries;
}

std::string why_no_entry(const Sources& in, const Function& function) {
  if (!function.why_not.empty()) return function.why_not;
  return in.is_java() ? "it has no parameter of type APDU" : function.why_no_entry;
}

Fault no_such_entry(const Sources& in, const std::string& wanted) {
  for (const SourceModel& model : in.models)
    for (const Function& function : model.functions)
      if (matches_function(wanted, model, function))
        return {.message = fmt::format("\"{}\" cannot be the entry: {}", wanted, why_no_entry(in, function)),
                .place = place_at(model.path, model.text, function.offset),
                .hint = in.is_java()         ? "name the applet's process(APDU)"
                        : wanted == ta_entry ? "a trusted application has no other entry: write its head out"
                                             : "name a function that it calls, or that calls it"};
  std::vector<std::string> names = function_names(in);
  std::string hint = did_you_mean(wanted, names);
  names.resize(std::min<std::size_t>(names.size(), 8));
  if (hint.empty() && !names.empty()) hint = fmt::format("the sources have {}", fmt::join(names, ", "));
  return {.message = fmt::format("the entry \"{}\" is not in the sources", wanted), .hint = hint};
}

std::set<FunctionRef> find_entries(const Sources& in, std::vector<std::string>& notes) {
  std::set<FunctionRef> entries;
  for (const std::string& wanted : in.policy.entry) {
    const std::vector<FunctionRef> found = entries_named(in, wanted);
    if (found.empty()) throw UserError(no_such_entry(in, wanted));
    entries.insert(found.begin(), found.end());
  }
  check(!entries.empty(), "a project names an entry");
  for (const FunctionRef& entry : entries)
    for (const FunctionRef& other : entries)
      if (is_base(in, entry, other) || (entry == other && function_at(in, entry).calls_itself))
        notes.push_back(fmt::format("{} is an entry: the trace restarts when {} calls it",
                                    function_at(in, entry).name, function_at(in, other).name));
  const FunctionRef& first = *entries.begin();
  for (const FunctionRef& entry : entries)
    if (in.models[entry.first].scope != in.models[first.first].scope)
      throw UserError(Fault{.message = fmt::format("the entries \"{}\" and \"{}\" are in different packages",
                                                   function_at(in, first).name, function_at(in, entry).name),
                            .hint = "profile one package at a time"});
  return entries;
}

// --- Scope ---

bool matches(const Sources& in, std::string_view pattern, const SourceModel& model,
             const Function& function) {
  return matches_function(pattern, model, function) ||
         (is_file_pattern(pattern, in.policy.language) && glob_matches(pattern, model.path));
}

/// An include or exclude that names nothing is a slip of the pen, not a wish.
void check_patterns(const Sources& in) {
  std::vector<Fault> faults;
  std::vector<std::string> patterns = in.policy.scope.include;
  patterns.insert(patterns.end(), in.policy.scope.exclude.begin(), in.policy.scope.exclude.end());
  for (const std::string& pattern : patterns) {
    const bool found = std::ranges::any_of(in.models, [&](const SourceModel& model) {
      return std::ranges::any_of(model.functions,
                                 [&](const Function& f) { return matches(in, pattern, model, f); });
    });
    if (!found && pattern != "*")
      faults.push_back(
          {.message = fmt::format("\"{}\" names no function and no file of the sources", pattern),
           .hint = did_you_mean(pattern, function_names(in))});
  }
  if (!faults.empty()) throw UserError(faults);
}

bool in_scope(const Sources& in, const FunctionRef& f) {
  const ProfileScope& scope = in.policy.scope;
  const auto names_it = [&](const std::string& pattern) {
    return matches(in, pattern, in.models[f.first], function_at(in, f));
  };
  if (std::ranges::any_of(scope.exclude, names_it)) return false;
  return std::ranges::any_of(scope.include, [&](const std::string& p) { return p == "*" || names_it(p); });
}

bool is_chosen(const Sources& in, const FunctionRef& function, const Site& site, bool of_entry) {
  if (site.in_source) return in.policy.calls_in_source;
  if (site.kind == TrapKind::marker) return in.policy.scope.markers;
  if (site.kind == TrapKind::entry0) return of_entry;
  // The entry's own first and last traps frame the command whatever is left out.
  if (of_entry && site.kind == TrapKind::entry) return true;
  return site.level <= in.policy.scope.level && in_scope(in, function);
}

/// A trap of that kind is chosen already for the function.
bool has_other(const SourceModel& model, const FilePlan& chosen, const Site& site) {
  return std::any_of(chosen.traps.rbegin(), chosen.traps.rend(), [&](const PlannedTrap& planned) {
    const Site& other = model.sites[planned.site];
    return other.function == site.function && other.kind == site.kind;
  });
}

/// The number of each site among those of its function, from 1.
std::vector<std::uint32_t> ordinals_in(const SourceModel& model) {
  std::vector<std::uint32_t> last(model.functions.size());
  std::vector<std::uint32_t> ordinals(model.sites.size());
  for (std::uint32_t i = 0; i < model.sites.size(); ++i) ordinals[i] = ++last[model.sites[i].function];
  return ordinals;
}

std::string key_of(const SourceModel& model, const Site& site, std::uint32_t ordinal) {
  // A statement holds those within it: of a long one only the beginning, or the time taken grows squarely.
  const std::string_view statement =
      std::string_view(model.text).substr(site.begin, std::min(site.end - site.begin, longest_digested));
  const std::uint64_t where = digest(
      fnv_basis, fmt::format("{}\n{}\n{}\n{}\n", model.path, name_in_file(model.functions[site.function]),
                             name_of(site.kind), ordinal));
  return fmt::format("{:016x}", digest(where, statement));
}

/// Sites whose traps are to be left out by their keys. An entry's first traps stay, as they frame the
/// command.
std::set<std::uint32_t> sites_without(const SourceModel& model, const std::vector<std::string>& keys) {
  std::set<std::uint32_t> sites;
  if (keys.empty()) return sites;
  const std::set<std::string> unwanted(keys.begin(), keys.end());
  const std::vector<std::uint32_t> ordinals = ordinals_in(model);
  for (std::uint32_t i = 0; i < model.sites.size(); ++i)
    if (unwanted.contains(key_of(model, model.sites[i], ordinals[i]))) sites.insert(i);
  return sites;
}

/// For a file that shares the entries' runtime.
void choose_sites(const Sources& in, std::size_t file, const std::set<FunctionRef>& entries, TrapPlan& plan) {
  const SourceModel& model = in.models[file];
  FilePlan& chosen = plan.files[file];
  chosen.instrumented = true;
  const std::set<std::uint32_t> without = sites_without(model, in.policy.scope.without);
  for (std::uint32_t i = 0; i < model.sites.size(); ++i) {
    const FunctionRef function{file, model.sites[i].function};
    if (is_chosen(in, function, model.sites[i], entries.contains(function)) &&
        !(model.sites[i].instead && has_other(model, chosen, model.sites[i])) &&
        !in.policy.left_out.contains({file, i}) && !without.contains(i))
      chosen.traps.push_back({.site = i, .trap = {}});
  }
  for (std::uint32_t i = 0; i < model.functions.size(); ++i)
    (in_scope(in, {file, i}) ? plan.statements : plan.excluded_statements) += model.functions[i].statements;
  const LineIndex lines(model.text);
  for (const LeftAlone& left : model.left_alone) {
    const std::size_t line = lines.line(left.offset);
    plan.left_alone.push_back({.path = model.path, .line = line, .reason = left.reason, .count = left.count});
    // A tree in C has thousands: jcprof gen counts them.
    if (in.is_java()) plan.notes.push_back(fmt::format("{}:{}: no trap: {}", model.path, line, left.reason));
  }
}

// --- Ids and names ---

std::string identifier(std::string text) {
  std::ranges::replace_if(text, [](char c) { return !is_word(c); }, '_');
  return text;
}

/// Gives each trap a name of its own: the user's, or one made of its function's.
class TrapNames {
 public:
  TrapNames(const std::vector<SourceModel>& models, const TrapPlan& plan) : models_(models) {
    for (const SourceModel& model : models)
      for (const Function& f : model.functions) owners_[f.simple_name].insert(f.owner);
    for (const SourceModel& model : models)
      for (const std::string& constant : model.called_constants)
        taken_.insert(constant.substr(constant.find('.') + 1));
    take_markers(plan);
  }

  std::string name_for(std::size_t file, const Site& site) {
    if (!site.marker_name.empty()) return name_for_marker(site.marker_name);
    const auto [known, is_new] = stems_.try_emplace({file, site.function});
    if (is_new) known->second = stem_of(models_[file].functions[site.function]);
    for (std::uint32_t& count = counts_[known->second];;) {
      std::string name = fmt::format("TRAP_{}_{}", known->second, ++count);
      if (taken_.insert(name).second) return name;
    }
  }

 private:
  void take_markers(const TrapPlan& plan) {
    for (std::size_t file = 0; file < models_.size(); ++file)
      for (const PlannedTrap& planned : plan.files[file].traps)
        if (const std::string& marker = models_[file].sites[planned.site].marker_name; !marker.empty())
          taken_.insert(name_of_marker(marker));
  }

  /// The first marker of a name has it; "TRAP_x_2" is the next one of TRAP_x.
  std::string name_for_marker(const std::string& marker) {
    std::string name = name_of_marker(marker);
    for (std::uint32_t& count = markers_[marker]; ++count > 1;) {
      std::string next = fmt::format("{}_{}", name, count);
      if (taken_.insert(next).second) return next;
    }
    return name;
  }

  std::string stem_of(const Function& function) const {
    const bool is_unique = owners_.at(function.simple_name).size() == 1;
    return identifier(is_unique ? function.simple_name : function.owner + "_" + function.simple_name);
  }

  const std::vector<SourceModel>& models_;
  std::unordered_map<std::string, std::set<std::string>> owners_;  // by simple name
  std::unordered_set<std::string> taken_;                          // names that somebody has
  std::map<FunctionRef, std::string> stems_;
  std::unordered_map<std::string, std::uint32_t> counts_;   // of the traps of each stem
  std::unordered_map<std::string, std::uint32_t> markers_;  // of each name
};

void give_ids_and_names(const std::vector<SourceModel>& models, TrapPlan& plan) {
  TrapNames names(models, plan);
  std::uint32_t id = 0;
  for (std::size_t file = 0; file < models.size(); ++file) {
    const SourceModel& model = models[file];
    const LineIndex lines(model.text);
    const std::vector<std::uint32_t> ordinals = ordinals_in(model);
    for (PlannedTrap& planned : plan.files[file].traps) {
      const Site& site = model.sites[planned.site];
      const std::size_t line = lines.line(site.begin);
      planned.trap = {.id = TrapId{++id},
                      .key = key_of(model, site, ordinals[planned.site]),
                      .name = names.name_for(file, site),
                      .kind = site.kind,
                      .function = model.functions[site.function].name,
                      .path = model.path,
                      .line = line,
                      .column = site.begin - lines.start_of(line) + 1,
                      .offset = site.begin,
                      .end_line = lines.line(site.end > site.begin ? site.end - 1 : site.end),
                      .end_offset = site.end,
                      .guards = site.guards,
                      .unseen = site.kind == TrapKind::entry ? model.functions[site.function].unseen : ""};
    }
  }
}

}  // namespace

bool matches_function(std::string_view pattern, const SourceModel& model, const Function& function) {
  const std::string name(name_in_file(function));
  const std::string bare(without_parameters(name));
  const auto matches = [&](std::string_view text) { return glob_matches(pattern, text); };
  return matches(function.name) || matches(without_parameters(function.name)) || matches(name) ||
         matches(bare) || matches(function.simple_name) || matches(model.scope + "." + name) ||
         matches(model.scope + "." + bare) || matches_with_file(pattern, model, bare);
}

TrapPlan plan_traps(const std::vector<SourceModel>& models, const TrapPolicy& policy) {
  const Sources in{.models = models, .policy = policy};
  TrapPlan plan;
  plan.files.resize(models.size());
  const std::set<FunctionRef> entries = find_entries(in, plan.notes);
  plan.entry_file = entries.begin()->first;
  check_patterns(in);
  std::map<std::string, std::size_t> elsewhere;  // files of other packages
  for (std::size_t file = 0; file < models.size(); ++file) {
    if (models[file].scope != models[plan.entry_file].scope)
      ++elsewhere[models[file].scope];
    else if (models[file].is_old_runtime)
      plan.notes.push_back(fmt::format("{}: jcprof's own takes its place", models[file].path));
    else
      choose_sites(in, file, entries, plan);
  }
  for (const auto& [package, files] : elsewhere)
    plan.notes.push_back(fmt::format(
        "{} of package \"{}\": no trap: not the applet's package, they run in their caller's context",
        files == 1 ? "1 file" : fmt::format("{} files", files), package));
  give_ids_and_names(models, plan);
  return plan;
}

}  // namespace jcprof::rewriter
