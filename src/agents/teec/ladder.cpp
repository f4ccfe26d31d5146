// SPDX-License-Identifier: Apache-2.0
#include "src/agents/teec/ladder.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/agents/request.hpp"

namespace jcprof::teec {
namespace {

using agents::mistake;
using nlohmann::json;

struct Step {
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
  throw mistake(fmt::format("the trigger with trap {} was to be {}, and was {}{}{}", number(trap),
                            name_of(wanted), name_of(sample.outcome), sample.why.empty() ? "" : ": ",
                            sample.why));
}

std::vector<Step> steps_for(Tee& tee, agents::Target& target, const Bytes& input, TrapId trap) {
  std::vector<Step> steps{{"clock", [&] { return tee.time(Rung::clock); }},
                          {"driver", [&] { return tee.time(Rung::driver); }},
                          {"secure monitor, core", [&] { return tee.time(Rung::core); }},
                          {"client library", [&] { return tee.time(Rung::client); }}};
  if (trap != run_to_end)
    steps.push_back({"TA entry", [&target, &input, trap] {
                       return time_trigger(target, input, trap, Outcome::stopped);
                     }});
  steps.push_back(
      {"command", [&target, &input] { return time_trigger(target, input, run_to_end, Outcome::ended); }});
  return steps;
}

}  // namespace

json climb(Tee& tee, agents::Target& target, const json& request) {
  constexpr std::uint64_t most_rounds = 100'000;
  const Bytes input = agents::input_of(request);
  const TrapId trap{static_cast<std::uint32_t>(agents::natural(request, "trap", 0, UINT32_MAX))};
  const std::uint64_t rounds = agents::natural(request, "rounds", 1, most_rounds);
  std::vector<Step> steps = steps_for(tee, target, input, trap);
  // The first call of each opens what it needs.
  for (Step& step : steps) step.time();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (Step& step : steps) step.ticks.push_back(step.time());
    std::ranges::reverse(steps);
  }
  if (rounds % 2 != 0) std::ranges::reverse(steps);
  json rungs = json::array();
  for (const Step& step : steps) rungs.push_back({{"name", step.name}, {"ticks", step.ticks}});
  return {{"rungs", rungs}};
}

}  // namespace jcprof::teec
