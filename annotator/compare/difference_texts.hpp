// SPDX-License-Identifier: Apache-2.0
// A comparison as people and machines read it.
#pragma once

#include <string>

#include "annotator/compare/comparison.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::annotator {

/// Tables for a terminal. They list changed and unresolved items, and count those that are the same.
std::string to_text(const Comparison& comparison, const TableStyle& style = {});
/// For a pull request; below 60 KB.
std::string to_markdown(const Comparison& comparison);
/// "format": "jcprof-diff" (docs/formats.md).
std::string to_json(const Comparison& comparison);
/// Commands of GitHub Actions: an error at each line that is slower, a notice at each that is faster.
std::string to_github(const Comparison& comparison);

}  // namespace jcprof::annotator
