// SPDX-License-Identifier: Apache-2.0
// The items of a report's lists as JSON.
#pragma once

#include <string>
#include <vector>

#include "annotator/compare/comparison.hpp"
#include "annotator/distribution.hpp"
#include "annotator/estimate/estimates.hpp"
#include "annotator/report/files.hpp"

namespace jcprof::annotator {

/// Without the bracket at its end: its distribution may follow.
std::string open_row(const LineEstimate& line, ReportFiles& files);
/// `slow`: the list of its slowest calls; empty: not known.
std::string row(const FunctionEstimate& function, const std::string& slow, ReportFiles& files);
std::string row(const LoopEstimate& loop, ReportFiles& files);
std::string row(const UnreachedLine& line, ReportFiles& files);
std::string row(const EdgeEstimate& edge, ReportFiles& files);
std::string row(const PathEstimate& path, const std::vector<StoredInput>& inputs);
std::string row(const StoredThread& thread);
/// `member`: what its function is called there.
std::string row(const Change& change, const char* member, ReportFiles& files);
std::string json(const Distribution& distribution);

}  // namespace jcprof::annotator
