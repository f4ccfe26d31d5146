// SPDX-License-Identifier: Apache-2.0
#include "agents/teec/ladder.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agents/request.hpp"

namespace jcprof::teec {
namespace {

using agents::mistake;
using nlohmann::json;

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
  throw mistake(fmt::format("the trigger with trap {} was to be {}, and was {}{}{}", number(trap),
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

json climb(Tee& tee, agents::Target& target, const json& request) {
  constexpr std::uint64_t most_rounds = 100'000;
  const Bytes input = agents::input_of(request);
  const TrapId trap{static_cast<std::uint32_t>(agents::natural(request, "trap", 0, UINT32_MAX))};
  const std::uint64_t rounds = agents::natural(request, "rounds", 1, most_rounds);
  std::vector<TimedRung> rungs = rungs_for(tee, target, input, trap);
  // The first call of each opens what it needs.
  for (TimedRung& rung : rungs) rung.time();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (TimedRung& rung : rungs) rung.ticks.push_back(rung.time());
    std::ranges::reverse(rungs);
  }
  if (rounds % 2 != 0) std::ranges::reverse(rungs);
  json made = json::array();
  for (const TimedRung& rung : rungs) made.push_back({{"name", rung.name}, {"ticks", rung.ticks}});
  return {{"rungs", made}};
}

}  // namespace jcprof::teec
