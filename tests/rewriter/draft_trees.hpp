// SPDX-License-Identifier: Apache-2.0
// Trees for `jcprof init`, of texts; and the project that is drafted of them, read back as the file that it
// is.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "rewriter/draft/project_draft.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {

inline constexpr const char* c_main = "int main(void) { return 0; }\n";

using Files = std::map<std::string, std::string>;

/// jCardSim's, as far as it is looked at.
inline constexpr const char* simulator_classes =
    "com/licel/jcardsim/base/Simulator com/licel/jcardsim/remote/VSmartCard javacard/framework/APDU "
    "javacard/security/Key";

/// The text of a jar is the classes in it.
inline FoundTree tree_of(const Files& files) {
  FoundTree tree{.name = "sample"};
  for (const auto& [path, text] : files) {
    if (!path.starts_with('/')) tree.paths.push_back(path);
    if (is_telling(path)) tree.texts.emplace(path, text);
    std::istringstream classes(path.ends_with(".jar") ? text : "");
    for (std::string name; classes >> name;) tree.jars[path].insert(name);
  }
  return tree;
}

inline Project drafted(const FoundTree& tree) {
  return parse_project("/p/jcprof.json", draft_project(tree).text);
}

using Runs = std::vector<std::vector<std::string>>;

inline Runs runs_of(const std::vector<Step>& steps) {
  Runs runs;
  for (const Step& step : steps) runs.push_back(step.run);
  return runs;
}

}  // namespace jcprof::rewriter
