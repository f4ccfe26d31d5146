// SPDX-License-Identifier: Apache-2.0
#include "rewriter/generate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rewriter/blame.hpp"
#include "rewriter/bytecode_size.hpp"
#include "rewriter/compile_check.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/java_applets.hpp"
#include "rewriter/java_front_end.hpp"
#include "rewriter/java_runtime.hpp"
#include "rewriter/plan.hpp"
#include "rewriter/project_tree.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view original_suffix = ".jcprof-original";

// A class file holds 65,535 constants, two a trap: a name and a value. Some more are PMC's own.
constexpr std::size_t most_java_traps = 32'700;

std::vector<SourceModel> read_sources(const Project& project, const std::vector<std::string>& paths) {
  std::vector<SourceModel> models;
  std::vector<Fault> faults;
  for (const std::string& path : paths) {
    if (!path.ends_with(".java")) {
      faults.push_back({.message = "this version reads Java sources only", .place = {.file = path}});
      continue;
    }
    try {
      models.push_back(read_java(path, read_file(project.root / path)));
    } catch (const UserError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }
  if (!faults.empty()) throw UserError(faults);
  settle_applets(models);
  return models;
}

TrapMap trap_map(const Project& project, const std::vector<SourceModel>& models, const TrapPlan& plan) {
  TrapMap map;
  map.language = "java";
  for (const SourceModel& model : models)
    map.sources.push_back({.path = model.path, .sha256 = sha256(model.text)});
  for (const FilePlan& file : plan.files)
    for (const PlannedTrap& planned : file.traps) map.traps.push_back(planned.trap);
  if (map.traps.size() > most_java_traps)
    throw UserError(
        Fault{.message = fmt::format("{} traps are more than a Java class of constants holds ({})",
                                     map.traps.size(), most_java_traps),
              .hint = R"(narrow "profile.include" or set "profile.level" to "block" or "function")"});
  map.card = project.arming ? *project.arming : choose_arming(models);
  map.build = build_of(map);
  return map;
}

/// The sources with what is to be done to them.
struct Instrumentation {
  std::vector<SourceModel> models;
  TrapPlan plan = {};
  RuntimeNames names = {};

  /// Where the entry's source stands, and the runtime with it.
  fs::path folder() const { return fs::path(models[plan.entry_file].path).parent_path(); }
};

/// Files beside the entry's source, by stem, but for the old runtime that is replaced.
std::set<std::string> stems_beside(const Instrumentation& work, const std::vector<std::string>& files) {
  std::set<std::string> stems;
  for (const std::string& file : files) {
    const bool replaced = std::ranges::any_of(
        work.models, [&](const SourceModel& model) { return model.is_old_runtime && model.path == file; });
    const fs::path path(file);
    if (!replaced && path.extension() == ".java" && path.parent_path() == work.folder())
      stems.insert(path.stem().string());
  }
  return stems;
}

/// An old runtime of another package stays in use there, and a PMC stays with a PM that is more than the old
/// one.
void keep_used_runtime(Instrumentation& work) {
  const std::string scope = work.models[work.plan.entry_file].scope;
  const bool own_pm = std::ranges::any_of(work.models, [&](const SourceModel& model) {
    return model.scope == scope && !model.is_old_runtime && fs::path(model.path).filename() == "PM.java";
  });
  for (SourceModel& model : work.models)
    model.is_old_runtime = model.is_old_runtime && model.scope == scope && !own_pm;
}

void write_sources(const Instrumentation& work, const TrapMap& map, const fs::path& tree) {
  std::set<std::string> named;
  for (std::size_t i = 0; i < work.models.size(); ++i) {
    const SourceModel& model = work.models[i];
    const FilePlan& plan = work.plan.files[i];
    // The old runtime names its own, and goes.
    if (!model.is_old_runtime) named.insert(model.called_constants.begin(), model.called_constants.end());
    if (plan.instrumented)
      write_file(tree / model.path,
                 apply_edits(model.text, edits_of(insertions_for(model, plan, work.names))));
    if (!model.is_old_runtime) continue;
    // Kept for strip, under a name that no compiler takes for a source.
    write_file((tree / model.path).string() + std::string(original_suffix), model.text);
    fs::remove(tree / model.path);
  }
  const std::string& package = work.models[work.plan.entry_file].scope;
  const fs::path folder = tree / work.folder();
  write_file(folder / (work.names.pm + ".java"), pm_source(package, work.names, named));
  write_file(folder / (work.names.pmc + ".java"), pmc_source(package, work.names, map, named));
}

std::vector<std::string> compiled_sources(const Instrumentation& work) {
  std::vector<std::string> sources;
  for (const SourceModel& model : work.models)
    if (!model.is_old_runtime) sources.push_back(model.path);
  for (const std::string& name : {work.names.pm, work.names.pmc})
    sources.push_back((work.folder() / (name + ".java")).string());
  return sources;
}

/// What was taken out because it did not compile, one note a function and reason.
class TakenOut {
 public:
  explicit TakenOut(const std::vector<SourceModel>& models) : models_(models) {}

  /// `trap` is that of a site of model `file`.
  void add(std::size_t file, const PlannedTrap& planned, const CompileError& error) {
    const Site& site = models_[file].sites[planned.site];
    Taken& taken = taken_[{file, site.function, error.message}];
    if (taken.count++ == 0) taken.first = planned.trap;
    if (says_too_large(error)) taken.left = site.level == TrapLevel::statement ? "block" : "function";
    if (says_too_large(error) && site.level <= TrapLevel::function) taken.left = "none";
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    for (const auto& [key, taken] : taken_) notes.push_back(note(key, taken));
    return notes;
  }

 private:
  struct Key {
    std::size_t file = 0;
    std::uint32_t function = 0;
    std::string message;
    auto operator<=>(const Key&) const = default;
  };
  struct Taken {
    std::size_t count = 0;
    Trap first = {};
    std::string left = {};  // the level that was gone down to
  };

  std::string note(const Key& key, const Taken& taken) const {
    if (taken.count == 1)
      return fmt::format("{}:{}: the trap {} is taken out, it does not compile there: {}", taken.first.path,
                         taken.first.line, taken.first.name, key.message);
    const SourceModel& model = models_[key.file];
    const Function& function = model.functions[key.function];
    return fmt::format("{}:{}: {} traps of {} are taken out{}: {}", model.path,
                       place_at(model.path, model.text, function.offset).line, taken.count, function.name,
                       taken.left.empty() ? "" : fmt::format(" (\"level\" is \"{}\" there)", taken.left),
                       key.message);
  }

  const std::vector<SourceModel>& models_;
  std::map<Key, Taken> taken_;
};

/// Traps that an error says must go, as (file, trap).
std::vector<std::pair<std::size_t, PlannedTrap>> refused_by(const CompileError& error,
                                                            const Instrumentation& work,
                                                            const fs::path& tree) {
  std::vector<std::pair<std::size_t, PlannedTrap>> refused;
  for (std::size_t file = 0; file < work.models.size(); ++file) {
    if (work.models[file].path != error.path) continue;
    const FilePlan& plan = work.plan.files[file];
    const std::vector<std::uint32_t> sites = blamed(error, read_file(tree / error.path), work.models[file],
                                                    insertions_for(work.models[file], plan, work.names));
    for (const PlannedTrap& planned : plan.traps)
      if (std::ranges::find(sites, planned.site) != sites.end()) refused.emplace_back(file, planned);
  }
  return refused;
}

/// What compiling the tree says against it. Nothing where that cannot be known: without a class path, without
/// javac, or when the sources themselves do not compile with what the project names.
Compilation check_compiles(const Project& project, const Instrumentation& work, const fs::path& tree,
                           std::vector<std::string>& notes) {
  if (project.compile.classpath.empty()) return {};
  const fs::path scratch = tree.parent_path() / "compile.part";
  Compilation compiled = compile_java(project, tree, compiled_sources(work), scratch);
  if (compiled.failure.empty() && compiled.errors.empty()) return compiled;
  std::vector<std::string> originals;
  for (const SourceModel& model : work.models) originals.push_back(model.path);
  const Compilation own = compile_java(project, project.root, originals, scratch);
  std::string why_not = own.failure.empty() ? compiled.failure : own.failure;
  if (!own.errors.empty())
    why_not = fmt::format("the sources do not compile by themselves: {}:{}: {}", own.errors.front().path,
                          own.errors.front().line, own.errors.front().message);
  if (why_not.empty()) return compiled;
  for (const std::string& entry : project.compile.classpath)
    if (entry.find('{') == std::string::npos && !fs::exists(project.root / entry))
      why_not = fmt::format("\"{}\" of \"compile.classpath\" does not exist", entry);
  notes.push_back(fmt::format("not checked by compiling: {}", why_not));
  return {};
}

/// Leaves out what the errors are to be blamed on.
void leave_out(const std::vector<CompileError>& errors, const Instrumentation& work, const fs::path& tree,
               TrapPolicy& policy, TakenOut& taken) {
  const std::size_t before = policy.left_out.size();
  for (const CompileError& error : errors)
    for (const auto& [file, planned] : refused_by(error, work, tree))
      if (policy.left_out.emplace(file, planned.site).second) taken.add(file, planned, error);
  if (policy.left_out.size() > before) return;
  throw UserError(Fault{
      .message = fmt::format("the tree does not compile with jcprof's runtime: {}", errors.front().message),
      .place = {.file = errors.front().path, .line = errors.front().line},
      .hint = fmt::format("the tree is left in \"{}\"", tree.string())});
}

/// Writes, and plans and writes again, until what is written compiles.
Generated instrument(const Project& project, Instrumentation& work, TrapPolicy policy, const fs::path& tree) {
  TakenOut taken(work.models);
  for (;;) {
    Generated result{.map = trap_map(project, work.models, work.plan), .notes = work.plan.notes};
    write_sources(work, result.map, tree);
    const Compilation compiled = check_compiles(project, work, tree, result.notes);
    if (!compiled.errors.empty()) {
      leave_out(compiled.errors, work, tree, policy, taken);
      work.plan = plan_traps(work.models, policy);
      continue;
    }
    const std::vector<std::string> sizes =
        size_notes(compiled.methods, work.models[work.plan.entry_file].scope, result.map.traps.size());
    result.tight = !sizes.empty();
    for (const auto& more : {taken.notes(), sizes})
      result.notes.insert(result.notes.end(), more.begin(), more.end());
    result.instrumented_files = static_cast<std::size_t>(
        std::ranges::count_if(work.plan.files, [](const FilePlan& file) { return file.instrumented; }));
    return result;
  }
}

}  // namespace

Generated generate(const Project& project, const fs::path& out) {
  const std::vector<std::string> files = project_files(project, out);
  TrapPolicy policy{.entry = project.entry, .scope = project.profile};
  Instrumentation work{.models = read_sources(project, source_files(project, files))};
  work.plan = plan_traps(work.models, policy);
  keep_used_runtime(work);
  work.names = choose_names(work.models, stems_beside(work, files));
  policy.calls_in_source = work.names == RuntimeNames{};
  if (!policy.calls_in_source) work.plan = plan_traps(work.models, policy);
  const fs::path part = fs::absolute(out) / "tree.part";
  Generated result;
  try {
    fs::remove_all(part);
    fs::create_directories(part);
    copy_files(project, files, part);
    result = instrument(project, work, policy, part);
    fs::remove_all(out / "tree");
    fs::rename(part, out / "tree");
  } catch (const fs::filesystem_error& error) {
    throw environment_error(fmt::format("cannot write the tree: {}", error.what()),
                            "is the disk full, or read-only?");
  }
  write_file(out / "traps.json", write_trap_map(result.map));
  return result;
}

std::size_t strip_in_place(const fs::path& file_or_folder) {
  std::vector<fs::path> files;
  if (fs::is_directory(file_or_folder)) {
    for (const auto& entry : fs::recursive_directory_iterator(file_or_folder))
      if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path());
  } else {
    files.push_back(file_or_folder);
  }
  std::size_t changed = 0;
  std::vector<fs::path> replaced;
  for (const fs::path& file : files) {
    const std::string text = read_file(file);
    if (file.string().ends_with(original_suffix)) {
      replaced.push_back(file);
    } else if (is_runtime_source(text)) {
      fs::remove(file);
    } else if (carries_traps(text)) {
      write_file(file, strip(file.string(), text));
    } else {
      continue;
    }
    ++changed;
  }
  for (const fs::path& file : replaced) {
    const std::string name = file.string();
    fs::rename(file, name.substr(0, name.size() - original_suffix.size()));
  }
  return changed;
}

}  // namespace jcprof::rewriter
