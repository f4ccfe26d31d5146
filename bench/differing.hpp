// SPDX-License-Identifier: Apache-2.0
// The readings of a trial as a profile of a program: do its exports and tables agree, and its parts add up?
#pragma once

#include "tests/support/trial.hpp"

namespace jcprof::bench {

/// False in all but a mistake of ours; then it is said where.
bool differs(const test::Trial& trial);
/// Its profile says that a line, or the command, takes another time typically and on average.
bool says_average(const test::Trial& trial);

}  // namespace jcprof::bench
