// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/applet_build.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <sstream>

#include "rewriter/draft/variables.hpp"
#include "rewriter/draft/xml.hpp"
#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

// --- Maven, NetBeans and JCIDE ---

void collect(const XmlElement& element, const Variables& variables, AppletBuild& found) {
  const auto of = [&](std::initializer_list<std::string_view> names) {
    return expand(variables, element.value(names));
  };
  if (is_one_of(element.name, {"applet", "APPLET"})) {
    const std::string name =
        of({"class", "className", "classname", "appletClass", "mainClass", "name", "applet-class"});
    if (!name.empty())
      found.applets.push_back({name, normal_aid(of({"aid", "AID", "appletAid", "appletAID", "applet-AID"}))});
  }
  if (of({"artifactId"}) == "jcardsim" && !of({"version"}).empty())
    found.simulators.push_back(of({"version"}));
  for (const XmlElement& child : element.children) collect(child, variables, found);
}

const XmlElement* child_of(const XmlElement& element, std::string_view name) {
  const auto found = std::ranges::find(element.children, name, &XmlElement::name);
  return found == element.children.end() ? nullptr : &*found;
}

// --- Options ---

/// A script's or a makefile's own variables; comments and continued lines are gone.
std::string plain_script(const std::string& text, Variables& variables) {
  static const std::regex assignment(
      R"(^(?:export |set |SET |define )?\s{0,20}([A-Za-z_]\w{0,99})\s{0,20}[:?]?=\s{0,20}["']?([^"']{0,1000}?)["']?\s*$)");
  static const std::regex comment(R"(^\s{0,99}(?:#|rem\s|REM\s|::).*$)");
  std::istringstream lines(text);
  std::string script;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.size() > 2000 || std::regex_match(line, comment)) continue;
    const bool goes_on = line.ends_with('\\') || line.ends_with('^');
    if (goes_on) line.pop_back();
    if (std::regex_match(line, match, assignment)) variables.try_emplace(match[1], match[2]);
    script += line + (goes_on ? " " : "\n");
  }
  return script;
}

bool is_script(std::string_view path) {
  return ends_with_one_of(path, {".opt", ".sh", ".bat", ".cmd", ".mk", "akefile"});
}

// --- All ---

std::optional<AppletBuild> read_build(const FoundTree& tree, const std::string& path) {
  for (const auto read : {read_ant, read_gradle, read_other_xml, read_options})
    if (std::optional<AppletBuild> build = read(tree, path)) return build;
  return std::nullopt;
}

std::size_t depth_of(const std::string& path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/'));
}

}  // namespace

std::optional<AppletBuild> read_other_xml(const FoundTree& tree, const std::string& path) {
  if (!ends_with_one_of(path, {".xml", ".jcproj"})) return std::nullopt;
  const std::optional<XmlElement> root = read_xml(tree.texts.at(path));
  if (!root) return std::nullopt;
  Variables variables;
  if (const XmlElement* properties = child_of(*root, "properties"))
    for (const XmlElement& property : properties->children)
      variables.try_emplace(property.name, property.text);
  AppletBuild found;
  collect(*root, variables, found);
  return found;
}

std::optional<AppletBuild> read_options(const FoundTree& tree, const std::string& path) {
  if (!is_script(path)) return std::nullopt;
  Variables variables;
  const std::string script = plain_script(tree.texts.at(path), variables);
  AppletBuild found;
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);)
    if (line.find("-applet") != std::string::npos)
      for (BuiltApplet& applet : applets_in_options(expand(variables, line)))
        found.applets.push_back(std::move(applet));
  return found;
}

std::vector<BuiltApplet> applets_in_options(const std::string& options) {
  std::vector<BuiltApplet> found;
  std::istringstream words(options);
  std::string word;
  while (words >> word)
    if (BuiltApplet applet; word == "-applet" && words >> word >> applet.class_name) {
      applet.aid = normal_aid(word);
      found.push_back(std::move(applet));
    }
  return found;
}

std::string path_from(const std::string& folder, std::string named) {
  std::ranges::replace(named, '\\', '/');
  std::string path = tree_path(folder, named);
  return path.starts_with("..") || path.starts_with('/') ? "" : path;
}

std::vector<AppletBuild> find_applet_builds(const FoundTree& tree) {
  std::vector<AppletBuild> builds;
  for (const auto& [path, text] : tree.texts) {
    if (is_c_source(path) || is_c_header(path) || path.ends_with(".java") || is_made_or_foreign(path))
      continue;
    std::optional<AppletBuild> build = read_build(tree, path);
    if (!build || (build->applets.empty() && build->simulators.empty())) continue;
    build->file = path;
    builds.push_back(std::move(*build));
  }
  std::ranges::stable_sort(builds, {}, [](const AppletBuild& build) {
    return std::pair(is_aside(build.file), depth_of(build.file));
  });
  return builds;
}

std::string normal_aid(std::string_view text) {
  if (text.starts_with("//aid/")) text.remove_prefix(6);
  std::string digits;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(":/ ,", at), text.size());
    std::string part(text.substr(at, end - at));
    at = end + 1;
    if (part.starts_with("0x") || part.starts_with("0X")) part.erase(0, 2);
    if (part.size() == 1) digits += '0';  // 0xA0:0x0
    digits += part;
  }
  std::ranges::transform(digits, digits.begin(), [](unsigned char c) { return std::toupper(c); });
  const bool is_hex = digits.find_first_not_of("0123456789ABCDEF") == std::string::npos;
  return is_hex && digits.size() % 2 == 0 && digits.size() >= 10 && digits.size() <= 32 ? digits : "";
}

}  // namespace jcprof::rewriter
