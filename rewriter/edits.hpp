// SPDX-License-Identifier: Apache-2.0
// Insertions into source text, each delimited by /*[j*/ and /*j]*/ so that taking them out again gives the
// original bytes. Pure text: knows no language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewriter/plan.hpp"
#include "rewriter/source_model.hpp"
#include "src/core/error.hpp"

namespace jcprof::rewriter {

inline constexpr std::string_view span_begin = "/*[j*/";
inline constexpr std::string_view span_end = "/*j]*/";

/// A slot that the plan wants, with its text.
struct Insertion {
  std::size_t at = 0;  // in the original text
  std::string text;
  std::optional<std::uint32_t> site;  // the chosen one that wants it; none: it is always there
  std::size_t rewritten_at = 0;       // where `text` begins in what apply_edits() makes of all
};

/// A source with its traps. `model` must outlive it.
struct RewrittenSource {
  const SourceModel* model = nullptr;
  std::vector<Insertion> insertions;  // in the order of the text
  std::string text;
};

/// `values` of the slots' placeholders, but for `{name}` and `{id}`, which are the trap's.
RewrittenSource rewritten_source(const SourceModel& model, const FilePlan& plan, Placeholders values);

/// `text` goes in front of byte `offset` of the ORIGINAL text.
struct Edit {
  std::size_t offset = 0;
  std::string text;
  bool operator==(const Edit&) const = default;
};

/// A check fails for edits that are not ascending, meet at one offset, or lie outside the text.
std::string apply_edits(std::string_view text, const std::vector<Edit>& edits);

bool carries_traps(std::string_view text);
/// The fault of a source that carries_traps().
Fault traps_already(const std::string& file, std::string_view text);

/// A file of the runtime begins with this, behind the sign of a comment.
inline constexpr std::string_view generated_mark = "Written by jcprof-gen";
bool is_runtime_source(std::string_view text);

/// The text without what apply_edits() inserted. Throws UserError naming `file` where an insertion has no
/// end.
std::string strip(const std::string& file, std::string_view text);

}  // namespace jcprof::rewriter
