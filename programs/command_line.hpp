// SPDX-License-Identifier: Apache-2.0
// The command lines of jcprof and jcprof-gen, word by word. It runs nothing.
#pragma once

#include "programs/main_guard.hpp"
#include "programs/options.hpp"

namespace jcprof::cli {

/// "jcprof run WORD…" and "jcprof-run WORD…" are the same. Answers --help and --version itself. UserError for
/// mistakes.
Request parse_command_line(int argc, char** argv);

/// JSON if --json stands in front of "--". The command line may have mistakes: this is the form to tell them
/// in.
ErrorForm error_form(int argc, char** argv);

}  // namespace jcprof::cli
