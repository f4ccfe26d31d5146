// SPDX-License-Identifier: Apache-2.0
// The build-id of an ELF file: the note by which a linker tells one build of it from another.
#pragma once

#include <filesystem>
#include <string>

namespace jcprof::harness {

/// Hex; empty of what cannot be read, is no ELF file or has none.
std::string build_id_of(const std::filesystem::path& file);

}  // namespace jcprof::harness
