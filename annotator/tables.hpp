// SPDX-License-Identifier: Apache-2.0
// The profile on a terminal: what it was measured on, the hottest lines, functions and loops, warnings.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "annotator/estimate/estimates.hpp"
#include "annotator/text_table.hpp"
#include "src/core/text.hpp"

namespace jcprof::annotator {

/// "40.2 ms", "±0.3" and "31.4 %"; of what is not resolved "< 271 µs", nothing, and "< 0.62 %"; "unreliable".
struct CostCells {
  std::string value;
  std::string half_width;
  std::string share;
  /// "40.2 ms ±0.3"
  std::string with_half_width() const { return half_width.empty() ? value : value + " " + half_width; }
};
/// Instead of a value that is not known: "not measured (6 rounds)", or "unreliable".
std::string no_value(const Estimate& estimate);
CostCells cost_cells(const Estimate& estimate, ClockUnit unit);

/// The lines, hottest first. Hooks know none: then each function in the line where it begins.
std::vector<LineEstimate> all_lines(const Profile& profile);

/// "typical": it is no mean over all runs. Of a recording, which is one run, "time", or "cost" of
/// instructions.
std::string cost_name(const Profile& profile);
/// "typical own", "own time"; the same of "loop".
std::string cost_name(const Profile& profile, std::string_view of);

/// "A::put" of "A::put(int, std::function<void (int)>) const": parameters push what tells functions apart out
/// of the column.
std::string without_parameters(const std::string& name);

/// `pattern` names the function, with or without its parameters. Only `*` is special: it stands for any
/// characters.
bool name_matches(const std::string& pattern, const std::string& function);
/// "×3"; empty where the profile of another tool does not tell it.
std::string times_text(std::uint64_t times);
/// The device in words, plain.
std::string device_text(const RunInfo& run);
/// "126 rounds, 12774 shots"
std::string extent(const Profile& profile);
/// "total 2.8 ms ±0.4, of it …"
std::string total_text(const Profile& profile);
/// The meaning of intervals in a recording of several commands.
inline constexpr std::string_view recorded_interval =
    "how far another recording of as many commands would be from this one, 95 times in 100";

/// And in one of a single run.
inline constexpr std::string_view single_interval =
    "not known: one run does not tell how far another would be from it";

/// And where own cost hides its total.
inline constexpr std::string_view own_cost_interval =
    "what the cost of recording leaves open; one run does not tell how far another would be from it";

/// A name from a profile as the place where it is shown has to have it.
using ShownName = std::function<std::string(const std::string& name)>;

/// "hottest line: A.java:97 (over 99 % sure)", and the same of functions, each a line; of one line nothing.
std::string hottest_text(
    const Profile& profile,
    const ShownName& shown = [](const std::string& name) { return plain_line(name); });
/// The meaning of the intervals.
std::string interval_text(const Profile& profile);

std::string header(const Profile& profile, const TableStyle& style = {});
std::string line_table(const Profile& profile, const TableStyle& style = {});
std::string function_table(const Profile& profile, const TableStyle& style = {});
std::string loop_table(const Profile& profile, const TableStyle& style = {});
std::string warning_list(const Profile& profile, const TableStyle& style = {});

/// All of them, with empty lines between them.
std::string tables(const Profile& profile, const TableStyle& style = {});

}  // namespace jcprof::annotator
