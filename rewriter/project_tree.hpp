// SPDX-License-Identifier: Apache-2.0
// The files of a project's folder that belong into the instrumented tree, the sources among them, and their
// copies. Reads no source.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/core/error.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {

/// All files of the folder but for version control, output and what the project excludes; relative, sorted.
std::vector<std::string> project_files(const Project& project, const std::filesystem::path& out);

/// Those of `files` that the project's globs name, sorted. UserError for each glob that names none.
std::vector<std::string> source_files(const Project& project, const std::vector<std::string>& files);

/// The place of `value` in the project file, as a string.
Place place_in_project(const Project& project, const std::string& value);

/// Links to folders stay links. Returns those that cannot be read, which are left out. Throws
/// std::filesystem::filesystem_error.
std::vector<std::string> copy_files(const Project& project, const std::vector<std::string>& files,
                                    const std::filesystem::path& to);

/// Pipes, sockets, devices and links to them below the folder: absolute. Whoever opens one may wait for ever.
std::vector<std::string> irregular_files(const std::filesystem::path& folder);

}  // namespace jcprof::rewriter
