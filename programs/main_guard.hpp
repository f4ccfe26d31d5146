// SPDX-License-Identifier: Apache-2.0
// What every executable of jcprof does round its work: parse the command line, print a UserError once, give
// the exit code. Knows no verb.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "src/core/error.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

/// Options that most commands have.
struct CommonOptions {
  std::string project;  // PROJECT: jcprof.json or a folder that holds one
  std::string out;      // empty: jcprof-out beside the project file
  bool quiet = false;
  bool json = false;
  bool yes = false;  // programs of the project run without asking
};

void add_project_options(CLI::App& app, CommonOptions& options);

/// --yes, which JCPROF_YES=1 says too.
void add_consent(CLI::App& app, bool& yes);

/// DIR of the project, for those that only look: absolute.
std::filesystem::path output_folder(const Project& project, const CommonOptions& options);

/// DIR of the project, for a verb ("jcprof run") that writes: locked.
OutputFolder open_output(const Project& project, const CommonOptions& options, const std::string& verb);

/// {tree}, {out} and {project}; {port} and the like are added by who knows them.
Placeholders placeholders(const Project& project, const std::filesystem::path& out);

/// Parses, runs `work`, and turns errors into messages and exit codes: CLI mistakes into 2.
int guarded_main(CLI::App& app, int argc, char** argv, const std::function<ExitCode()>& work);

/// The executable `name` that was installed beside this one.
std::filesystem::path sibling(const std::string& name);

}  // namespace jcprof::cli
