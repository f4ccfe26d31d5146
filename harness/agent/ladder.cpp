// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/ladder.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace jcprof::harness {
namespace {

// Few, so that an agent that hangs is noticed after its time-out and not after that of all rounds.
constexpr std::uint32_t rounds_a_request = 2;
constexpr int shots_a_request = 12;  // of six rungs

std::vector<Rung> take_rungs(AgentLink& link, std::uint64_t id) {
  auto [rungs] = link.expect<AgentRungs>(
      id, link.settings().timeout * shots_a_request,
      {"the agent gives no layers", "an agent that knows \"layers\" is jcprof-agent-teec: docs/optee.md"});
  const auto is_whole = [](const Rung& rung) { return rung.ticks.size() == rounds_a_request; };
  if (rungs.empty() || !std::ranges::all_of(rungs, is_whole))
    throw link.failure(fmt::format("the agent does not give {} times of each layer", rounds_a_request));
  return rungs;
}

bool are_same(const std::vector<Rung>& some, const std::vector<Rung>& others) {
  return std::ranges::equal(some, others, {}, &Rung::name, &Rung::name);
}

}  // namespace

std::vector<Rung> climb(AgentLink& link, const LadderOrder& order) {
  // The first of them warms up what lies on the way, and is not kept.
  const std::uint32_t count = (order.rounds + rounds_a_request - 1) / rounds_a_request + 1;
  std::string requests;
  std::vector<std::uint64_t> ids;
  for (std::uint32_t i = 0; i < count; ++i) {
    ids.push_back(link.next_id());
    requests += request_line(
        ids.back(), LayersRequest{.rounds = rounds_a_request, .trap = order.trap, .input = order.input});
  }
  link.open(requests);
  std::vector<Rung> rungs;
  for (const std::uint64_t id : ids) {
    const std::vector<Rung> some = take_rungs(link, id);
    if (id == ids.front()) {
      for (const Rung& rung : some) rungs.push_back({.name = rung.name, .ticks = {}});
      continue;
    }
    if (!are_same(some, rungs)) throw link.failure("the agent answers with other layers than before");
    for (std::size_t r = 0; r < rungs.size(); ++r)
      std::ranges::copy(some[r].ticks, std::back_inserter(rungs[r].ticks));
  }
  link.close();
  return rungs;
}

}  // namespace jcprof::harness
