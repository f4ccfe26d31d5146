// SPDX-License-Identifier: Apache-2.0
#include "programs/unfit.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "annotator/estimate/measured_path.hpp"
#include "harness/judgement.hpp"

namespace jcprof::cli {
namespace {

std::string cause(const annotator::Profile& profile) {
  const bool varies =
      std::ranges::find(profile.noted, WarningKind::path_varies, &Warning::kind) != profile.noted.end();
  if (varies) return "its runs take different paths, and too few shots tell which one they took";
  return fmt::format("{} rounds of {} stops are too few for an interval", profile.rounds,
                     profile.blocks.size() + 1);
}

std::string better(TargetKind target) {
  const std::string_view fewer =
      "more time (\"max_time\"), a coarser \"level\", or fewer functions (\"include\") in jcprof.json";
  switch (target) {
    case TargetKind::applet:
      return fmt::format("{}; of a command that varies, \"before_each\" in \"session\"", fewer);
    case TargetKind::program:
      return fmt::format("such code is better measured by `jcprof record`, or perf, in one run; else {}",
                         fewer);
    case TargetKind::optee_ta:
    case TargetKind::sgx_enclave:
      return fmt::format("such code is better measured by `jcprof record`, in one run; else {}", fewer);
  }
  return std::string(fewer);
}

}  // namespace

std::optional<Fault> unfit(const annotator::Profile& profile, TargetKind target) {
  const auto tells = [](const annotator::LineEstimate& line) {
    return annotator::was_measured(line.cost) || line.cost.unreliable;
  };
  if (profile.lines.empty() || std::ranges::any_of(profile.lines, tells)) return std::nullopt;
  return Fault{.message = "no line of the command has a time: " + cause(profile), .hint = better(target)};
}

std::optional<Fault> unfit(const PathLook& look, FewerTraps fewer, ProgramClock clock) {
  constexpr const char* better = "`jcprof record` or perf tells in one run; or give the command ";
  if (look.path.state == harness::PathState::cut) {
    const std::string_view though =
        fewer == FewerTraps::none ? "also with as few as can be" : "also after several builds with fewer";
    return Fault{
        .message = look.path.events.empty()
                       ? fmt::format("the command ends in time without traps, and not with them, {}", though)
                       : fmt::format("the command passes {} traps, {}: that is too many to stop at",
                                     look.path.length(), though),
        .hint = fmt::format("{}less work. --rounds measures its beginning all the same", better)};
  }
  const FirstContact& contact = look.contact;
  if (contact.whole_ns == 0 || (contact.whole_ns > short_ns && !is_hidden(contact))) return std::nullopt;
  return Fault{.message = fmt::format(
                   "the command takes {}{}, and {} of it behind its entry: that is too little to be "
                   "timed from outside",
                   harness::in_unit(contact.whole_ns, ClockUnit::ns),
                   clock == ProgramClock::cpu ? " of processor time" : "",
                   harness::in_unit(std::max(contact.behind_ns, 0.0), ClockUnit::ns)),
               .hint = fmt::format("{}more work. --rounds measures it all the same", better)};
}

}  // namespace jcprof::cli
