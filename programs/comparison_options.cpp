// SPDX-License-Identifier: Apache-2.0
// The options of the verbs that hold profiles against each other, or against limits.
#include <CLI/CLI.hpp>

#include "programs/option_parts.hpp"
#include "programs/verb_options.hpp"

namespace jcprof::cli {

void add_options(CLI::App& app, DiffOptions& options) {
  app.add_option("BEFORE", options.before,
                 "a profile.jcprof, a project, or a folder of profiles: the sessions of one build")
      ->required();
  app.add_option("AFTER", options.after, "the same of the newer version")->required();
  auto* json = app.add_flag("--json", options.json, "print the differences as JSON");
  auto* markdown =
      app.add_flag("--markdown", options.markdown, "print them for a pull request")->excludes(json);
  app.add_flag("--github", options.github, "print them as annotations of GitHub Actions")
      ->excludes(json)
      ->excludes(markdown);
  app.add_flag("--strict", options.strict, "exit with 4 if anything is unresolved and nothing is slower");
  add_colour(app, options.colour);
}

void add_options(CLI::App& app, FleetOptions& options) {
  app.add_option("FLEET", options.fleet,
                 "a fleet.json, its folder, its project, or a folder with a folder for each device (default: "
                 "the current folder)");
  auto* json = app.add_flag("--json", options.json, "print the result as JSON");
  app.add_flag("--markdown", options.markdown, "print it for a pull request")->excludes(json);
  app.add_flag(
      "--strict", options.strict,
      "exit with 4 if a device is not compared, or anything that matters is unresolved, and none differs");
  add_colour(app, options.colour);
}

void add_options(CLI::App& app, CheckOptions& options) {
  app.add_option("PROFILE", options.profile,
                 "a profile.jcprof, a project, or a folder of profiles: the sessions of one build; or a "
                 "fleet.json or its folder")
      ->required();
  app.add_option("--budget", options.budget, "a budget, SUBJECT <= LIMIT; may be repeated (docs/ci.md)")
      ->type_name("BUDGET")
      ->allow_extra_args(false);
  app.add_option(
         "--budgets", options.budgets,
         "a file of budgets (default: jcprof-budget.json beside PROFILE or jcprof.json, if it is there)")
      ->type_name("FILE");
  app.add_option("--against", options.against, "the baseline of changes, named like PROFILE")
      ->type_name("BASE");
  app.add_option("--max-regression", options.max_regression,
                 "the whole command, a line or a function may be slower than BASE by so many percent")
      ->type_name("PERCENT")
      ->check(within(CLI::Range(0.0, 1e6)));
  app.add_option("--devices-share", options.devices_share,
                 "a budget is held if so many percent of a fleet's devices keep it (default: 100)")
      ->type_name("PERCENT")
      ->check(within(CLI::Range(1.0, 100.0)));
  auto* history =
      app.add_option("--history", options.history, "add what was measured to this file, for jcprof history")
          ->type_name("FILE");
  app.add_option("--label", options.label, "name the entry in the history, such as by its commit")
      ->type_name("TEXT")
      ->needs(history);
  auto* format = add_choice(app, "--format", options.format, check_formats, "print one of {} (default: text)")
                     ->type_name("FORMAT");
  app.add_flag_callback(
         "--json", [&options] { options.format = CheckFormat::json; }, "print the result as JSON")
      ->excludes(format);
  add_colour(app, options.colour);
}

void add_options(CLI::App& app, HistoryOptions& options) {
  app.add_option("FILE", options.file, "a history, which jcprof check --history FILE writes")->required();
  app.add_option("--html", options.html, "write all series as one page with plots")->type_name("FILE");
  app.add_flag("--json", options.json, "print the series as JSON");
  add_colour(app, options.colour);
}

}  // namespace jcprof::cli
