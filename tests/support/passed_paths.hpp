// SPDX-License-Identifier: Apache-2.0
// Paths as programs take them, without a program: of examples/javacard-bignum, and of programs made up at
// random.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/path_model.hpp"
#include "src/core/types.hpp"

namespace jcprof::test {

struct PassedPath {
  std::vector<TrapId> traps;
  std::vector<harness::TrapRole> roles;  // by number of trap, from 1 on
};

/// At block level, numbered as jcprof-gen does.
PassedPath bignum_path();

/// Nested loops with constant, growing, shrinking and random numbers of passes; branches by chance, by a
/// pattern and of equal length; calls from several places, recursion, exceptions. At most `most` events.
PassedPath random_path(std::uint64_t seed, std::size_t most);

}  // namespace jcprof::test
