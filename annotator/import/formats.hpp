// SPDX-License-Identifier: Apache-2.0
// The formats that import.cpp chooses from. `name`: the file, for messages.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "annotator/import/import.hpp"

namespace jcprof::annotator {

bool is_callgrind(std::string_view text);
RecordedRun read_callgrind(const std::string& name, std::string_view text);

bool is_gmon(std::string_view text);
RecordedRun read_gmon(const ForeignFile& file, std::string_view text);

bool is_optee_ftrace(std::string_view text);
RecordedRun read_optee_ftrace(const std::string& name, std::string_view text);

bool is_uftrace(const std::filesystem::path& folder);
RecordedRun read_uftrace(const std::filesystem::path& folder);

bool is_jcprofiler(std::string_view text);
RunData read_jcprofiler(const std::string& name, std::string_view text);

}  // namespace jcprof::annotator
