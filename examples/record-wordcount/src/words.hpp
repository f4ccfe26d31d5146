// SPDX-License-Identifier: Apache-2.0
// Files and the words in them.
#pragma once

#include <string>

#include "table.hpp"

/// All of it; "-" is standard input. Throws std::runtime_error when it cannot be read.
std::string read_text(const std::string& file);

/// Counts each run of letters, in lower case.
void count_words(const std::string& text, Table& table);
