// SPDX-License-Identifier: Apache-2.0
// Programs that run before jcprof measures: what prepares the reading of sources, jcprof-gen, the build and
// the install steps.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "programs/options.hpp"
#include "src/core/error.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

struct StepOptions {
  bool is_shown = true;             // each command is printed before it runs
  bool is_dry = false;              // and does not
  std::filesystem::path logs = {};  // of their output; empty: logs/ of `{out}`
};

/// One after the other, with their output in logs/ of `{out}`; a folder in `{out}` that one works in is made.
/// `{reader}` is the environment's GP_READER, where there is one. UserError at the first that fails.
void run_steps(const std::string& kind, const std::vector<Step>& steps, const Placeholders& values,
               const StepOptions& options);

/// Has jcprof-gen write a first project file. Its exit code; where that is none of success, it has said why.
ExitCode draft_project(const InitOptions& options);

/// Names a file that holds all words of jcprof-gen, each with a NUL behind it. No other option stands beside
/// it. jcprof-gen prints no UserError then: the caller finds it in the other file.
inline constexpr std::string_view words_file_option = "--words-file=";
inline std::filesystem::path faults_file(std::filesystem::path words_file) {
  return words_file += ".faults";
}

/// Starts jcprof-gen, which makes a tree in `held` and uses our terminal. If a signal asks us to end, we pass
/// it on and wait until jcprof-gen has tidied up. Returns done, or done_but_tight if that is asked for.
/// Throws the UserError of jcprof-gen if it fails; one without faults where it has said why.
ExitCode make_tree(const GenOptions& options, const OutputFolder& held);

}  // namespace jcprof::cli
