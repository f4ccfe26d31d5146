// SPDX-License-Identifier: Apache-2.0
// Checked budgets as people and machines read them. The worst come first.
#pragma once

#include <string>
#include <vector>

#include "annotator/check/check.hpp"
#include "annotator/export/sarif_parts.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::annotator {

struct CheckReport {
  RunInfo run;         // of the first session
  sarif::Place entry;  // of its command
  std::vector<Checked> checked;
  std::vector<std::string> warnings;  // of the comparison
};

/// Each subject once, in a unit that people read.
struct Series {
  std::string name;  // with the file where functions of several have it
  std::string unit;
  Interval measured;
  const Checked* checked = nullptr;
};

/// A history keeps known values. It keeps no changes, because it shows these by itself.
std::vector<Series> series_of(const std::vector<Checked>& checked);

/// "41.2 ms ±0.3", "×4", "+2.1 % ±0.3"
std::string measured_text(const Interval& measured, BudgetUnit unit);

std::string to_text(const CheckReport& report, const TableStyle& style = {});
/// "format": "jcprof-check" (docs/formats.md).
std::string to_json(const CheckReport& report);
/// JUnit's XML: a broken budget is a failure, an unresolved one an error.
std::string to_junit(const CheckReport& report);
/// Commands of GitHub Actions: an error at each broken budget, a warning at each unresolved one.
std::string to_github(const CheckReport& report);
/// SARIF 2.1.0: results are the budgets that are not held.
std::string to_sarif(const CheckReport& report);
/// Bencher's JSON: a benchmark for each subject whose value is known.
std::string to_bencher(const CheckReport& report);
/// The same for github-action-benchmark ("customSmallerIsBetter").
std::string to_action_benchmark(const CheckReport& report);

}  // namespace jcprof::annotator
