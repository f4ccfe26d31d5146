// SPDX-License-Identifier: Apache-2.0
// The command behind `agent:`, taken apart as a shell would take apart the simplest of its lines. Runs
// nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/core/project.hpp"

namespace jcprof::harness {

/// Split at blanks; '…', "…" and \ quote. Placeholders are filled in afterwards, so what they stand for may
/// hold blanks. UserError for a quote that is not closed, or no command at all.
std::vector<std::string> agent_argv(std::string_view text, const Placeholders& values);

}  // namespace jcprof::harness
