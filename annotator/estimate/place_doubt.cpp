// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/place_doubt.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <tuple>
#include <utility>

namespace jcprof::annotator {
namespace {

// Stops take 70 to 100 µs on a true card VM: the dearest is this part above one in the middle.
constexpr double documented_share = 0.22;
constexpr double half_widths = 2;           // of a step, above its value
constexpr double normal_quartile = 0.6745;  // in standard deviations

double most_of(const Step& step) {
  return step.ticks.value + half_widths * half_width(step.ticks);
}

double stop_doubt(std::span<const Step> steps, double share) {
  std::vector<double> at_most;
  for (const Step& step : steps)
    if (std::isfinite(half_width(step.ticks))) at_most.push_back(most_of(step));
  if (at_most.empty()) return share;
  // A difference of two stops scatters by the square root of two more than one of them.
  const double quartile = -engine::quantile(at_most, 0.25) / std::numbers::sqrt2;
  return std::max(share, engine::deviations_95 / normal_quartile * quartile);
}

}  // namespace

Groups groups_of(const TrapMap& map) {
  Groups groups{0};
  std::map<std::tuple<std::string_view, std::string_view, std::uint32_t>, std::uint32_t> first;
  for (const Trap& trap : map.traps) {
    const std::uint32_t id = number(trap.id);
    // Another function may have the name too.
    if (trap.kind == TrapKind::entry)
      std::erase_if(first, [&](const auto& group) {
        return std::get<0>(group.first) == trap.path && std::get<1>(group.first) == trap.function;
      });
    const bool is_statement =
        trap.kind == TrapKind::before || trap.kind == TrapKind::after || trap.kind == TrapKind::loop_body;
    groups.push_back(
        is_statement ? first.try_emplace({trap.path, trap.function, trap.guards}, id).first->second : id);
  }
  return groups;
}

void Places::add(const Places& other, double times) {
  for (const auto& [trap, stops] : other.stops_) stops_[trap] += times * stops;
}

PlaceDoubt place_doubt(const TrapCost& cost, Method method, std::span<const Step> steps, Groups groups) {
  const bool is_known = method == Method::exact || cost.stop.high == cost.stop.low;
  const double share = is_known ? 0 : documented_share * cost.stop.value;
  PlaceDoubt doubt{.stop = stop_doubt(steps, share), .groups = std::move(groups)};
  const bool is_shared = method == Method::fine && doubt.stop == share;
  doubt.site = is_shared ? std::min(share, cost.site) : doubt.stop;
  for (const Step& step : steps) {
    const std::uint32_t group = doubt.group(step.from);
    if (doubt.group(step.to) != group || -most_of(step) <= doubt.site * std::numbers::sqrt2) continue;
    for (std::uint32_t id = 0; id < doubt.groups.size(); ++id)
      if (doubt.groups[id] == group) doubt.groups[id] = id;
  }
  return doubt;
}

double Places::half_width(const PlaceDoubt& doubt) const {
  std::map<std::uint32_t, double> groups;
  double squares = 0;
  for (const auto& [trap, stops] : stops_) {
    groups[doubt.group(trap)] += stops;
    squares += doubt.site * doubt.site * stops * stops;
  }
  for (const auto& [group, stops] : groups)
    squares += (doubt.stop * doubt.stop - doubt.site * doubt.site) * stops * stops;
  return std::sqrt(squares);
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
