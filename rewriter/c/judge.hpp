// SPDX-License-Identifier: Apache-2.0
// Compares what compilers say of the rewritten text and of the original, and names the traps to be blamed for
// the difference. Starts no compiler.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rewriter/c/compile.hpp"
#include "rewriter/edits.hpp"
#include "rewriter/language.hpp"

namespace jcprof::rewriter {

/// A diagnostic as it can be told again in another run: by path within the project, and message.
struct Complaint {
  Severity severity = Severity::warning;
  std::string message;
  std::vector<CompileError> places;  // in sources of the project; empty: none is
  std::string path;                  // of the first place of all
  std::size_t line = 0;
};

/// `root`: the folder that paths are made relative to.
std::vector<Complaint> complaints_of(const UnitAnswer& answer, const std::filesystem::path& root);

/// "x.c:3", or the path alone where the compiler names no line.
std::string place_of(const Complaint& complaint);

/// A message that there was before counts as often as it came more often now, those on other lines than
/// before first.
std::vector<Complaint> fresh_ones(std::vector<Complaint> now, const std::vector<Complaint>& before);

/// How often something was blamed on a wider circle of traps, by place and message.
using BlamedSteps = std::map<std::string, std::size_t>;

/// One turn of checking: the complaints of all units, blamed on traps.
class Judge {
 public:
  /// Both must outlive it.
  Judge(const Instrumentation& work, BlamedSteps& blamed_before);

  /// False where no trap is left that it could be about.
  bool blame(const Complaint& complaint, const std::string& main_file);

  /// A trap stands at one of its places.
  bool is_at_trap(const Complaint& complaint);

  std::vector<Refusal> take() { return std::move(refused_); }

 private:
  using Suspects = std::pair<std::size_t, std::vector<std::uint32_t>>;  // file, sites

  Suspects suspects(const CompileError* place, const std::string& main_file, std::size_t step);
  Suspects behind_label(const CompileError& label);
  const CompileError* pinned(const Complaint& complaint);
  bool is_at_trap(const CompileError& place);
  const RewrittenSource* rewritten(const std::string& path);

  const Instrumentation& work_;
  BlamedSteps& blamed_before_;
  BlamedSteps this_turn_;  // the step to begin with
  std::map<std::string, std::size_t> files_;
  std::map<std::size_t, RewrittenSource> rewritten_;
  std::vector<Refusal> refused_;
};

/// UserError where no trap brings the complaint, and the entry's wrapper is in the file or the unit.
void blame_wrapper(const Complaint& complaint, const std::string& main_file, const Instrumentation& work);

}  // namespace jcprof::rewriter
