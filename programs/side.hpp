// SPDX-License-Identifier: Apache-2.0
// The sessions of one build, as a person names them.
#pragma once

#include <filesystem>
#include <vector>

#include "annotator/compare/matching.hpp"
#include "annotator/record/profile.hpp"

namespace jcprof::cli {

struct Side {
  std::vector<annotator::NewestRun> runs;  // at least one

  /// `given`: a profile; a project or an output folder with its newest profile, or with all of its sessions
  /// if that is one of them; or a folder of profiles. Sources have names below the root of the `newer` side
  /// if they lie there, for one tree has one root; else below their own. UserError where there is no profile.
  explicit Side(const std::filesystem::path& given, const Side* newer = nullptr);

  std::vector<annotator::Compared> compared() const;

 private:
  std::filesystem::path root_;
};

}  // namespace jcprof::cli
