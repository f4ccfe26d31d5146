// SPDX-License-Identifier: Apache-2.0
#include "annotator/report/facts.hpp"

#include <cmath>

#include <fmt/format.h>

#include "annotator/estimate/quantity.hpp"

namespace jcprof::annotator {
namespace {

std::string clock_of(const RunInfo& run) {
  std::string text(name_of(run.unit));
  if (run.unit == ClockUnit::cycles && run.hz > 0) text += fmt::format(" at {:g} MHz", run.hz / 1e6);
  if (run.resolution != 1) text += fmt::format(", a tick is {:g} {}", run.resolution, name_of(run.unit));
  return text;
}

std::string_view name_of_state(RunState state) {
  switch (state) {
    case RunState::running:
      return "broken off, or still running";
    case RunState::interrupted:
      return "interrupted; jcprof run goes on with it";
    case RunState::complete:
      return "";
  }
  return "";
}

void add_measured(const Profile& profile, Facts& facts) {
  const RunInfo& run = profile.run;
  facts.emplace_back("rounds", fmt::format("{}", profile.rounds));
  facts.emplace_back("shots", fmt::format("{}", profile.shots));
  facts.emplace_back("precision asked for", fmt::format("{:g} points of share, or {:g} % of a block",
                                                        100 * run.absolute, 100 * run.relative));
  if (run.zoom) facts.emplace_back("looked for blocks from", percent(*run.zoom));
  facts.emplace_back("seed", fmt::format("{}", run.seed));
  facts.emplace_back("paths", fmt::format("{}", profile.paths.size()));
  if (profile.trap_cost.pass.value > 0)
    facts.emplace_back("a trap takes", quantity(profile.trap_cost.pass, run.unit).value + ", taken off");
  facts.emplace_back("traps take", percent(profile.trap_share) + " of what is measured");
}

void add_recorded(const Profile& profile, Facts& facts) {
  facts.emplace_back("threads", fmt::format("{}", profile.recorded->threads));
  facts.emplace_back("events", fmt::format("{}", profile.recorded->events));
  facts.emplace_back("events lost", fmt::format("{}", profile.recorded->lost));
  facts.emplace_back("sources", "as they are now, where no digest of what was built is known");
}

}  // namespace

Facts facts(const Profile& profile) {
  const RunInfo& run = profile.run;
  Facts facts{{"device", run.device},
              {"simulated", run.simulated ? "SIMULATED: no real device" : ""},
              {"transport", run.transport},
              {"agent", run.agent},
              {"reader", run.reader},
              {"protocol", run.protocol},
              {"ATR", run.atr},
              {"clock", clock_of(run)},
              {"begun", run.started},
              {"state", std::string(name_of_state(run.state))}};
  if (profile.recorded)
    add_recorded(profile, facts);
  else
    add_measured(profile, facts);
  facts.emplace_back("measured by", run.tool);
  facts.emplace_back("report by", "jcprof " JCPROF_VERSION);
  facts.emplace_back("project file", run.project_digest.substr(0, 12));
  facts.emplace_back("build", run.trap_digest.substr(0, 12));
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace jcprof::annotator
