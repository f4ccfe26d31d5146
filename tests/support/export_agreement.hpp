// SPDX-License-Identifier: Apache-2.0
// Whether all that is printed of one profile is the same, to the last printed digit, and adds up.
#pragma once

#include <string>
#include <vector>

#include "annotator/export/exports.hpp"
#include "annotator/tables.hpp"

namespace jcprof::test {

/// One profile in each format.
struct Exported {
  std::string json, csv, folded, speedscope, callgrind, pprof;
  std::string lines, functions;  // the tables, with all their rows
};

inline Exported exported(const annotator::Profile& profile) {
  using namespace annotator;
  const TableStyle whole{.width = 100'000, .rows = 1'000'000};
  return {.json = to_json(profile),
          .csv = to_csv(profile),
          .folded = to_folded(profile),
          .speedscope = to_speedscope(profile),
          .callgrind = to_callgrind(profile),
          .pprof = to_pprof(profile),
          .lines = line_table(profile, whole),
          .functions = function_table(profile, whole)};
}

/// In words: where formats differ, where lines do not add up to their function, functions to the lines, or
/// "total = before + between + lines + unattributed" does not hold. The texts are all that it looks at.
/// Empty: they agree.
std::vector<std::string> disagreements(const Exported& exported);

}  // namespace jcprof::test
