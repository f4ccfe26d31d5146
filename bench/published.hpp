// SPDX-License-Identifier: Apache-2.0
// The published numbers of a trial: the fitted costs of blocks and their means, and sums of them by line and
// function.
#pragma once

#include "tests/support/trial.hpp"

namespace jcprof::bench {

struct Published {
  test::Tally blocks;
  test::Tally lines;      // two blocks each, far apart
  test::Tally functions;  // two blocks of each ten

  void add(const Published& other);
};
Published published(const test::Trial& trial, const engine::Precision& precision);
/// The means over all rounds.
Published published_means(const test::Trial& trial, const engine::Precision& precision);

}  // namespace jcprof::bench
