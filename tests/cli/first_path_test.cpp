// SPDX-License-Identifier: Apache-2.0
// What traps are left out where a path is too long to be measured.
#include "programs/first_path.hpp"

#include <catch2/catch.hpp>

namespace jcprof::cli {
namespace {

Trap trap(std::uint32_t id, TrapKind kind, const std::string& function) {
  return {.id = TrapId{id},
          .key = std::to_string(id),
          .name = "T" + std::to_string(id),
          .kind = kind,
          .function = function};
}

/// main, with a statement; of each of two functions an entry and an end, of `hot` a statement too.
TrapMap map() {
  TrapMap map;
  map.traps = {trap(1, TrapKind::entry0, "main"),      trap(2, TrapKind::entry, "main"),
               trap(3, TrapKind::before, "main"),      trap(4, TrapKind::entry, "a.c:hot[]"),
               trap(5, TrapKind::before, "a.c:hot[]"), trap(6, TrapKind::exit, "a.c:hot[]"),
               trap(7, TrapKind::entry, "warm"),       trap(8, TrapKind::returns, "warm")};
  return map;
}

/// The beginning of a path of `total` events: `passes` of `hot`, each with ten of its statement, then one of
/// `warm`.
harness::TracedPath path(std::size_t passes, std::uint64_t total) {
  std::vector<TrapId> traps{TrapId{1}, TrapId{2}, TrapId{3}};
  for (std::size_t i = 0; i < passes; ++i) {
    traps.push_back(TrapId{4});
    traps.insert(traps.end(), 10, TrapId{5});
    traps.push_back(TrapId{6});
  }
  traps.insert(traps.end(), {TrapId{7}, TrapId{8}});
  const bool is_cut = total > traps.size();
  return {.events = harness::events_of(traps),
          .state = is_cut ? harness::PathState::cut : harness::PathState::steady,
          .total = total};
}

TEST_CASE("a path that is not cut stays as it is") {
  CHECK_FALSE(is_needed(shortening(path(10, 0), map(), TrapLevel::statement)));
}

TEST_CASE("traps of statements go first, and functions with them only where those are too many still") {
  const Shortening statements = shortening(path(1000, 290'000), map(), TrapLevel::statement);
  CHECK(statements.functions_only);
  CHECK(statements.exclude.empty());  // 2000 in 12,000 are of functions: 48,000 in all
  const Shortening both = shortening(path(1000, 12'000'000), map(), TrapLevel::statement);
  CHECK(both.functions_only);
  CHECK(both.exclude == std::vector<std::string>{"a.c:hot??"});
  CHECK(to_text(both) ==
        "path: 12000000 events are too many to stop at: traps stand at functions only, without a.c:hot??; "
        "what is left "
        "out counts for its callers\n");
}

TEST_CASE("an entry stays, and where there is nothing else nothing is left out") {
  harness::TracedPath only_main = path(0, 0);
  only_main.events = harness::events_of(std::vector<TrapId>(1000, TrapId{2}));
  only_main.state = harness::PathState::cut;
  only_main.total = 1'000'000'000;
  CHECK_FALSE(is_needed(shortening(only_main, map(), TrapLevel::function)));
}

/// Of a path that runs take in these ways.
std::vector<std::string> unsteady(const std::vector<std::vector<std::uint32_t>>& ways) {
  harness::TracedPath path{.state = harness::PathState::varying, .total = 9};
  for (const std::vector<std::uint32_t>& way : ways) {
    std::vector<TrapId> traps;
    for (const std::uint32_t id : way) traps.push_back(TrapId{id});
    path.variants.push_back({.events = harness::events_of(traps)});
  }
  path.events = path.variants.front().events;
  std::vector<std::string> keys;
  for (const Trap& one : shortening(path, map(), TrapLevel::statement).unsteady) keys.push_back(one.key);
  return keys;
}

TEST_CASE("traps go that not all runs pass as often or in the same order") {
  using Keys = std::vector<std::string>;
  CHECK(unsteady({{1, 2, 4, 6, 3, 7, 8}, {1, 2, 4, 5, 6, 3, 7, 8}}) == Keys{"5"});
  CHECK(unsteady({{1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 3, 4, 5, 6, 7, 8}}) == Keys{"3", "8"});
  CHECK(unsteady({{1, 2, 3, 4, 5, 6, 7}, {1, 2, 4, 3, 5, 6, 7}}) == Keys{"3", "4"});
  CHECK(unsteady({{1, 2, 3}, {1, 2, 3}}).empty());
  CHECK(unsteady({{1, 2, 3, 4}, {1, 5, 6}}).empty());  // there is no usual way
}

}  // namespace
}  // namespace jcprof::cli
