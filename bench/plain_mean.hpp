// SPDX-License-Identifier: Apache-2.0
// The closest tool's estimate of a block (JCProfilerNext), which the benchmarks compare with.
#pragma once

#include <cstdint>
#include <span>

namespace jcprof::bench {

inline constexpr std::uint32_t rounds_of_fixed_1000 = 1000;

/// Values beyond 3 standard deviations are cut once, the rest is averaged.
double plain_mean(std::span<const double> values);

}  // namespace jcprof::bench
