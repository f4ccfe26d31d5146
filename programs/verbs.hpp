// SPDX-License-Identifier: Apache-2.0
// The verbs as functions. Each returns the exit code; main_guard puts its exceptions into words.
#pragma once

#include <string>
#include <vector>

#include "programs/device_list.hpp"
#include "programs/options.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

// jcprof-gen does these.
ExitCode init(const InitOptions& options);
ExitCode gen(const GenOptions& options);
ExitCode strip(const StripOptions& options);

// jcprof does these.
ExitCode init_and_try(const InitOptions& options);
ExitCode run(const RunOptions& options);
ExitCode annotate(const AnnotateOptions& options);
ExitCode profile(const ProfileOptions& options);
ExitCode record(const RecordOptions& options);
ExitCode import_profile(const ImportOptions& options);
ExitCode export_profile(const ExportOptions& options);
ExitCode query_profiles(const QueryOptions& options);
ExitCode diff(const DiffOptions& options);
ExitCode check(const CheckOptions& options);
ExitCode fleet(const FleetOptions& options);
ExitCode history(const HistoryOptions& options);
ExitCode leak(const LeakOptions& options);
ExitCode layers(const LayersOptions& options);
ExitCode doctor(const DoctorOptions& options);

// The same for callers that hold the folder already.
ExitCode run_in(const OutputFolder& folder, const Project& project, const RunOptions& options);
ExitCode record_project_in(const OutputFolder& folder, const Project& project, const RecordOptions& options);
ExitCode annotate_in(const OutputFolder& folder, const Project& project, const AnnotateOptions& options);

// A part of run: several sessions of one build, or of two in turn.
ExitCode run_sessions(const RunOptions& options);

// The same on several devices at once, and on one of these.
ExitCode run_devices(const RunOptions& options);
ExitCode run_devices_in(const OutputFolder& folder, const Project& project, const RunOptions& options,
                        std::vector<ListedDevice> devices);
std::vector<std::string> programs_of_devices(const std::vector<ListedDevice>& devices);
/// Each with its transport.
void print_devices(const std::vector<ListedDevice>& devices);
ExitCode run_as_device(const RunOptions& options);

// Parts of doctor.
ExitCode doctor_agent(const DoctorOptions& options);
ExitCode doctor_selftest(const DoctorOptions& options);

}  // namespace jcprof::cli
