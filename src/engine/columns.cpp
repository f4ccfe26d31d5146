// SPDX-License-Identifier: Apache-2.0
#include "src/engine/columns.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jcprof::engine {

Columns columns_for(std::vector<std::size_t> stops) {
  const std::size_t count = stops.size();
  return {.stops = std::move(stops),
          .open = std::vector<bool>(count, true),
          .attempts = std::vector<std::uint32_t>(count),
          .hits = std::vector<std::uint32_t>(count),
          .times = Times(count)};
}

void drop(Columns& columns, const std::set<std::size_t>& gone) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < columns.stops.size(); ++c)
    if (!gone.contains(columns.stops[c])) kept.push_back(c);
  if (kept.size() == columns.stops.size()) return;
  const auto pick = [&](auto values) {
    decltype(values) picked;
    for (const std::size_t c : kept) picked.push_back(values[c]);
    return picked;
  };
  columns.times = Times(pick(columns.times.columns()));
  columns.stops = pick(columns.stops);
  columns.open = pick(columns.open);
  columns.attempts = pick(columns.attempts);
  columns.hits = pick(columns.hits);
}

void open_near(std::vector<bool>& open, std::size_t c) {
  for (std::size_t near = c == 0 ? 0 : c - 1; near <= c + 1 && near < open.size(); ++near) open[near] = true;
}

void add(Columns& columns, const std::vector<std::size_t>& stops) {
  Columns all;
  std::ranges::set_union(columns.stops, stops, std::back_inserter(all.stops));
  std::vector<std::vector<double>> times;
  std::vector<bool> is_new;
  for (const std::size_t stop : all.stops) {
    const auto known = std::ranges::lower_bound(columns.stops, stop);
    is_new.push_back(known == columns.stops.end() || *known != stop);
    const auto c = static_cast<std::size_t>(known - columns.stops.begin());
    times.push_back(is_new.back() ? std::vector<double>(columns.times.rounds(), missing)
                                  : columns.times.at(c));
    all.open.push_back(!is_new.back() && columns.open[c]);
    all.attempts.push_back(is_new.back() ? 0 : columns.attempts[c]);
    all.hits.push_back(is_new.back() ? 0 : columns.hits[c]);
  }
  for (std::size_t c = 0; c < is_new.size(); ++c)
    if (is_new[c]) open_near(all.open, c);
  all.times = Times(std::move(times));
  columns = std::move(all);
}

std::vector<std::size_t> blocks_between(const std::vector<std::size_t>& before,
                                        const std::vector<std::size_t>& after,
                                        const std::vector<std::size_t>& blocks) {
  std::set<std::size_t> result;
  for (const std::size_t block : blocks) {
    const auto behind = std::ranges::upper_bound(after, before[block]);
    auto c = static_cast<std::size_t>(behind - after.begin());
    for (c = c == 0 ? 0 : c - 1; c + 1 < after.size() && after[c] < before[block + 1]; ++c) result.insert(c);
  }
  return {result.begin(), result.end()};
}

std::vector<std::uint32_t> groups_of(const std::vector<std::size_t>& stops,
                                     const std::vector<std::uint32_t>& groups) {
  std::vector<std::uint32_t> result;
  if (groups.empty()) return result;
  std::uint32_t next = std::ranges::max(groups) + 1;
  for (std::size_t c = 0; c + 1 < stops.size(); ++c)
    result.push_back(stops[c + 1] == stops[c] + 1 ? groups[stops[c]] : next++);
  return result;
}

std::vector<std::uint32_t> edges_of(const std::vector<std::size_t>& stops,
                                    const std::vector<std::uint32_t>& edges) {
  std::vector<std::uint32_t> result;
  for (std::size_t c = 0; c + 1 < stops.size(); ++c) {
    const bool is_one_block = stops[c + 1] == stops[c] + 1;
    const auto own = static_cast<std::uint32_t>(c + 1);
    result.push_back(!is_one_block ? 0 : edges.empty() ? own : edges[stops[c]]);
  }
  return result;
}

std::vector<bool> alone_of(const std::vector<std::size_t>& stops, const std::vector<bool>& alone) {
  std::vector<bool> result;
  if (alone.empty()) return result;
  for (std::size_t c = 0; c + 1 < stops.size(); ++c) result.push_back(alone[stops[c]]);
  return result;
}

}  // namespace jcprof::engine
