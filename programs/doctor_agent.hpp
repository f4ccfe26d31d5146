// SPDX-License-Identifier: Apache-2.0
// jcprof doctor --agent: tries an agent, and says what it does not do as docs/agent-protocol.md has it.
#pragma once

#include <string>

#include "programs/main_guard.hpp"

namespace jcprof::cli {

/// `options.project` may be empty: then the agent is told of a project without trigger and inputs. done when
/// every check passed or could not be made, else check_failed.
ExitCode doctor_agent(const CommonOptions& options, const std::string& command);

}  // namespace jcprof::cli
