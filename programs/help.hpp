// SPDX-License-Identifier: Apache-2.0
// How a command line explains itself: --help in 80 columns, and mistakes with the nearest known word.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "src/core/error.hpp"

namespace jcprof::cli {

/// `examples`: lines, indented by two blanks. They come last.
void set_up_help(CLI::App& app, const std::string& examples);

/// With the nearest option of `app`, or where the options are listed.
Fault unknown_option(const CLI::App& app, const std::string& word);

/// An unknown option is named first: it is often the cause of what CLI11 says.
Fault fault_of(const CLI::App& app, const CLI::ParseError& error);

}  // namespace jcprof::cli
