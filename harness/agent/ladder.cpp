// SPDX-License-Identifier: Apache-2.0
#include "harness/agent/ladder.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

// Few, so that an agent that hangs is noticed after its time-out and not after that of all rounds.
constexpr std::uint32_t rounds_a_request = 2;
constexpr int shots_a_request = 12;  // of six rungs

UserError failure(AgentLink& link, const std::string& message, const std::string& hint) {
  const std::string account = link.account();
  return environment_error(fmt::format("{}\n{}", message, account), hint);
}

std::vector<Rung> take_rungs(AgentLink& link, std::uint64_t id) {
  const ReadLine line = link.read_line(link.settings().timeout * shots_a_request);
  if (line.state != LineState::read) throw failure(link, link.no_answer(line.state).why, "");
  auto answer = read_answer<AgentRungs>(line.text, id);
  if (const auto* breach = std::get_if<Breach>(&answer)) throw failure(link, breach->why, "");
  if (const auto* error = std::get_if<AgentError>(&answer))
    throw failure(link, "the agent gives no layers: " + error->message,
                  error->hint.empty() ? "an agent that knows \"layers\" is jcprof-agent-teec: docs/optee.md"
                                      : error->hint);
  std::vector<Rung> rungs = std::get<AgentRungs>(std::move(answer)).rungs;
  const auto is_whole = [](const Rung& rung) { return rung.ticks.size() == rounds_a_request; };
  if (rungs.empty() || !std::ranges::all_of(rungs, is_whole))
    throw failure(link, fmt::format("the agent does not give {} times of each layer", rounds_a_request), "");
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
    if (!are_same(some, rungs)) throw failure(link, "the agent answers with other layers than before", "");
    for (std::size_t r = 0; r < rungs.size(); ++r)
      std::ranges::copy(some[r].ticks, std::back_inserter(rungs[r].ticks));
  }
  link.close();
  return rungs;
}

}  // namespace jcprof::harness
