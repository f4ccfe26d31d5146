// SPDX-License-Identifier: Apache-2.0
// The options of jcprof import; verb_options.cpp has those of the other verbs.
#include <CLI/CLI.hpp>

#include "programs/option_parts.hpp"
#include "programs/verb_options.hpp"

namespace jcprof::cli {

void add_options(CLI::App& app, ImportOptions& options) {
  app.add_option("FILE", options.file, "the profile of another tool")->required();
  app.add_option("--elf", options.elf, "the program whose addresses FILE has (gmon.out)")
      ->type_name("PROGRAM");
  add_out(app, options.out, "folder of the profile (default: jcprof-out)");
  add_quiet(app, options.quiet);
}

}  // namespace jcprof::cli
