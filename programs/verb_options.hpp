// SPDX-License-Identifier: Apache-2.0
// The options of each verb, with their help. `options` must live as long as `app` is used.
#pragma once

#include <CLI/CLI.hpp>

#include "programs/options.hpp"

namespace jcprof::cli {

void add_options(CLI::App& app, InitOptions& options);
void add_options(CLI::App& app, GenOptions& options);
void add_options(CLI::App& app, RunOptions& options);
void add_options(CLI::App& app, AnnotateOptions& options);
void add_options(CLI::App& app, ProfileOptions& options);
void add_options(CLI::App& app, RecordOptions& options);
void add_options(CLI::App& app, ImportOptions& options);
void add_options(CLI::App& app, ExportOptions& options);
void add_options(CLI::App& app, QueryOptions& options);
void add_options(CLI::App& app, DiffOptions& options);
void add_options(CLI::App& app, CheckOptions& options);
void add_options(CLI::App& app, FleetOptions& options);
void add_options(CLI::App& app, HistoryOptions& options);
void add_options(CLI::App& app, LeakOptions& options);
void add_options(CLI::App& app, LayersOptions& options);
void add_options(CLI::App& app, DoctorOptions& options);
void add_options(CLI::App& app, StripOptions& options);

}  // namespace jcprof::cli
