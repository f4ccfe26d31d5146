// SPDX-License-Identifier: Apache-2.0
// Programs of others that read what we export.
#pragma once

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/process.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::test {

class ForeignReader {
 public:
  /// Where the files are that it is given.
  const std::filesystem::path& folder() const { return folder_.path(); }
  void write(const std::string& name, std::string_view content) const { write_file(folder_ / name, content); }

  /// All that it says, of an exit status of 0.
  std::string says(const std::vector<std::string>& argv) const {
    const ProcessResult result = run_and_wait({.argv = argv,
                                               .cwd = folder_.path(),
                                               .environment = {{"HOME", folder_.path().string()},
                                                               {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"},
                                                               {"JCPROF_CACHE", JCPROF_CACHE},
                                                               {"LC_ALL", "C.UTF-8"}}},
                                              {.file = folder_ / "said"}, std::chrono::minutes{2});
    INFO(result.tail);
    REQUIRE(result.exit_status == 0);
    return read_file(folder_ / "said");
  }

 private:
  TemporaryFolder folder_;
};

/// The file that scripts/setup --test puts into the cache; empty, and said, where it is not there.
inline std::string from_cache(const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(JCPROF_CACHE) / name;
  if (std::filesystem::exists(file)) return file.string();
  WARN("SKIPPED: " << name << " is not in the cache: scripts/setup --test");
  return "";
}

}  // namespace jcprof::test
