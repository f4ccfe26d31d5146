// SPDX-License-Identifier: Apache-2.0
// jcprof doctor --selftest: loops of known ratios, measured on the project's own target, and how far off the
// numbers are.
#pragma once

#include <string>

#include "harness/selftest.hpp"
#include "programs/main_guard.hpp"

namespace jcprof::cli {

std::string render(const harness::Selftest& test);
std::string to_json(const harness::Selftest& test);

/// `transport` as jcprof run takes it. check_failed where a ratio is off.
ExitCode doctor_selftest(const CommonOptions& options, const std::string& transport);

}  // namespace jcprof::cli
