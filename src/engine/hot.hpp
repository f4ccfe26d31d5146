// SPDX-License-Identifier: Apache-2.0
// "This block takes at least so much": decisions that may be looked at after every round. Pure.
#pragma once

#include <span>

#include "src/core/types.hpp"

namespace jcprof::engine {

/// Whether the median of `values` is above `threshold`, at error probability `alpha` however often it is
/// asked while values are added: a sign test whose likelihood ratio is mixed over Beta(8, 8), which is a
/// martingale, so that Ville's inequality holds (Darling & Robbins 1967; Howard & Ramdas 2022). Values that
/// equal the threshold say nothing.
Hot is_above(std::span<const double> values, double threshold, double alpha);

}  // namespace jcprof::engine
