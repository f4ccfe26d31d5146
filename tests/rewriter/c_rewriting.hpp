// SPDX-License-Identifier: Apache-2.0
// What the tests of the C front end share: files in a folder of their own, the rewritten ones out.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rewriter/c/front_end.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/plan.hpp"
#include "src/core/file.hpp"

namespace jcprof::rewriter {

using Files = std::vector<std::pair<std::string, std::string>>;  // path and text

inline std::filesystem::path c_test_folder(const std::string& name) {
  return std::filesystem::path(JCPROF_BINARY_DIR) / "tests/c" / name;
}

/// Writes the files into an empty folder.
inline std::filesystem::path written(const std::string& folder, const Files& files) {
  const std::filesystem::path root = c_test_folder(folder);
  std::filesystem::remove_all(root);
  for (const auto& [path, text] : files) write_file(root / path, text);
  return root;
}

inline CompileUnit unit_of(const std::filesystem::path& root, const std::string& path,
                           std::vector<std::string> flags = {}) {
  const bool is_cpp = path.ends_with(".cpp");
  flags.insert(flags.begin(), is_cpp ? "g++" : "gcc");
  return {.path = (root / path).string(), .folder = root, .arguments = std::move(flags)};
}

struct CRewritten {
  std::vector<SourceModel> models;
  std::vector<std::string> texts;  // of each model
  std::vector<Trap> traps;
};

inline CRewritten rewrite_c(std::vector<SourceModel> models, const TrapPolicy& policy) {
  const TrapPlan plan = plan_traps(models, policy);
  CRewritten result{.models = std::move(models), .texts = {}, .traps = {}};
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const SourceModel& model = result.models[i];
    const Placeholders values{{"runtime", JCPROF_SOURCE_DIR "/templates/jcprof.h"}};
    result.texts.push_back(rewritten_source(model, plan.files[i], values).text);
    for (const PlannedTrap& planned : plan.files[i].traps) result.traps.push_back(planned.trap);
  }
  return result;
}

/// "  3 not compiled": how often each reason was given for leaving something alone.
inline std::string reasons_of(const SourceModel& model) {
  std::string text;
  for (const LeftAlone& left : model.left_alone)
    text += fmt::format("{}: {} ({})\n", place_at(model.path, model.text, left.offset).line, left.reason,
                        left.count);
  return text;
}

}  // namespace jcprof::rewriter
