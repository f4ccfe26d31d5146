// SPDX-License-Identifier: Apache-2.0
// The frame round the work of every program of ours: it prints a UserError once and gives the exit code.
// Knows no verb and no option.
#pragma once

#include <functional>

#include "src/core/error.hpp"

namespace jcprof::cli {

/// Runs `work` and turns errors into messages and exit codes. A UserError without faults has been told by
/// another program of ours.
int guarded(const std::function<ExitCode()>& work);

}  // namespace jcprof::cli
