// SPDX-License-Identifier: Apache-2.0
// Two versions of one program side by side: how its lines and functions changed. Each side has one session or
// several. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/compare/matching.hpp"
#include "annotator/compare/sessions.hpp"
#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

inline constexpr double margin_relative = 0.02;  // a change within it does not matter
inline constexpr double least_share = 0.0025;    // of the whole, that is worth a word

/// The time as a comparison takes it. Doubts that two profiles of the same code share are no part of it.
Reading reading_of(const Estimate& cost);

enum class Verdict : std::uint8_t { slower, faster, appeared, gone, unresolved, same };
/// The word of reports: "new" where something appeared.
std::string_view name_of(Verdict verdict);

/// The change of a line, of a function without the calls out of it, or of the whole command.
struct Change {
  std::string path;  // in the second side, and line; of what is gone in the first
  std::size_t line = 0;
  std::size_t line_before = 0;  // 0: it appeared
  std::string function;
  std::optional<std::uint64_t> hits_before = {};  // or calls; in the first session of the side
  std::optional<std::uint64_t> hits_after = {};
  std::optional<Estimate> before;  // the mean of its side's sessions
  std::optional<Estimate> after;
  Interval difference = {};  // ticks of the first side: after / speed - before
  Interval relative = {};    // fractions of what it was before; infinite where nothing was known
  Verdict verdict = Verdict::unresolved;
  // Beside `unresolved`: so many times the shots would resolve it. 0: only more sessions may.
  std::optional<double> shots_factor = {};
};

struct Comparison {
  RunInfo run_before;  // of the first session of the side
  RunInfo run_after;
  std::size_t sessions_before = 1;
  std::size_t sessions_after = 1;
  double speed = 1;            // see SessionEffects; 1 where nothing is taken out
  Interval ratio{.value = 1};  // of times as measured, after / before
  Change whole;                // the command
  // Verdicts in the order of their enum, then the largest difference first.
  std::vector<Change> lines;
  std::vector<Change> functions;
  std::vector<std::string> warnings;
};

/// UserError where the sessions of one side are of several builds, projects or units.
void check_side(const std::vector<Compared>& side);

/// Each side has at least one session, and all sessions of one build. A session without any value, because
/// its measurements contradict each other, is left out if its side has others; a warning says so. UserError
/// where differences would mean nothing: other projects, units or kinds, or several builds on one side.
Comparison compare(const std::vector<Compared>& before, const std::vector<Compared>& after);

/// Unresolved, with nothing but an upper bound on both sides.
bool is_below_resolution(const Change& change);

/// The verdict on all that is above resolution: slower if anything is, else unresolved, faster or same.
Verdict verdict_of(const Comparison& comparison);

/// It tells nothing of another run.
bool is_one_recorded_run(const Profile& profile);
inline constexpr const char* warning_of_one_run =
    "each recording is one run, and runs vary by an unknown amount: a change may be no more than that";

}  // namespace jcprof::annotator
