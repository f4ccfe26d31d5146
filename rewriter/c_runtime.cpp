// SPDX-License-Identifier: Apache-2.0
#include "rewriter/c_runtime.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "rewriter/edits.hpp"
#include "rewriter/jcprof_template.hpp"

namespace jcprof::rewriter {

std::string c_runtime_source(const TrapMap& map, Reach reach) {
  // Defined here and not by the build, which knows nothing of traps.
  return fmt::format(
      "/* {}. Do not edit. */\n#ifndef JCPROF\n#define JCPROF 1\n#endif\n#define JCPROF_BUILD "
      "0x{:08x}u\n#define {} "
      "1\n{}",
      generated_mark, map.build, reach == Reach::program ? "JCPROF_PROGRAM" : "JCPROF_IN_PROCESS",
      jcprof_template);
}

std::string c_runtime_from(const std::string& path) {
  std::string up;
  for (auto i = std::ranges::count(path, '/'); i > 0; --i) up += "../";
  return up + std::string(c_runtime_file);
}

}  // namespace jcprof::rewriter
