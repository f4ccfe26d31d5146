// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/place_doubt.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace jcprof::annotator {
namespace {

// Stops take 70 to 100 µs on a true card VM: the dearest is this part above one in the middle.
constexpr double documented_share = 0.22;
constexpr double half_widths = 2;           // of a step, above its value
constexpr double normal_quartile = 0.6745;  // in standard deviations

}  // namespace

double place_doubt(const TrapCost& cost, std::span<const Interval> steps, bool is_exact) {
  const double share = is_exact || cost.stop.high == cost.stop.low ? 0 : documented_share * cost.stop.value;
  std::vector<double> at_most;
  for (const Interval& step : steps)
    if (std::isfinite(half_width(step))) at_most.push_back(step.value + half_widths * half_width(step));
  if (at_most.empty()) return share;
  // A difference of two stops scatters by the square root of two more than one of them.
  const double quartile = -engine::quantile(at_most, 0.25) / std::numbers::sqrt2;
  return std::max(share, engine::deviations_95 / normal_quartile * quartile);
}

void Places::add(const Places& other, double times) {
  for (const auto& [trap, stops] : other.stops_) stops_[trap] += times * stops;
}

double Places::half_width(double place_doubt) const {
  double squares = 0;
  for (const auto& [trap, stops] : stops_) squares += stops * stops;
  return place_doubt * std::sqrt(squares);
}

std::vector<double> factors_of(std::span<const engine::StretchPart> parts,
                               const engine::EdgeCosts::Doubt& doubt, std::size_t stretches) {
  if (!doubt.factors.empty()) return doubt.factors;
  std::vector<double> factors(stretches);
  for (const engine::StretchPart& part : parts) factors[part.stretch] = part.share;
  return factors;
}

Places places_of(std::span<const double> factors, std::span<const Stretch> stretches,
                 std::span<const Event> path) {
  Places places;
  for (std::size_t s = 0; s < factors.size(); ++s) {
    if (factors[s] == 0) continue;
    if (stretches[s].end != path.size()) places.add(path[stretches[s].end].trap, factors[s]);
    places.add(path[stretches[s].begin].trap, -factors[s]);
  }
  return places;
}

}  // namespace jcprof::annotator
