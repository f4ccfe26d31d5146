// SPDX-License-Identifier: Apache-2.0
// First contact: what the command answers when left alone, which path it takes for each input, and which
// inputs can be measured together. Stores nothing.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/path.hpp"
#include "harness/shot_log.hpp"
#include "harness/transport.hpp"
#include "src/core/store.hpp"
#include "src/core/trap_map.hpp"
#include "src/core/warning.hpp"

namespace jcprof::harness {

/// The inputs that take one path.
struct SurveyedPath {
  TracedPath path;
  std::vector<std::uint32_t> inputs;
  bool carries_signatures = false;  // shots carry a signature of the events before their stop
};

struct Survey {
  std::vector<GoodAnswer> good;     // one for each input
  std::vector<SurveyedPath> paths;  // those of most inputs first
  std::vector<Warning> warnings;
};

/// A whole run that nothing was armed for, in up to three tries. UserError where it cannot be had, or is
/// answered otherwise than the project wants.
Sample full_run(Transport& transport, std::uint32_t input);

/// One full run of the first input before anything else. UserError (check_failed) when the command passes no
/// trap, (environment) when it cannot be run.
/// Of inputs in `suspects` thirty runs are traced: shots came along ways that were not known.
Survey survey(const TrapMap& map, Transport& transport, const std::vector<StoredInput>& inputs,
              const std::set<std::uint32_t>& suspects = {});

/// `again` has a path that `known` has not.
bool finds_more(const Survey& again, const Survey& known);

/// The rows for the store, by input.
std::vector<StoredPath> paths_of(const Survey& survey);

/// The variants that an earlier call saw of these inputs take the place of those of this survey; where it saw
/// one path, and that is one of several now, these stay. False, and nothing is changed, where an input takes
/// another path than before, or others take part.
bool recall_paths(Survey& survey, const std::vector<StoredInput>& inputs,
                  const std::vector<StoredPath>& earlier);

}  // namespace jcprof::harness
