// SPDX-License-Identifier: Apache-2.0
// A profile on a terminal, looked at a piece at a time: the whole of it, a source, a line. Pure: a profile
// and the text of a source in, text out. The page with all of it is the report's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/estimate/estimates.hpp"
#include "annotator/text_table.hpp"

namespace jcprof::annotator {

/// "FILE:LINE" as somebody types it.
struct ShownPlace {
  std::string file;
  std::size_t line = 0;  // 0: the file as a whole
};
ShownPlace shown_place(const std::string& wish);

/// The path in the profile that `file` means: it, an end of it, or it behind other folders. UserError with
/// what may have been meant when that is none, or several.
std::string path_meant(const Profile& profile, const std::string& file);

/// The hottest lines and functions, the call tree, warnings.
std::string show_profile(const Profile& profile, const TableStyle& style);

/// Calls that take at least 1 % of the tree, the rest of each call counted below it.
std::string call_tree(const Profile& profile, const TableStyle& style);

enum class ShownParts : std::uint8_t {
  hot_parts,  // with three lines around what is hot
  whole       // lines too, however long
};

/// A source, `text`, with what its lines cost at the left.
std::string show_source(const Profile& profile, const std::string& path, std::string_view text,
                        ShownParts shown, const TableStyle& style);

/// A line with its rounds, callers and callees; `text` is it, or empty. UserError when nothing was measured
/// there.
std::string show_line(const Profile& profile, const ShownPlace& place, std::string_view text,
                      const TableStyle& style);

/// The same as `{"format": "jcprof-line", "version": 1, …}` (docs/formats.md).
std::string line_json(const Profile& profile, const ShownPlace& place);

/// The profile without all other sources, for `to_json`.
Profile only_of(Profile profile, const std::string& path);

}  // namespace jcprof::annotator
