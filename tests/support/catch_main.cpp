// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <cstdlib>

namespace {

// The projects of tests may run what they name; tests of permission take it back.
[[maybe_unused]] const int allowed = ::setenv("JCPROF_YES", "1", 1);

}  // namespace
