// SPDX-License-Identifier: Apache-2.0
// The machine of scripts/optee-vm, for tests: made when it is not there yet.
#pragma once

#include <optional>
#include <string>

#include "tests/end_to_end/workplace.hpp"

/// Ends a test case where the machine's tools or packages cannot be had, with the reason; ctest calls it
/// skipped.
#define JCPROF_NEEDS_OPTEE_MACHINE(place)                            \
  if (const auto obstacle = ::jcprof::test::optee_obstacle(place)) { \
    WARN("SKIPPED: " << *obstacle);                                  \
    return;                                                          \
  }

namespace jcprof::test {

/// scripts/optee-vm of these sources.
std::string optee_vm();

std::optional<std::string> optee_obstacle(const Workplace& place);

/// tests/optee/echo.c, built for the machine.
std::string echo_program(const Workplace& place);

/// A cache like the real one, but that one file of a part holds something else.
std::string cache_with(const Workplace& place, const std::string& part, const std::string& file,
                       const std::string& content);

}  // namespace jcprof::test
