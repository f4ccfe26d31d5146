// SPDX-License-Identifier: Apache-2.0
// The frame round the work of every program of ours: it prints a UserError once and gives the exit code.
// Knows no verb and no option.
#pragma once

#include <cstdint>
#include <functional>

#include "src/core/error.hpp"

namespace jcprof::cli {

enum class ErrorForm : std::uint8_t { text, json };

/// Runs `work` and turns errors into exit codes, and into messages on standard error: text, or one JSON
/// object {"faults", "code"}. As text, a UserError without faults is silent: another program has said why.
int guarded(const std::function<ExitCode()>& work, ErrorForm form = ErrorForm::text);

}  // namespace jcprof::cli
