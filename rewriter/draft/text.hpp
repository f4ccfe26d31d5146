// SPDX-License-Identifier: Apache-2.0
// Parts of the project file that `jcprof init` writes, whatever the target: lists, steps, its beginning and
// its end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jcprof::rewriter::draft {

using Strings = std::vector<std::string>;

/// A list on one line, or broken before 120 columns; it begins in column `indent`.
std::string list(const Strings& strings, std::size_t indent);
std::string list(std::string_view key, const Strings& strings);

/// Doubles each brace, so that a string with placeholders takes it for text.
std::string verbatim(std::string_view text);

/// `more` is further keys of the step.
std::string step(const Strings& argv, std::string_view more = "");
std::string steps(std::string_view key, const Strings& all);

/// More of a step that may take long.
inline constexpr std::string_view patient = ", \"timeout_s\": 1800";

/// A comment that names some of those that were not taken; empty where there are none.
std::string further(const Strings& others, std::string_view what);

/// "exclude_from_tree"
std::string not_copied(const Strings& built);

std::string lower(std::string text);

/// Begins the file.
std::string head(const std::string& name, std::string_view target);

inline constexpr std::string_view scope =
    "  // Where traps stand: globs over functions and files; at each statement, or coarser: \"block\", "
    "\"function\".\n"
    "  \"profile\": {\"include\": [\"*\"], \"exclude\": [], \"level\": \"statement\"},\n";

/// The file has this in "measure". jcprof init makes it more for a command that needs more.
inline constexpr std::string_view drafted_time = R"("max_time": "1m")";

/// Ends the file.
std::string tail(std::string_view why, std::string_view time = drafted_time);

}  // namespace jcprof::rewriter::draft
