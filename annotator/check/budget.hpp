// SPDX-License-Identifier: Apache-2.0
// Budgets: limits that a profile must keep, as people write them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.hpp"

namespace jcprof::annotator {

enum class BudgetUnit : std::uint8_t { ns, cycles, instructions, hits, share, change };

/// "ns", "share"
std::string_view name_of(BudgetUnit unit);

/// "PinApplet.verify <= 40ms"
struct Budget {
  std::string text;     // as it was written
  std::string subject;  // "total", FILE:LINE, the name of a trap, or a function; * stands for any characters
  bool is_own = false;  // of a function without the calls out of it
  BudgetUnit unit = BudgetUnit::ns;
  double limit = 0;  // shares and changes are fractions
};

/// SUBJECT <= LIMIT. SUBJECT may begin with "own ". LIMIT is a time ("40ms"), "3000 cycles", "12000
/// instructions", "4 hits", a share of the command ("30%"), or a change against a baseline ("+3%").
/// UserError where it is none.
Budget parse_budget(std::string_view text);

/// The budgets of a file: {"format": "jcprof-budget", "version": 1, "budgets": ["…"]}. UserError with places.
std::vector<Budget> parse_budgets(const std::string& file, std::string_view text);

}  // namespace jcprof::annotator
