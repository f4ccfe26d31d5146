// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/ladder.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "agents/request.hpp"

namespace jcprof::teec {
namespace {

using agents::mistake;

struct TimedRung {
  std::string name;
  std::function<Ticks()> time;
  std::vector<Ticks> ticks{};
};

/// Of the trigger, which must come out as `wanted`.
Ticks time_trigger(agents::Target& target, const Bytes& input, TrapId trap, Outcome wanted) {
  const Shot shot{.stop = {.trap = trap}};
  Sample sample;
  target.measure(std::span(&shot, 1), std::span(&input, 1), [&](const Sample& got) { sample = got; });
  if (sample.outcome == wanted) return sample.ticks;
  throw mistake(fmt::format("the trigger with trap {} should be {}, and was {}{}{}", number(trap),
                            name_of(wanted), name_of(sample.outcome), sample.why.empty() ? "" : ": ",
                            sample.why));
}

std::vector<TimedRung> rungs_for(Tee& tee, agents::Target& target, const Bytes& input, TrapId trap) {
  std::vector<TimedRung> rungs{{"clock", [&] { return tee.time(Rung::clock); }},
                               {"driver", [&] { return tee.time(Rung::driver); }},
                               {"secure monitor, core", [&] { return tee.time(Rung::core); }},
                               {"client library", [&] { return tee.time(Rung::client); }}};
  if (trap != run_to_end)
    rungs.push_back({"TA entry", [&target, &input, trap] {
                       return time_trigger(target, input, trap, Outcome::stopped);
                     }});
  rungs.push_back(
      {"command", [&target, &input] { return time_trigger(target, input, run_to_end, Outcome::ended); }});
  return rungs;
}

}  // namespace

AgentRungs climb(Tee& tee, agents::Target& target, const LayersRequest& request) {
  std::vector<TimedRung> rungs = rungs_for(tee, target, request.input, request.trap);
  // The first call of each opens what it needs.
  for (TimedRung& rung : rungs) rung.time();
  for (std::uint32_t round = 0; round < request.rounds; ++round) {
    for (TimedRung& rung : rungs) rung.ticks.push_back(rung.time());
    std::ranges::reverse(rungs);
  }
  if (request.rounds % 2 != 0) std::ranges::reverse(rungs);
  AgentRungs made;
  for (TimedRung& rung : rungs) made.rungs.push_back({.name = rung.name, .ticks = std::move(rung.ticks)});
  return made;
}

}  // namespace jcprof::teec
