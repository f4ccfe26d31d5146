// SPDX-License-Identifier: Apache-2.0
// The traps that are left out if a path is too long to be measured.
#include "programs/first_path.hpp"

#include <catch2/catch.hpp>

#include "tests/support/fake_transport.hpp"

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

constexpr std::uint32_t hot = 4;
constexpr std::uint32_t warm = 7;

/// So many calls of `hot` with ten passes of its statement, and of `warm`, which has none.
Traps calls(std::size_t of_hot, std::size_t of_warm) {
  Traps traps;
  for (std::size_t i = 0; i < of_hot; ++i) {
    traps.push_back(TrapId{hot});
    traps.insert(traps.end(), 10, TrapId{hot + 1});
    traps.push_back(TrapId{hot + 2});
  }
  for (std::size_t i = 0; i < of_warm; ++i) traps.insert(traps.end(), {TrapId{warm}, TrapId{warm + 1}});
  return traps;
}

/// A path of `total` events, which is cut where the beginning is shorter.
PathLook look(Traps beginning, std::uint64_t total) {
  beginning.insert(beginning.begin(), {TrapId{1}, TrapId{2}, TrapId{3}});
  const bool is_cut = total > beginning.size();
  return {.path = {.events = harness::events_of(beginning),
                   .state = is_cut ? harness::PathState::cut : harness::PathState::steady,
                   .total = total},
          .parts = {beginning}};
}

std::vector<std::string> names_of(const std::vector<LeftOutFunction>& functions) {
  std::vector<std::string> names;
  for (const LeftOutFunction& one : functions) names.push_back(one.function);
  return names;
}

std::vector<std::string> keys_of(const std::vector<Trap>& traps) {
  std::vector<std::string> keys;
  for (const Trap& one : traps) keys.push_back(one.key);
  return keys;
}

using Names = std::vector<std::string>;

TEST_CASE("a path that is not cut stays as it is") {
  CHECK_FALSE(is_needed(shortening(look(calls(10, 1), 0), map(), TrapLevel::statement)));
}

TEST_CASE("traps go at the statements of functions that pass many, and stay where these are few") {
  const Shortening shorter = shortening(look(calls(1000, 1), 290'000), map(), TrapLevel::statement);
  CHECK(keys_of(shorter.coarse) == Names{"5"});
  CHECK(shorter.left_out.empty());  // 2000 in 12,000 are of functions: 48,000 in all
  CHECK_FALSE(shorter.functions_only);
  CHECK(to_text(shorter) ==
        "path: 290000 events are too many to stop at: no traps at the statements of a.c:hot[]\n");
}

TEST_CASE(
    "functions lose all traps if statements are not enough, and the text says how often they are called") {
  const Shortening shorter = shortening(look(calls(1000, 1), 12'005'000), map(), TrapLevel::statement);
  CHECK(shorter.coarse.empty());
  CHECK(shorter.left_out == std::vector<LeftOutFunction>{{.function = "a.c:hot[]", .calls = 1'000'000}});
  CHECK(to_text(shorter) ==
        "path: 12005000 events are too many to stop at: no traps at all in a.c:hot[] (about 1000000 calls), "
        "whose time "
        "counts for their callers\n");
}

TEST_CASE("a helper goes ahead of a function that works, also of one that is called more often") {
  CHECK(names_of(shortening(look(calls(1000, 900), 1'200'000), map(), TrapLevel::statement).left_out) ==
        Names{"warm"});
}

TEST_CASE("a helper stays where leaving it out does not help, as another one must go in any case") {
  CHECK(names_of(shortening(look(calls(1000, 100), 3'600'000), map(), TrapLevel::statement).left_out) ==
        Names{"a.c:hot[]"});
}

TEST_CASE("a look at functions alone goes by the statements that an earlier one saw") {
  Traps functions;
  for (int i = 0; i < 1000; ++i) functions.insert(functions.end(), {TrapId{hot}, TrapId{hot + 2}});
  for (int i = 0; i < 900; ++i) functions.insert(functions.end(), {TrapId{warm}, TrapId{warm + 1}});
  const PathLook again = look(functions, 360'000);
  const StepsPerPass known{{"a.c:hot[]", 5}};
  CHECK(names_of(shortening(again, map(), TrapLevel::statement, known).left_out) == Names{"warm"});
  CHECK(names_of(shortening(again, map(), TrapLevel::statement).left_out) == Names{"a.c:hot[]"});
}

TEST_CASE("of helpers those go first that call no other one") {
  Traps nested;  // `hot` calls `warm` half of the times
  for (int i = 0; i < 1000; ++i) {
    nested.push_back(TrapId{hot});
    if (i % 2 == 0) nested.insert(nested.end(), {TrapId{warm}, TrapId{warm + 1}});
    nested.push_back(TrapId{hot + 2});
  }
  CHECK(names_of(shortening(look(nested, 280'000), map(), TrapLevel::function).left_out) == Names{"warm"});
}

TEST_CASE("parts of a path stand for all of it, and may begin in the middle of a call") {
  PathLook parts = look(calls(1000, 0), 300'000);
  parts.parts = {Traps(1000, TrapId{hot + 1}), {TrapId{hot + 2}, TrapId{warm}, TrapId{warm + 1}}};
  const Shortening shorter = shortening(parts, map(), TrapLevel::statement);
  CHECK(keys_of(shorter.coarse) == Names{"5"});
  CHECK(shorter.left_out.empty());
}

TEST_CASE("if a traced run does not come to its end traps stand at functions only") {
  const PathLook untraceable{.path = {.state = harness::PathState::cut}};
  const Shortening shorter = shortening(untraceable, map(), TrapLevel::statement);
  CHECK(shorter.functions_only);
  CHECK(to_text(shorter) == "path: a traced run does not come to its end: traps stand at functions only\n");
  CHECK_FALSE(is_needed(shortening(untraceable, map(), TrapLevel::function)));
}

TEST_CASE("an entry stays, and if there is nothing else nothing is left out") {
  PathLook only_main = look({}, 1'000'000'000);
  only_main.parts = {Traps(1000, TrapId{2})};
  CHECK_FALSE(is_needed(shortening(only_main, map(), TrapLevel::function)));
}

/// The unsteady traps of a path that runs take in these ways.
std::vector<std::string> unsteady(const std::vector<std::vector<std::uint32_t>>& ways) {
  harness::TracedPath path{.state = harness::PathState::varying, .total = 9};
  for (const std::vector<std::uint32_t>& way : ways) {
    std::vector<TrapId> traps;
    for (const std::uint32_t id : way) traps.push_back(TrapId{id});
    path.variants.push_back({.events = harness::events_of(traps)});
  }
  path.events = path.variants.front().events;
  return keys_of(shortening({.path = path}, map(), TrapLevel::statement).unsteady);
}

TEST_CASE("traps go that not all runs pass as often or in the same order") {
  CHECK(unsteady({{1, 2, 4, 6, 3, 7, 8}, {1, 2, 4, 5, 6, 3, 7, 8}}) == Names{"5"});
  CHECK(unsteady({{1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 3, 4, 5, 6, 7, 8}}) == Names{"3", "8"});
  CHECK(unsteady({{1, 2, 3, 4, 5, 6, 7}, {1, 2, 4, 3, 5, 6, 7}}) == Names{"3", "4"});
  CHECK(unsteady({{1, 2, 3}, {1, 2, 3}}).empty());
  CHECK(unsteady({{1, 2, 3, 4}, {1, 5, 6}}).empty());  // there is no usual way
}

TEST_CASE("a path without the traps that make it vary is shorter by the events of these") {
  PathLook look;
  look.path.events = harness::events_of(Traps{TrapId{1}, TrapId{3}, TrapId{2}, TrapId{3}});
  look.contact = {.events = 4, .shot_s = 2};
  Shortening shorter;
  shorter.unsteady = {{.id = TrapId{3}}};
  const PathLook steady = steadied(look, shorter);
  CHECK(steady.path.events.size() == 2);
  CHECK(steady.contact.events == 2);
  CHECK(steady.contact.shot_s == 2);
}

/// The times of a command of 1 s with so much behind its entry, and how many whole runs were made.
std::pair<FirstContact, int> timed_with(std::uint64_t behind_ns) {
  test::FakeTransport target;
  target.paths[0] = {TrapId{1}, TrapId{2}};
  constexpr std::uint64_t whole_ns = 1'000'000'000;
  int whole_runs = 0;
  target.twist = [&](const Shot& shot, std::uint64_t, Sample& sample) {
    const bool is_whole = shot.stop.trap == run_to_end;
    whole_runs += is_whole ? 1 : 0;
    sample.ticks = is_whole ? whole_ns : whole_ns - behind_ns;
  };
  const FirstContact one_run{.events = 2, .whole_ns = whole_ns, .behind_ns = whole_ns};
  return {timed_at({.trap = TrapId{1}, .hit = 1}, target, 0, one_run), whole_runs};
}

TEST_CASE("of a long command the way to its entry is timed too, and whole runs are repeated only in doubt") {
  const auto [hidden, runs_in_doubt] = timed_with(200'000);
  CHECK(hidden.behind_ns == 200'000);
  CHECK(is_hidden(hidden));
  CHECK(runs_in_doubt == 5);
  const auto [good, further_runs] = timed_with(400'000'000);
  CHECK(good.behind_ns == 400'000'000);
  CHECK(further_runs == 0);
}

}  // namespace
}  // namespace jcprof::cli
