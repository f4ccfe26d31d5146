// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>

using Count = std::pair<std::string, std::uint64_t>;

static bool comes_first(const Count& one, const Count& other) {
  return one.second != other.second ? one.second > other.second : one.first < other.first;
}

void Table::add(const std::string& word) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++counts_[word];
}

std::vector<Count> Table::sorted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Count> counts(counts_.begin(), counts_.end());
  std::sort(counts.begin(), counts.end(), comes_first);
  return counts;
}
