// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/hello.hpp"

#include "agents/request.hpp"
#include "agents/teec/ladder.hpp"
#include "agents/teec/trusted_app.hpp"

namespace jcprof::teec {
namespace {

// A host that pretends a machine carries out some 100 million instructions a second.
constexpr double instructions_per_ns = 0.1;

AgentDescription description_of(const Place& place) {
  AgentDescription agent{.agent = "jcprof-agent-teec/" JCPROF_VERSION,
                         .device = place.device,
                         .simulated = place.is_simulated,
                         .clock = "CLOCK_MONOTONIC_RAW"};
  if (place.counts == Counts::instructions) {
    agent.clock = "instruction counter";
    agent.unit = ClockUnit::instructions;
    agent.resolution = instruction_step;
    agent.exact = true;
  }
  return agent;
}

}  // namespace

agents::Greeting greet(const AgentGreeting& greeting, const Place& place, const MakeTee& make_tee) {
  Wishes wishes = read_wishes(greeting);
  const std::shared_ptr<Tee> tee = make_tee(wishes.ta, place.counts);
  const agents::TargetSettings settings{
      .what = "session",
      .timeout = wishes.timeout,
      .ticks_per_ns = place.counts == Counts::instructions ? instructions_per_ns : 1,
      .is_fresh_always = greeting.unanswered > 0};
  return {.target = std::make_unique<agents::Target>(std::make_unique<TrustedApp>(tee, std::move(wishes)),
                                                     settings),
          .description = description_of(place),
          .climb = [tee](agents::Target& target, const LayersRequest& request) {
            return teec::climb(*tee, target, request);
          }};
}

}  // namespace jcprof::teec
