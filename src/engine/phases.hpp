// SPDX-License-Identifier: Apache-2.0
// Times as phases of a period, and how surely they agree. Pure.
#pragma once

#include <complex>

namespace jcprof::engine {

/// A phase, or a sum of them.
using Direction = std::complex<double>;

Direction phase_of(double time, double period);

/// -log of the chance that one phase in place of many has that mean cosine: exp(-n evidence) bounds that of n
/// phases (Chernoff 1952). Below 5.
double evidence(double mean_cosine);

}  // namespace jcprof::engine
