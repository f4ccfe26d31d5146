// SPDX-License-Identifier: Apache-2.0
// What profile and record run before they measure: jcprof-gen, and a project's build and install steps.
#pragma once

#include <string>
#include <vector>

#include "programs/options.hpp"
#include "src/core/error.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

struct StepOptions {
  bool is_shown = true;  // each command is printed before it runs
  bool is_dry = false;   // and does not
};

/// One after the other, with their output in logs/ of `{out}`. `{reader}` is the environment's GP_READER,
/// where it is not empty. UserError at the first that fails.
void run_steps(const std::string& kind, const std::vector<Step>& steps, const Placeholders& values,
               const StepOptions& options);

/// Has jcprof-gen make a tree in `held`, which it works along in, with our own terminal. A signal that asks
/// us to end goes on to it, which tidies up; we wait for it. Returns done, or done_but_tight where that is
/// asked for. UserError without a fault where it fails: it has said why.
ExitCode make_tree(const GenOptions& options, const OutputFolder& held);

}  // namespace jcprof::cli
