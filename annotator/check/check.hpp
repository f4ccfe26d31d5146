// SPDX-License-Identifier: Apache-2.0
// Whether a profile keeps its budgets. Pure.
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
  std::string path;     // empty: it has no place
  std::size_t line = 0;
  Interval measured;  // in the unit of the budget; an end that is not known is no number
  Holding holding = Holding::unresolved;
  std::string why = {};  // beside `unresolved`, where the interval does not say it
};

/// What each budget has to be compared with, in the order of the budgets. A budget is broken if the interval
/// lies above its limit, and held if no part of the interval does. Something that the program has and the
/// command did not reach takes nothing. `comparison`: against the baseline. UserError for a budget of
/// something that the program does not have, in a unit that the profile does not have, or of a change without
/// a baseline.
std::vector<Checked> check_budgets(const std::vector<Budget>& budgets, const Compared& session,
                                   const Comparison* comparison);

/// Budgets of all that is proven to be slower than the baseline by more than `most` (a fraction), and of the
/// whole command.
std::vector<Checked> check_regressions(const Comparison& comparison, double most);

/// The same budgets of several sessions: each is as its worst session.
std::vector<Checked> worst_of(const std::vector<std::vector<Checked>>& sessions);

/// The worst of all; held where there are none.
Holding holding_of(const std::vector<Checked>& checked);

}  // namespace jcprof::annotator
