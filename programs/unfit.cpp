// SPDX-License-Identifier: Apache-2.0
#include "programs/unfit.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "annotator/estimate/measured_path.hpp"

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

}  // namespace jcprof::cli
