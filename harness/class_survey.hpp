// SPDX-License-Identifier: Apache-2.0
// First contact of leak mode: the answers and paths of the inputs of each class, and where these part. Stores
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/survey.hpp"
#include "harness/transport.hpp"
#include "src/core/store.hpp"
#include "src/engine/leak_run.hpp"

namespace jcprof::harness {

struct ClassSurvey {
  std::vector<std::vector<std::uint32_t>> inputs;  // of each class
  Survey survey;                                   // answers of all inputs, paths of those that were traced
};

/// Traces up to 16 inputs of each class in `run`, whose inputs, path, partings and warnings it fills in.
/// `after_each`: called after each traced input. UserError where an input cannot be run.
ClassSurvey survey_classes(Transport& transport, const std::vector<StoredInput>& inputs, engine::LeakRun& run,
                           const std::function<void()>& after_each);

}  // namespace jcprof::harness
