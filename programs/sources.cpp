// SPDX-License-Identifier: Apache-2.0
#include "programs/sources.hpp"

#include <vector>

#include "src/core/error.hpp"
#include "src/core/file.hpp"

namespace jcprof::cli {

std::map<std::string, std::string> unchanged_sources(const Project& project, const TrapMap& map) {
  std::map<std::string, std::string> texts;
  std::vector<Fault> faults;
  for (const SourceDigest& source : map.sources) {
    std::string text = read_file(project.root / source.path);
    if (sha256(text) != source.sha256)
      faults.push_back(
          {.message = "changed since jcprof-gen put the traps in",
           .place = {.file = source.path},
           .hint = "run jcprof gen, build and install again, or jcprof profile, which does it all"});
    texts.emplace(source.path, std::move(text));
  }
  if (!faults.empty()) throw UserError(faults);
  return texts;
}

}  // namespace jcprof::cli
