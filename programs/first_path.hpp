// SPDX-License-Identifier: Apache-2.0
// The path of a command that was built with traps, before it is measured: if it is too long for that, which
// traps are better left out. Pure, but for look_at_path() and timed_at().
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/path.hpp"
#include "programs/doctor_try.hpp"
#include "src/core/project.hpp"
#include "src/core/trap_map.hpp"

namespace jcprof::cli {

using Traps = std::vector<TrapId>;

/// A path that was cut is to have so many events at most: the counts of its functions are estimates, and it
/// must not be cut again. Zoom finds its hot part in some minutes.
inline constexpr double events_aimed_at = 200'000;

struct PathLook {
  harness::TracedPath path;
  std::vector<Traps> parts = {};  // of a path that is cut: they are spread over it
  FirstContact contact = {};  // `shot_s` of one run; the rest if the path is not cut, times of `exec:` alone
};

/// The runs that are made: those that tell whether the path is cut, or also those that tell whether it
/// varies, and how much of the command's time is behind its entry.
enum class LookDepth : std::uint8_t { length, all };

struct LookOptions {
  std::string transport = {};  // as --transport gives it
  LookDepth depth = LookDepth::all;
  bool is_patient = true;  // a traced run may take some time-outs, not one
};

/// One plain run of the command in the tree within the project's time-out, and then traced runs. A path that
/// is cut without any event could not be traced: the traced run takes longer than it may, or more than one
/// time-out, though its path is short enough to be measured.
/// UserError where the command cannot be run, whatever its traps.
PathLook look_at_path(const Project& project, const TrapMap& map, const std::filesystem::path& out,
                      const LookOptions& options);

/// `contact` knows the whole time of one run. Runs to the first event tell how much of it is behind the
/// entry; further whole runs are made of a short command, or if little seems to be there.
FirstContact timed_at(Event first_event, harness::Transport& transport, std::uint32_t input,
                      FirstContact contact);

/// How many statements a function passes for each pass of its entry or end.
using StepsPerPass = std::map<std::string, double>;

struct Shortening {
  bool functions_only = false;                 // nobody knows more, as the path cannot be traced
  std::vector<Trap> coarse = {};               // traps at statements that go
  std::vector<LeftOutFunction> left_out = {};  // functions that lose all traps
  std::vector<Trap> unsteady = {};             // traps that go because they make the path vary
  StepsPerPass steps = {};                     // for the next look, which may see no statements
  std::uint64_t events = 0;                    // of the path as it is
};

/// Empty where the path is short and steady, or no trap can go. A long path loses the traps at statements,
/// but for functions that pass few. Then functions go: small ones that are called most, before those that
/// hold the work. A path that varies loses the traps that runs pass differently often, or in another order.
/// Otherwise nothing behind the join of two ways has a time, because stops do not say which way they came.
/// Entries stay. `known`: what an earlier look found.
Shortening shortening(const PathLook& look, const TrapMap& map, TrapLevel level, StepsPerPass known = {});

/// The look at a tree without the traps that make the path vary, as far as it can be foretold: fewer events.
PathLook steadied(PathLook look, const Shortening& shortening);

/// False where nothing is to be left out.
bool is_needed(const Shortening& shortening);

/// True where functions would lose all traps, and what is hot may be one of them.
bool loses_functions(const Shortening& shortening);

/// Tells a person what is left out and why.
std::string to_text(const Shortening& shortening);

}  // namespace jcprof::cli
