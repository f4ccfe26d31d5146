// SPDX-License-Identifier: Apache-2.0
// Writes the answers of an agent to standard output.
#pragma once

#include <string>
#include <string_view>

namespace jcprof::agents {

/// A line, at once. Who does not listen any more has gone: there is nobody left to tell, and the process
/// ends.
void say(const std::string& line);

/// True where the command line asks for --help or --version: it has printed that.
bool is_about_program(int argc, char** argv, std::string_view help);

}  // namespace jcprof::agents
