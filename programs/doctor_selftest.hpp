// SPDX-License-Identifier: Apache-2.0
// jcprof doctor --selftest: loops of known ratios, measured on the project's own target, and how far off the
// numbers are, as text.
#pragma once

#include <string>

#include "harness/selftest.hpp"

namespace jcprof::cli {

std::string render(const harness::Selftest& test);
std::string to_json(const harness::Selftest& test);

}  // namespace jcprof::cli
