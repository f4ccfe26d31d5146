// SPDX-License-Identifier: Apache-2.0
// Java Card applets: PM and PMC beside the entry's source, and javac as the judge.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "rewriter/blame.hpp"
#include "rewriter/compile_check.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/java/bytecode_size.hpp"
#include "rewriter/java/front_end.hpp"
#include "rewriter/java/runtime.hpp"
#include "rewriter/language.hpp"
#include "rewriter/reading.hpp"
#include "rewriter/safe_flags.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

// A class file holds 65,535 constants, two a trap: a name and a value. Some more are PMC's own.
constexpr std::size_t most_java_traps = 32'700;

/// The entry's package, which the runtime shares.
const std::string& package_of(const Instrumentation& work) {
  return work.models[work.plan.entry_file].scope;
}

/// The folder of the entry's source, and of the runtime.
fs::path runtime_folder(const Instrumentation& work) {
  return fs::path(work.models[work.plan.entry_file].path).parent_path();
}

/// Files beside the entry's source, by stem, but for the old runtime that is replaced.
std::set<std::string> stems_beside(const Instrumentation& work, const std::vector<std::string>& files) {
  std::set<std::string> stems;
  for (const std::string& file : files) {
    const bool replaced = std::ranges::any_of(
        work.models, [&](const SourceModel& model) { return model.is_old_runtime && model.path == file; });
    const fs::path path(file);
    if (!replaced && path.extension() == ".java" && path.parent_path() == runtime_folder(work))
      stems.insert(path.stem().string());
  }
  return stems;
}

/// An old runtime of another package stays in use there, and a PMC stays with a PM that is more than the old
/// one.
void keep_used_runtime(Instrumentation& work) {
  const std::string scope = package_of(work);
  const bool own_pm = std::ranges::any_of(work.models, [&](const SourceModel& model) {
    return model.scope == scope && !model.is_old_runtime && fs::path(model.path).filename() == "PM.java";
  });
  for (SourceModel& model : work.models)
    model.is_old_runtime = model.is_old_runtime && model.scope == scope && !own_pm;
}

class JavaLanguage : public Language {
 public:
  explicit JavaLanguage(const Project& project) : project_(project) {}

  std::vector<SourceModel> read(const std::vector<std::string>& paths,
                                const std::set<std::string>& without) override {
    std::vector<SourceModel> models(paths.size());
    std::vector<std::vector<Fault>> faults_of(paths.size());
    std::vector<std::vector<Fault>> refused(paths.size());
    const auto read_one = [&](std::size_t i) {
      models[i].path = paths[i];
      try {
        models[i].text = read_file(project_.root / paths[i]);
        if (carries_traps(models[i].text)) refused[i] = {traps_already(paths[i], models[i].text)};
        if (!refused[i].empty()) return;
        const Reading reading(paths[i]);
        if (!without.contains(paths[i])) models[i] = read_java(paths[i], models[i].text);
      } catch (const UserError& error) {
        faults_of[i] = error.faults();
      }
    };
    in_parallel(paths.size(), read_one, reading_workers());
    std::vector<Fault> faults;
    for (std::vector<Fault>& own : refused) std::ranges::move(own, std::back_inserter(faults));
    if (!faults.empty()) throw UserError(faults);
    std::vector<UnreadableSources::Source> unreadable;
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (!faults_of[i].empty()) unreadable.push_back({paths[i], std::move(faults_of[i])});
    if (!unreadable.empty()) throw UnreadableSources(std::move(unreadable));
    settle_applets(models);
    return models;
  }

  void prepare(Instrumentation& work, const std::vector<std::string>& files, TrapPolicy& policy) override {
    keep_used_runtime(work);
    names_ = choose_names(work.models, stems_beside(work, files));
    policy.calls_in_source = names_ == RuntimeNames{};
    if (!policy.calls_in_source) work.plan = plan_traps(work.models, policy);
  }

  void complete(TrapMap& map, const std::vector<SourceModel>& models) override {
    map.language = "java";
    if (map.traps.size() > most_java_traps)
      throw UserError(
          Fault{.message = fmt::format("{} traps are more than a Java class of constants holds ({})",
                                       map.traps.size(), most_java_traps),
                .hint = R"(narrow "profile.include" or set "profile.level" to "block" or "function")"});
    map.card = project_.arming ? *project_.arming : choose_arming(models);
  }

  void write(const Instrumentation& work, const TrapMap& map, const fs::path& tree) override {
    std::set<std::string> named;
    for (std::size_t i = 0; i < work.models.size(); ++i) {
      const SourceModel& model = work.models[i];
      // The old runtime names its own, and goes.
      if (!model.is_old_runtime) named.insert(model.called_constants.begin(), model.called_constants.end());
      if (work.plan.files[i].instrumented) write_own_file(tree / model.path, rewritten(work, i).text);
      if (!model.is_old_runtime) continue;
      // Kept for strip, under a name that no compiler takes for a source.
      write_own_file((tree / model.path).string() + std::string(original_suffix), model.text);
      fs::remove(tree / model.path);
    }
    const fs::path folder = tree / runtime_folder(work);
    write_own_file(folder / (names_.pm + ".java"), pm_source(package_of(work), names_, named));
    write_own_file(folder / (names_.pmc + ".java"), pmc_source(package_of(work), names_, map, named));
  }

  CheckResult check(const Instrumentation& work, const fs::path& tree) override {
    CheckResult result;
    const Compilation compiled = compile(work, tree, result.notes);
    for (const CompileError& error : compiled.errors) blame(error, work, result.refused);
    if (!result.refused.empty()) return result;
    const std::string warning = warning_on(safe_java_flags(project_.compile.flags).dropped);
    if (!warning.empty()) result.notes.push_back(warning);
    if (!compiled.errors.empty())
      throw UserError(
          Fault{.message = fmt::format("the tree does not compile with jcprof's runtime: {}",
                                       compiled.errors.front().message),
                .place = {.file = compiled.errors.front().path, .line = compiled.errors.front().line},
                .hint = fmt::format("the tree is left in \"{}\"", tree.string())});
    std::size_t traps = 0;
    for (const FilePlan& file : work.plan.files) traps += file.traps.size();
    const std::vector<std::string> sizes = size_notes(compiled.methods, package_of(work), traps);
    result.tight = !sizes.empty();
    result.notes.insert(result.notes.end(), sizes.begin(), sizes.end());
    return result;
  }

 private:
  RewrittenSource rewritten(const Instrumentation& work, std::size_t file) const {
    return rewritten_source(work.models[file], work.plan.files[file], values_of(names_));
  }

  std::vector<std::string> compiled_sources(const Instrumentation& work) const {
    std::vector<std::string> sources;
    for (const SourceModel& model : work.models)
      if (!model.is_old_runtime) sources.push_back(model.path);
    for (const std::string& name : {names_.pm, names_.pmc})
      sources.push_back((runtime_folder(work) / (name + ".java")).string());
    return sources;
  }

  /// Faults of the compiled tree. Empty where none can be known: without a class path, without javac, or when
  /// the sources themselves do not compile with what the project names.
  Compilation compile(const Instrumentation& work, const fs::path& tree, std::vector<std::string>& notes) {
    if (project_.compile.classpath.empty()) return {};
    const fs::path scratch = tree.parent_path() / "compile";
    Compilation compiled = compile_java(project_, tree, compiled_sources(work), scratch);
    if (compiled.failure.empty() && compiled.errors.empty()) return compiled;
    if (!originals_) originals_ = compile_originals(work.models, scratch);
    std::string why_not = originals_->failure.empty() ? compiled.failure : originals_->failure;
    if (!originals_->errors.empty()) {
      const CompileError& first = originals_->errors.front();
      why_not = fmt::format("the sources do not compile by themselves: {}:{}: {}", first.path, first.line,
                            first.message);
    }
    if (why_not.empty()) return compiled;
    for (const std::string& entry : project_.compile.classpath)
      if (entry.find('{') == std::string::npos && !fs::exists(project_.root / entry))
        why_not = fmt::format("\"{}\" of \"compile.classpath\" does not exist", entry);
    notes.push_back(fmt::format("not checked by compiling: {}", why_not));
    return {};
  }

  Compilation compile_originals(const std::vector<SourceModel>& models, const fs::path& scratch) const {
    std::vector<std::string> paths;
    for (const SourceModel& model : models) paths.push_back(model.path);
    return compile_java(project_, project_.root, paths, scratch);
  }

  void blame(const CompileError& error, const Instrumentation& work, std::vector<Refusal>& refused) const {
    for (std::size_t file = 0; file < work.models.size(); ++file) {
      const SourceModel& model = work.models[file];
      if (model.path != error.path) continue;
      for (const std::uint32_t site : blamed(error, rewritten(work, file)))
        refused.push_back({.file = file,
                           .site = site,
                           .reason = error.message,
                           .left = says_too_large(error) ? level_below(model.sites[site].level) : ""});
    }
  }

  static std::string level_below(TrapLevel level) {
    if (level == TrapLevel::statement) return "block";
    return level == TrapLevel::block ? "function" : "none";
  }

  const Project& project_;
  RuntimeNames names_;
  std::optional<Compilation> originals_;  // compiled once, when the tree does not compile
};

}  // namespace

std::unique_ptr<Language> java_language(const Project& project) {
  return std::make_unique<JavaLanguage>(project);
}

}  // namespace jcprof::rewriter
