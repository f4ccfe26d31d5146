// SPDX-License-Identifier: Apache-2.0
#include "rewriter/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

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

bool matches_function(std::string_view pattern, const SourceModel& model, const Function& function) {
  const std::string name(name_in_file(function));
  const std::string bare(without_parameters(name));
  const auto matches = [&](std::string_view text) { return glob_matches(pattern, text); };
  return matches(function.name) || matches(without_parameters(function.name)) || matches(name) ||
         matches(bare) || matches(function.simple_name) || matches(model.scope + "." + name) ||
         matches(model.scope + "." + bare);
}

/// In Java a point may also stand between a class and its method.
bool is_file_pattern(std::string_view pattern, SourceLanguage language) {
  if (pattern.find('/') != std::string_view::npos) return true;
  if (language == SourceLanguage::c) return pattern.find('.') != std::string_view::npos;
  return pattern.find('.') != pattern.rfind('.') || pattern.ends_with(".java");
}

class Planner {
 public:
  Planner(const std::vector<SourceModel>& models, const TrapPolicy& policy)
      : models_(models), policy_(policy) {
    for (const SourceModel& model : models) lines_.emplace_back(model.text);
  }

  TrapPlan plan() {
    plan_.files.resize(models_.size());
    find_entries();
    check_patterns();
    for (std::size_t file = 0; file < models_.size(); ++file) choose_sites(file);
    for (const auto& [package, files] : elsewhere_)
      plan_.notes.push_back(fmt::format(
          "{} of package \"{}\": left alone: not the applet's package, they run in their caller's context",
          files == 1 ? "1 file" : fmt::format("{} files", files), package));
    give_ids_and_names();
    return std::move(plan_);
  }

 private:
  using FunctionRef = std::pair<std::size_t, std::uint32_t>;  // file, function

  std::vector<std::string> function_names() const {
    std::vector<std::string> names;
    for (const SourceModel& model : models_)
      for (const Function& function : model.functions) names.emplace_back(without_parameters(function.name));
    return names;
  }

  void find_entries() {
    for (const std::string& wanted : policy_.entry) {
      const std::vector<FunctionRef> found = entries_named(wanted);
      if (found.empty()) throw UserError(no_such_entry(wanted));
      entries_.insert(found.begin(), found.end());
    }
    for (const FunctionRef& entry : entries_)
      for (const FunctionRef& other : entries_)
        if (is_base(entry, other) || (entry == other && function(entry).calls_itself))
          plan_.notes.push_back(fmt::format("{} is an entry: where {} calls it, the trace begins anew",
                                            function(entry).name, function(other).name));
    check(!entries_.empty(), "a project names an entry");
    plan_.entry_file = entries_.begin()->first;
    for (const FunctionRef& entry : entries_)
      if (models_[entry.first].scope != entry_scope())
        throw UserError(
            Fault{.message = fmt::format("the entries \"{}\" and \"{}\" are in different packages",
                                         models_[plan_.entry_file].functions[entries_.begin()->second].name,
                                         models_[entry.first].functions[entry.second].name),
                  .hint = "profile one package at a time"});
  }

  bool matches(std::string_view pattern, const SourceModel& model, const Function& function) const {
    return matches_function(pattern, model, function) ||
           (is_file_pattern(pattern, policy_.language) && glob_matches(pattern, model.path));
  }

  const Function& function(const FunctionRef& f) const { return models_[f.first].functions[f.second]; }

  const ClassInfo* class_of(const FunctionRef& f) const {
    const std::vector<ClassInfo>& classes = models_[f.first].classes;
    const auto found = std::ranges::find(classes, function(f).owner, &ClassInfo::name);
    return found == classes.end() ? nullptr : &*found;
  }

  /// Does the class of `f` extend that of `base`?
  bool is_base(const FunctionRef& base, const FunctionRef& f) const {
    const ClassInfo* c = class_of(f);
    const std::string name = qualified_name(models_[base.first].scope, function(base).owner);
    return c != nullptr && std::ranges::find(c->bases, name) != c->bases.end();
  }

  /// The functions that an entry's name stands for. Where a bare `process` is that of several classes: those
  /// of applets, and of them those that the card calls, which are not the ones they override.
  std::vector<FunctionRef> entries_named(const std::string& wanted) const {
    std::vector<FunctionRef> all;
    for (std::size_t file = 0; file < models_.size(); ++file)
      for (std::uint32_t i = 0; i < models_[file].functions.size(); ++i)
        if (matches_function(wanted, models_[file], models_[file].functions[i]) && has_entry0(file, i) &&
            !is_helper_overload(models_[file].functions[i]))
          all.emplace_back(file, i);
    const auto of_applet = [&](const FunctionRef& f) {
      const ClassInfo* c = class_of(f);
      return c != nullptr && c->applet;
    };
    const bool any_applet = std::ranges::any_of(all, of_applet);
    std::vector<FunctionRef> entries;
    std::ranges::copy_if(all, std::back_inserter(entries), [&](const FunctionRef& f) {
      const bool overridden = std::ranges::any_of(all, [&](const FunctionRef& o) { return is_base(f, o); });
      return !overridden && (!any_applet || of_applet(f));
    });
    return entries;
  }

  /// `process(APDU, byte)` beside `process(APDU)`: the card calls the other one.
  bool is_helper_overload(const Function& function) const {
    return policy_.language == SourceLanguage::java && function.name.ends_with(')') &&
           !function.name.ends_with("APDU)");
  }

  bool has_entry0(std::size_t file, std::uint32_t function) const {
    return std::ranges::any_of(models_[file].sites, [&](const Site& site) {
      return site.function == function && site.kind == TrapKind::entry0;
    });
  }

  std::string why_no_entry(const Function& function) const {
    if (!function.why_not.empty()) return function.why_not;
    if (!function.why_no_entry.empty()) return function.why_no_entry;
    return policy_.language == SourceLanguage::java
               ? "it has no parameter of type APDU"
               : "a wrapper cannot take the place of a member, of a template, or of what is in a namespace";
  }

  Fault no_such_entry(const std::string& wanted) const {
    for (const SourceModel& model : models_)
      for (const Function& function : model.functions)
        if (matches_function(wanted, model, function))
          return {.message = fmt::format("\"{}\" cannot be the entry: {}", wanted, why_no_entry(function)),
                  .place = place_at(model.path, model.text, function.offset),
                  .hint = policy_.language == SourceLanguage::java
                              ? "name the applet's process(APDU)"
                              : "name a function that it calls, or that calls it"};
    const std::vector<std::string> names = function_names();
    std::string hint = did_you_mean(wanted, names);
    if (hint.empty() && !names.empty())
      hint = fmt::format(
          "the sources have {}",
          fmt::join(names.begin(), names.begin() + std::min<std::ptrdiff_t>(std::ssize(names), 8), ", "));
    return {.message = fmt::format("the entry \"{}\" is not in the sources", wanted), .hint = hint};
  }

  /// An include or exclude that names nothing is a slip of the pen, not a wish.
  void check_patterns() const {
    std::vector<Fault> faults;
    std::vector<std::string> patterns = policy_.scope.include;
    patterns.insert(patterns.end(), policy_.scope.exclude.begin(), policy_.scope.exclude.end());
    for (const std::string& pattern : patterns) {
      const bool found = std::ranges::any_of(models_, [&](const SourceModel& model) {
        return std::ranges::any_of(model.functions,
                                   [&](const Function& f) { return matches(pattern, model, f); });
      });
      if (!found && pattern != "*")
        faults.push_back(
            {.message = fmt::format("\"{}\" names no function and no file of the sources", pattern),
             .hint = did_you_mean(pattern, function_names())});
    }
    if (!faults.empty()) throw UserError(faults);
  }

  const std::string& entry_scope() const { return models_[plan_.entry_file].scope; }

  bool in_scope(std::size_t file, std::uint32_t function) const {
    const SourceModel& model = models_[file];
    const Function& f = model.functions[function];
    const auto names_it = [&](const std::string& pattern) { return matches(pattern, model, f); };
    const ProfileScope& scope = policy_.scope;
    if (std::ranges::any_of(scope.exclude, names_it)) return false;
    return std::ranges::any_of(scope.include, [&](const std::string& p) { return p == "*" || names_it(p); });
  }

  bool chosen(std::size_t file, const Site& site) const {
    const bool entry = entries_.contains({file, site.function});
    if (site.in_source) return policy_.calls_in_source;
    if (site.kind == TrapKind::marker) return policy_.scope.markers;
    if (site.kind == TrapKind::entry0) return entry;
    // The entry's own first and last traps frame the command whatever is left out.
    if (entry && site.kind == TrapKind::entry) return true;
    return site.level <= policy_.scope.level && in_scope(file, site.function);
  }

  void choose_sites(std::size_t file) {
    const SourceModel& model = models_[file];
    if (model.scope != entry_scope()) {
      ++elsewhere_[model.scope];
      return;
    }
    if (model.is_old_runtime) {
      plan_.notes.push_back(fmt::format("{}: jcprof's own takes its place", model.path));
      return;
    }
    FilePlan& plan = plan_.files[file];
    plan.instrumented = true;
    for (std::uint32_t i = 0; i < model.sites.size(); ++i)
      if (chosen(file, model.sites[i]) && !policy_.left_out.contains({file, i}))
        plan.traps.push_back({.site = i, .trap = {}});
    for (std::uint32_t i = 0; i < model.functions.size(); ++i)
      (in_scope(file, i) ? plan_.statements : plan_.excluded_statements) += model.functions[i].statements;
    const LineIndex& lines = lines_[file];
    for (const LeftAlone& left : model.left_alone) {
      plan_.left_alone.push_back(
          {.path = model.path, .line = lines.line(left.offset), .reason = left.reason, .count = left.count});
      // A tree in C has thousands: jcprof gen counts them.
      if (policy_.language == SourceLanguage::java)
        plan_.notes.push_back(
            fmt::format("{}:{}: left alone: {}", model.path, lines.line(left.offset), left.reason));
    }
  }

  void give_ids_and_names() {
    reserve_marker_names();
    std::uint32_t id = 0;
    for (std::size_t file = 0; file < models_.size(); ++file) {
      const SourceModel& model = models_[file];
      const LineIndex& lines = lines_[file];
      std::vector<std::uint32_t> ordinal(model.functions.size());  // of the last site of each
      std::vector<std::uint32_t> ordinals(model.sites.size());     // of each among all of its function
      for (std::uint32_t i = 0; i < model.sites.size(); ++i) ordinals[i] = ++ordinal[model.sites[i].function];
      for (PlannedTrap& planned : plan_.files[file].traps) {
        const Site& site = model.sites[planned.site];
        planned.trap = {.id = TrapId{++id},
                        .key = key(model, site, ordinals[planned.site]),
                        .name = name_for(file, site),
                        .kind = site.kind,
                        .function = model.functions[site.function].name,
                        .path = model.path,
                        .line = lines.line(site.begin),
                        .column = site.begin - lines.start_of(lines.line(site.begin)) + 1,
                        .offset = site.begin,
                        .end_line = lines.line(site.end > site.begin ? site.end - 1 : site.end),
                        .end_offset = site.end,
                        .guards = site.guards};
      }
    }
  }

  static std::string key(const SourceModel& model, const Site& site, std::uint32_t ordinal) {
    // A statement holds those within it: of a long one only the beginning, or the time taken grows squarely.
    const std::string_view statement =
        std::string_view(model.text).substr(site.begin, std::min(site.end - site.begin, longest_digested));
    const std::uint64_t where = digest(
        fnv_basis, fmt::format("{}\n{}\n{}\n{}\n", model.path, name_in_file(model.functions[site.function]),
                               name_of(site.kind), ordinal));
    return fmt::format("{:016x}", digest(where, statement));
  }

  void reserve_marker_names() {
    for (const SourceModel& model : models_)
      for (const std::string& constant : model.called_constants)
        names_.insert(constant.substr(constant.find('.') + 1));
    std::map<std::string, std::pair<std::size_t, std::size_t>> seen;  // file, offset
    const auto place = [&](std::size_t file, std::size_t offset) {
      return place_at(models_[file].path, models_[file].text, offset);
    };
    for (std::size_t file = 0; file < models_.size(); ++file)
      for (const PlannedTrap& planned : plan_.files[file].traps) {
        const Site& site = models_[file].sites[planned.site];
        if (site.marker_name.empty()) continue;
        const auto [first, fresh] = seen.emplace(site.marker_name, std::pair{file, site.begin});
        if (!fresh) {
          const Place other = place(first->second.first, first->second.second);
          throw UserError(
              Fault{.message = fmt::format("the marker \"{}\" stands at two places", site.marker_name),
                    .place = place(file, site.begin),
                    .hint = fmt::format("the other is at {}:{}; each trap needs a name of its own",
                                        other.file, other.line)});
        }
        names_.insert("TRAP_" + site.marker_name);
      }
  }

  std::string name_for(std::size_t file, const Site& site) {
    if (!site.marker_name.empty()) return "TRAP_" + site.marker_name;
    NameStem& stem = stem_of(models_[file].functions[site.function]);
    for (;;) {
      std::string name = fmt::format("TRAP_{}_{}", stem.text, ++*stem.counter);
      if (!names_.contains(name)) return name;
    }
  }

  /// What the names of a function's traps begin with, and how many of them there are.
  struct NameStem {
    std::string text;
    std::uint32_t* counter = nullptr;  // shared with functions of the same stem
  };

  NameStem& stem_of(const Function& function) {
    const auto [stem, is_new] = stems_.try_emplace(&function);
    if (is_new) {
      stem->second.text =
          identifier(simple_name_is_unique(function) ? function.simple_name
                                                     : function.owner + "_" + function.simple_name);
      stem->second.counter = &counters_[stem->second.text];
    }
    return stem->second;
  }

  bool simple_name_is_unique(const Function& function) {
    if (owners_.empty())
      for (const SourceModel& model : models_)
        for (const Function& f : model.functions) owners_[f.simple_name].insert(f.owner);
    return owners_.at(function.simple_name).size() == 1;
  }

  static std::string identifier(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return !(std::isalnum(c) != 0 && c < 0x80) && c != '_'; }, '_');
    return text;
  }

  const std::vector<SourceModel>& models_;
  const TrapPolicy& policy_;
  TrapPlan plan_;
  std::set<FunctionRef> entries_;
  std::map<std::string, std::size_t> elsewhere_;  // files of other packages
  std::vector<LineIndex> lines_;                  // of each file
  std::unordered_set<std::string> names_;         // the users'; ours differ by stem or number
  std::unordered_map<std::string, std::uint32_t> counters_;
  std::unordered_map<const Function*, NameStem> stems_;
  std::unordered_map<std::string, std::set<std::string>> owners_;
};

}  // namespace

TrapPlan plan_traps(const std::vector<SourceModel>& models, const TrapPolicy& policy) {
  return Planner(models, policy).plan();
}

}  // namespace jcprof::rewriter
