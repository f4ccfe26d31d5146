// SPDX-License-Identifier: Apache-2.0
// The costs of a line in each round, binned for a page: by value and by round. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jcprof::annotator {

/// Neighbouring rounds; from 1, those counted on which the numbers rest.
struct RoundGroup {
  std::size_t first = 0;
  std::size_t last = 0;
  double least = 0;
  double median = 0;
  double most = 0;
};

struct Outlier {
  std::size_t round = 0;
  double value = 0;
};

struct Distribution {
  static constexpr std::size_t bin_count = 40;
  static constexpr std::size_t most_outliers = 50;
  static constexpr std::size_t most_groups = 60;

  std::size_t count = 0;  // of rounds in which the cost is known
  double from = 0;        // of the first bin, and where the last one ends
  double to = 0;
  std::array<std::uint32_t, bin_count> bins{};
  std::vector<Outlier> outliers;   // the farthest, by round; in no bin
  std::size_t more = 0;            // outliers that are not listed
  std::vector<RoundGroup> groups;  // those in which anything is known
};

/// `rounds`: by round, or engine::missing. Outliers lie more than three interquartile ranges outside the
/// quartiles (Tukey 1977, "far out"). Nothing where all that is known is one value.
std::optional<Distribution> distribution(std::span<const double> rounds);

}  // namespace jcprof::annotator
