// SPDX-License-Identifier: Apache-2.0
// How each C or C++ file is compiled: from a compile_commands.json, from a makefile, or from the project's
// own flags. Runs no compiler and reads no source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rewriter/c/front_end.hpp"
#include "src/core/project.hpp"

namespace jcprof::rewriter {

/// The units that the project's `sources` are compiled in, in the order of the database. Units of other files
/// of the project are among them where `sources` hold headers: they may include those. UserError for a
/// database or a makefile that is not there, is none, or says nothing of the sources. `out` is the output
/// folder.
std::vector<CompileUnit> compile_units(const Project& project, const std::vector<std::string>& sources,
                                       const std::filesystem::path& out);

/// The path of the project's compile database; empty: it names none.
std::filesystem::path database_of(const Project& project, const std::filesystem::path& out);

/// All entries of a database; relative folders start from `folder`. `file` is for messages. UserError with
/// all faults.
std::vector<CompileUnit> parse_compile_database(const std::string& file, std::string_view text,
                                                const std::filesystem::path& folder);

/// The project's own, with what their placeholders stand for.
std::vector<std::string> compile_flags(const Project& project, const std::filesystem::path& out);

/// "ccache", by its name: it only passes the command on.
bool is_launcher(std::string_view program);

/// Has the name of a file that is compiled by itself, not of a header.
bool is_unit_name(std::string_view path);

}  // namespace jcprof::rewriter
