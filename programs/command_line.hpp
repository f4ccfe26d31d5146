// SPDX-License-Identifier: Apache-2.0
// The command lines of jcprof and jcprof-gen, word by word. It runs nothing.
#pragma once

#include "programs/options.hpp"

namespace jcprof::cli {

/// "jcprof run WORD…" and "jcprof-run WORD…" are the same. Answers --help, --version and mistakes itself.
/// UserError for an unknown verb.
Request parse_command_line(int argc, char** argv);

}  // namespace jcprof::cli
