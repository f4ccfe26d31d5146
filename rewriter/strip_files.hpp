// SPDX-License-Identifier: Apache-2.0
// jcprof strip as a function: takes traps out of files, in place.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "src/core/error.hpp"

namespace jcprof::rewriter {

struct StrippedFiles {
  std::size_t changed = 0;
  std::vector<Fault> faults;  // files that stay as they are, and why
};

/// Strips a file, or every file of a folder, where the runtime's classes go too. A link that is given is
/// followed, links in a folder are passed over. Each file is as it was or whole and stripped, with its mode,
/// and its owner where we may give it away. Files of several names are left: the others would keep the traps.
StrippedFiles strip_in_place(const std::filesystem::path& file_or_folder);

}  // namespace jcprof::rewriter
