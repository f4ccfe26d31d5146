// SPDX-License-Identifier: Apache-2.0
// Who takes each step of an exact program (exact_program/), without jcprof: the program is compiled as it was
// written and says at each step which calls are under way. Only the unwinder and debug information are asked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/end_to_end/workplace.hpp"

namespace jcprof::test {

/// Steps of a function.
struct StepCost {
  long own = 0;
  long with_calls = 0;
};

struct TrueCosts {
  long total = 0;
  std::map<int, StepCost> functions;  // by the line on which each begins
  std::map<int, long> lines;          // by the line in the innermost function
  std::set<int> unseen;               // functions that steps pass through and that have no traps
};

/// A step, and where the calls under way return to, innermost first.
struct TracedStep {
  int steps = 0;
  std::vector<std::uint64_t> returns;
};

/// A call under way: the function's first line, and the line that it is at; 0: another file's.
struct UnderWay {
  int function = 0;
  int line = 0;
};

/// A program compiled as it was written.
class TracedProgram {
 public:
  TracedProgram(const Workplace& place, const std::filesystem::path& project, std::string source,
                const std::string& standard);

  /// Of one group of functions. Steps of a function that begins in none of the lines `seen` are its caller's.
  /// The lines `values` are functions of their own: they give members their values, in calls of others.
  TrueCosts costs(int group, const std::set<int>& seen, const std::set<int>& values) const;

 private:
  std::string said_by(const std::vector<std::string>& argv) const;
  std::vector<TracedStep> trace(int group) const;
  std::map<std::uint64_t, int> lines_at(const std::set<std::uint64_t>& addresses) const;
  static std::vector<UnderWay> split(const UnderWay& call, const std::set<int>& values);
  std::map<std::uint64_t, UnderWay> calls_of(const std::vector<TracedStep>& steps) const;

  const Workplace& place_;
  std::filesystem::path project_;
  std::string source_;
};

}  // namespace jcprof::test
