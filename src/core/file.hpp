// SPDX-License-Identifier: Apache-2.0
// Whole files: read, written beside and renamed, digested. A half-written file never has the final name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "src/core/unique_fd.hpp"

namespace jcprof {

/// UserError (user_mistake) naming the file when it cannot be read, is no regular file (a pipe would be
/// waited for) or is larger than 256 MiB.
std::string read_file(const std::filesystem::path& file);

/// In words, what read_file would refuse it for; empty: nothing. Follows links.
std::string why_unreadable(const std::filesystem::path& file);

/// For files that the user names: makes the folder, writes beside, renames. A link is followed, a device or
/// pipe written to. UserError (environment) when the disk refuses.
void write_file(const std::filesystem::path& file, std::string_view content);

// ---- what lies in an output folder (output_folder.hpp). `file` is made absolute; a link in any part of it
// is refused with a UserError, and never followed.

/// Makes the folder, writes beside, renames.
void write_own_file(const std::filesystem::path& file, std::string_view content);

/// empty: a new file in the place of what was there; go_on: behind what an earlier one left; keep: as it is.
enum class OwnStart : std::uint8_t { empty, go_on, keep };

/// Makes the folder, opens for writing.
UniqueFd open_own_file(const std::filesystem::path& file, OwnStart start);

/// The folder itself, made where it is missing.
UniqueFd open_own_folder(const std::filesystem::path& folder);

/// Makes a folder of an unpredictable name in `folder`.
std::filesystem::path make_part_folder(const std::filesystem::path& folder);

/// Unpredictable names of what is being written begin so.
inline constexpr std::string_view part_prefix = ".jcprof-part-";

/// False, with errno, when the disk refuses.
bool write_all(int fd, std::string_view content);

/// Lower-case hex.
std::string sha256(std::string_view content);

}  // namespace jcprof
