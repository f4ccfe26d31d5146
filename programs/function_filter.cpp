// SPDX-License-Identifier: Apache-2.0
#include "programs/function_filter.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "annotator/record/log.hpp"
#include "annotator/record/rows.hpp"
#include "annotator/record/symbols.hpp"
#include "annotator/tables.hpp"

namespace jcprof::cli {

using Functions = std::vector<jcprof_log_function>;

FunctionChooser::FunctionChooser(FunctionFilter filter, std::filesystem::path log,
                                 std::vector<std::filesystem::path> elf)
    : filter_(std::move(filter)), log_(std::move(log)), elf_(std::move(elf)) {}

/// All patterns are tried: each of them that fits is used.
bool FunctionChooser::is_named(const std::vector<std::string>& patterns, const std::string& function) {
  bool is_any = false;
  for (const std::string& pattern : patterns) {
    if (!annotator::name_matches(pattern, function)) continue;
    used_.insert(pattern);
    is_any = true;
  }
  return is_any;
}

Functions FunctionChooser::left_out_of(std::span<const jcprof_log_function> functions) {
  std::ranges::copy(functions, std::back_inserter(undecided_));
  try {
    return decide();
  } catch (const std::exception&) {
    return {};  // the analysis reads the same log and files, and says what is wrong with them
  }
}

Functions FunctionChooser::decide() {
  if (undecided_.empty()) return {};
  const annotator::RecordLog log(log_);
  annotator::Symbols symbols(log.facts(), elf_);
  Functions left_out;
  Functions undecided;
  for (const jcprof_log_function& function : undecided_) {
    const auto key = static_cast<annotator::FunctionKey>(function.id);
    const StoredSymbol symbol = annotator::symbol_of_hook(log.facts(), key, symbols);
    if (symbol.module.empty()) {
      undecided.push_back(function);
      continue;
    }
    const bool is_unwanted = is_named(filter_.without, symbol.name);
    const bool is_wanted = is_named(filter_.only, symbol.name) || filter_.only.empty();
    if (is_unwanted || !is_wanted) left_out.push_back(function);
  }
  undecided_ = std::move(undecided);
  return left_out;
}

std::vector<std::string> FunctionChooser::unused() const {
  std::vector<std::string> names;
  for (const std::vector<std::string>* patterns : {&filter_.only, &filter_.without})
    std::ranges::copy_if(*patterns, std::back_inserter(names),
                         [&](const std::string& pattern) { return !used_.contains(pattern); });
  return names;
}

}  // namespace jcprof::cli
