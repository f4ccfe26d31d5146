// SPDX-License-Identifier: Apache-2.0
// How the times of two sides differ, where each side was measured in one session or several. A session (a
// reset, a warm-up) has a speed of its own, and each line a layout of its own in it: both are estimated,
// taken out where they can be, and are in every interval. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "src/engine/statistics.hpp"

namespace jcprof::annotator {

using engine::Interval;

/// The time of one line or function in one session.
struct Reading {
  double ticks = 0;      // 0 or more
  double deviation = 0;  // standard deviation within the session; infinite: not measured there
};

/// Its logarithm is a normal variable, about.
bool is_known_well(const Reading& reading);

/// A line or a function that both sides have. All have as many readings as their side has sessions, at least
/// one.
struct Item {
  std::vector<Reading> before;
  std::vector<Reading> after;
};

/// It is known well enough in each session.
bool tells_speed(const Item& item);

struct Sessions {
  std::size_t before = 1;
  std::size_t after = 1;
  bool agree = false;  // but for the noise within them, as counts of instructions do
};

/// The differences between sessions. Deviations are relative: 0.02 is 2 %.
struct SessionEffects {
  // For each session, a logarithm: by how much everything took longer than in the mean session of its side.
  std::vector<double> gains_before;
  std::vector<double> gains_after;
  Interval ratio{.value = 1};  // of all times, after / before, with 95 % of what sessions differ by
  double speed = 1;            // the part of `ratio` that the sessions explain
  double speed_deviation = 0;  // of its logarithm
  double layout = 0;           // standard deviation of a line's time from session to session
  double freedom = 0;          // degrees of freedom that it is known with
};

/// All items must pass tells_speed. The ratio that most of them share is the speed: items are weighted by
/// precision, and Tukey's biweight leaves changed ones out. Speeds and layouts begin from what is usual (2 %
/// and 1 %) and are learnt from the sessions; with one session a side the layout is learnt from the scatter
/// of the items. A ratio that sessions may have is their speed, and one far beyond is a change of everything.
/// In between the probability of each decides (Student's t against Cauchy's distribution of 50 %), and
/// `speed_deviation` holds the doubt.
SessionEffects effects_of(const std::vector<Item>& items, const Sessions& sessions);

struct Difference {
  double before = 0;     // ticks: the mean of the sessions
  Interval ticks;        // after / speed - before, 95 %; infinite ends: it was not measured in some session
  double chance = 1;     // that nothing differs, and noise and sessions make a difference as large
  double deviation = 0;  // of ticks.value
  double lasting = 0;    // the part of it that more rounds in the same sessions do not take away
  double freedom = 1;    // degrees of freedom of the deviation
};

/// Student's t. Where a side has several sessions, the item's own scatter counts beside what all items
/// scatter by, as if those were twenty sessions; alone where it is larger than chance makes it.
Difference difference_of(const Item& item, const SessionEffects& effects);

/// The degrees of freedom of a variance: one part is estimated with `freedom`, the rest is known
/// (Satterthwaite 1946).
double freedom_of(double variance, double part, double freedom);

/// The half width of an interval of `confidence` (0.9) that a difference has, in its deviations.
double deviations_of(double confidence, double freedom);

}  // namespace jcprof::annotator
