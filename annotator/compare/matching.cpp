// SPDX-License-Identifier: Apache-2.0
#include "annotator/compare/matching.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "annotator/compare/line_match.hpp"

namespace jcprof::annotator {
namespace {

template <class Estimated>
Entry entry_of(const Estimated& estimated) {
  Entry entry{.path = estimated.path, .line = estimated.line, .function = estimated.function};
  if constexpr (requires { estimated.hits; }) {
    entry.hits = estimated.hits;
    entry.costs.push_back(estimated.cost);
  } else {
    entry.hits = estimated.calls;
    entry.costs.push_back(estimated.exclusive);
  }
  return entry;
}

template <class Estimated>
Entries entries_of(const std::vector<Compared>& side, std::vector<Estimated> Profile::* part) {
  Entries entries;
  std::map<std::tuple<std::string, std::size_t, std::string>, std::size_t> known;
  for (const Estimated& estimated : side.front().profile.*part) {
    known.try_emplace({estimated.path, estimated.line, estimated.function}, entries.size());
    entries.push_back(entry_of(estimated));
  }
  for (std::size_t s = 1; s < side.size(); ++s) {
    for (Entry& entry : entries) entry.costs.emplace_back();  // not passed in that session
    for (const Estimated& estimated : side[s].profile.*part)
      if (const auto found = known.find({estimated.path, estimated.line, estimated.function});
          found != known.end())
        entries[found->second].costs.back() = entry_of(estimated).costs.front();
  }
  return entries;
}

using Functions = std::vector<const Entry*>;

Functions in_order_of_text(const Entries& entries) {
  Functions sorted;
  for (const Entry& entry : entries) sorted.push_back(&entry);
  std::ranges::stable_sort(sorted, [](const auto* a, const auto* b) {
    return std::tie(a->path, a->line) < std::tie(b->path, b->line);
  });
  return sorted;
}

/// Moves functions with the same key out of both into `pairs`, several of one key in their order.
template <class KeyOf>
void pair_up(Functions& before, Functions& after, const KeyOf& key_of, std::vector<Pair>& pairs) {
  std::multimap<std::pair<std::string, std::string>, const Entry*> waiting;
  for (const Entry* function : before) waiting.emplace(key_of(*function), function);
  Functions alone;
  for (const Entry* function : after) {
    const auto first = waiting.lower_bound(key_of(*function));
    if (first == waiting.end() || first->first != key_of(*function)) {
      alone.push_back(function);
      continue;
    }
    pairs.push_back({first->second, function});
    waiting.erase(first);
  }
  after = std::move(alone);
  before.clear();
  for (const auto& [key, function] : waiting) before.push_back(function);
}

}  // namespace

Entries line_entries(const std::vector<Compared>& side) {
  return entries_of(side, &Profile::lines);
}

Entries function_entries(const std::vector<Compared>& side) {
  return entries_of(side, &Profile::functions);
}

std::vector<Pair> pairs_of_lines(const Compared& before, const Entries& old, const Compared& after,
                                 const Entries& young) {
  const auto matches = match_lines({before.profile.lines, before.map}, {after.profile.lines, after.map});
  std::vector<Pair> pairs;
  std::vector<bool> is_there(old.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    pairs.push_back({.after = &young[i]});
    if (!matches[i]) continue;
    is_there[*matches[i]] = true;
    pairs.back().before = &old[*matches[i]];
  }
  for (std::size_t i = 0; i < old.size(); ++i)
    if (!is_there[i]) pairs.push_back({.before = &old[i]});
  // Nothing tells where lines without traps moved in a text that changed.
  if (is_imported(before.profile.run) && before.map.traps.empty())
    std::erase_if(pairs, [](const Pair& pair) { return pair.before == nullptr || pair.after == nullptr; });
  return pairs;
}

std::vector<Pair> pairs_of_functions(const Entries& before, const Entries& after) {
  Functions old = in_order_of_text(before);
  Functions young = in_order_of_text(after);
  std::vector<Pair> pairs;
  pair_up(old, young, [](const Entry& f) { return std::pair(f.function, f.path); }, pairs);
  // The rest may have moved to another file.
  pair_up(old, young, [](const Entry& f) { return std::pair(f.function, std::string()); }, pairs);
  for (const Entry* function : old) pairs.push_back({.before = function});
  for (const Entry* function : young) pairs.push_back({.after = function});
  return pairs;
}

}  // namespace jcprof::annotator
