// SPDX-License-Identifier: Apache-2.0
// XML files of build systems as plain values. Broken XML, and XML that is nested deeper than any build file,
// is nothing.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter {

struct XmlElement {
  std::string name;  // without the prefix of its namespace
  std::map<std::string, std::string> attributes;
  std::string text;
  std::vector<XmlElement> children;

  /// The attribute, else the text of the child of that name; empty: there is neither. Of several names the
  /// first one.
  std::string value(std::initializer_list<std::string_view> names) const;
};

/// The root element.
std::optional<XmlElement> read_xml(const std::string& text);

}  // namespace jcprof::rewriter
