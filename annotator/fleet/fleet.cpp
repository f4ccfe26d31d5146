// SPDX-License-Identifier: Apache-2.0
#include "annotator/fleet/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "annotator/compare/discoveries.hpp"
#include "src/core/error.hpp"

namespace jcprof::annotator {
namespace {

using MemberList = std::vector<const Member*>;

/// All of a build have the same of these.
using Comparable = std::tuple<std::string, std::string, ClockUnit, bool>;

Comparable subject_of(const Profile& profile) {
  return {profile.run.trap_digest, profile.run.project, profile.run.unit, profile.recorded.has_value()};
}

/// That of most sound members; of the first of several that are as frequent.
Comparable main_subject(const std::vector<Member>& members) {
  std::map<Comparable, std::pair<std::size_t, std::size_t>> counts;  // of sound ones, and of all
  for (const Member& member : members) {
    auto& [sound, all] = counts[subject_of(member.profile)];
    if (!is_unreliable(member.profile)) ++sound;
    ++all;
  }
  const auto count_of = [&](const Member& member) { return counts[subject_of(member.profile)]; };
  return subject_of(std::ranges::max_element(members, {}, count_of)->profile);
}

std::string why_other(const Profile& profile, const Comparable& most) {
  const auto& [build, project, unit, is_recorded] = most;
  if (profile.run.project != project)
    return fmt::format("it is of another project than most: \"{}\"", profile.run.project);
  if (profile.run.unit != unit)
    return fmt::format("its times are in {}, those of most are in {}", name_of(profile.run.unit),
                       name_of(unit));
  if (profile.recorded.has_value() != is_recorded) return "one is a recording, others are measurements";
  return "it ran another build than most; `jcprof run --devices` measures all devices with one build";
}

std::string type_of(const Member& member) {
  if (!member.group.empty()) return member.group;
  const RunInfo& run = member.profile.run;
  if (!run.device.empty()) return run.device;
  return run.atr.empty() ? "unknown device" : run.atr;
}

/// A line or function, as the devices have it.
struct PlaceTimes {
  FleetPlace known;
  DeviceTimes times;
};

using PlaceKey = std::tuple<std::string, std::size_t, std::string>;

Reading each_of(const Reading& sum, std::uint64_t commands) {
  const auto count = static_cast<double>(commands);
  return {sum.ticks / count, sum.deviation / count};
}

struct Places {
  std::map<PlaceKey, std::size_t> numbers = {};
  std::vector<PlaceTimes> all = {};

  /// Adds it where others lack it.
  template <class Estimated>
  PlaceTimes& at(const Estimated& one, std::size_t devices) {
    const auto [found, is_new] = numbers.try_emplace({one.path, one.line, one.function}, all.size());
    if (is_new)
      all.push_back({.known = {.path = one.path,
                               .line = one.line,
                               .function = one.function,
                               .devices = std::vector<Standing>(devices)},
                     .times = DeviceTimes(devices, {0, std::numeric_limits<double>::infinity()})});
    return all[found->second];
  }
};

/// `part` is Profile::lines or Profile::functions. A recording holds the sums of several commands.
template <class Estimated>
std::vector<PlaceTimes> places_of(const MemberList& members, std::vector<Estimated> Profile::* part) {
  Places places;
  for (std::size_t d = 0; d < members.size(); ++d) {
    const std::uint64_t commands = commands_in(members[d]->profile);
    for (const Estimated& one : members[d]->profile.*part) {
      PlaceTimes& place = places.at(one, members.size());
      if constexpr (requires { one.hits; }) {
        place.known.devices[d].hits = one.hits / commands;
        place.times[d] = each_of(reading_of(one.cost), commands);
      } else {
        place.known.devices[d].hits = one.calls / commands;
        place.times[d] = each_of(reading_of(one.exclusive), commands);
      }
    }
  }
  return std::move(places.all);
}

std::vector<DeviceTimes> times_of(const std::vector<PlaceTimes>& places) {
  std::vector<DeviceTimes> times;
  for (const PlaceTimes& place : places) times.push_back(place.times);
  return times;
}

bool is_known(const Distance& distance) {
  return std::isfinite(distance.difference.high);
}

/// The size from which a difference counts.
struct FleetMargins {
  double whole = 0;         // ticks
  double count_from = 0;    // a weighted chance that counts as a discovery; below 0: none does
  bool are_counts = false;  // any difference of them is one
};

/// `margin`: in the unit of the difference.
Verdict verdict_on(const Distance& distance, double chance, double margin, const FleetMargins& margins) {
  if (!is_known(distance)) return Verdict::unresolved;
  const double narrow = deviations_of(0.9, distance.freedom);
  const bool lies_inside = std::abs(distance.difference.value) + narrow * distance.deviation <= margin;
  const bool is_proven = chance <= margins.count_from && distance.difference.value != 0;
  if (is_proven && (margins.are_counts || !lies_inside))
    return distance.difference.value > 0 ? Verdict::slower : Verdict::faster;
  return lies_inside ? Verdict::same : Verdict::unresolved;
}

/// The verdicts on all devices at all places. Places count by their part of the time.
void judge_places(std::vector<FleetPlace>& places, bool are_counts) {
  FleetMargins margins{.are_counts = are_counts};
  for (const FleetPlace& place : places) margins.whole += place.spread.median;
  std::vector<double> sizes;
  std::vector<double> chances;
  for (const FleetPlace& place : places)
    for (const Standing& standing : place.devices)
      if (is_known(standing.distance)) {
        sizes.push_back(std::max(place.spread.median, least_share * margins.whole));
        chances.push_back(standing.distance.chance);
      }
  const std::vector<double> weights = weights_of(sizes);
  for (std::size_t i = 0; i < chances.size(); ++i) chances[i] = weighted_chance(chances[i], weights[i]);
  margins.count_from = chance_to_count(chances, Dependence::any);
  std::size_t i = 0;
  for (FleetPlace& place : places) {
    const double least = least_share * margins.whole;
    const double margin = std::max(margin_relative * place.spread.median, least);
    for (Standing& standing : place.devices) {
      const bool is_known_here = is_known(standing.distance);
      if (is_known_here) standing.verdict = verdict_on(standing.distance, chances[i++], margin, margins);
      standing.is_open = standing.verdict == Verdict::unresolved &&
                         (is_known_here ? std::abs(standing.distance.difference.value) > margin
                                        : standing.hits && place.spread.median > least);
    }
  }
}

bool has_difference(const FleetPlace& place) {
  return std::ranges::any_of(place.devices, is_different);
}

std::vector<FleetPlace> judged(std::vector<PlaceTimes>& places, const DeviceEffects& effects,
                               bool are_counts) {
  std::vector<FleetPlace> all;
  for (PlaceTimes& place : places) {
    FleetPlace& one = all.emplace_back(std::move(place.known));
    one.spread = spread_at(place.times, effects);
    const std::vector<Distance> distances = distances_at(place.times, effects);
    for (std::size_t d = 0; d < distances.size(); ++d) one.devices[d].distance = distances[d];
  }
  judge_places(all, are_counts);
  std::ranges::stable_sort(all, [](const FleetPlace& a, const FleetPlace& b) {
    return std::pair(has_difference(a), a.spread.median) > std::pair(has_difference(b), b.spread.median);
  });
  return all;
}

void judge_speeds(DeviceType& type, const DeviceEffects& effects) {
  const std::vector<Distance> distances = distances_of_speeds(effects);
  std::vector<double> chances;
  for (const Distance& distance : distances)
    if (is_known(distance)) chances.push_back(distance.chance);
  const FleetMargins margins{.count_from = chance_to_count(chances, Dependence::any)};
  for (std::size_t d = 0; d < distances.size(); ++d) {
    const Distance& distance = distances[d];
    Standing& speed = type.devices[d].speed;
    speed = {distance, verdict_on(distance, distance.chance, margin_relative, margins)};
    speed.is_open = effects.have_speeds && speed.verdict == Verdict::unresolved &&
                    !(std::abs(distance.difference.value) <= margin_relative && is_known(distance));
  }
}

/// The times that most devices pass there; nothing where no number is that of most.
std::optional<std::uint64_t> usual_hits(const FleetPlace& place) {
  std::map<std::uint64_t, std::size_t> counts;
  for (const Standing& standing : place.devices) ++counts[standing.hits.value_or(0)];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return 2 * most->second > place.devices.size() ? std::optional(most->first) : std::nullopt;
}

bool is_of_another_way(const FleetPlace& place, std::size_t device) {
  const std::optional<std::uint64_t> usual = usual_hits(place);
  return usual && place.devices[device].hits.value_or(0) != *usual;
}

/// One command's.
Estimate total_of(const Profile& profile) {
  Estimate total = profile.total;
  const auto commands = static_cast<double>(commands_in(profile));
  total.ticks = {total.ticks.value / commands, total.ticks.low / commands, total.ticks.high / commands};
  return total;
}

DeviceType compared_type(const std::string& name, const MemberList& members) {
  const RunInfo& run = members.front()->profile.run;
  DeviceType type{.name = name,
                  .is_simulated = std::ranges::any_of(
                      members, [](const Member* member) { return member->profile.run.simulated; }),
                  .is_compared = members.size() >= fewest_devices};
  for (const Member* member : members)
    type.devices.push_back({.name = member->name, .total = total_of(member->profile)});
  std::vector<PlaceTimes> lines = places_of(members, &Profile::lines);
  std::vector<PlaceTimes> functions = places_of(members, &Profile::functions);
  const bool are_counts = run.unit == ClockUnit::instructions;
  // Functions tell speeds where there are no lines. Counts have no speed.
  const std::vector<DeviceTimes> times =
      are_counts ? std::vector<DeviceTimes>{} : times_of(lines.size() < functions.size() ? functions : lines);
  DeviceEffects effects = device_effects(times, members.size());
  effects.are_counts = are_counts;
  type.has_speeds = effects.have_speeds;
  type.speeds = spread_of_speeds(effects);
  type.lines = judged(lines, effects, are_counts);
  type.functions = judged(functions, effects, are_counts);
  judge_speeds(type, effects);
  for (std::size_t d = 0; d < type.devices.size() && type.is_compared; ++d)
    type.devices[d].goes_another_way =
        std::ranges::any_of(type.lines, [d](const FleetPlace& place) { return is_of_another_way(place, d); });
  return type;
}

/// Devices that pass lines another number of times than most.
void warn_of_ways(const DeviceType& type, std::vector<std::string>& warnings) {
  for (std::size_t d = 0; d < type.devices.size() && type.is_compared; ++d) {
    const FleetPlace* first = nullptr;
    std::size_t count = 0;
    for (const FleetPlace& place : type.lines) {
      if (!is_of_another_way(place, d)) continue;
      if (++count == 1) first = &place;
    }
    if (first != nullptr)
      warnings.push_back(
          fmt::format("{} goes another way than most: it passes {} line{} more or less often, such as {}:{} "
                      "(×{}, not ×{})",
                      type.devices[d].name, count, count == 1 ? "" : "s", first->path, first->line,
                      first->devices[d].hits.value_or(0), usual_hits(*first).value_or(0)));
  }
}

void warn(FleetReport& report) {
  for (const DeviceType& type : report.types) {
    if (!type.is_compared)
      report.warnings.push_back(fmt::format("{}: {} device{}; a comparison takes {} of a type", type.name,
                                            type.devices.size(), type.devices.size() == 1 ? "" : "s",
                                            fewest_devices));
    else if (!type.has_speeds && report.run.unit != ClockUnit::instructions)
      report.warnings.push_back(fmt::format(
          "{}: too few lines are known well to tell the speed of a device from a line that differs",
          type.name));
    warn_of_ways(type, report.warnings);
  }
}

}  // namespace

bool is_different(const Standing& standing) {
  return standing.verdict == Verdict::slower || standing.verdict == Verdict::faster;
}

bool differs(const DeviceType& type, std::size_t device) {
  const auto is_so = [device](const FleetPlace& place) { return is_different(place.devices[device]); };
  return type.devices[device].goes_another_way || is_different(type.devices[device].speed) ||
         std::ranges::any_of(type.lines, is_so) || std::ranges::any_of(type.functions, is_so);
}

bool differs(const FleetReport& report) {
  for (const DeviceType& type : report.types)
    for (std::size_t d = 0; d < type.devices.size(); ++d)
      if (differs(type, d)) return true;
  return false;
}

bool is_unresolved(const DeviceType& type, std::size_t device) {
  const auto is_open = [device](const FleetPlace& place) { return place.devices[device].is_open; };
  return type.is_compared && !differs(type, device) &&
         (type.devices[device].speed.is_open || std::ranges::any_of(type.lines, is_open) ||
          std::ranges::any_of(type.functions, is_open));
}

std::size_t unresolved_devices(const FleetReport& report) {
  std::size_t count = 0;
  for (const DeviceType& type : report.types)
    for (std::size_t d = 0; d < type.devices.size(); ++d) count += is_unresolved(type, d) ? 1 : 0;
  return count;
}

std::vector<Member> sifted(const std::vector<Member>& members, std::vector<LeftOut>& left_out) {
  std::vector<Member> stay;
  if (!members.empty()) {
    const Comparable most = main_subject(members);
    for (const Member& member : members)
      if (subject_of(member.profile) != most)
        left_out.push_back({member.name, why_other(member.profile, most)});
      else if (is_unreliable(member.profile))
        left_out.push_back({member.name, "its profile is unreliable: measurements contradict each other"});
      else
        stay.push_back(member);
  }
  if (!stay.empty()) return stay;
  if (left_out.empty())
    throw UserError(Fault{.message = "the fleet has no devices",
                          .hint = "`jcprof run --devices FILE` measures those that FILE lists"});
  std::string all;
  for (const LeftOut& one : left_out) all += fmt::format("\n  {}: {}", one.name, one.why);
  throw UserError(Fault{.message = fmt::format("no device of the fleet has a profile to compare:{}", all),
                        .hint = "`jcprof run --devices` measures again what failed"},
                  ExitCode::unreliable);
}

FleetReport fleet_report(const std::vector<Member>& members, std::vector<LeftOut> left_out) {
  FleetReport report{.left_out = std::move(left_out)};
  const std::vector<Member> stay = sifted(members, report.left_out);
  report.run = stay.front().profile.run;
  std::vector<std::pair<std::string, MemberList>> types;
  for (const Member& member : stay) {
    const std::string name = type_of(member);
    auto type = std::ranges::find(types, name, &std::pair<std::string, MemberList>::first);
    if (type == types.end()) type = types.insert(types.end(), {name, {}});
    type->second.push_back(&member);
  }
  for (const auto& [name, of_type] : types) report.types.push_back(compared_type(name, of_type));
  if (std::ranges::any_of(stay, [](const Member& member) { return is_one_recorded_run(member.profile); }))
    report.warnings.emplace_back(warning_of_one_run);
  warn(report);
  return report;
}

}  // namespace jcprof::annotator
