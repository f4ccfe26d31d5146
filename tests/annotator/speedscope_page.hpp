// SPDX-License-Identifier: Apache-2.0
// Speedscope's own page in Chromium.
#pragma once

#include "tests/annotator/foreign_reader.hpp"

namespace jcprof::test {

/// Its table of functions, "total self name" a line; empty, and said, where it cannot be opened.
inline std::string speedscope_table(std::string_view profile) {
  const std::string package = from_cache("speedscope-1.25.0.tgz");
  if (package.empty()) return "";
  const ForeignReader reader;
  reader.write("profile", profile);
  reader.says({"tar", "xzf", package});
  std::string table = reader.says({"node", JCPROF_SOURCE_DIR "/tests/page/speedscope.mjs",
                                   (reader.folder() / "package/dist/release").string(),
                                   (reader.folder() / "profile").string()});
  if (!table.starts_with("SKIPPED:")) return table;
  WARN(table);
  return "";
}

}  // namespace jcprof::test
