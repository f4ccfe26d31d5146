// SPDX-License-Identifier: Apache-2.0
#include "harness/strangers.hpp"

#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "src/core/path_signature.hpp"

using namespace jcprof;
using namespace jcprof::harness;

namespace {

constexpr TrapId entry{1};
constexpr TrapId middle{2};
constexpr TrapId rare{3};
constexpr TrapId last{4};

const std::vector<Event> stops{{entry, 1}, {middle, 1}, {rare, 1}, {last, 1}, {}};

std::uint32_t signature_of(const std::vector<TrapId>& traps) {
  return path_signature(traps);
}

/// The command passes 1, 2 and 4, and now and then 3 before 4.
SurveyedPath two_ways() {
  const auto way = [](const std::vector<TrapId>& traps) {
    return Variant{.events = events_of(traps), .signature = signature_of(traps)};
  };
  SurveyedPath surveyed;
  surveyed.path.variants = {way({entry, middle, last}), way({entry, middle, rare, last})};
  surveyed.path.events = surveyed.path.variants.front().events;
  surveyed.path.state = PathState::varying;
  return surveyed;
}

StoredSample stopped_at(TrapId trap, std::uint32_t signature, std::uint32_t input = 0) {
  return {.asked = {trap, 1}, .input = input, .outcome = Outcome::stopped, .signature = signature};
}

/// A shot along a known way: it tells that the target's signatures are ours.
StoredSample known() {
  return stopped_at(middle, signature_of({entry}));
}

StoredSample strange(std::uint32_t input = 0) {
  return stopped_at(last, 12345, input);
}

bool are_many(const SurveyedPath& surveyed, const std::vector<StoredSample>& samples) {
  Strangers strangers(surveyed, stops);
  strangers.take(samples);
  return strangers.are_many();
}

}  // namespace

TEST_CASE("two shots along no known way are many, where they are one in twenty at their stop") {
  CHECK_FALSE(are_many(two_ways(), {known(), strange()}));
  CHECK(are_many(two_ways(), {known(), strange(), strange()}));
  std::vector<StoredSample> few{known(), strange(), strange()};
  few.insert(few.end(), 39, stopped_at(last, signature_of({entry, middle})));
  CHECK_FALSE(are_many(two_ways(), few));
}

TEST_CASE("strangers have inputs, and are counted anew") {
  Strangers strangers(two_ways(), stops);
  strangers.take(std::vector{known(), strange(3), strange(5)});
  CHECK(strangers.inputs() == std::set<std::uint32_t>{3, 5});
  strangers.forget();
  CHECK(strangers.inputs().empty());
  CHECK_FALSE(strangers.are_many());
}

TEST_CASE("a target whose signatures fit nowhere has no strangers, whatever its first stop says") {
  // In front of the first event lies nothing, whatever the digest is.
  CHECK_FALSE(are_many(two_ways(), {stopped_at(entry, 0), strange(), strange()}));
}

TEST_CASE("a shot that ends before its stop is strange only where each way passes that stop") {
  const auto ended_before = [](TrapId trap) {
    return StoredSample{.asked = {trap, 1}, .outcome = Outcome::ended};
  };
  CHECK_FALSE(are_many(two_ways(), {known(), ended_before(rare), ended_before(rare)}));
  CHECK(are_many(two_ways(), {known(), ended_before(last), ended_before(last)}));
}

TEST_CASE("nobody knows the end of a path that was cut") {
  const std::vector<StoredSample> samples{
      known(), {.outcome = Outcome::ended, .signature = 77}, {.outcome = Outcome::ended, .signature = 77}};
  SurveyedPath surveyed = two_ways();
  CHECK(are_many(surveyed, samples));
  surveyed.path.state = PathState::cut;
  CHECK_FALSE(are_many(surveyed, samples));
}
