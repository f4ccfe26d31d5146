// SPDX-License-Identifier: Apache-2.0
// The command lines of jcprof and jcprof-gen, word by word. It runs nothing.
#pragma once

#include "programs/options.hpp"

namespace jcprof::cli {

/// "jcprof run WORD…" and "jcprof-run WORD…" are the same. Answers --help and --version itself. UserError for
/// mistakes.
Request parse_command_line(int argc, char** argv);

/// Whether --json stands in front of "--". Mistakes are JSON then too, so it is known before they are found.
bool asks_for_json(int argc, char** argv);

}  // namespace jcprof::cli
