// SPDX-License-Identifier: Apache-2.0
// An EDL file with its imports, followed. All of the rewriter's EDL that knows files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rewriter/edl/model.hpp"

namespace jcprof::rewriter {

/// The path of a file that is imported as `name` by the file `importer`; none where there is no such file.
using EdlFinder =
    std::function<std::optional<std::string>(const std::string& importer, const std::string& name)>;
using EdlReader = std::function<std::string(const std::string& path)>;

/// Follows imports by the two functions. UserError for what is no EDL, not for an import that is not found.
Edl link_edl(const std::string& path, const EdlFinder& find, const EdlReader& read);

/// $SGX_SDK/include, where that is set.
std::optional<std::filesystem::path> sdk_headers();

/// `path` is relative to `root`. Imports are looked for beside the file that names them, then in `search`
/// (relative to `root`), then in $SGX_SDK/include. Paths of what lies below `root` are relative to it.
Edl read_edl(const std::filesystem::path& root, const std::string& path,
             const std::vector<std::string>& search);

/// Known by what comes with Open Enclave.
bool is_open_enclave(const Edl& edl);

}  // namespace jcprof::rewriter
