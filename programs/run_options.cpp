// SPDX-License-Identifier: Apache-2.0
#include "programs/run_options.hpp"

#include <map>

namespace jcprof::cli {

void add_run_options(CLI::App& app, RunOptions& options) {
  add_project_options(app, options.common);
  app.add_flag("--json", options.common.json, "print the result as JSON");
  app.add_option("--transport", options.transport, "how the target is reached (default: the project's)")
      ->type_name("URI");
  app.add_flag("--fresh", options.fresh,
               "start a new profile; what was measured before is dropped once the target has answered");
  app.add_flag("--dry-run", options.dry_run, "print the commands of the project and stop");
  const CLI::Range percent(0.0, 100.0);
  app.add_option("--absolute", options.absolute_points,
                 "measure until each share is known to so many points (default 0.5)")
      ->type_name("POINTS")
      ->check(percent);
  app.add_option("--relative", options.relative_percent, "or to so many percent of itself (default 5)")
      ->type_name("PERCENT")
      ->check(percent);
  auto* zoom =
      app.add_option("--zoom", options.zoom_percent,
                     "on paths of more than 200 stops, look for what takes at least so much (default 1)")
          ->type_name("PERCENT")
          ->check(percent);
  app.add_flag("--no-zoom", options.no_zoom, "measure every stop of a long path")->excludes(zoom);
  app.add_option("--rounds", options.rounds, "so many rounds over all stops, whatever the precision")
      ->check(CLI::Range(1U, 1'000'000U));
  app.add_option("--max-shots", options.max_shots, "stop after so many commands");
  app.add_option("--max-time", options.max_time_ms, "stop after a time: 30s, 5m")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, std::uint64_t>{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}},
          CLI::AsNumberWithUnit::UNIT_REQUIRED, "DURATION"));
  app.add_option("--seed", options.seed, "of the order of shots and of random inputs");
}

}  // namespace jcprof::cli
