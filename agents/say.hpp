// SPDX-License-Identifier: Apache-2.0
// Answers to standard output.
#pragma once

#include <string>

namespace jcprof::agents {

/// A line, at once. Who does not listen any more has gone: there is nobody left to tell, and the process
/// ends.
void say(const std::string& line);

}  // namespace jcprof::agents
