// SPDX-License-Identifier: Apache-2.0
#include "rewriter/java/front_end.hpp"

#include <algorithm>
#include <map>

namespace jcprof::rewriter {
namespace {

struct ClassRef {
  const SourceModel* model = nullptr;
  const ClassInfo* info = nullptr;
};

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

std::vector<ClassRef> all_classes(const std::vector<SourceModel>& models) {
  std::vector<ClassRef> classes;
  for (const SourceModel& model : models)
    for (const ClassInfo& info : model.classes) classes.push_back({&model, &info});
  return classes;
}

class Hierarchy {
 public:
  explicit Hierarchy(const std::vector<SourceModel>& models) : classes_(all_classes(models)) {
    for (const ClassRef& c : classes_) by_last_part_[last_part(c.info->name)].push_back(c);
  }

  /// The superclasses of a class, as far as the sources have them, nearest first.
  std::vector<ClassRef> bases_of(ClassRef c) const {
    std::vector<ClassRef> bases;
    // At most as many steps as there are classes: sources that do not compile may go round in a circle.
    while (!c.info->superclass.empty() && bases.size() < classes_.size()) {
      c = superclass_of(c);
      if (c.info == nullptr) break;
      bases.push_back(c);
    }
    return bases;
  }

  std::set<std::string> applets() const {
    std::set<std::string> names;
    for (const ClassRef& c : classes_)
      if (is_applet(c)) names.insert(qualified_name(c.model->scope, c.info->name));
    return names;
  }

 private:
  bool is_applet(const ClassRef& c) const {
    const std::vector<ClassRef> bases = bases_of(c);
    const ClassInfo& last = bases.empty() ? *c.info : *bases.back().info;
    const bool leaves_the_sources = !last.superclass.empty() && bases.size() < classes_.size();
    return leaves_the_sources && (last.superclass.ends_with("Applet") || c.info->installs);
  }

  /// The class of the sources that `c` extends; none where that is declared elsewhere.
  ClassRef superclass_of(const ClassRef& c) const {
    const std::string& wanted = c.info->superclass;
    const auto found = by_last_part_.find(last_part(wanted));
    if (found == by_last_part_.end()) return {};
    const bool qualified = wanted.find('.') != std::string::npos;
    const auto nearest = [&](auto fits) -> ClassRef {
      const auto i = std::ranges::find_if(found->second, fits);
      return i == found->second.end() ? ClassRef{} : *i;
    };
    if (qualified)
      return nearest([&](const ClassRef& other) {
        return qualified_name(other.model->scope, other.info->name) == wanted ||
               (other.model->scope == c.model->scope && other.info->name == wanted);
      });
    if (const ClassRef here =
            nearest([&](const ClassRef& o) { return o.model == c.model && o.info != c.info; });
        here.info != nullptr)
      return here;
    if (const ClassRef beside = nearest([&](const ClassRef& other) {
          return other.model->scope == c.model->scope && other.info->name == wanted;
        });
        beside.info != nullptr)
      return beside;
    if (wanted == "Applet") return {};  // javacard.framework's, whatever other packages have
    return nearest([&](const ClassRef& other) { return other.info->name == wanted; });
  }

  std::vector<ClassRef> classes_;
  std::map<std::string_view, std::vector<ClassRef>> by_last_part_;
};

}  // namespace

std::set<std::string> applet_classes(const std::vector<SourceModel>& models) {
  return Hierarchy(models).applets();
}

void settle_applets(std::vector<SourceModel>& models) {
  const std::set<std::string> applets = applet_classes(models);
  for (SourceModel& model : models) {
    const bool right = std::ranges::all_of(model.classes, [&](const ClassInfo& c) {
      return c.applet == applets.contains(qualified_name(model.scope, c.name));
    });
    if (!right) model = read_java(model.path, std::move(model.text), &applets);
  }
  const Hierarchy hierarchy(models);
  for (SourceModel& model : models)
    for (ClassInfo& c : model.classes)
      for (const ClassRef& base : hierarchy.bases_of({&model, &c}))
        c.bases.push_back(qualified_name(base.model->scope, base.info->name));
}

}  // namespace jcprof::rewriter
