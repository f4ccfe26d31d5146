// SPDX-License-Identifier: Apache-2.0
// The verbs as functions. Each returns the exit code, and throws what main_guard puts into words.
#pragma once

#include "programs/options.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

// Of jcprof-gen.
ExitCode init(const InitOptions& options);
ExitCode gen(const GenOptions& options);
ExitCode strip(const StripOptions& options);

// Of jcprof.
ExitCode run(const RunOptions& options);
ExitCode annotate(const AnnotateOptions& options);
ExitCode profile(const ProfileOptions& options);
ExitCode record(const RecordOptions& options);
ExitCode export_profile(const ExportOptions& options);
ExitCode query_profiles(const QueryOptions& options);
ExitCode layers(const LayersOptions& options);
ExitCode doctor(const DoctorOptions& options);

// In a folder that is held already.
ExitCode run_in(const OutputFolder& folder, const Project& project, const RunOptions& options);
ExitCode annotate_in(const OutputFolder& folder, const Project& project, const AnnotateOptions& options);

// Parts of doctor.
ExitCode doctor_agent(const DoctorOptions& options);
ExitCode doctor_selftest(const DoctorOptions& options);

}  // namespace jcprof::cli
