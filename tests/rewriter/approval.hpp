// SPDX-License-Identifier: Apache-2.0
// What the approval tests share: one feature a file, and the text that was approved for it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::rewriter {

inline const std::filesystem::path rewriter_tests =
    std::filesystem::path(JCPROF_SOURCE_DIR) / "tests/rewriter";

inline std::vector<std::filesystem::path> features_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(rewriter_tests / folder))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

inline std::string list_of(const std::vector<Trap>& traps) {
  std::string text = "---- traps\n";
  for (const Trap& trap : traps)
    text += fmt::format("{:3} {}:{} {} {} {}\n", number(trap.id), trap.line, trap.column, name_of(trap.kind),
                        trap.function, trap.name);
  return text;
}

/// scripts/approve accepts what differs.
inline void check_approved(const std::string& name, const std::string& text) {
  const std::filesystem::path approved = rewriter_tests / "approved" / (name + ".txt");
  if (std::getenv("JCPROF_APPROVE") != nullptr) write_file(approved, text);
  INFO(name);
  CHECK(std::filesystem::exists(approved));
  CHECK(text == read_file(approved));
}

}  // namespace jcprof::rewriter
