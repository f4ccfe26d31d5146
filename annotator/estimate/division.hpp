// SPDX-License-Identifier: Apache-2.0
// Divides the cost of a stretch among its blocks. Where hits of a loop were sampled, the stretch between two
// of them is known well as a whole. Its blocks are known from blocks like them that were measured alone,
// often badly. The division says how badly, so that an interval for a line stays a true one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/stretches.hpp"
#include "src/core/types.hpp"

namespace jcprof::annotator {

/// The cost of some blocks as blocks like them have it: sums of value and bounds.
struct Weight {
  std::size_t blocks = 0;
  double value = 0;
  double low = 0;
  double high = 0;

  Weight& operator+=(const Weight& other);
};
Weight operator-(const Weight& a, const Weight& b);

/// A part of a whole: between 0 and 1, low <= value <= high.
struct Fraction {
  double value = 0;
  double low = 0;
  double high = 0;
};
/// The bounds take the worst case on both sides: this part dear and the others cheap, and the reverse.
Fraction fraction(const Weight& part, const Weight& whole);

/// Two blocks are alike where the traps at their ends and the line that they belong to are the same.
using EdgeKey = std::tuple<TrapId, TrapId, std::uint32_t>;
EdgeKey edge_of(const std::vector<Event>& path, const Attribution& attribution, std::size_t block);

class Division {
 public:
  /// Which bounds weights have. More rounds take the noise away, but not that hits differ.
  enum class Doubt : std::uint8_t { whole, of_noise };

  Division(const Stretches& stretches, const std::vector<Event>& path, const Attribution& attribution,
           Doubt doubt = Doubt::whole);

  /// The weight of the blocks [begin, end), which lie within one stretch.
  Weight weight(std::size_t begin, std::size_t end) const { return before_[end] - before_[begin]; }

 private:
  std::vector<Weight> before_;  // of all blocks before each position
};

}  // namespace jcprof::annotator
