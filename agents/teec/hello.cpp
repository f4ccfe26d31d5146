// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/hello.hpp"

#include "agents/request.hpp"
#include "agents/teec/ladder.hpp"
#include "agents/teec/trusted_app.hpp"

namespace jcprof::teec {
namespace {

// A host that pretends a machine carries out some 100 million instructions a second.
constexpr double instructions_per_ns = 0.1;

agents::ClockFacts clock_facts(const Place& place) {
  if (place.counts == Counts::instructions)
    return {.name = "instruction counter",
            .unit = "instructions",
            .resolution = instruction_step,
            .is_exact = true};
  return {.name = "CLOCK_MONOTONIC_RAW", .unit = "ns", .hz = 1e9};
}

}  // namespace

agents::Greeting greet(const nlohmann::json& request, const Place& place, const MakeTee& make_tee) {
  Wishes wishes = read_wishes(request);
  const std::shared_ptr<Tee> tee = make_tee(wishes.ta, place.counts);
  const agents::TargetSettings settings{
      .what = "session",
      .timeout = wishes.timeout,
      .ticks_per_ns = place.counts == Counts::instructions ? instructions_per_ns : 1,
      .is_fresh_always = agents::natural(request, "unanswered", 0, UINT64_MAX) > 0};
  agents::Greeting greeting;
  greeting.facts = {.agent = "jcprof-agent-teec/" JCPROF_VERSION,
                    .device = place.device,
                    .is_simulated = place.is_simulated,
                    .clock = clock_facts(place)};
  greeting.verbs["layers"] = [tee](agents::Target& target, const nlohmann::json& wanted) {
    return climb(*tee, target, wanted);
  };
  greeting.target =
      std::make_unique<agents::Target>(std::make_unique<TrustedApp>(tee, std::move(wishes)), settings);
  return greeting;
}

}  // namespace jcprof::teec
