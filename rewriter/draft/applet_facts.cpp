// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rewriter/draft/applet_build.hpp"
#include "rewriter/draft/applet_sources.hpp"
#include "rewriter/draft/facts.hpp"
#include "rewriter/draft/variables.hpp"
#include "rewriter/java/front_end.hpp"
#include "rewriter/java/syntax.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// A class that a card can install, with the `process(APDU)` that the card calls.
struct AppletCandidate {
  std::string entry;                   // "PinApplet.process"; of a superclass where that has it
  std::string class_name;              // qualified
  const SourceModel* model = nullptr;  // the file of the entry
  const SourceModel* own = nullptr;    // the file of the class
  std::string aid = {};                // that the build gives it
  std::string build = {};              // the build file that names it; empty: none does
};

/// Those that cannot be read are passed over here: jcprof gen says what is wrong with them.
std::vector<SourceModel> read_models(const FoundTree& tree) {
  std::vector<SourceModel> models;
  for (const auto& [path, text] : tree.texts) {
    if (!path.ends_with(".java") || is_made_or_foreign(path)) continue;
    try {
      models.push_back(read_java(path, text));
    } catch (const UserError&) {
      continue;
    }
  }
  settle_applets(models);
  return models;
}

// --- Candidates ---

bool has_entry(const SourceModel& model, const std::string& owner) {
  for (std::uint32_t i = 0; i < model.functions.size(); ++i)
    if (model.functions[i].owner == owner && model.functions[i].simple_name == "process" &&
        std::ranges::any_of(model.sites, [&](const Site& site) {
          return site.function == i && site.kind == TrapKind::entry0;
        }))
      return true;
  return false;
}

/// The class itself, or the nearest of its superclasses that has the entry.
std::optional<AppletCandidate> candidate_of(const std::vector<SourceModel>& models, const SourceModel& own,
                                            const ClassInfo& info) {
  const std::string qualified = qualified_name(own.scope, info.name);
  if (has_entry(own, info.name)) return AppletCandidate{info.name + ".process", qualified, &own, &own};
  for (const std::string& base : info.bases)
    for (const SourceModel& model : models)
      for (const ClassInfo& other : model.classes)
        if (qualified_name(model.scope, other.name) == base && has_entry(model, other.name))
          return AppletCandidate{other.name + ".process", qualified, &model, &own};
  return std::nullopt;
}

/// By a class of the card's own code: one for tests does not make an applet a part of another.
bool is_extended(const std::vector<SourceModel>& models, const AppletCandidate& candidate) {
  return std::ranges::any_of(models, [&](const SourceModel& model) {
    return (!is_aside(model.path) || is_aside(candidate.own->path)) &&
           std::ranges::any_of(model.classes,
                               [&](const ClassInfo& c) { return is_one_of(candidate.class_name, c.bases); });
  });
}

bool is_named(const BuiltApplet& applet, const AppletCandidate& candidate) {
  return applet.class_name == candidate.class_name || candidate.class_name.ends_with("." + applet.class_name);
}

/// In the order of the build files; then those that none of them names, of tests and examples last.
std::vector<AppletCandidate> find_candidates(const std::vector<SourceModel>& models,
                                             const std::vector<AppletBuild>& builds) {
  std::vector<AppletCandidate> all;
  for (const SourceModel& model : models)
    for (const ClassInfo& info : model.classes)
      if (const auto found = info.applet ? candidate_of(models, model, info) : std::nullopt)
        all.push_back(*found);
  std::ranges::stable_partition(all, [](const AppletCandidate& c) { return !is_aside(c.own->path); });
  std::vector<AppletCandidate> ordered;
  for (const AppletBuild& build : builds)
    for (const BuiltApplet& applet : build.applets) {
      const auto found =
          std::ranges::find_if(all, [&](const AppletCandidate& c) { return is_named(applet, c); });
      if (found == all.end()) continue;
      ordered.push_back(*found);
      ordered.back().aid = applet.aid;
      ordered.back().build = build.file;
      all.erase(found);
    }
  for (const AppletCandidate& candidate : all)
    if (!is_extended(models, candidate)) ordered.push_back(candidate);
  return ordered;
}

/// The one that the user asked for.
const AppletCandidate& named(const std::vector<AppletCandidate>& candidates, const std::string& wanted) {
  const auto found = std::ranges::find_if(candidates, [&](const AppletCandidate& c) {
    return c.entry == wanted || c.class_name == wanted || c.class_name + ".process" == wanted ||
           c.class_name.ends_with("." + wanted);
  });
  if (found != candidates.end()) return *found;
  std::vector<std::string> names;
  for (const AppletCandidate& c : candidates) names.push_back(c.entry);
  throw UserError(Fault{.message = fmt::format("\"{}\" is no applet's entry here", wanted),
                        .hint = fmt::format("there are {}", fmt::join(names, ", "))});
}

// --- AID ---

/// In a comment: "AID: A0 00 00 00 62 01".
std::string aid_in_comment(const std::string& path, const std::string& text) {
  static const std::regex words(
      R"(\bAID\b[^0-9A-Fa-f\n]{0,12}((?:0x)?[0-9A-Fa-f]{2}(?:[: ,]{0,2}(?:0x)?[0-9A-Fa-f]{2}){4,15})\b)");
  const JavaSyntax syntax(path, text);
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    const std::string comment(syntax.is_comment(i) ? syntax.text(i) : "");
    std::smatch match;
    if (std::regex_search(comment, match, words)) return normal_aid(match[1].str());
  }
  return "";
}

void find_aid(const AppletCandidate& chosen, AppletFacts& facts) {
  facts.aid = chosen.aid;
  facts.aid_from = chosen.build;
  if (!facts.aid.empty()) return;
  facts.aid = aid_in_comment(chosen.own->path, chosen.own->text);
  facts.aid_from = chosen.own->path;
}

// --- The simulator ---

/// Of jCardSim itself; the applet and the reader are named by the project file.
bool is_property_of_simulator(std::string_view name) {
  constexpr std::string_view prefix = "com.licel.jcardsim.";
  return name.starts_with(prefix) &&
         !starts_with_one_of(name.substr(prefix.size()),
                             {"card.", "vsmartcard.", "bixvreader.", "terminal."});
}

/// System.setProperty("name", "value"), as tests have it.
void set_in_java(const SourceModel& model, Variables& found) {
  if (model.text.find("com.licel.jcardsim.") == std::string::npos) return;
  const JavaSyntax syntax(model.path, model.text);
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    if (syntax[i].type != "method_invocation" || syntax.text(syntax.child(i, "name")) != "setProperty")
      continue;
    std::vector<std::string> strings;
    for (const NodeIndex argument : syntax.named_children(syntax.child(i, "arguments")))
      if (const std::string_view text = syntax.text(argument); syntax[argument].type == "string_literal")
        strings.emplace_back(text.substr(1, text.size() - 2));
    if (strings.size() == 2) found.try_emplace(strings[0], strings[1]);
  }
}

void set_in_build(const std::string& path, const std::string& text, Variables& found) {
  static const std::regex option(R"(-D(com\.licel\.jcardsim\.[\w.]{1,100})=([\w.,\-]{1,100}))");
  if (ends_with_one_of(path, {".cfg", ".properties"})) found.merge(read_properties(text));
  if (path.ends_with(".java") || text.find("com.licel.jcardsim") == std::string::npos) return;
  for (std::sregex_iterator i(text.begin(), text.end(), option); i != std::sregex_iterator(); ++i)
    found.try_emplace((*i)[1], (*i)[2]);
}

std::vector<std::string> find_properties(const FoundTree& tree, const std::vector<SourceModel>& models,
                                         const std::vector<const SourceModel*>& own) {
  Variables found;
  for (const SourceModel& model : models) set_in_java(model, found);
  for (const auto& [path, text] : tree.texts)
    if (!is_made_or_foreign(path)) set_in_build(path, text, found);
  // Without it the simulator has no requestObjectDeletion().
  const bool deletes = std::ranges::any_of(own, [](const SourceModel* model) {
    return model->text.find("requestObjectDeletion") != std::string::npos;
  });
  if (deletes) found.try_emplace("com.licel.jcardsim.object_deletion_supported", "1");
  std::vector<std::string> properties;
  for (const auto& [name, value] : found)
    if (is_property_of_simulator(name)) properties.push_back(fmt::format("-D{}={}", name, value));
  return properties;
}

// --- Commands ---

/// Its own files come first. Those of other applets tell constants and methods alone.
AppletCommands commands_of(const AppletCandidate& chosen, const std::vector<AppletCandidate>& candidates,
                           std::vector<const SourceModel*> models) {
  const auto is_own = [&](const SourceModel* model) { return model == chosen.own || model == chosen.model; };
  const auto is_of_chosen = [&](const SourceModel* model) {
    return is_own(model) || std::ranges::find(candidates, model, &AppletCandidate::own) == candidates.end();
  };
  const auto others = std::ranges::stable_partition(models, is_of_chosen);
  const std::vector<const SourceModel*> of_others(others.begin(), others.end());
  models.erase(others.begin(), others.end());
  std::ranges::stable_partition(models, is_own);
  return find_applet_commands(models, of_others);
}

/// An applet with what is to be measured of it.
struct Subject {
  const AppletCandidate* applet = nullptr;
  AppletSources sources = {};
  AppletCommands commands = {};
};

Subject subject_of(const AppletCandidate& applet, const std::vector<SourceModel>& models,
                   const std::vector<AppletCandidate>& candidates) {
  Subject subject{.applet = &applet, .sources = find_applet_sources(models, *applet.own)};
  subject.commands = commands_of(applet, candidates, subject.sources.models);
  return subject;
}

/// The one that the user asked for, else the first that knows a command: a build may name one before it that
/// does nothing yet.
Subject choose(const std::vector<SourceModel>& models, const std::vector<AppletCandidate>& candidates,
               const std::string& wanted) {
  if (!wanted.empty()) return subject_of(named(candidates, wanted), models, candidates);
  Subject first = subject_of(candidates.front(), models, candidates);
  for (std::size_t i = 1; i < candidates.size() && first.commands.instructions.empty(); ++i)
    if (Subject next = subject_of(candidates[i], models, candidates); !next.commands.instructions.empty())
      return next;
  return first;
}

// --- Compiling ---

std::string encoding_of(const std::vector<const SourceModel*>& own) {
  const bool is_all_utf8 =
      std::ranges::all_of(own, [](const SourceModel* model) { return is_utf8(model->text); });
  return is_all_utf8 ? "UTF-8" : "ISO-8859-1";
}

/// The runtime's classes stand beside the entry's.
std::vector<std::string> compiled_files(const AppletSources& sources, const AppletCandidate& chosen) {
  if (!sources.roots.empty())  // javac finds the others
    return chosen.own == chosen.model ? std::vector{chosen.model->path}
                                      : std::vector{chosen.own->path, chosen.model->path};
  std::vector<std::string> files;
  for (const SourceModel* model : sources.models) files.push_back(model->path);
  std::ranges::sort(files);
  for (const char* runtime : {"PM.java", "PMC.java"}) {
    std::string path = path_in(folder_of(chosen.model->path), runtime);
    if (std::ranges::find(files, path) == files.end()) files.push_back(std::move(path));
  }
  return files;
}

/// That makes the applet, else one whose name says that it builds.
std::string builder_of(const FoundTree& tree, const AppletCandidate& chosen) {
  if (ends_with_one_of(chosen.build, {".xml", ".gradle", ".gradle.kts"})) return chosen.build;
  for (const std::string& path : tree.paths)
    if (is_one_of(path, {"build.xml", "build.gradle", "build.gradle.kts", "pom.xml"})) return path;
  return "";
}

bool uses_int(const SourceModel& model) {
  const JavaSyntax syntax(model.path, model.text);
  for (NodeIndex i = 0; i < syntax.count(); ++i)
    if (syntax[i].type == "integral_type" && syntax.text(i) == "int") return true;
  return false;
}

/// The converter makes a CAP file of one package. Traps in another package would call the classes of this one
/// back, and two packages cannot import each other.
bool is_convertible(const AppletSources& sources, const AppletCandidate& chosen) {
  const std::string& package = chosen.own->scope;
  return !package.empty() && std::ranges::all_of(sources.models, [&](const SourceModel* model) {
    return model->scope == package;
  }) && std::ranges::all_of(sources.imports, [](const std::string& name) {
    return starts_with_one_of(name, {"javacard.", "javacardx.", "java."});
  });
}

}  // namespace

std::optional<AppletFacts> find_applet(const FoundTree& tree) {
  const std::vector<SourceModel> models = read_models(tree);
  const std::vector<AppletBuild> builds = find_applet_builds(tree);
  const std::vector<AppletCandidate> candidates = find_candidates(models, builds);
  if (candidates.empty()) return std::nullopt;
  const Subject subject = choose(models, candidates, tree.wanted_entry);
  const AppletCandidate& chosen = *subject.applet;
  const AppletSources& sources = subject.sources;
  std::vector<std::string> versions;
  for (const AppletBuild& build : builds)
    versions.insert(versions.end(), build.simulators.begin(), build.simulators.end());
  AppletFacts facts{.entry = chosen.entry,
                    .class_name = chosen.class_name,
                    .source = chosen.model->path,
                    .globs = sources.globs,
                    .compiled = compiled_files(sources, chosen),
                    .source_roots = sources.roots,
                    .others = {},
                    .aid = {},
                    .aid_from = {},
                    .commands = subject.commands,
                    .encoding = encoding_of(sources.models),
                    .jars = choose_jars(tree, sources.imports, versions),
                    .properties = find_properties(tree, models, sources.models),
                    .builder = builder_of(tree, chosen)};
  for (const AppletCandidate& other : candidates)
    if (&other != &chosen) facts.others.push_back(fmt::format("{} ({})", other.entry, other.own->path));
  find_aid(chosen, facts);
  if (tree.card_kit && is_convertible(sources, chosen)) {
    facts.kit = tree.card_kit;
    facts.uses_int = std::ranges::any_of(sources.models, [](const SourceModel* m) { return uses_int(*m); });
  }
  return facts;
}

}  // namespace jcprof::rewriter
