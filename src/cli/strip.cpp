// SPDX-License-Identifier: Apache-2.0
// jcprof strip: takes traps out of sources again.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rewriter/generate.hpp"
#include "src/cli/verbs.hpp"

namespace jcprof::cli {

Work strip_verb(CLI::App& verb) {
  struct Options {
    std::vector<std::string> paths;
    bool quiet = false;
  };
  const auto options = std::make_shared<Options>();
  verb.add_option("PATH", options->paths, "instrumented files or folders, changed in place")
      ->required()
      ->check(CLI::ExistingPath);
  verb.add_flag("-q,--quiet", options->quiet, "print errors only");
  return [options] {
    std::size_t changed = 0;
    for (const std::string& path : options->paths) changed += rewriter::strip_in_place(path);
    if (!options->quiet) fmt::print("{} files changed\n", changed);
    return ExitCode::done;
  };
}

}  // namespace jcprof::cli
