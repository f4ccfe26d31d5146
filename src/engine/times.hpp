// SPDX-License-Identifier: Apache-2.0
// Readings of rounds at the stops of one path, in columns. A table and nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "src/engine/statistics.hpp"

namespace jcprof::engine {

/// T by stop and round; `missing` where a stop was not measured in a round. Stops are in path order, the last
/// one is the end of the command; block b lies between stops b and b + 1.
class Times {
 public:
  explicit Times(std::size_t stops) : columns_(stops) {}
  /// Each by round, all of one length.
  explicit Times(std::vector<std::vector<double>> columns)
      : columns_(std::move(columns)), rounds_(columns_.empty() ? 0 : columns_.front().size()) {}

  std::size_t stops() const { return columns_.size(); }
  std::size_t blocks() const { return columns_.empty() ? 0 : columns_.size() - 1; }
  std::size_t rounds() const { return rounds_; }
  /// One value a stop.
  void add_round(std::span<const double> values) {
    for (std::size_t s = 0; s < columns_.size(); ++s) columns_[s].push_back(values[s]);
    ++rounds_;
  }
  /// One a stop, by round.
  const std::vector<std::vector<double>>& columns() const { return columns_; }
  const std::vector<double>& at(std::size_t stop) const { return columns_[stop]; }
  /// T at the last stop less T at the first, by round; missing where one of them is.
  std::vector<double> behind_first() const {
    std::vector<double> values = columns_.back();
    for (std::size_t r = 0; r < rounds_; ++r) values[r] -= columns_.front()[r];
    return values;
  }

 private:
  std::vector<std::vector<double>> columns_;
  std::size_t rounds_ = 0;
};

}  // namespace jcprof::engine
