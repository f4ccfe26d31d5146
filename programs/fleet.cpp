// SPDX-License-Identifier: Apache-2.0
// jcprof fleet: what several devices have in common, and which of them differ from the others.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "annotator/fleet/fleet_texts.hpp"
#include "programs/fleet_side.hpp"
#include "programs/table_style.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"

namespace jcprof::cli {
namespace {

std::string written(const annotator::FleetReport& report, const FleetOptions& options) {
  if (options.json) return annotator::to_json(report);
  if (options.markdown) return annotator::to_markdown(report);
  return shown_on(Stream::out, annotator::to_text(report, table_style(options.colour)));
}

ExitCode code_for(const annotator::FleetReport& report, bool is_strict) {
  if (annotator::differs(report)) return ExitCode::check_failed;
  const auto is_compared = &annotator::DeviceType::is_compared;
  if (std::ranges::none_of(report.types, is_compared)) return ExitCode::unreliable;
  const bool is_whole = report.left_out.empty() && std::ranges::all_of(report.types, is_compared) &&
                        annotator::unresolved_devices(report) == 0;
  return is_strict && !is_whole ? ExitCode::unreliable : ExitCode::done;
}

}  // namespace

ExitCode fleet(const FleetOptions& options) {
  const FleetSide side(options.fleet);
  const annotator::FleetReport report = annotator::fleet_report(side.members(), side.left_out());
  fmt::print("{}", written(report, options));
  return code_for(report, options.strict);
}

}  // namespace jcprof::cli
