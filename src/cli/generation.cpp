// SPDX-License-Identifier: Apache-2.0
#include "src/cli/generation.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "src/core/error.hpp"

namespace jcprof::cli {

std::size_t functions_with_traps(const TrapMap& map) {
  std::set<std::pair<std::string, std::string>> functions;
  for (const Trap& trap : map.traps) functions.emplace(trap.path, trap.function);
  return functions.size();
}

std::string to_text(const rewriter::Generated& generated, const std::filesystem::path& out) {
  std::string text;
  for (const std::string& note : generated.notes) text += harmless(note) + "\n";
  return text + fmt::format("{} traps in {} functions of {} files: {}\n", generated.map.traps.size(),
                            functions_with_traps(generated.map), generated.instrumented_files,
                            (out / "tree").string());
}

}  // namespace jcprof::cli
