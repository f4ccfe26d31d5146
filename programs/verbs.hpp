// SPDX-License-Identifier: Apache-2.0
// The verbs that `jcprof` does itself. Each adds its options to a subcommand and returns what to run.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "src/core/error.hpp"

namespace jcprof::cli {

using Work = std::function<ExitCode()>;

Work profile_verb(CLI::App& verb);
Work doctor_verb(CLI::App& verb);
Work export_verb(CLI::App& verb);
Work init_verb(CLI::App& verb);
Work layers_verb(CLI::App& verb);
Work query_verb(CLI::App& verb);
Work strip_verb(CLI::App& verb);

}  // namespace jcprof::cli
