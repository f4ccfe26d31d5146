// SPDX-License-Identifier: Apache-2.0
// jcprof strip: takes traps out of sources again.
#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "programs/verbs.hpp"
#include "rewriter/strip_files.hpp"

namespace jcprof::cli {

ExitCode strip(const StripOptions& options) {
  rewriter::StrippedFiles all;
  for (const std::string& path : options.paths) {
    rewriter::StrippedFiles some = rewriter::strip_in_place(path);
    all.changed += some.changed;
    std::ranges::move(some.faults, std::back_inserter(all.faults));
  }
  if (!options.quiet) fmt::print("{} files changed\n", all.changed);
  if (!all.faults.empty()) throw UserError(all.faults);
  return ExitCode::done;
}

}  // namespace jcprof::cli
