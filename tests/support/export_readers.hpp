// SPDX-License-Identifier: Apache-2.0
// Reads what profiles are exported as. It shares no code with what writes them, and knows the formats only as
// other programs do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace jcprof::test {

/// A function, or a line of one. Folded stacks name files without folders, and have blanks and semicolons
/// replaced in some names: `name` and `place` are as all formats can have them.
struct Frame {
  std::string name;
  std::string file;        // empty: unknown, or not told with its folder
  std::string place = {};  // "A.java:12"; empty: unknown
  auto operator<=>(const Frame&) const = default;
};

/// Calls under way, innermost last, and what the last one costs by itself in one line.
struct Stack {
  std::vector<Frame> calls;
  Frame line;  // of the last call; without a name: the format has none
  double cost = 0;
};

/// Whole ticks by name of a function and place of the line.
using WholeTicks = std::map<std::pair<std::string, std::string>, std::int64_t>;

struct Callgrind {
  WholeTicks own;
  WholeTicks called;  // by name and place of the callee: what calls of it add to their callers
  std::int64_t summary = 0;
  std::int64_t totals = 0;
};

std::vector<Stack> stacks_in_folded(const std::string& text);
std::vector<Stack> stacks_in_speedscope(const std::string& text);
Callgrind read_callgrind(const std::string& text);
WholeTicks own_costs_in_pprof(const std::string& gzip);

/// RFC 4180, without the header.
std::vector<std::vector<std::string>> rows_in_csv(const std::string& text);
/// Cells of a table on a terminal, without its titles and without empty cells.
std::vector<std::vector<std::string>> rows_in_table(const std::string& text);

/// A name as all formats can have it.
std::string common_name(std::string name);
/// "A.java:12" of "src/A.java" and 12; empty without a file.
std::string common_place(const std::string& file, std::int64_t line);

}  // namespace jcprof::test
