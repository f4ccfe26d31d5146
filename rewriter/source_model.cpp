// SPDX-License-Identifier: Apache-2.0
#include "rewriter/source_model.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace jcprof::rewriter {

std::uint32_t add_site(SourceParts& parts, Site site) {
  parts.sites.push_back(std::move(site));
  return static_cast<std::uint32_t>(parts.sites.size() - 1);
}

void add_slot(SourceParts& parts, std::size_t at, std::string text, std::vector<std::uint32_t> wanted_by) {
  parts.slots.push_back({.at = at, .text = std::move(text), .wanted_by = std::move(wanted_by)});
}

void close_braces(SourceParts& parts, std::size_t at, const std::vector<std::uint32_t>& sites) {
  for (auto site = sites.rbegin(); site != sites.rend(); ++site) add_slot(parts, at, "}", {*site});
}

bool has_only_markers(const SourceParts& parts, std::size_t first) {
  return std::all_of(parts.sites.begin() + static_cast<std::ptrdiff_t>(first), parts.sites.end(),
                     [](const Site& made) { return made.kind == TrapKind::marker; });
}

void tell_namesakes_apart(std::vector<Function>& functions, const std::vector<std::string>& parameters) {
  std::map<std::string, int> count;
  for (const Function& function : functions) ++count[function.name];
  std::map<std::string, int> same;  // two local classes of one name, say
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::string& name = functions[i].name;
    if (count[name] > 1) name += parameters[i];
    if (const int n = ++same[name]; n > 1) name += fmt::format("${}", n);
  }
}

}  // namespace jcprof::rewriter
