// SPDX-License-Identifier: Apache-2.0
#include "bench/differing.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "annotator/estimate/estimates.hpp"
#include "tests/annotator/scripted_run.hpp"
#include "tests/annotator/trap_maps.hpp"
#include "tests/support/export_agreement.hpp"

namespace jcprof::bench {
namespace {

/// 1 p() { 10 f(); 11 g(); 12 f(); }     f: 20 entry 21 work 22 return     g: 30 entry 31 return
const TrapMap& program() {
  static const TrapMap map = annotator::MapMaker()
                                 .trap(TrapKind::entry0, "p", 1)
                                 .trap(TrapKind::before, "p", 10)
                                 .trap(TrapKind::before, "p", 11)
                                 .trap(TrapKind::before, "p", 12)
                                 .trap(TrapKind::entry, "f", 20)
                                 .trap(TrapKind::before, "f", 21)
                                 .trap(TrapKind::returns, "f", 22)
                                 .trap(TrapKind::entry, "g", 30)
                                 .trap(TrapKind::returns, "g", 31)
                                 .map();
  return map;
}

/// The program's first `events` events; its body goes round.
std::vector<Event> path_of(std::size_t events) {
  const std::vector<std::uint32_t> body{2, 5, 6, 7, 3, 8, 9, 4, 5, 6, 7};
  std::vector<std::uint32_t> traps{1};
  while (traps.size() < events) traps.push_back(body[(traps.size() - 1) % body.size()]);
  return annotator::path_of(traps);
}

annotator::RunData data_of(const test::Trial& trial) {
  const auto rounds = static_cast<std::uint32_t>(trial.times.rounds());
  annotator::RunData data = annotator::scripted_run(
      program(), path_of(trial.times.blocks()), rounds,
      [&](std::uint32_t round, std::size_t stop) { return trial.times.at(stop)[round - 1]; });
  data.looks = {{.number = 1,
                 .rounds = rounds,
                 .method = trial.clock.method,
                 .tick = trial.clock.tick,
                 .folded = trial.look.folded}};
  return data;
}

}  // namespace

bool differs(const test::Trial& trial) {
  const std::vector<std::string> texts =
      test::disagreements(test::exported(annotator::estimate(data_of(trial))));
  for (const std::string& text : texts) fmt::print("{}\n", text);
  return !texts.empty();
}

bool says_average(const test::Trial& trial) {
  const annotator::Profile profile = annotator::estimate(data_of(trial));
  const auto differs = [](const annotator::Estimate& one) { return one.averages && one.averages->differs; };
  return differs(profile.total) ||
         std::ranges::any_of(profile.lines, [&](const auto& line) { return differs(line.cost); });
}

}  // namespace jcprof::bench
