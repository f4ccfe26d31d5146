// SPDX-License-Identifier: Apache-2.0
#include "rewriter/generate.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "rewriter/language.hpp"
#include "rewriter/plan.hpp"
#include "rewriter/project_tree.hpp"
#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

namespace fs = std::filesystem;

/// More of one kind in the notes are counted only.
constexpr std::size_t most_notes = 20;

std::optional<SourceLanguage> language_of(std::string_view path) {
  if (path.ends_with(".java")) return SourceLanguage::java;
  if (ends_with_one_of(path, {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".h", ".hh", ".hpp", ".hxx",
                              ".h++", ".H", ".inc", ".inl", ".ipp", ".tpp", ".tcc"}))
    return SourceLanguage::c;
  return std::nullopt;
}

/// The one that all sources are written in.
SourceLanguage language_of(const std::vector<std::string>& sources) {
  std::vector<Fault> faults;
  const std::optional<SourceLanguage> language = language_of(sources.front());
  for (const std::string& path : sources) {
    const std::optional<SourceLanguage> own = language_of(path);
    if (!own)
      faults.push_back(
          {.message = "this version reads Java, C and C++ sources only", .place = {.file = path}});
    else if (language && own != language)
      faults.push_back(
          {.message = fmt::format("Java beside C: \"{}\" is in the other language", sources.front()),
           .place = {.file = path},
           .hint = "give each language a project file of its own"});
  }
  if (!faults.empty()) throw UserError(faults);
  return *language;
}

std::unique_ptr<Language> language_for(const Project& project, const std::vector<std::string>& files,
                                       const std::vector<std::string>& sources, const TreePlaces& places) {
  const bool is_enclave = project.target == TargetKind::sgx_enclave;
  if (language_of(sources) == SourceLanguage::java) return java_language(project);
  return is_enclave ? enclave_language(project, files, sources, places) : c_language(project, places.out);
}

/// Gone with the object, with what was not moved out of it.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& out) : path_(make_part_folder(out)) {}
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A link in its place goes, not what it leads to.
void replace_folder(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  if (fs::exists(from)) fs::rename(from, to);
}

void append_bounded(std::vector<std::string>& to, const std::vector<std::string>& more) {
  const std::size_t shown = std::min(more.size(), most_notes);
  to.insert(to.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(shown));
  if (more.size() > shown) to.push_back(fmt::format("and {} notes like these", more.size() - shown));
}

Coverage coverage_of(const Instrumentation& work, TrapLevel level) {
  Coverage coverage{
      .statements = work.plan.statements, .excluded = work.plan.excluded_statements, .level = level};
  for (std::size_t file = 0; file < work.models.size(); ++file)
    for (const PlannedTrap& planned : work.plan.files[file].traps)
      coverage.with_trap += work.models[file].sites[planned.site].counts ? 1 : 0;
  return coverage;
}

std::size_t functions_with_traps(const TrapMap& map) {
  std::set<std::pair<std::string_view, std::string_view>> functions;
  for (const Trap& trap : map.traps) functions.emplace(trap.path, trap.function);
  return functions.size();
}

/// A map without traps.
TrapMap map_of_sources(const std::vector<SourceModel>& models) {
  TrapMap map;
  for (const SourceModel& model : models)
    map.sources.push_back({.path = model.path, .sha256 = sha256(model.text)});
  return map;
}

TrapMap trap_map(Language& language, const Instrumentation& work, TrapMap map) {
  for (const FilePlan& file : work.plan.files)
    for (const PlannedTrap& planned : file.traps) map.traps.push_back(planned.trap);
  language.complete(map, work.models);
  map.build = build_of(map);
  return map;
}

const Trap& trap_at(const FilePlan& plan, std::uint32_t site) {
  const auto found = std::ranges::find(plan.traps, site, &PlannedTrap::site);
  check(found != plan.traps.end(), "a trap that is refused was planned");
  return found->trap;
}

/// Traps of one function that were taken out for one reason.
struct TakenOut {
  std::size_t count = 0;
  Trap first = {};
  Refusal last = {};
};
using TakenOutKey = std::tuple<std::size_t, std::uint32_t, std::string>;  // file, function, reason

std::string note_on(const TakenOut& taken, const SourceModel& model, std::uint32_t function) {
  const auto& [file, site, message, place, what, left] = taken.last;
  const std::string reason = place.empty() ? message : fmt::format("{}: {}", place, message);
  if (taken.count == 1)
    return fmt::format("{}:{}: the trap {} is taken out, {}: {}", taken.first.path, taken.first.line,
                       taken.first.name, what, reason);
  return fmt::format("{}:{}: {} traps of {} are taken out{}: {}", model.path,
                     place_at(model.path, model.text, model.functions[function].offset).line, taken.count,
                     model.functions[function].name,
                     left.empty() ? "" : fmt::format(" (\"level\" is \"{}\" there)", left), reason);
}

/// Tells a complaint about no source, such as the header of the traps, once for all functions.
std::vector<std::string> notes_on(const std::map<TakenOutKey, TakenOut>& taken,
                                  const std::vector<SourceModel>& models) {
  const auto complaint = [](const Refusal& one) { return std::tie(one.place, one.what, one.reason); };
  using Complaint = std::tuple<std::string, std::string, std::string>;
  std::map<Complaint, std::vector<std::size_t>> elsewhere;  // traps of each function; empty once it is told
  for (const auto& [key, traps] : taken)
    if (!traps.last.place.empty()) elsewhere[complaint(traps.last)].push_back(traps.count);
  std::vector<std::string> notes;
  for (const auto& [key, traps] : taken) {
    std::string note = note_on(traps, models[std::get<0>(key)], std::get<1>(key));
    if (!traps.last.place.empty()) {
      std::vector<std::size_t>& counts = elsewhere.at(complaint(traps.last));
      if (counts.empty()) continue;
      if (counts.size() > 1)
        note +=
            fmt::format("; so are {} traps of {} other functions",
                        std::accumulate(counts.begin() + 1, counts.end(), std::size_t{0}), counts.size() - 1);
      counts.clear();
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

/// Writes, and plans and writes again, until what is written compiles.
Generated instrument(Language& language, Instrumentation& work, TrapPolicy policy, const fs::path& tree) {
  const TrapMap bare = map_of_sources(work.models);
  std::map<TakenOutKey, TakenOut> taken;
  std::vector<LeftAlonePlace> lost;  // statements whose traps were taken out
  for (;;) {
    Generated result{.map = trap_map(language, work, bare), .notes = work.plan.notes};
    language.write(work, result.map, tree);
    const CheckResult checked = language.check(work, tree);
    if (checked.refused.empty()) {
      append_bounded(result.notes, notes_on(taken, work.models));
      append_bounded(result.notes, checked.notes);
      result.traps = result.map.traps.size();
      result.functions = functions_with_traps(result.map);
      result.left_alone = work.plan.left_alone;
      result.left_alone.insert(result.left_alone.end(), lost.begin(), lost.end());
      result.coverage = coverage_of(work, policy.scope.level);
      result.tight = checked.tight;
      result.instrumented_files = static_cast<std::size_t>(
          std::ranges::count_if(work.plan.files, [](const FilePlan& file) { return file.instrumented; }));
      return result;
    }
    for (const Refusal& refusal : checked.refused) {
      if (!policy.left_out.emplace(refusal.file, refusal.site).second) continue;
      const Trap& trap = trap_at(work.plan.files[refusal.file], refusal.site);
      const Site& site = work.models[refusal.file].sites[refusal.site];
      TakenOut& of_function = taken[{refusal.file, site.function, refusal.reason}];
      if (of_function.count++ == 0) of_function.first = trap;
      std::string left = refusal.left.empty() ? of_function.last.left : refusal.left;
      of_function.last = refusal;
      of_function.last.left = std::move(left);
      // Whatever the compiler's words were: reasons are counted.
      if (site.counts) lost.push_back({.path = trap.path, .line = trap.line, .reason = refusal.what});
    }
    work.plan = plan_traps(work.models, policy);
  }
}

/// Takes what cannot be read out of `sources`.
void leave_out_unreadable(const fs::path& root, std::vector<std::string>& sources,
                          std::vector<UnreadSource>& unread) {
  std::erase_if(sources, [&](const std::string& source) {
    const std::string reason = why_unreadable(root / source);
    if (!reason.empty()) unread.push_back({.path = source, .reason = reason});
    return !reason.empty();
  });
}

/// The first fault of a source, as a reason to leave it out.
UnreadSource unread_for(const UnreadableSources::Source& source, const fs::path& root) {
  const auto& [message, place, hint] = source.faults.front();
  const std::string file = fs::path(place.file).is_absolute()
                               ? fs::path(place.file).lexically_proximate(root).generic_string()
                               : place.file;
  const std::string line = place.line == 0 ? "" : fmt::format(":{}", place.line);
  const std::string where = file == source.path && line.empty() ? "" : file + line + ": ";
  return {.path = source.path, .reason = where + message};
}

/// Sources that cannot be read join `unread`, and their faults join `missed`.
std::vector<SourceModel> read_what_can_be(Language& language, const std::vector<std::string>& sources,
                                          const fs::path& root, std::vector<UnreadSource>& unread,
                                          std::vector<Fault>& missed) {
  std::set<std::string> without;
  for (const UnreadSource& file : unread) without.insert(file.path);
  for (;;) try {
      return language.read(sources, without);
    } catch (const UnreadableSources& error) {
      bool is_new = false;
      for (const UnreadableSources::Source& source : error.sources()) {
        if (!without.insert(source.path).second) continue;
        unread.push_back(unread_for(source, root));
        is_new = true;
      }
      std::ranges::copy(error.faults(), std::back_inserter(missed));
      const auto is_left_out = [&](const std::string& path) { return without.contains(path); };
      if (!is_new || std::ranges::all_of(sources, is_left_out)) throw UserError(missed);
    }
}

Instrumentation planned(Language& language, const std::vector<std::string>& sources, const Project& project,
                        const TrapPolicy& policy, std::vector<UnreadSource>& unread) {
  std::vector<Fault> missed = faults_of(unread);
  Instrumentation work{.models = read_what_can_be(language, sources, project.root, unread, missed)};
  try {
    work.plan = plan_traps(work.models, policy);
  } catch (const UserError& error) {  // what it misses may stand in those
    std::ranges::copy(error.faults(), std::back_inserter(missed));
    throw UserError(missed, error.exit_code());
  }
  return work;
}

void say_what_is_unread(const std::vector<UnreadSource>& unread, Generated& result) {
  for (const UnreadSource& file : unread) {
    result.notes.push_back(fmt::format("{}: no traps: {}", file.path, file.reason));
    result.left_alone.push_back({.path = file.path, .line = 1, .reason = file.reason});
  }
  result.coverage.unread = unread.size();
  result.map.unread = unread;
}

}  // namespace

UnreadableSources::UnreadableSources(std::vector<Source> sources)
    : UserError([&] {
        std::vector<Fault> faults;
        std::set<std::string> said;  // of a header that many sources include
        for (const Source& source : sources)
          for (const Fault& fault : source.faults)
            if (said.insert(fmt::format("{}:{}:{}: {}", fault.place.file, fault.place.line,
                                        fault.place.column, fault.message))
                    .second)
              faults.push_back(fault);
        return faults;
      }()),
      sources_(std::move(sources)) {}

std::vector<Fault> faults_of(const std::vector<UnreadSource>& unread) {
  std::vector<Fault> faults;
  for (const UnreadSource& file : unread)
    faults.push_back({.message = file.reason, .place = {.file = file.path}});
  return faults;
}

Generated generate(const Project& project, const fs::path& out, std::vector<UnreadSource> unread) {
  const std::vector<std::string> files = project_files(project, out);
  std::vector<std::string> sources = source_files(project, files);
  leave_out_unreadable(project.root, sources, unread);
  if (sources.empty()) throw UserError(faults_of(unread));
  const WorkFolder folder(out);
  const std::unique_ptr<Language> language =
      language_for(project, files, sources, {.out = out, .work = folder.path()});
  TrapPolicy policy{.entry = project.entry, .scope = project.profile, .language = language_of(sources)};
  Instrumentation work = planned(*language, sources, project, policy, unread);
  language->prepare(work, files, policy);
  const fs::path part = folder.path() / "tree";
  Generated result;
  try {
    fs::create_directory(part);
    const std::vector<std::string> not_copied = copy_files(project, files, part);
    result = instrument(*language, work, policy, part);
    for (const std::string& file : not_copied)
      result.notes.push_back(fmt::format("{}: cannot be read, and is missing in the tree", file));
    say_what_is_unread(unread, result);
    replace_folder(part, out / "tree");
    replace_folder(folder.path() / "edge", out / "edge");
  } catch (const fs::filesystem_error& error) {
    throw environment_error(fmt::format("cannot write the tree: {}", error.what()),
                            "is the disk full, or read-only?");
  }
  write_own_file(out / "traps.json", write_trap_map(result.map));
  return result;
}

}  // namespace jcprof::rewriter
