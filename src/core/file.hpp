// SPDX-License-Identifier: Apache-2.0
// Whole files: read, written beside and renamed, digested. A half-written file never has the final name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace jcprof {

/// UserError (user_mistake) naming the file when it cannot be read or is larger than 256 MiB.
std::string read_file(const std::filesystem::path& file);

/// Makes the folder, writes beside, renames. UserError (environment) when the disk refuses.
void write_file(const std::filesystem::path& file, std::string_view content);

/// Lower-case hex.
std::string sha256(std::string_view content);

}  // namespace jcprof
