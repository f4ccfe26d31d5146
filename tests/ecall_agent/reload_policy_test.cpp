// SPDX-License-Identifier: Apache-2.0
#include "agents/reload_policy.hpp"

#include <vector>

#include <catch2/catch.hpp>

namespace jcprof::agents {
namespace {

std::vector<std::uint32_t> stops_after(ReloadPolicy& policy, int loads, std::uint32_t bearable) {
  std::vector<std::uint32_t> stops;
  for (int i = 0; i < loads; ++i) {
    stops.push_back(policy.stops());
    if (policy.stops() <= bearable)
      policy.held();
    else
      policy.deviated();
  }
  return stops;
}

TEST_CASE("stops between loads double while all holds, up to 1024") {
  ReloadPolicy policy;
  CHECK(stops_after(policy, 13, 5000) ==
        std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024});
}

TEST_CASE("what was too many is tried again ever more rarely") {
  ReloadPolicy policy;
  CHECK(stops_after(policy, 16, 4) ==
        std::vector<std::uint32_t>{1, 2, 4, 8, 4, 4, 8, 4, 4, 4, 4, 8, 4, 4, 4, 4});
  const std::vector<std::uint32_t> later = stops_after(policy, 1000, 4);
  CHECK(std::count(later.begin(), later.end(), 8U) < 25);
}

TEST_CASE("a deviation that does not come again is forgotten") {
  ReloadPolicy policy;
  for (int i = 0; i < 10; ++i) policy.held();
  policy.deviated();
  CHECK(policy.stops() == 512);
  for (int i = 0; i < 3; ++i) policy.held();
  CHECK(policy.stops() == 1024);
}

TEST_CASE("where every stop does harm each one is followed by a load") {
  ReloadPolicy policy;
  for (int i = 0; i < 10; ++i) policy.deviated();
  CHECK(policy.stops() == 1);
}

}  // namespace
}  // namespace jcprof::agents
