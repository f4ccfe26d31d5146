// SPDX-License-Identifier: Apache-2.0
// Chooses the sites that get a trap, and gives numbers and names. A pure function of the models and the
// policy: the same input gives the same ids.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rewriter/source_model.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::rewriter {

/// C stands for C++ too.
enum class SourceLanguage : std::uint8_t { java, c };

struct TrapPolicy {
  std::vector<std::string> entry;  // function names, as in the project file
  ProfileScope scope;
  bool calls_in_source = true;  // the runtime has the name by which old sources call it
  std::set<std::pair<std::size_t, std::uint32_t>> left_out = {};  // (file, site): known not to compile
  SourceLanguage language = SourceLanguage::java;
};

/// Something that has no trap where a person would expect one.
struct LeftAlonePlace {
  std::string path;
  std::size_t line = 0;
  std::string reason;
  std::size_t count = 1;  // as in LeftAlone
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
  std::vector<FilePlan> files;             // one a model, same order
  std::size_t entry_file = 0;              // where the (first) entry function stands
  std::vector<LeftAlonePlace> left_alone;  // of instrumented files
  std::size_t statements = 0;              // of functions that the scope asks for, whatever its level
  std::size_t excluded_statements = 0;     // of the others
  std::vector<std::string> notes;          // for a person; in Java all of `left_alone` too
};

/// By its name, with or without what tells it from namesakes, or behind its file; `pattern` is a glob.
bool matches_function(std::string_view pattern, const SourceModel& model, const Function& function);

/// Throws UserError for an entry that does not exist or cannot be one, an include that names nothing (nearest
/// names as hint) and two markers of one name. `models` in the order of their paths.
TrapPlan plan_traps(const std::vector<SourceModel>& models, const TrapPolicy& policy);

}  // namespace jcprof::rewriter
