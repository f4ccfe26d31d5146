// SPDX-License-Identifier: Apache-2.0
// Names that people type (globs, and the nearest of some known names), and the encoding they come in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jcprof {

/// `*` any run without '/', `**` any run, `?` one character, `[a-f]` a set; everything else itself.
bool glob_matches(std::string_view pattern, std::string_view text);

/// The candidate nearest to `word` by edit distance (Levenshtein 1966), empty if none is close enough to
/// help.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// `did you mean "x"?`, or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Length of the UTF-8 sequence at the head of `text`; 0 when it is none (Unicode 15, table 3-7, but for
/// surrogates and overlong forms of three and four bytes, which nlohmann refuses where they matter).
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace jcprof
