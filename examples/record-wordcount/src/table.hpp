// SPDX-License-Identifier: Apache-2.0
// How often each word was seen, counted by any number of threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

class Table {
 public:
  void add(const std::string& word);
  /// Most frequent first, then by the alphabet.
  std::vector<std::pair<std::string, std::uint64_t>> sorted() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> counts_;
};
