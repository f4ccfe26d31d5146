// SPDX-License-Identifier: Apache-2.0
// The cost of one pass of each edge (trap to next trap), where stretches between stops hold several passes.
// Generalised least squares regress all stretches on how often each holds each edge. The noise at a stop is
// in both stretches that it ends. The variance between passes and an excess of noise come from the data
// (restricted likelihood, Patterson & Thompson 1971). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/engine/fit.hpp"

namespace jcprof::engine {

struct EdgeCount {
  std::uint32_t edge = 0;
  std::uint32_t times = 0;
};
using EdgeCounts = std::vector<EdgeCount>;
void add_pass(EdgeCounts& counts, std::uint32_t edge);

/// Some blocks of a stretch: this part of its time.
struct StretchPart {
  std::size_t stretch = 0;
  double share = 1;
  EdgeCounts edges = {};  // of the blocks; of a stretch that is no part of the regression nothing
};

/// The regression takes time with stretches times edges. Nobody would wait for more than this.
inline constexpr std::size_t most_cells = 300'000;

class EdgeRegression;

class EdgeCosts {
 public:
  /// `held`: the edges that each block of the fit holds; none: it is no part of the regression. Each edge is
  /// to be held alone by a block at least. Takes out of `fit` what this tells of the noise at its stops.
  EdgeCosts(Fit& fit, std::vector<EdgeCounts> held);
  EdgeCosts() = default;

  bool are_regressed() const { return regression_ != nullptr; }
  bool holds(std::size_t stretch) const { return !held_.empty() && !held_[stretch].empty(); }
  EdgeCounts held(std::size_t stretch) const { return held_.empty() ? EdgeCounts{} : held_[stretch]; }
  /// The cost of one pass, in ticks; never below 0.
  double cost(std::uint32_t edge) const { return costs_[edge]; }
  /// The standard deviation between passes of an edge, as a part of its cost.
  double spread() const;

  /// The doubt of a sum, beside the noise of its stretches.
  struct Doubt {
    std::vector<double> of_units;  // by what each unit sways the costs by which stretches are shared out
    double half_width = 0;         // 95 %, of passes that differ
    double changed = 0;            // by what these costs changed during the run, as in Swayed
    std::vector<double> factors;   // by stretch: what the sum moves by, when the time between its stops does
    double equal_rounds = 0;       // as in Swayed
  };
  /// At most one part of each stretch. Nothing where there is no regression.
  Doubt doubt_of(std::span<const StretchPart> parts) const;
  /// Adds the doubt that noise leaves to a sum of the fit's.
  static void add(const Doubt& doubt, Swayed& sum);

 private:
  std::vector<EdgeCounts> held_;
  std::vector<double> costs_;  // by edge
  std::shared_ptr<const EdgeRegression> regression_;
};

}  // namespace jcprof::engine
