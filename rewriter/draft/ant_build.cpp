// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <set>
#include <sstream>

#include "rewriter/draft/applet_build.hpp"
#include "rewriter/draft/variables.hpp"
#include "rewriter/draft/xml.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

constexpr int most_imports = 20;

/// One run of ant, as far as it can be foretold: properties are set once, targets run once.
class AntBuild {
 public:
  AntBuild(const FoundTree& tree, const std::string& path) : tree_(tree), folder_(folder_of(path)) {
    variables_["basedir"] = ".";
    load(path);
  }

  bool is_ant() const { return is_ant_; }

  AppletBuild build() {
    run(default_);
    if (found_.applets.empty())  // made by a target that has to be named
      for (const XmlElement* target : in_order_) visit(*target);
    return found_;
  }

 private:
  void load(const std::string& path) {
    const auto text = tree_.texts.find(path);
    if (text == tree_.texts.end() || files_.size() == most_imports) return;
    const std::optional<XmlElement> read = read_xml(text->second);
    if (!read || read->name != "project" || read->attributes.contains("xmlns")) return;  // xmlns: Maven
    is_ant_ = true;
    const XmlElement& project = files_.emplace_back(*read);
    if (default_.empty()) default_ = project.value({"default"});
    if (files_.size() == 1)
      if (const std::string base = project.value({"basedir"}); !base.empty())
        folder_ = path_from(folder_, base);
    for (const XmlElement& child : project.children) {
      if (child.name == "target") {
        targets_.try_emplace(child.value({"name"}), &child);
        in_order_.push_back(&child);
      } else if (child.name == "import") {
        load(path_from(folder_of(path), of(child, {"file"})));
      } else {
        visit(child);
      }
    }
  }

  std::string of(const XmlElement& element, std::initializer_list<std::string_view> names) const {
    return expand(variables_, element.value(names));
  }

  void define(const XmlElement& element) {
    const std::string name = element.value({"name"});
    if (!name.empty()) variables_.try_emplace(name, of(element, {"value", "location"}));
    const std::string file = of(element, {"file", "srcFile", "srcfile"});
    if (file.empty()) return;
    if (const auto text = tree_.texts.find(path_from(folder_, file)); text != tree_.texts.end())
      for (const auto& [key, value] : read_properties(text->second)) variables_.try_emplace(key, value);
  }

  void run(const std::string& name) {
    const auto target = targets_.find(name);
    if (target == targets_.end() || !done_.insert(name).second) return;
    std::istringstream depends(of(*target->second, {"depends"}));
    for (std::string one; std::getline(depends >> std::ws, one, ',');) {
      while (one.ends_with(' ')) one.pop_back();
      run(one);
    }
    const std::string needed = of(*target->second, {"if"});
    const std::string excluded = of(*target->second, {"unless"});
    if ((needed.empty() || variables_.contains(needed)) &&
        (excluded.empty() || !variables_.contains(excluded)))
      visit(*target->second);
  }

  void visit(const XmlElement& element) {
    if (is_one_of(element.name, {"property", "loadproperties"})) define(element);
    if (element.name == "antcall") run(of(element, {"target"}));
    if (is_one_of(element.name, {"applet", "appletnameaid", "AppletNameAID", "AppletNameAid"})) {
      const std::string name = of(element, {"class", "classname", "appletname", "name"});
      if (!name.empty()) found_.applets.push_back({name, normal_aid(of(element, {"aid", "AID"}))});
    }
    std::string options;
    for (const XmlElement& child : element.children)
      if (child.name == "arg") options += of(child, {"line", "value"}) + " ";
    for (BuiltApplet& applet : applets_in_options(options)) found_.applets.push_back(std::move(applet));
    for (const XmlElement& child : element.children) visit(child);
  }

  const FoundTree& tree_;
  std::string folder_;  // that paths start from
  bool is_ant_ = false;
  std::deque<XmlElement> files_;  // the file itself, and what it imports
  std::string default_;
  std::map<std::string, const XmlElement*> targets_;
  std::vector<const XmlElement*> in_order_;
  std::set<std::string> done_;
  Variables variables_;
  AppletBuild found_;
};

}  // namespace

std::optional<AppletBuild> read_ant(const FoundTree& tree, const std::string& path) {
  if (!path.ends_with(".xml")) return std::nullopt;
  AntBuild ant(tree, path);
  return ant.is_ant() ? std::optional(ant.build()) : std::nullopt;
}

}  // namespace jcprof::rewriter
