// SPDX-License-Identifier: Apache-2.0
// --filter and --notrace of jcprof record: by the names of functions, as tables have them.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "templates/jcprof_log.h"

namespace jcprof::cli {

struct FunctionFilter {
  std::vector<std::string> only;  // empty: all
  std::vector<std::string> without;

  bool is_given() const { return !only.empty() || !without.empty(); }
};

/// Chooses the functions of one recording.
class FunctionChooser {
 public:
  /// Takes names from the modules of `log` as it is by then, and from `elf`.
  FunctionChooser(FunctionFilter filter, std::filesystem::path log, std::vector<std::filesystem::path> elf);

  /// Those of `functions`, and of earlier ones, that are left out. A function whose module the log does not
  /// have yet waits for the next call.
  std::vector<jcprof_log_function> left_out_of(std::span<const jcprof_log_function> functions);
  /// Names that no function had so far.
  std::vector<std::string> unused() const;

 private:
  bool is_named(const std::vector<std::string>& patterns, const std::string& function);
  std::vector<jcprof_log_function> decide();

  FunctionFilter filter_;
  std::filesystem::path log_;
  std::vector<std::filesystem::path> elf_;
  std::vector<jcprof_log_function> undecided_;
  std::set<std::string> used_;
};

}  // namespace jcprof::cli
