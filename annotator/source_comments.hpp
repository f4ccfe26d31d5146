// SPDX-License-Identifier: Apache-2.0
// The costs of lines, written behind them as comments. Text in, text out: no line is added, what is not one
// of our comments stays byte for byte, and annotating an annotated text replaces what was written before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

struct LineComment {
  std::size_t line = 0;  // from 1
  std::string text;      // with its "//"
};

/// Undated comments of two runs on one device differ only in their figures.
enum class Dating : std::uint8_t { dated, undated };

/// The comments for the lines of `path`, in the order of the lines. In a recorded run also for lines on which
/// functions begin: their times with what they call, unless the line has one of its own.
std::vector<LineComment> comments_for(const Profile& profile, std::string_view path,
                                      Dating dating = Dating::dated);

/// `(gd60, 2017-07-25 21:10 UTC)`: device, then the start of the run; undated `(gd60, jcprof)`.
std::string signature_of(const RunInfo& run, Dating dating = Dating::dated);

struct SkippedLine {
  std::size_t line = 0;
  std::string reason;
};

struct AnnotatedText {
  std::string text;
  std::vector<SkippedLine> skipped;  // lines that can take no comment; a note behind line 1 names them too
};

/// `language` as in the trap map: it says what a literal over several lines looks like.
AnnotatedText annotate_text(std::string_view text, std::string_view language,
                            const std::vector<LineComment>& comments);

/// The text without any comment of ours.
std::string without_comments(std::string_view text);

}  // namespace jcprof::annotator
