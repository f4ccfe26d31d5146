// SPDX-License-Identifier: Apache-2.0
#include "harness/path_prediction.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "harness/path.hpp"
#include "harness/path_search.hpp"
#include "harness/survey.hpp"
#include "src/core/error.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/passed_paths.hpp"

using namespace jcprof;
using namespace jcprof::harness;
using jcprof::test::FakeTransport;
using jcprof::test::PassedPath;

namespace {

FakeTransport target_of(const PassedPath& path, std::size_t window) {
  FakeTransport target;
  target.paths[0] = path.traps;
  target.window = window;
  return target;
}

TracedPath traced(FakeTransport& target, const std::vector<TrapRole>& roles) {
  PathMemory memory{.model = PathModel(roles)};
  return trace_path(target, 0, {}, memory);
}

PassedPath loops(std::uint32_t outer, std::uint32_t inner, std::uint32_t grows) {
  PassedPath path;
  for (std::uint32_t i = 0; i < outer; ++i) {
    path.traps.push_back(TrapId{1});
    for (std::uint32_t k = 0; k < inner + grows * i; ++k)
      path.traps.insert(path.traps.end(), {TrapId{2}, TrapId{3}});
    path.traps.push_back(TrapId{4});
  }
  return path;
}

}  // namespace

TEST_CASE("the path of javacard-bignum at block level is found by a window of 32 events in 110 runs") {
  const PassedPath path = test::bignum_path();
  REQUIRE(path.traps.size() == 68'630);
  FakeTransport target = target_of(path, 32);
  const TracedPath found = traced(target, path.roles);
  CHECK(found.state == PathState::steady);
  CHECK(found.events == events_of(path.traps));
  CHECK(target.traces <= 110);
}

TEST_CASE("loops in loops are found in a few runs, whether their passes are constant or grow") {
  for (const std::uint32_t grows : {0U, 1U}) {
    const PassedPath path = loops(60, 20, grows);
    FakeTransport target = target_of(path, 16);
    CHECK(traced(target, {}).events == events_of(path.traps));
    CHECK(target.traces <= 40);
  }
}

TEST_CASE("the path of any program is the one that it took, in few runs or many") {
  std::uint64_t runs = 0;
  std::uint64_t windows = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const PassedPath path = test::random_path(seed, 1'500);
    const std::size_t window = std::size_t{8} << seed % 4;
    FakeTransport target = target_of(path, window);
    target.knows_mix = seed % 3 != 0;
    INFO(seed);
    CHECK(traced(target, seed % 5 == 0 ? std::vector<TrapRole>{} : path.roles).events ==
          events_of(path.traps));
    runs += target.traces;
    windows += path.traps.size() / window + 1;
  }
  CHECK(runs < windows / 2);
}

TEST_CASE("the path of any short program is the one that it took, in fewer runs than it has windows") {
  std::uint64_t runs = 0;
  std::uint64_t windows = 0;
  for (std::uint64_t seed = 100; seed < 124; ++seed) {
    const PassedPath path = test::random_path(seed, 400);
    const std::size_t window = std::size_t{8} << seed % 3;
    FakeTransport target = target_of(path, window);
    target.knows_mix = seed % 2 == 0;
    INFO(seed);
    CHECK(traced(target, path.roles).events == events_of(path.traps));
    runs += target.traces;
    windows += path.traps.size() / window + 1;
  }
  CHECK(runs < windows);
}

TEST_CASE("a long path that varies yields no order of events that no run had") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    FakeTransport target;
    target.window = 8;
    std::vector<std::vector<TrapId>> taken;
    target.before_trace = [&](std::uint64_t run) {
      target.paths[0] = loops(20, 5, 0).traps;
      if (engine::draw(seed, run, 1, 2) == 0)
        target.paths[0][100 + engine::draw(seed, run, 2, 40)] = TrapId{5};
      taken.push_back(target.paths[0]);
    };
    const TracedPath path = traced(target, {});
    INFO(seed);
    CHECK(path.state != PathState::steady);
    CHECK(std::ranges::any_of(taken, [&](const std::vector<TrapId>& run) {
      return std::ranges::equal(path.events,
                                std::span<const Event>(events_of(run)).first(path.events.size()));
    }));
  }
}

TEST_CASE("windows that contradict each other are read one by one") {
  FakeTransport target = target_of(loops(40, 6, 0), 8);
  // A card whose mix is not that of its path.
  PathMemory memory;
  const auto odd = [&](std::uint64_t first) -> std::optional<SeenWindow> {
    const TraceWindow window = target.trace(0, first, 8);
    return SeenWindow{.before = {.signature = window.before.signature, .mix = std::uint16_t{7}},
                      .traps = window.traps};
  };
  const TraceWindow first = target.trace(0, 0, 8);
  CHECK_FALSE(predict_path(
      memory.model, {.traps = first.traps, .events = first.run->events, .digest = first.run->digest}, odd));
}

TEST_CASE("an input that takes a known path costs a run of each agreement, and no other") {
  const PassedPath path = loops(60, 20, 0);
  FakeTransport target = target_of(path, 16);
  PathMemory memory;
  CHECK(trace_path(target, 0, {}, memory).state == PathState::steady);
  const std::uint64_t before = target.traces;
  CHECK(trace_path(target, 1, {}, memory).events == events_of(path.traps));
  CHECK(target.traces == before + 2);
}

TEST_CASE("the transport is given the whole path, which it saw in parts") {
  struct Told final : FakeTransport {
    std::vector<TrapId> told;
    void set_path(std::uint32_t, std::span<const TrapId> path) override {
      told.assign(path.begin(), path.end());
    }
  };
  const PassedPath path = loops(60, 20, 0);
  Told target;
  target.paths[0] = path.traps;
  CHECK(trace_path(target, 0).state == PathState::steady);
  CHECK(target.told == path.traps);
}

TEST_CASE("a way with the right signature and another mix is not found") {
  PathModel model;
  PathWalk walk;
  for (const std::uint32_t trap : {1U, 2U, 1U, 2U, 1U}) model.learn(walk, TrapId{trap});
  const std::vector<TrapId> next{TrapId{2}};
  const PathDigest before{.signature = 7, .mix = 9};
  const PathDigest behind{.signature = path_signature(next, before.signature),
                          .mix = path_mix(next, *before.mix)};
  const auto searched = [&](std::uint16_t mix) {
    return search(model, walk,
                  {.events = 1, .before = before, .behind = {behind.signature, mix}, .most_tried = 9});
  };
  CHECK(searched(*behind.mix).found == std::vector<std::vector<TrapId>>{next});
  const auto other_mix = static_cast<std::uint16_t>(*behind.mix ^ 1U);
  CHECK(searched(other_mix).found.empty());
  CHECK(searched(other_mix).of_signature > 0);
}

TEST_CASE("a target without a mix has no known path, since several may have one signature") {
  PathMemory memory;
  const SeenBeginning beginning{.traps = {TrapId{1}}, .events = 2, .digest = {.signature = 5}};
  memory.keep(beginning, {TrapId{1}, TrapId{2}});
  CHECK_FALSE(memory.known(beginning));
}

TEST_CASE("a window without events ends the prediction") {
  PathModel model;
  const SeenBeginning beginning{.traps = {TrapId{1}}, .events = 9, .digest = {.signature = 5}};
  CHECK_FALSE(predict_path(model, beginning, [](std::uint64_t) { return SeenWindow{}; }));
}
