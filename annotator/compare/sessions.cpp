// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/sessions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "annotator/compare/robust.hpp"

namespace jcprof::annotator {
namespace {

// Before anything was seen. Cards, boards and virtual machines differ about so much from session to session.
constexpr double usual_speed = 0.02;
constexpr double speed_counts = 10;  // as many sessions were seen
constexpr double usual_layout = 0.01;
constexpr double layout_counts = 2;  // as many items
// A change of everything is one comparison in twenty, and may be as large as this.
constexpr double usual_change = 0.5;
constexpr double chance_of_change = 0.05;
// Logarithms of wider readings are no normal ones.
constexpr double widest_for_speed = 0.3;
constexpr double counts_of_all = 20;  // the scatter of all items beside that of one item alone

/// The logarithms of an item's readings on one side, and the mean of their variances within sessions.
struct Logs {
  std::vector<double> values;
  double variance = 0;
};

Logs logs_of(const std::vector<Reading>& readings) {
  Logs logs;
  for (const Reading& reading : readings) {
    logs.values.push_back(std::log(reading.ticks));
    logs.variance += square_of(reading.deviation / reading.ticks) / static_cast<double>(readings.size());
  }
  return logs;
}

/// The same side of all items that are known well in each session.
using Side = std::vector<Logs>;

/// The mean over the items of their distance from their own mean, of each session.
std::vector<double> gains_of(const Side& side, std::size_t sessions) {
  std::vector<double> gains(sessions, 0.0);
  double weights = 0;
  for (const Logs& logs : side) {
    const double weight = 1 / (logs.variance + square_of(usual_layout));
    const double middle = engine::mean_of(logs.values);
    for (std::size_t s = 0; s < sessions; ++s) gains[s] += weight * (logs.values[s] - middle);
    weights += weight;
  }
  if (weights > 0)
    for (double& gain : gains) gain /= weights;
  return gains;
}

/// `layout`: a variance near to the one that is asked for.
void add_scatter(const Side& side, const std::vector<double>& gains, double layout, Scatter& scatter) {
  const auto freedom = static_cast<double>(gains.size() - 1);
  if (freedom == 0) return;
  for (const Logs& logs : side) {
    const double weight = weight_for_scatter(layout, logs.variance);
    const double middle = engine::mean_of(logs.values);
    double squares = 0;
    for (std::size_t s = 0; s < gains.size(); ++s) squares += square_of(logs.values[s] - middle - gains[s]);
    scatter.squares += weight * (squares - freedom * logs.variance);
    scatter.counts += weight * freedom;
  }
}

/// The mean of the usual scatter and the one that was seen, weighted by counts.
double learnt(double usual, double usual_counts, const Scatter& seen) {
  return std::sqrt((usual_counts * square_of(usual) + std::max(0.0, seen.squares)) /
                   (usual_counts + seen.counts));
}

/// The items as logarithms.
struct LogItems {
  Side before;
  Side after;
  std::vector<Shift> shifts;

  explicit LogItems(const std::vector<Item>& items) {
    for (const Item& item : items) {
      const Logs& old = before.emplace_back(logs_of(item.before));
      const Logs& young = after.emplace_back(logs_of(item.after));
      shifts.push_back({engine::mean_of(young.values) - engine::mean_of(old.values),
                        old.variance / static_cast<double>(old.values.size()) +
                            young.variance / static_cast<double>(young.values.size())});
    }
  }

  /// With one session a side, that of the shifts, which `share` times the variance of one session gives.
  Scatter scatter_around(const SessionEffects& effects, double share) const {
    Scatter scatter;
    double layout = square_of(usual_layout);
    constexpr int steps = 4;  // weights follow what they weigh
    for (int step = 0; step < steps; ++step) {
      scatter = {};
      add_scatter(before, effects.gains_before, layout, scatter);
      add_scatter(after, effects.gains_after, layout, scatter);
      if (scatter.counts == 0 && !shifts.empty()) {
        scatter = scatter_of(shifts, share * layout);
        scatter.squares /= share;
      }
      layout = std::max(square_of(usual_layout), square_of(learnt(usual_layout, layout_counts, scatter)));
    }
    return scatter;
  }

  /// Without any items nothing is known of it.
  Location shift(double between) const {
    if (shifts.empty()) return {0, std::numeric_limits<double>::infinity()};
    return middle_of(shifts, between);
  }
};

/// The part of a common shift that sessions explain, whose speeds scatter by `scatter`.
Location session_part(const Location& shift, double scatter, double freedom) {
  if (!std::isfinite(shift.variance)) return {0, square_of(scatter)};
  const double spread = std::sqrt(square_of(scatter) + shift.variance);
  const boost::math::students_t_distribution<double> of_sessions(freedom);
  // Its tail is the heavier one, so that no ratio is too large for a change.
  const boost::math::students_t_distribution<double> of_changes(1);
  const double size = std::hypot(usual_change, spread);
  const double by_sessions =
      (1 - chance_of_change) * boost::math::pdf(of_sessions, shift.value / spread) / spread;
  const double by_change = chance_of_change * boost::math::pdf(of_changes, shift.value / size) / size;
  const double chance = by_sessions / (by_sessions + by_change);
  // Where sessions explain it: the shift, drawn toward nothing by what is not known of it.
  const double kept = square_of(scatter) / square_of(spread);
  const double explained = kept * shift.value;
  return {chance * explained, chance * kept * shift.variance + (1 - chance) * square_of(scatter) +
                                  chance * (1 - chance) * square_of(explained)};
}

/// The mean over sessions, each at the speed of its side.
double mean_of(const std::vector<Reading>& readings, const std::vector<double>& gains) {
  double sum = 0;
  for (std::size_t s = 0; s < readings.size(); ++s) sum += readings[s].ticks * std::exp(-gains[s]);
  return sum / static_cast<double>(readings.size());
}

/// Variances of the mean over a side's sessions.
struct SideVariance {
  double within = 0;
  double layout = 0;
  double own = 0;  // by how the sessions of this item differ
  double counts = 0;
};

SideVariance variance_of(const std::vector<Reading>& readings, const std::vector<double>& gains,
                         double layout) {
  const auto sessions = static_cast<double>(readings.size());
  const double mean = mean_of(readings, gains);
  SideVariance variance{.layout = square_of(layout * mean) / sessions, .counts = sessions - 1};
  double squares = 0;
  for (std::size_t s = 0; s < readings.size(); ++s) {
    variance.within += square_of(readings[s].deviation / sessions);
    squares += square_of(readings[s].ticks * std::exp(-gains[s]) - mean);
  }
  variance.own = sessions > 1 ? squares / (sessions - 1) / sessions : variance.within + variance.layout;
  return variance;
}

/// The item's sessions scatter by more than chance makes of what all items scatter by.
bool is_restless(double own, double expected, double counts) {
  if (counts == 0) return false;
  const boost::math::chi_squared_distribution<double> squares(counts);
  return own * counts > expected * boost::math::quantile(squares, 0.95);
}

}  // namespace

bool is_known_well(const Reading& reading) {
  return reading.ticks > 0 && reading.deviation < widest_for_speed * reading.ticks;
}

bool tells_speed(const Item& item) {
  return std::ranges::all_of(item.before, is_known_well) && std::ranges::all_of(item.after, is_known_well);
}

SessionEffects effects_of(const std::vector<Item>& items, const Sessions& sessions) {
  const LogItems logs(items);
  SessionEffects effects{.gains_before = std::vector<double>(sessions.before),
                         .gains_after = std::vector<double>(sessions.after)};
  const double share = 1 / static_cast<double>(sessions.before) + 1 / static_cast<double>(sessions.after);
  if (sessions.agree) {
    effects.freedom = std::numeric_limits<double>::infinity();
    return effects;
  }
  effects.gains_before = gains_of(logs.before, sessions.before);
  effects.gains_after = gains_of(logs.after, sessions.after);
  const Scatter scatter = logs.scatter_around(effects, share);
  effects.layout = learnt(usual_layout, layout_counts, scatter);
  effects.freedom = layout_counts + scatter.counts;
  Scatter speeds{.counts = static_cast<double>(sessions.before + sessions.after - 2)};
  for (const auto* gains : {&effects.gains_before, &effects.gains_after})
    for (const double gain : *gains) speeds.squares += square_of(gain);
  const double between = learnt(usual_speed, speed_counts, speeds) * std::sqrt(share);
  const double freedom = speed_counts + speeds.counts;
  const Location shift = logs.shift(square_of(effects.layout) * share);
  const Location speed = session_part(shift, between, freedom);
  effects.speed = std::exp(speed.value);
  effects.speed_deviation = std::sqrt(speed.variance);
  const double half = deviations_of(0.95, freedom) * std::sqrt(square_of(between) + shift.variance);
  if (std::isfinite(shift.variance))
    effects.ratio = {std::exp(shift.value), std::exp(shift.value - half), std::exp(shift.value + half)};
  return effects;
}

Difference difference_of(const Item& item, const SessionEffects& effects) {
  Difference result{.before = mean_of(item.before, effects.gains_before)};
  const auto is_unknown = [](const Reading& reading) { return !std::isfinite(reading.deviation); };
  if (std::ranges::any_of(item.before, is_unknown) || std::ranges::any_of(item.after, is_unknown))
    return result;
  const double after = mean_of(item.after, effects.gains_after) / effects.speed;
  const SideVariance old = variance_of(item.before, effects.gains_before, effects.layout);
  const SideVariance young = variance_of(item.after, effects.gains_after, effects.layout);
  const double slower = square_of(effects.speed);
  const double within = old.within + young.within / slower;
  const double layout = old.layout + young.layout / slower;
  const double own = old.own + young.own / slower;
  const double counts = old.counts + young.counts;
  const bool is_alone = counts == 0;
  double variance = is_alone ? within + layout
                             : (counts_of_all * (within + layout) + counts * own) / (counts_of_all + counts);
  double freedom = is_alone ? effects.freedom : std::min(effects.freedom, counts_of_all + counts);
  if (is_restless(own, within + layout, counts)) {
    variance = own;
    freedom = counts;
  }
  const double by_speed = square_of(effects.speed_deviation * after);
  result.deviation = std::sqrt(variance + by_speed);
  result.lasting = std::sqrt(std::max(0.0, variance - within) + by_speed);
  result.freedom = freedom_of(variance + by_speed, is_alone ? layout : variance, freedom);
  const double difference = after - result.before;
  const double half = deviations_of(0.95, result.freedom) * result.deviation;
  result.ticks = {difference, difference - half, difference + half};
  if (difference == 0) return result;
  result.chance = 0;
  if (result.deviation > 0) {
    const boost::math::students_t_distribution<double> student(result.freedom);
    result.chance =
        2 * boost::math::cdf(boost::math::complement(student, std::abs(difference) / result.deviation));
  }
  return result;
}

double freedom_of(double variance, double part, double freedom) {
  constexpr double most = 1000;  // as good as normal
  return part > 0 ? std::min(most, freedom * square_of(variance / part)) : most;
}

double deviations_of(double confidence, double freedom) {
  const boost::math::students_t_distribution<double> student(freedom);
  return boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2));
}

}  // namespace jcprof::annotator
