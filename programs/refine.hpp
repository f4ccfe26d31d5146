// SPDX-License-Identifier: Apache-2.0
// The scope of a second build: traps only where a first run found the command hot. Pure: it takes the
// findings of the first run and returns a narrower scope with the reason. It generates, builds and measures
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "annotator/estimate/estimates.hpp"
#include "annotator/record/recording.hpp"
#include "programs/options.hpp"
#include "src/core/project.hpp"

namespace jcprof::cli {

/// The scope of the first run: the one that was asked for, or functions only, because the traps of that scope
/// were too large to be built.
enum class FirstScope : std::uint8_t { as_asked, functions_only };

struct FirstRun {
  const annotator::Profile& profile;
  const TrapMap& map;
  const ProfileScope& asked;
  FirstScope scope = FirstScope::as_asked;
};

struct LeftOut {
  std::string function;
  double share = 0;
  bool operator==(const LeftOut&) const = default;
};

struct Refinement {
  ProfileScope scope;
  std::vector<std::string> kept;     // functions that keep their traps, by name
  std::vector<LeftOut> left_out;     // dearest first
  std::vector<std::string> unknown;  // left out without having been passed, by name
  double passes = 0;                 // part of all passes of traps that goes with them
  double hot = 0;                    // what none of those left out takes
};

/// Nothing where a second build is not wished for, not needed, or would leave nothing out. Left out are the
/// functions that take less than RunInfo::hot by the upper end of their interval; never an entry.
std::optional<Refinement> refinement(const FirstRun& first, RefineWish wish);

/// All recording together takes more processor time than the command, or many events are lost.
bool is_hidden_by_recording(const annotator::RecordedRun& recorded);

/// Functions whose calls are shorter than an event costs, the most called first. The list ends as soon as
/// recording without them takes half of the command's time and loses no events. It is empty where recording
/// does not hide the command.
std::vector<std::string> not_worth_recording(const annotator::RecordedRun& recorded);

/// The recorded callers that get the time of `left_out` once it is recorded no more; in place of those that
/// are left out too, their callers.
std::set<std::string> callers_of(const std::set<std::string>& left_out,
                                 const annotator::RecordedRun& recorded);

/// That matches the function alone: in a glob, brackets would be sets of characters.
std::string pattern_of(std::string function);

/// The first of them, and how many more there are.
std::string list_of(std::vector<std::string> names);

/// Tells a person which functions are left out and why.
std::string to_text(const Refinement& refinement);

}  // namespace jcprof::cli
