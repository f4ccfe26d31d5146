// SPDX-License-Identifier: Apache-2.0
// Tells if standard output or standard error is a terminal, and which colours and characters it shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "programs/options.hpp"

namespace jcprof::cli {

/// By their descriptors.
enum class Stream : std::uint8_t { out = 1, err = 2 };

bool is_terminal(Stream stream);

/// A terminal that overwrites a line: one with another TERM than "dumb".
bool rewrites_lines(Stream stream);

/// Its columns, if it is a terminal that knows.
std::optional<std::size_t> width_of(Stream stream);

/// Automatically: where it rewrites lines, unless NO_COLOR is set and not empty (no-color.org).
bool is_coloured(Stream stream, ColourWish wish);

/// The signs of our texts (±, µ, ×, bars) in ASCII. A blank makes room for "+-" where there are two.
std::string in_ascii(std::string_view text);

/// `text`; in ASCII if `stream` is a terminal whose locale (LC_ALL, LC_CTYPE, LANG) is not UTF-8.
std::string shown_on(Stream stream, std::string_view text);

}  // namespace jcprof::cli
