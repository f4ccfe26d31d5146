// SPDX-License-Identifier: Apache-2.0
// The way from a project to a target that is built and installed, for verbs that go all of it.
#pragma once

#include <filesystem>
#include <string>

#include "programs/steps.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

/// Asks once about the programs of all phases: gen, build, install, run. UserError where the answer is no.
void ask_about_all(const Project& project, const std::filesystem::path& out, bool yes);

/// Values for the steps of the project, with {reader}.
Placeholders values_of_steps(const Project& project, const std::filesystem::path& out,
                             const std::string& transport);

/// The way to the target of a call.
struct Target {
  std::string transport = {};          // in place of the project's
  std::filesystem::path resumed = {};  // the profile whose newest run may be resumed; may be missing
};

/// Takes the target's place of a lab, that of the run that may be resumed if it is free. Does nothing for
/// other transports. UserError; Cancelled.
void hold_place(const Project& project, const Target& target);

/// The steps of the project that build the tree and install it. Holds the target's place of a lab from
/// between them on. Notes what was built.
void build_and_install(const Project& project, const Placeholders& values, const StepOptions& options,
                       const Target& target = {});

}  // namespace jcprof::cli
