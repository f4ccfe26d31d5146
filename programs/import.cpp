// SPDX-License-Identifier: Apache-2.0
// jcprof import: reads the profile of another tool and makes one of jcprof; docs/import.md.
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "annotator/import/import.hpp"
#include "programs/output.hpp"
#include "programs/terminal.hpp"
#include "programs/verbs.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;

void keep_own(const fs::path& profile) {
  const std::optional<RunInfo> last = last_run(profile);
  if (last && !is_imported(*last))
    throw UserError(Fault{.message = fmt::format("\"{}\" holds what jcprof measured", profile.string()),
                          .hint = "name another folder with -o"});
}

}  // namespace

ExitCode import_profile(const ImportOptions& options) {
  const annotator::Imported imported = annotator::import_profile({.path = options.file, .elf = options.elf});
  const OutputFolder folder(
      {.folder = options.out.empty() ? usual_output_folder : options.out, .verb = "jcprof import"});
  const fs::path profile = folder.path() / "profile.jcprof";
  keep_own(profile);
  Store store(profile, OpenMode::fresh);
  annotator::store_imported(store, imported);
  store.close();
  if (options.quiet) return ExitCode::done;
  for (const Warning& warning : annotator::warnings_of(imported))
    fmt::print(stderr, "warning: {}\n", harmless(to_text(warning)));
  fmt::print(stderr, "profile: {}\n", profile.string());
  return ExitCode::done;
}

}  // namespace jcprof::cli
