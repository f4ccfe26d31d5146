// SPDX-License-Identifier: Apache-2.0
// Which sites get a trap, with which number and name. A pure function of the models and the policy: the same
// input gives the same ids.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewriter/source_model.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::rewriter {

struct TrapPolicy {
  std::vector<std::string> entry;  // function names, as in the project file
  ProfileScope scope;
  bool calls_in_source = true;  // the runtime has the name by which old sources call it
  std::set<std::pair<std::size_t, std::uint32_t>> left_out = {};  // (file, site): known not to compile
};

struct PlannedTrap {
  std::uint32_t site = 0;  // index into the model's sites
  Trap trap;
};

struct FilePlan {
  bool instrumented = false;       // false: the file is left byte for byte as it is
  std::vector<PlannedTrap> traps;  // in file order
};

struct TrapPlan {
  std::vector<FilePlan> files;     // one a model, same order
  std::size_t entry_file = 0;      // where the (first) entry function stands
  std::vector<std::string> notes;  // what was left alone, with the reason, for a person
};

/// Throws UserError for an entry that does not exist or cannot be one, an include that names nothing (nearest
/// names as hint) and two markers of one name. `models` in the order of their paths.
TrapPlan plan_traps(const std::vector<SourceModel>& models, const TrapPolicy& policy);

}  // namespace jcprof::rewriter
