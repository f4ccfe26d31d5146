// SPDX-License-Identifier: Apache-2.0
// An EDL file with its imports, followed. All of the rewriter's EDL that knows files and starts a program:
// the C preprocessor.
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

struct EdlText {
  std::string text;
  std::string preprocessed;  // by `cc -E`, with line markers; where `text` has no directive, `text`
};
using EdlReader = std::function<EdlText(const std::string& path)>;

/// Follows imports by the two functions. UserError for what is no EDL, not for an import that is not found.
Edl link_edl(const std::string& path, const EdlFinder& find, const EdlReader& read);

struct EdlSettings {
  std::filesystem::path root;            // paths are relative to it, and the compiler runs there
  std::vector<std::string> search = {};  // folders of imports and of what #include names
  std::string compiler = "cc";           // empty: there is none that may be started
  std::vector<std::string> flags = {};   // its -D, -U and -I
};

/// Starts the compiler where `text`, that of the file `path`, has a directive. UserError for what it refuses,
/// and for more than 2 MiB, in `text` or from the compiler; UserError (environment) where there is no
/// compiler.
EdlText preprocessed_edl(const EdlSettings& settings, const std::string& path, const std::string& text);

/// $SGX_SDK/include, where that is set.
std::optional<std::filesystem::path> sdk_headers();

/// Imports are looked for beside the file that names them, then in `search`, then in $SGX_SDK/include. Paths
/// of what lies below the root are relative to it.
Edl read_edl(const EdlSettings& settings, const std::string& path);

/// Known by what comes with Open Enclave.
bool is_open_enclave(const Edl& edl);

}  // namespace jcprof::rewriter
