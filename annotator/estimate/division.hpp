// SPDX-License-Identifier: Apache-2.0
// Divides the cost of a stretch among its blocks. Where passes of a loop were sampled, the stretch between
// two of them is known well as a whole. The cost of an edge (trap to next trap) comes from all stretches that
// hold it (engine/edge_costs). Where a stretch holds an edge that was never measured alone, its blocks are
// known from blocks like them that were, often badly: then the bounds of weights say how badly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "annotator/estimate/attribution.hpp"
#include "annotator/estimate/stretches.hpp"
#include "src/core/types.hpp"
#include "src/engine/edge_costs.hpp"

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
  /// The bounds that weights have. More rounds take the noise away, but not the differences between passes.
  enum class Doubt : std::uint8_t { whole, of_noise };

  /// Times of `stretches` become those of the regression, where there is one.
  Division(Stretches& stretches, const std::vector<Event>& path, const Attribution& attribution,
           Doubt doubt = Doubt::whole);

  /// The weight of the blocks [begin, end), which lie within one stretch.
  Weight weight(std::size_t begin, std::size_t end) const { return before_[end] - before_[begin]; }
  const engine::EdgeCosts& edge_costs() const { return costs_; }
  /// The block's edge, by its number in edge_costs(). The block's stretch must be part of the regression.
  std::uint32_t edge(std::size_t block) const { return edges_[block]; }

 private:
  void weigh(const Stretches& stretches, std::size_t index, std::span<const EdgeKey> keys,
             const std::map<EdgeKey, Interval>& typical, Doubt doubt);

  std::vector<std::uint32_t> edges_;  // by block
  engine::EdgeCosts costs_;
  std::vector<Weight> before_;  // of all blocks before each position
};

}  // namespace jcprof::annotator
