// SPDX-License-Identifier: Apache-2.0
// C and C++: jcprof_tree.h beside the sources, and each unit's own compiler as the judge.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "rewriter/blame.hpp"
#include "rewriter/c/compile.hpp"
#include "rewriter/c/compile_database.hpp"
#include "rewriter/c/enclave.hpp"
#include "rewriter/c/runtime.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/language.hpp"
#include "rewriter/safe_flags.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

Reach reach_of(const Project& project) {
  if (project.target == TargetKind::optee_ta) return Reach::ta;
  const bool agent = project.transport.starts_with("agent:") ||
                     (project.transport.empty() && project.target != TargetKind::program);
  return agent ? Reach::in_process : Reach::program;
}

/// The first number from "jc\0\1" on that the sources do not have: none of the TA's own commands is one.
std::uint32_t free_command(const std::vector<SourceModel>& models) {
  static const std::regex number(R"(\b(?:0[xX]([0-9A-Fa-f]+)|([0-9]+))[uUlL]*\b)");
  std::set<std::uint64_t> taken;
  for (const SourceModel& model : models)
    for (auto at = std::sregex_iterator(model.text.begin(), model.text.end(), number);
         at != std::sregex_iterator(); ++at) {
      const std::ssub_match& digits = (*at)[1].matched ? (*at)[1] : (*at)[2];
      std::uint64_t value = 0;
      std::from_chars(&*digits.first, &*digits.first + digits.length(), value, (*at)[1].matched ? 16 : 10);
      taken.insert(value);
    }
  std::uint32_t command = 0x6A630001;
  while (taken.contains(command)) ++command;
  return command;
}

/// A diagnostic as it can be told again in another run: by path within the project, and message.
struct Complaint {
  Severity severity = Severity::warning;
  std::string message;
  std::vector<CompileError> places;  // in sources of the project; empty: none is
  std::string path;                  // of the first place of all
  std::size_t line = 0;

  std::pair<std::string, std::string> key() const { return {path, message}; }
  std::tuple<std::string, std::string, std::size_t> key_with_line() const { return {path, message, line}; }
};

/// gcc points at the statement in front, and at the label in a note.
bool is_fall_through(const Complaint& complaint) {
  return complaint.places.size() > 1 && complaint.message.find("may fall through") != std::string::npos;
}

/// What renaming the entry's body changes of a message.
std::string without_body_prefix(std::string message) {
  constexpr std::string_view prefix = "jcprof_body_";
  for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix, at))
    message.erase(at, prefix.size());
  return message;
}

/// What a unit says of the rewritten text and not of the original. A message that there was before counts as
/// often as it came more often now, those on other lines than before first.
std::vector<Complaint> fresh_ones(std::vector<Complaint> now, const std::vector<Complaint>& before) {
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::set<std::tuple<std::string, std::string, std::size_t>> lines;
  for (const Complaint& complaint : before) {
    ++known[complaint.key()];
    lines.insert(complaint.key_with_line());
  }
  std::ranges::stable_partition(
      now, [&](const Complaint& complaint) { return lines.contains(complaint.key_with_line()); });
  std::erase_if(now, [&](const Complaint& complaint) {
    std::size_t& left = known[complaint.key()];
    if (left == 0) return false;
    --left;
    return true;
  });
  return now;
}

enum class UnitState : std::uint8_t { open, settled };

struct CheckedUnit {
  CompileUnit unit;
  UnitState state = UnitState::open;
  std::size_t turns = 0;
  std::optional<UnitAnswer> original = {};
  std::vector<Complaint> accepted = {};  // what no trap can be blamed for
};

/// So often a unit is compiled for one error at a time; then all that it says counts, that it comes to an
/// end.
constexpr std::size_t patient_turns = 12;

/// The instrumented text of a file, as blame wants it.
struct Rewritten {
  std::vector<Insertion> insertions;
  std::string text;
};

/// One turn of check(): the complaints of all units, blamed on traps.
class Judge {
 public:
  Judge(const Instrumentation& work, std::map<std::string, std::size_t>& blamed_before)
      : work_(work), blamed_before_(blamed_before) {
    for (std::size_t i = 0; i < work.models.size(); ++i) files_.emplace(work.models[i].path, i);
  }

  /// False where no trap is left that it could be about.
  bool blame(const Complaint& complaint, const std::string& main_file) {
    const CompileError* place = pinned(complaint);
    const std::string key = fmt::format("{}:{}:{}", place == nullptr ? complaint.path : place->path,
                                        place == nullptr ? complaint.line : place->line, complaint.message);
    // A line that complains twice in one turn goes on no faster.
    const std::size_t first = this_turn_.try_emplace(key, blamed_before_[key]).first->second;
    for (std::size_t step = first; step < steps; ++step) {
      const auto [file, sites] = is_fall_through(complaint) && step == 0
                                     ? behind_label(complaint.places.back())
                                     : suspects(place, main_file, step);
      if (sites.empty()) continue;
      for (const std::uint32_t site : sites) add(file, site, complaint);
      blamed_before_[key] = step + 1;
      return true;
    }
    return false;
  }

  /// No trap brings it, and the entry's wrapper is in the file or the unit.
  void blame_wrapper(const Complaint& complaint, const std::string& main_file) const {
    for (std::size_t i = 0; i < work_.models.size(); ++i) {
      const SourceModel& model = work_.models[i];
      if (model.path != complaint.path && model.path != main_file) continue;
      for (const PlannedTrap& planned : work_.plan.files[i].traps) {
        const Site& site = model.sites[planned.site];
        if (site.kind != TrapKind::entry0) continue;
        const Function& entry = model.functions[site.function];
        throw UserError(
            Fault{.message = fmt::format("the entry \"{}\" cannot be wrapped, the compiler says: {}:{}: {}",
                                         entry.name, complaint.path, complaint.line, complaint.message),
                  .place = place_at(model.path, model.text, entry.offset),
                  .hint = "name a function that it calls, or that calls it"});
      }
    }
  }

  std::vector<Refusal> take() { return std::move(refused_); }

 private:
  static constexpr std::size_t steps = 4;  // of suspects()
  using Suspects = std::pair<std::size_t, std::vector<std::uint32_t>>;

  /// The trap that it points at, all of that function, all of that file, all of the unit's own file.
  Suspects suspects(const CompileError* place, const std::string& main_file, std::size_t step) {
    if (place == nullptr && step < 3) return {};
    const auto file = files_.find(step < 3 ? place->path : main_file);
    if (file == files_.end()) return {};
    if (step >= 2) return {file->second, all_of(file->second)};
    const Rewritten& rewritten = rewritten_of(file->second);
    const SourceModel& model = work_.models[file->second];
    return {file->second, step == 0 ? blamed(*place, rewritten.text, model, rewritten.insertions)
                                    : blamed_function(*place, rewritten.text, model, rewritten.insertions)};
  }

  Suspects behind_label(const CompileError& label) {
    const auto file = files_.find(label.path);
    if (file == files_.end()) return {};
    const Rewritten& rewritten = rewritten_of(file->second);
    return {file->second,
            blamed_behind(label, rewritten.text, work_.models[file->second], rewritten.insertions)};
  }

  /// Of its places the first that a trap stands at, else the first: a macro's definition comes before its
  /// use.
  const CompileError* pinned(const Complaint& complaint) {
    for (const CompileError& place : complaint.places) {
      const auto file = files_.find(place.path);
      if (file == files_.end()) continue;
      const Rewritten& rewritten = rewritten_of(file->second);
      if (points_at_trap(place, rewritten.text, work_.models[file->second], rewritten.insertions))
        return &place;
    }
    return complaint.places.empty() ? nullptr : &complaint.places.front();
  }

  std::vector<std::uint32_t> all_of(std::size_t file) const {
    std::vector<std::uint32_t> sites;
    for (const PlannedTrap& planned : work_.plan.files[file].traps)
      if (work_.models[file].sites[planned.site].kind != TrapKind::entry0) sites.push_back(planned.site);
    return sites;
  }

  const Rewritten& rewritten_of(std::size_t file) {
    const auto [found, is_new] = rewritten_.try_emplace(file);
    if (is_new) {
      const SourceModel& model = work_.models[file];
      found->second.insertions =
          insertions_for(model, work_.plan.files[file], {{"runtime", c_runtime_from(model.path)}});
      found->second.text = apply_edits(model.text, edits_of(found->second.insertions));
    }
    return found->second;
  }

  void add(std::size_t file, std::uint32_t site, const Complaint& complaint) {
    refused_.push_back({.file = file,
                        .site = site,
                        .reason = complaint.message,
                        .what = complaint.severity == Severity::error ? "it does not compile there"
                                                                      : "the compiler warns there"});
  }

  const Instrumentation& work_;
  std::map<std::string, std::size_t>& blamed_before_;  // how many steps, by place and message
  std::map<std::string, std::size_t> this_turn_;       // the step to begin with
  std::map<std::string, std::size_t> files_;
  std::map<std::size_t, Rewritten> rewritten_;
  std::vector<Refusal> refused_;
};

class CLanguage : public Language {
 public:
  CLanguage(const Project& project, const fs::path& out)
      : project_(project), out_(out), entering_{reach_of(project)} {}
  CLanguage(const Project& project, Enclave enclave, const fs::path& out, const fs::path& edge)
      : project_(project),
        out_(out),
        enclave_(std::move(enclave)),
        entering_(enclave_->entering),
        flags_(enclave_flags(*enclave_, project, edge)) {}

  std::vector<SourceModel> read(const std::vector<std::string>& paths,
                                const std::set<std::string>& without) override {
    std::vector<CompileUnit> units = compile_units(project_, paths, out_);
    std::erase_if(units, [&](const CompileUnit& unit) {
      return without.contains(fs::path(unit.path).lexically_relative(project_.root).generic_string());
    });
    std::vector<std::string> dropped;
    for (const CompileUnit& unit : units) std::ranges::copy(unit.dropped, std::back_inserter(dropped));
    if (const std::string warning = warning_on(std::move(dropped)); !warning.empty())
      notes_.push_back(warning);
    for (CompileUnit& unit : units) {
      unit.arguments.insert(unit.arguments.end(), flags_.begin(), flags_.end());
      units_.push_back({.unit = unit});
    }
    try {
      return read_c(project_.root, paths, units, entering_);
    } catch (const UserError& error) {
      if (!enclave_) throw;
      std::vector<Fault> faults = error.faults();
      std::ranges::move(imports_not_found(*enclave_), std::back_inserter(faults));
      throw UserError(faults, error.exit_code());
    }
  }

  void prepare(Instrumentation& work, const std::vector<std::string>&, TrapPolicy&) override {
    if (!enclave_) return;
    SourceModel& model = work.models[work.plan.entry_file];
    model.slots.push_back({.at = model.text.size(),
                           .text = fmt::format("\nJCPROF_ENCLAVE({})\n", enclave_->edit.function),
                           .wanted_by = {}});
    std::ranges::move(notes_on(*enclave_, work.models), std::back_inserter(notes_));
  }

  void complete(TrapMap& map, const std::vector<SourceModel>& models) override {
    const bool all_c = std::ranges::all_of(models, [](const SourceModel& model) {
      return model.path.ends_with(".c") || model.path.ends_with(".h");
    });
    map.language = all_c ? "c" : "c++";
    if (entering_.reach == Reach::ta) map.command = free_command(models);
  }

  void write(const Instrumentation& work, const TrapMap& map, const fs::path& tree) override {
    for (std::size_t i = 0; i < work.models.size(); ++i) {
      const SourceModel& model = work.models[i];
      if (!work.plan.files[i].instrumented) continue;
      const Placeholders values{{"runtime", c_runtime_from(model.path)}};
      write_own_file(tree / model.path,
                     apply_edits(model.text, edits_of(insertions_for(model, work.plan.files[i], values))));
    }
    write_own_file(tree / c_runtime_file, c_runtime_source(map, entering_.reach, project_.action));
    if (enclave_) write_edl(*enclave_, tree);
  }

  Verdict check(const Instrumentation& work, const fs::path& tree) override {
    SyntaxCheck& compilers = compilers_for(tree);
    std::vector<CheckedUnit*> open;
    for (CheckedUnit& unit : units_)
      if (unit.state == UnitState::open) open.push_back(&unit);
    std::vector<CompileUnit> written;
    for (const CheckedUnit* unit : open) written.push_back(moved(unit->unit, project_.root, tree));
    const std::vector<UnitAnswer> answers = compilers.run(written);
    compile_originals(open, answers, compilers);
    Judge judge(work, blamed_before_);
    for (std::size_t i = 0; i < open.size(); ++i) settle(*open[i], answers[i], tree, judge);
    Verdict verdict{.refused = judge.take()};
    if (!verdict.refused.empty()) return verdict;
    verdict.notes = notes_;
    return verdict;
  }

 private:
  SyntaxCheck& compilers_for(const fs::path& tree) {
    if (!compilers_) compilers_.emplace(tree.parent_path() / "compile");
    return *compilers_;
  }

  /// Of units that say something now, once.
  static void compile_originals(const std::vector<CheckedUnit*>& open, const std::vector<UnitAnswer>& answers,
                                SyntaxCheck& compilers) {
    std::vector<CheckedUnit*> wanted;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (!open[i]->original && (!answers[i].diagnostics.empty() || !answers[i].failure.empty()))
        wanted.push_back(open[i]);
    std::vector<CompileUnit> units;
    for (const CheckedUnit* unit : wanted) units.push_back(unit->unit);
    std::vector<UnitAnswer> originals = compilers.run(units);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i]->original = std::move(originals[i]);
  }

  void settle(CheckedUnit& unit, const UnitAnswer& answer, const fs::path& tree, Judge& judge) {
    unit.state = UnitState::settled;
    if (!unit.original) return;
    const std::string path = fs::path(unit.unit.path).lexically_relative(project_.root).generic_string();
    std::vector<Complaint> before = complaints(*unit.original, project_.root);
    const auto error = std::ranges::find(before, Severity::error, &Complaint::severity);
    std::string why_not = unit.original->failure.empty() ? answer.failure : unit.original->failure;
    if (error != before.end())
      why_not =
          fmt::format("it does not compile by itself: {}:{}: {}", error->path, error->line, error->message);
    if (!why_not.empty()) {
      notes_.push_back(fmt::format("{}: not checked by compiling: {}", path, why_not));
      return;
    }
    before.insert(before.end(), unit.accepted.begin(), unit.accepted.end());
    ++unit.turns;
    for (const Complaint& complaint : fresh_ones(complaints(answer, tree), before)) {
      if (judge.blame(complaint, path)) {
        unit.state = UnitState::open;
        // What comes behind an error may come of it.
        if (complaint.severity == Severity::error && unit.turns < patient_turns) return;
        continue;
      }
      if (entering_.reach != Reach::program && complaint.severity == Severity::error)
        judge.blame_wrapper(complaint, path);
      unit.accepted.push_back(complaint);
      notes_.push_back(fmt::format("{}:{}: with traps the compiler says, and no trap is to blame: {}",
                                   complaint.path, complaint.line, complaint.message));
    }
  }

  static std::vector<Complaint> complaints(const UnitAnswer& answer, const fs::path& root) {
    std::vector<Complaint> result;
    for (const Diagnostic& diagnostic : answer.diagnostics) {
      Complaint& complaint = result.emplace_back();
      complaint.severity = diagnostic.severity;
      complaint.message = without_body_prefix(diagnostic.message);
      for (CompileError place : diagnostic.places) {
        const std::string relative = fs::path(place.path).lexically_relative(root).generic_string();
        const bool is_inside = !relative.empty() && !relative.starts_with("..");
        if (is_inside) place.path = relative;
        if (complaint.path.empty()) {
          complaint.path = place.path;
          complaint.line = place.line;
        }
        if (is_inside && relative != c_runtime_file) complaint.places.push_back(place);
      }
    }
    return result;
  }

  const Project& project_;
  const fs::path out_;
  const std::optional<Enclave> enclave_;
  const CEntering entering_;
  const std::vector<std::string> flags_;  // of each unit, behind its own
  std::vector<CheckedUnit> units_;
  std::optional<SyntaxCheck> compilers_;
  std::map<std::string, std::size_t> blamed_before_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Language> c_language(const Project& project, const fs::path& out) {
  return std::make_unique<CLanguage>(project, out);
}

std::unique_ptr<Language> enclave_language(const Project& project, const std::vector<std::string>& files,
                                           const std::vector<std::string>& sources,
                                           const TreePlaces& places) {
  const fs::path edge = places.work / "edge";
  Enclave enclave = read_enclave(project, files, sources, places.out);
  write_edge(enclave, project, edge);
  return std::make_unique<CLanguage>(project, std::move(enclave), places.out, edge);
}

}  // namespace jcprof::rewriter
