// SPDX-License-Identifier: Apache-2.0
// C and C++: jcprof_tree.h beside the sources, and each unit's own compiler as the judge.
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "rewriter/c/arguments.hpp"
#include "rewriter/c/compile.hpp"
#include "rewriter/c/compile_database.hpp"
#include "rewriter/c/enclave.hpp"
#include "rewriter/c/judge.hpp"
#include "rewriter/c/judged.hpp"
#include "rewriter/c/runtime.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/edl/files.hpp"
#include "rewriter/language.hpp"
#include "rewriter/program_files.hpp"
#include "rewriter/safe_flags.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

Reach reach_of(const Project& project) {
  if (project.target == TargetKind::optee_ta) return Reach::ta;
  const bool agent = project.transport.starts_with("agent:") || project.transport.starts_with("labgrid:") ||
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

bool is_c(const SourceModel& model) {
  return model.path.ends_with(".c") || model.path.ends_with(".h");
}

bool has_processor_pragma(const SourceModel& model) {
  return model.text.find("GCC target") != std::string::npos;
}

/// A trap that gcc must inline stands in such a function.
bool holds_inlined_trap(const SourceModel& model) {
  return std::ranges::any_of(model.slots, [&](const Slot& slot) {
    return slot.text.starts_with("JCPROF_LAST") &&
           std::ranges::any_of(slot.wanted_by, [&](std::uint32_t site) {
             return model.functions[model.sites[site].function].names_processor;
           });
  });
}

/// Some traps are functions that gcc must inline: in C++, in enclaves and where they record all, in C those
/// that a function is left by. It refuses that where a function is compiled for another processor than they
/// are.
bool may_refuse_inlining(const SourceModel& model, bool is_always_inlined) {
  return holds_inlined_trap(model) || has_processor_pragma(model) ||
         ((is_always_inlined || !is_c(model)) &&
          std::ranges::any_of(model.functions, &Function::names_processor));
}

enum class UnitState : std::uint8_t { open, settled };

struct CheckedUnit {
  CompileUnit unit;
  std::vector<std::size_t> sources = {};  // that it reads
  std::vector<std::string> others = {};   // files that it reads besides
  UnitState state = UnitState::open;
  std::string digest = {};  // of what is judged now
  std::size_t turns = 0;
  std::optional<UnitAnswer> original = {};
  std::vector<Complaint> accepted = {};  // what no trap can be blamed for
};

/// So often a unit is compiled for one error at a time; then all that it says counts, that it comes to an
/// end.
constexpr std::size_t patient_turns = 12;

/// So many times as many units as there are stay known: the other action, or fewer functions, has others.
constexpr std::size_t generations_known = 4;

/// A dry run of make makes no header.
void blame_unmade_files(const Project& project, std::vector<Fault>& faults) {
  if (project.compile.make.empty()) return;
  for (Fault& fault : faults)
    if (fault.message.ends_with("file not found") && fault.hint.starts_with("clang 19 read"))
      fault.hint = fmt::format("if make makes it, run make first, in {}; else the makefile lacks its folder",
                               (project.root / project.compile.make).lexically_normal().string());
}

/// Throws the caught error of reading the sources again, with hints at files that are missing.
[[noreturn]] void rethrow_explained(const UserError& error, const Project& project,
                                    const std::optional<Enclave>& enclave) {
  if (!enclave) {
    const auto* const unreadable = dynamic_cast<const UnreadableSources*>(&error);
    if (unreadable == nullptr) throw;
    std::vector<UnreadableSources::Source> sources = unreadable->sources();
    for (UnreadableSources::Source& source : sources) blame_unmade_files(project, source.faults);
    throw UnreadableSources(std::move(sources));
  }
  std::vector<Fault> faults = error.faults();
  blame_unmade_files(project, faults);
  for (Fault& fault : faults)
    if (fault.message.starts_with("'sgx_") && fault.message.ends_with("file not found") && !sdk_headers())
      fault.hint = "it is the SDK's, which a host build cannot have: set SGX_SDK to the folder of the SDK";
  std::ranges::move(imports_not_found(*enclave), std::back_inserter(faults));
  throw UserError(faults, error.exit_code());
}

/// Compiles the originals of units that say something now, once.
void compile_originals(const std::vector<CheckedUnit*>& open, const std::vector<UnitAnswer>& answers,
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

class CLanguage : public Language {
 public:
  CLanguage(const Project& project, const fs::path& out)
      : project_(project),
        out_(out),
        entering_{reach_of(project), {project.entry.begin(), project.entry.end()}} {}
  CLanguage(const Project& project, Enclave enclave, const fs::path& out, const fs::path& edge)
      : project_(project),
        out_(out),
        enclave_(std::move(enclave)),
        entering_(enclave_->entering),
        flags_(enclave_flags(*enclave_, project, edge)),
        edge_(edge) {}

  std::vector<SourceModel> read(const std::vector<std::string>& paths,
                                const std::set<std::string>& without) override {
    notes_.clear();
    units_.clear();
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
    judged_.emplace(out_ / "judged", sha256(c_runtime_source({}, entering_.reach, project_.action)), edge_);
    for (const std::string& path : paths) judged_->note(project_.root / path);
    try {
      CSourceModels read = read_c(project_.root, paths, units, entering_);
      for (std::size_t i = 0; i < units_.size(); ++i) {
        units_[i].unit.inlines = may_refuse_inlining(read, i);
        units_[i].sources = std::move(read.seen[i]);
        units_[i].others = std::move(read.others[i]);
        for (const std::string& file : units_[i].others) judged_->note(units_[i].unit.folder / file);
      }
      return std::move(read.models);
    } catch (const UserError& error) {
      rethrow_explained(error, project_, enclave_);
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
    map.language = std::ranges::all_of(models, is_c) ? "c" : "c++";
    if (entering_.reach == Reach::ta) map.command = free_command(models);
  }

  void write(const Instrumentation& work, const TrapMap& map, const fs::path& tree) override {
    for (std::size_t i = 0; i < work.models.size(); ++i) {
      const SourceModel& model = work.models[i];
      if (!work.plan.files[i].instrumented) continue;
      write_own_file(
          tree / model.path,
          rewritten_source(model, work.plan.files[i], {{"runtime", c_runtime_from(model.path)}}).text);
    }
    write_own_file(tree / c_runtime_file, c_runtime_source(map, entering_.reach, project_.action));
    if (enclave_) write_edl(*enclave_, tree);
  }

  CheckResult check(const Instrumentation& work, const fs::path& tree) override {
    if (!compilers_) compilers_.emplace(tree.parent_path() / "compile");
    SyntaxCheck& compilers = *compilers_;
    settle_known_ones(work);
    std::vector<CheckedUnit*> open;
    for (CheckedUnit& unit : units_)
      if (unit.state == UnitState::open) open.push_back(&unit);
    std::vector<CompileUnit> written;
    for (const CheckedUnit* unit : open) written.push_back(moved(unit->unit, project_.root, tree));
    const std::vector<UnitAnswer> answers = compilers.run(written);
    compile_originals(open, answers, compilers);
    Judge judge(work, blamed_before_);
    for (std::size_t i = 0; i < open.size(); ++i) settle(*open[i], answers[i], tree, work, judge);
    CheckResult result{.refused = judge.take()};
    if (!result.refused.empty()) return result;
    judged_->write(generations_known * units_.size());
    result.notes = notes_;
    return result;
  }

 private:
  /// gcc goes on to making code of such a unit, which takes longest.
  bool may_refuse_inlining(const CSourceModels& read, std::size_t unit) const {
    const bool is_always_inlined = entering_.reach == Reach::enclave ||
                                   project_.action == TrapAction::record || is_cpp(units_[unit].unit);
    return std::ranges::any_of(read.seen[unit], [&](std::size_t source) {
      return rewriter::may_refuse_inlining(read.models[source], is_always_inlined);
    });
  }

  /// Units that were judged with just these traps before, and that compilers had nothing new to say of, are
  /// settled.
  void settle_known_ones(const Instrumentation& work) {
    std::set<std::size_t> sources;  // of open units
    for (const CheckedUnit& unit : units_)
      if (unit.state == UnitState::open) sources.insert(unit.sources.begin(), unit.sources.end());
    judged_->look_at(work, sources);
    for (CheckedUnit& unit : units_) {
      if (unit.state != UnitState::open) continue;
      unit.digest =
          judged_->digest_of(unit.unit, compilers_->compiler_of(unit.unit), unit.sources, unit.others);
      if (judged_->recalls(unit.digest)) unit.state = UnitState::settled;
    }
  }

  /// Files that the compiler read and clang did not, by their names in the project.
  std::vector<fs::path> read_besides(const CheckedUnit& unit, const UnitAnswer& answer, const fs::path& tree,
                                     const Instrumentation& work) const {
    std::set<fs::path> by_clang;
    for (const std::string& file : unit.others) by_clang.insert((unit.unit.folder / file).lexically_normal());
    for (const std::size_t source : unit.sources) by_clang.insert(project_.root / work.models[source].path);
    std::vector<fs::path> besides;
    for (const fs::path& file : answer.files) {
      const fs::path own = lies_in(file, tree) ? project_.root / file.lexically_relative(tree) : file;
      if (!by_clang.contains(own)) besides.push_back(own);
    }
    return besides;
  }

  void settle(CheckedUnit& unit, const UnitAnswer& answer, const fs::path& tree, const Instrumentation& work,
              Judge& judge) {
    unit.state = UnitState::settled;
    if (!unit.original) return judged_->remember(unit.digest, read_besides(unit, answer, tree, work));
    const std::string path = fs::path(unit.unit.path).lexically_relative(project_.root).generic_string();
    std::vector<Complaint> before = complaints_of(*unit.original, project_.root);
    const auto error = std::ranges::find(before, Severity::error, &Complaint::severity);
    std::string why_not = unit.original->failure.empty() ? answer.failure : unit.original->failure;
    if (error != before.end())
      why_not = fmt::format("it does not compile by itself: {}: {}", place_of(*error), error->message);
    if (!why_not.empty()) {
      notes_.push_back(fmt::format("{}: not checked by compiling: {}", path, why_not));
      return;
    }
    before.insert(before.end(), unit.accepted.begin(), unit.accepted.end());
    ++unit.turns;
    std::vector<Complaint> fresh = fresh_ones(complaints_of(answer, tree), before);
    // What calls a function that a trap keeps from being a constant is told of before that trap.
    const auto behind = std::ranges::stable_partition(fresh, [&](const Complaint& complaint) {
      return complaint.severity == Severity::error && judge.is_at_trap(complaint);
    });
    const bool is_explained = behind.begin() != fresh.begin();
    if (fresh.empty() && unit.accepted.empty())
      judged_->remember(unit.digest, read_besides(unit, answer, tree, work));
    for (const Complaint& complaint : fresh) {
      const bool is_error = complaint.severity == Severity::error;
      if (is_error && is_explained && unit.state == UnitState::open && !judge.is_at_trap(complaint)) continue;
      if (judge.blame(complaint, path)) {
        unit.state = UnitState::open;
        // Complaints behind an error may come of it.
        if (is_error && unit.turns < patient_turns) return;
        continue;
      }
      if (entering_.reach != Reach::program && complaint.severity == Severity::error)
        blame_wrapper(complaint, path, work);
      unit.accepted.push_back(complaint);
      const std::string note = fmt::format(
          "{}: the compiler complains about the tree with traps, and no single trap is the cause: {}",
          place_of(complaint), complaint.message);
      // Each unit includes the header of the traps.
      if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
    }
  }

  const Project& project_;
  const fs::path out_;
  const std::optional<Enclave> enclave_;
  const CEntering entering_;
  const std::vector<std::string> flags_;  // of each unit, behind its own
  const fs::path edge_;                   // of an enclave
  std::vector<CheckedUnit> units_;
  std::optional<SyntaxCheck> compilers_;
  std::optional<JudgedUnits> judged_;
  BlamedSteps blamed_before_;
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
