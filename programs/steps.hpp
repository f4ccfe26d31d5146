// SPDX-License-Identifier: Apache-2.0
// What profile and record run: a project's build and install steps, and programs of our own.
#pragma once

#include <string>
#include <vector>

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

/// "jcprof-gen" and so on, with our own terminal. A signal that asks us to end goes on to the sibling, which
/// saves its work; we wait for it, and what is returned says so. It works along in `held`.
ExitCode run_sibling(const std::string& name, std::vector<std::string> arguments,
                     const OutputFolder* held = nullptr);

}  // namespace jcprof::cli
