// SPDX-License-Identifier: Apache-2.0
// Which jars an applet is compiled and simulated with: jCardSim, and what its packages need besides.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

/// The classes in a jar ("javacard/framework/APDU"), from the directory at its end. Empty for what is no jar.
std::set<std::string> classes_in_jar(std::string_view bytes);

struct AppletJars {
  std::string simulator;  // jCardSim's; empty: none found
  bool listens = false;   // that serves a port, 8099
  std::vector<std::string>
      libraries;        // further jars that the sources need, of the card's API where there is no simulator
  std::string missing;  // the version of jCardSim that the build names and that is not there
};

/// `imports`: packages that are not in the tree. `versions`: those of jCardSim that the build names.
AppletJars choose_jars(const FoundTree& tree, const std::vector<std::string>& imports,
                       const std::vector<std::string>& versions);

}  // namespace jcprof::rewriter
