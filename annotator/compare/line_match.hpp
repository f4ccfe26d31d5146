// SPDX-License-Identifier: Apache-2.0
// Which line of one build is which of another one. Lines are the same where their traps' keys are; a key
// tells a statement's text and its place among its function's, so that behind an edit the lines of a function
// are aligned by what their traps look like. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

struct MappedLines {
  const std::vector<LineEstimate>& lines;
  const TrapMap& map;
};

/// For each line of `after` the index of the same one of `before`; none is named twice.
std::vector<std::optional<std::size_t>> match_lines(const MappedLines& before, const MappedLines& after);

}  // namespace jcprof::annotator
