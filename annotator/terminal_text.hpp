// SPDX-License-Identifier: Apache-2.0
// Text of others on a terminal: made harmless, measured and cut in columns, never inside of a character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof::annotator {

/// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// One line: what is not plain (src/core/text.hpp) becomes "?"; tabs become blanks up to the next multiple
/// of 4.
std::string terminal_line(std::string_view line);

/// Columns that UTF-8 text takes: two for the wide characters of East Asia and emoji, none for marks that
/// combine with what stands before (Unicode 15, the large ranges of EastAsianWidth and general category Mn).
std::size_t columns_of(std::string_view text);

/// The beginning of `text`, with "…" in place of what goes beyond `width`.
std::string cut_to(const std::string& text, std::size_t width);

/// The end of `text`, with "…" in place of what stands before it.
std::string end_of(const std::string& text, std::size_t width);

}  // namespace jcprof::annotator
