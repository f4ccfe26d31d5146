// SPDX-License-Identifier: Apache-2.0
#include "rewriter/draft/xml.hpp"

#include <sstream>

#include <boost/property_tree/xml_parser.hpp>

#include "src/core/text.hpp"

namespace jcprof::rewriter {
namespace {

using boost::property_tree::ptree;

constexpr int deepest = 100;  // the parser takes its stack from the nesting

bool is_too_deep(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '<' && is_word(text[i + 1])) ++depth;
    if (text.substr(i, 2) == "</" || text.substr(i, 2) == "/>") --depth;
    if (depth > deepest) return true;
  }
  return false;
}

std::string without_prefix(const std::string& name) {
  return name.substr(name.find(':') + 1);
}

XmlElement element_of(const std::string& name, const ptree& tree) {
  XmlElement element{.name = without_prefix(name), .attributes = {}, .text = tree.data(), .children = {}};
  for (const auto& [key, child] : tree)
    if (key == "<xmlattr>") {
      for (const auto& [attribute, value] : child) element.attributes.emplace(attribute, value.data());
    } else {
      element.children.push_back(element_of(key, child));
    }
  return element;
}

}  // namespace

std::string XmlElement::value(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const auto found = attributes.find(std::string(name)); found != attributes.end())
      return found->second;
    for (const XmlElement& child : children)
      if (child.name == name) return child.text;
  }
  return {};
}

std::optional<XmlElement> read_xml(const std::string& text) {
  if (is_too_deep(text)) return std::nullopt;
  namespace xml = boost::property_tree::xml_parser;
  ptree tree;
  std::istringstream in(text);
  try {
    xml::read_xml(in, tree, xml::no_comments | xml::trim_whitespace);
  } catch (const xml::xml_parser_error&) {
    return std::nullopt;
  }
  if (tree.empty()) return std::nullopt;
  return element_of(tree.front().first, tree.front().second);
}

}  // namespace jcprof::rewriter
