// SPDX-License-Identifier: Apache-2.0
// Two profiles of one program side by side: how its lines and functions changed. Each is one session, so
// differences of time which another session alone may bring are not judged. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

enum class Verdict : std::uint8_t { slower, faster, same, unresolved, appeared, gone };
/// The word of the report: "new" where something appeared.
std::string_view name_of(Verdict verdict);

/// The change of a line, or of a function without the calls out of it.
struct Change {
  std::string path;  // in the second profile, and line; of what is gone in the first
  std::size_t line = 0;
  std::size_t line_before = 0;  // 0: it appeared
  std::string function;
  std::optional<Estimate> before;
  std::optional<Estimate> after;
  Interval difference;  // ticks of the first session: after / speed - before
  Interval relative;    // fractions of what it was before; infinite where nothing was known
  Verdict verdict = Verdict::unresolved;
};

struct Comparison {
  double speed = 1;  // how much longer everything took in the second session; its ticks are divided by that
  std::vector<Change> lines;      // largest difference first
  std::vector<Change> functions;  // likewise
  std::vector<std::string> warnings;
};

struct Compared {
  const Profile& profile;
  const TrapMap& map;  // of its build
};

/// UserError where differences would mean nothing: other projects or units, or one measured and one recorded.
Comparison compare(const Compared& before, const Compared& after);

}  // namespace jcprof::annotator
