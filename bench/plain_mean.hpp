// SPDX-License-Identifier: Apache-2.0
// The closest tool's estimate of a block (JCProfilerNext), which the benchmarks compare with.
#pragma once

#include <span>

namespace jcprof::bench {

/// Values beyond 3 standard deviations are cut once, the rest is averaged.
double plain_mean(std::span<const double> values);

}  // namespace jcprof::bench
