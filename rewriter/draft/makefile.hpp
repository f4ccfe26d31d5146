// SPDX-License-Identifier: Apache-2.0
// The text of makefiles, line by line, and the values of their variables: make is not run. All branches
// are read, as they depend on the environment.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "rewriter/draft/variables.hpp"
#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

constexpr std::array<const char*, 3> makefile_names{"GNUmakefile", "makefile", "Makefile"};

/// "srcs-y += a.c b.c" has a name, and how it is assigned; "-include x.mk" has "include" and "-".
struct MakeLine {
  std::string name;
  std::string how;
  std::string value;
};

/// Assignments and inclusions; lines of recipes are none.
std::vector<MakeLine> make_lines(const std::string& text);

/// "a b: c d.o" in front of its recipe; expanded or not.
struct MakeRule {
  std::string targets;
  std::string needs;
};

/// Without those of special targets, and without patterns.
std::vector<MakeRule> make_rules(const std::string& text);

std::string without_comments(const std::string& text);

/// The lines of a folder's makefiles, those that they include in their places: paths are relative to the
/// folder in which make runs.
class Makefile {
 public:
  Makefile(const FoundTree& tree, std::string folder);

  bool uses_kit() const { return uses_kit_; }                           // of OP-TEE's trusted applications
  const std::vector<std::string>& outside() const { return outside_; }  // that it must include
  /// Names, without folder and ending, of what make makes when it is asked for nothing, and of what goes into
  /// it.
  std::set<std::string> made_first() const;
  std::string expanded(const std::string& text) const { return expand(values_, text); }

 private:
  void add(const std::string& path, int depth);
  void include(const MakeLine& line, int depth);

  const FoundTree& tree_;
  const std::string folder_;
  Variables values_;
  std::vector<MakeRule> rules_;
  std::vector<std::string> outside_;
  bool uses_kit_ = false;
};

}  // namespace jcprof::rewriter
