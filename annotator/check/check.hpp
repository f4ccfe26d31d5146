// SPDX-License-Identifier: Apache-2.0
// Compares a profile with its budgets. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/check/budget.hpp"
#include "annotator/compare/comparison.hpp"
#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// Worst first.
enum class Holding : std::uint8_t { broken, unresolved, held };
std::string_view name_of(Holding holding);

/// A budget, of one of the functions that it is about.
struct Checked {
  Budget budget;
  std::string subject;  // a function, FILE:LINE or "total"
  bool is_function = false;
  std::string path;  // empty: it has no place
  std::size_t line = 0;
  Interval measured;  // in the unit of the budget; NaN where it is not known
  Holding holding = Holding::unresolved;
  std::string why = {};     // beside `unresolved`, where the interval does not say it
  std::string device = {};  // of a fleet: the one that decides
};

/// The budgets in their order, each for all that it is about. A budget is broken if the interval lies above
/// its limit, and held if no part of the interval does. A line or function that no path passes takes nothing.
/// `comparison`: against the baseline. UserError for a budget of something that has no traps, in a unit that
/// the profile does not have, or of a change without a baseline.
std::vector<Checked> check_budgets(const std::vector<Budget>& budgets, const Compared& session,
                                   const Comparison* comparison);

/// The whole command, which may be slower than the baseline by `most` (a fraction), and each line and
/// function that is proven to be slower by more.
std::vector<Checked> check_regressions(const Comparison& comparison, double most);

/// The same budgets in several sessions: each as it is in its worst one, but for so many that are `spared`.
std::vector<Checked> worst_of(const std::vector<std::vector<Checked>>& sessions, std::size_t spared = 0);

/// Those of a device that tells nothing: `why`.
std::vector<Checked> unresolved_on(const std::string& device, const std::string& why,
                                   std::vector<Checked> checked);

/// The worst of all; held where there are none.
Holding holding_of(const std::vector<Checked>& checked);

}  // namespace jcprof::annotator
