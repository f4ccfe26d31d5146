// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/applet_sources.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "rewriter/found_tree.hpp"
#include "rewriter/java/syntax.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

/// The names in a file.
struct Names {
  std::set<std::string> words;  // types, variables and functions that its code names
  std::set<std::string>
      imported;  // "com.example.Pin", "com.example.*"; what stands qualified in the code, too
};

Names names_in(const SourceModel& model) {
  const JavaSyntax syntax(model.path, model.text);
  Names names;
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    const std::string_view type = syntax[i].type;
    if (is_one_of(type, {"identifier", "type_identifier"})) names.words.emplace(syntax.text(i));
    if (is_one_of(type, {"scoped_identifier", "scoped_type_identifier", "field_access"}))
      names.imported.insert(syntax.words(i));
    if (type == "import_declaration" && syntax.has_child_of_type(i, "asterisk"))
      names.imported.insert(syntax.words(syntax.named_children(i).front()) + ".*");
  }
  return names;
}

std::string package_of(const std::string& qualified) {
  const std::size_t point = qualified.rfind('.');
  return point == std::string::npos ? "" : qualified.substr(0, point);
}

/// The top-level types of a file.
std::vector<std::string> types_of(const SourceModel& model) {
  std::vector<std::string> types;
  for (const ClassInfo& info : model.classes)
    if (info.name.find('.') == std::string::npos && !info.name.starts_with('$')) types.push_back(info.name);
  return types;
}

/// "src/com/example/A.java" of package com.example → "src"
std::optional<std::string> root_of(const SourceModel& model) {
  std::string package = model.scope;
  std::ranges::replace(package, '.', '/');
  const std::string folder = folder_of(model.path);
  if (package.empty()) return folder.empty() ? "." : folder;
  if (folder == package) return ".";
  if (!folder.ends_with("/" + package)) return std::nullopt;
  return folder.substr(0, folder.size() - package.size() - 1);
}

std::size_t common_length(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

class Closure {
 public:
  explicit Closure(const std::vector<SourceModel>& models) {
    for (const SourceModel& model : models)
      for (const std::string& type : types_of(model)) declaring_[{model.scope, type}].push_back(&model);
  }

  std::vector<const SourceModel*> from(const SourceModel& entry) {
    std::vector<const SourceModel*> found{&entry};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Names names = names_in(*found[i]);
      for (const auto& [type, models] : declaring_) {
        if (!uses(*found[i], names, type)) continue;
        const SourceModel* const model = nearest_to(*found[i], models);
        if (std::ranges::find(found, model) == found.end()) found.push_back(model);
      }
    }
    return found;
  }

 private:
  using Type = std::pair<std::string, std::string>;  // package, name

  static bool uses(const SourceModel& model, const Names& names, const Type& type) {
    const auto& [package, name] = type;
    const bool is_in_reach = package == model.scope || names.imported.contains(package + ".*");
    if (is_in_reach && names.words.contains(name)) return true;
    return !package.empty() && package != model.scope &&
           names.imported.contains(qualified_name(package, name));
  }

  /// Of several files that declare one type; a copy for tests lies farther away.
  static const SourceModel* nearest_to(const SourceModel& user,
                                       const std::vector<const SourceModel*>& models) {
    return *std::ranges::max_element(models, {}, [&](const SourceModel* model) {
      return std::tuple(folder_of(model->path) == folder_of(user.path), !is_aside(model->path),
                        common_length(model->path, user.path));
    });
  }

  std::map<Type, std::vector<const SourceModel*>> declaring_;
};

/// A folder as a whole where nothing else lies in it, else its files one by one.
std::vector<std::string> globs_of(const std::vector<SourceModel>& all, const AppletSources& sources) {
  std::set<std::string> globs;
  for (const SourceModel* model : sources.models) {
    const std::string folder = folder_of(model->path);
    const bool is_whole = std::ranges::all_of(all, [&](const SourceModel& other) {
      return folder_of(other.path) != folder ||
             std::ranges::find(sources.models, &other) != sources.models.end();
    });
    globs.insert(is_whole ? path_in(folder, "*.java") : model->path);
  }
  return {globs.begin(), globs.end()};
}

bool is_of_card(std::string_view package) {
  return starts_with_one_of(
      package, {"javacard.", "javacardx.", "java.lang", "org.globalplatform", "visa.openplatform"});
}

/// Packages that a file imports and no file of the tree is of.
std::set<std::string> foreign_imports(const std::vector<SourceModel>& all, const SourceModel& model) {
  std::set<std::string> packages;
  const JavaSyntax syntax(model.path, model.text);
  for (NodeIndex i = 0; i < syntax.count(); ++i) {
    if (syntax[i].type != "import_declaration") continue;
    const std::string named = syntax.words(syntax.named_children(i).front());
    const std::string package = syntax.has_child_of_type(i, "asterisk") ? named : package_of(named);
    if (std::ranges::find(all, package, &SourceModel::scope) == all.end()) packages.insert(package);
  }
  return packages;
}

/// Beside the entry, of its package, and runs on a card by what it imports: another applet, for instance.
bool is_sibling(const std::vector<SourceModel>& all, const SourceModel& entry, const SourceModel& model) {
  return model.scope == entry.scope && folder_of(model.path) == folder_of(entry.path) &&
         std::ranges::all_of(foreign_imports(all, model), is_of_card);
}

}  // namespace

AppletSources find_applet_sources(const std::vector<SourceModel>& models, const SourceModel& entry) {
  AppletSources sources{.models = Closure(models).from(entry), .globs = {}, .roots = {}, .imports = {}};
  for (const SourceModel& model : models)
    if (is_sibling(models, entry, model) && std::ranges::find(sources.models, &model) == sources.models.end())
      sources.models.push_back(&model);
  sources.globs = globs_of(models, sources);
  std::set<std::string> roots;
  std::set<std::string> imports;
  bool lie_as_they_say = true;
  for (const SourceModel* model : sources.models) {
    const std::optional<std::string> root = root_of(*model);
    lie_as_they_say = lie_as_they_say && root.has_value();
    roots.insert(root.value_or(""));
    imports.merge(foreign_imports(models, *model));
  }
  if (lie_as_they_say) sources.roots.assign(roots.begin(), roots.end());
  sources.imports.assign(imports.begin(), imports.end());
  return sources;
}

}  // namespace jcprof::rewriter
