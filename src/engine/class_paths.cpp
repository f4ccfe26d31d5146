// SPDX-License-Identifier: Apache-2.0
#include "src/engine/class_paths.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>

#include <boost/math/distributions/hypergeometric.hpp>

namespace jcprof::engine {
namespace {

constexpr double alpha = 1e-3;

using Group = std::vector<const ClassPath*>;

/// The trap behind so many events; nothing where the path is not known there.
std::optional<TrapId> next_of(const ClassPath& path, std::size_t events) {
  if (events < path.traps.size()) return path.traps[events];
  return path.is_whole ? std::optional(run_to_end) : std::nullopt;
}

/// Those of a group whose next trap is known, by that trap.
std::map<TrapId, Group> ways_of(const Group& group, std::size_t events) {
  std::map<TrapId, Group> ways;
  for (const ClassPath* path : group)
    if (const std::optional<TrapId> next = next_of(*path, events)) ways[*next].push_back(path);
  return ways;
}

std::vector<std::size_t> count_by_class(const Group& group, std::size_t classes) {
  std::vector<std::size_t> counts(classes);
  for (const ClassPath* path : group) ++counts.at(path->input_class);
  return counts;
}

/// Fisher's exact test, two-sided: `first` of `firsts` against `second` of `seconds`.
double p_of(std::size_t first, std::size_t firsts, std::size_t second, std::size_t seconds) {
  const auto as_unsigned = [](std::size_t count) { return static_cast<unsigned>(count); };
  const unsigned all = as_unsigned(firsts + seconds);
  const unsigned taken = as_unsigned(first + second);
  const boost::math::hypergeometric_distribution<> chance(taken, as_unsigned(firsts), all);
  const double here = boost::math::pdf(chance, as_unsigned(first));
  double p = 0;
  for (unsigned i = taken + as_unsigned(firsts) > all ? taken + as_unsigned(firsts) - all : 0;
       i <= std::min(taken, as_unsigned(firsts)); ++i)
    if (const double one = boost::math::pdf(chance, i); one <= here * (1 + 1e-9)) p += one;
  return p;
}

bool share_no_way(const std::vector<Way>& ways, std::size_t a, std::size_t b) {
  return std::ranges::none_of(ways, [&](const Way& way) { return way.inputs[a] > 0 && way.inputs[b] > 0; });
}

/// The least p of all pairs of classes and all ways, times their number. 0 where two share no way, if all of
/// their inputs are there: behind another parting, few inputs are left, and these part by chance.
double least_p(const std::vector<Way>& ways, std::size_t classes, bool are_all_there) {
  std::vector<std::size_t> all(classes);
  for (const Way& way : ways)
    for (std::size_t c = 0; c < classes; ++c) all[c] += way.inputs[c];
  double least = 1;
  double tests = 0;
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b) {
      if (all[a] == 0 || all[b] == 0) continue;
      if (are_all_there && share_no_way(ways, a, b)) return 0;
      for (const Way& way : ways) {
        least = std::min(least, p_of(way.inputs[a], all[a], way.inputs[b], all[b]));
        ++tests;
      }
    }
  return least * tests;
}

bool has_several_classes(const Group& group) {
  return std::ranges::any_of(
      group, [&](const ClassPath* path) { return path->input_class != group.front()->input_class; });
}

}  // namespace

std::size_t shared_events(std::span<const ClassPath> paths) {
  if (paths.empty()) return 0;
  const std::vector<TrapId>& first = paths.front().traps;
  std::size_t shared = first.size();
  for (const ClassPath& path : paths) {
    const auto differs = std::ranges::mismatch(first, path.traps);
    shared = std::min(shared, static_cast<std::size_t>(differs.in1 - first.begin()));
  }
  return shared;
}

std::vector<Parting> partings_of(std::span<const ClassPath> paths, std::size_t classes) {
  struct Beginning {
    Group group;
    std::size_t events = 0;
  };
  std::vector<Parting> partings;
  std::vector<double> p;
  Group all;
  for (const ClassPath& path : paths) all.push_back(&path);
  std::deque<Beginning> left{{.group = all}};
  while (!left.empty()) {
    Beginning one = std::move(left.front());
    left.pop_front();
    std::map<TrapId, Group> ways = ways_of(one.group, one.events);
    for (; ways.size() == 1 && ways.begin()->first != run_to_end; ways = ways_of(one.group, one.events))
      ++one.events;
    if (ways.size() < 2) continue;
    Parting& parting = partings.emplace_back(Parting{.events = one.events});
    // Others of the group may be cut before it.
    if (one.events > 0) parting.last = ways.begin()->second.front()->traps[one.events - 1];
    for (auto& [next, group] : ways) {
      parting.ways.push_back({.next = next, .inputs = count_by_class(group, classes)});
      if (next != run_to_end && has_several_classes(group))
        left.push_back({.group = std::move(group), .events = one.events + 1});
    }
    p.push_back(least_p(parting.ways, classes, one.group.size() == paths.size()));
  }
  for (std::size_t i = 0; i < partings.size(); ++i)
    partings[i].is_of_class = p[i] * static_cast<double>(partings.size()) <= alpha;
  std::ranges::stable_sort(partings, {}, &Parting::events);
  return partings;
}

}  // namespace jcprof::engine
