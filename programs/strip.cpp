// SPDX-License-Identifier: Apache-2.0
// jcprof strip: takes traps out of sources again.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "programs/verbs.hpp"
#include "rewriter/strip_files.hpp"

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
    rewriter::StrippedFiles all;
    for (const std::string& path : options->paths) {
      rewriter::StrippedFiles some = rewriter::strip_in_place(path);
      all.changed += some.changed;
      std::ranges::move(some.faults, std::back_inserter(all.faults));
    }
    if (!options->quiet) fmt::print("{} files changed\n", all.changed);
    if (!all.faults.empty()) throw UserError(all.faults);
    return ExitCode::done;
  };
}

}  // namespace jcprof::cli
