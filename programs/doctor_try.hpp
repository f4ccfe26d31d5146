// SPDX-License-Identifier: Apache-2.0
// jcprof doctor PROJECT, second half: tries what the project says, in order, up to the first thing that
// fails.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/transport.hpp"
#include "programs/diagnosis.hpp"
#include "programs/options.hpp"
#include "src/core/project.hpp"
#include "src/core/warning.hpp"

namespace jcprof::cli {

/// A first contact in numbers.
struct FirstContact {
  std::uint64_t events = 0;             // of the path of most inputs
  double whole_ns = 0;                  // of the command
  double behind_ns = 0;                 // of it, behind the first event
  double shot_s = 0;                    // a whole run, with all around it
  std::optional<Warning> threads = {};  // what stops do not see
};

/// A command or a part of it that takes less cannot be timed from outside: to start a program takes as long.
inline constexpr double short_ns = 1e6;

struct Tried {
  std::vector<Finding> findings;
  FirstContact contact = {};  // nothing, where it did not come that far
};

/// Most of its time is the way to the entry.
bool is_hidden(const FirstContact& contact);

/// The median time of a few such shots, of those alone that were answered as asked; nothing where none was.
std::optional<double> median_time(harness::Transport& transport, const Shot& shot);

/// Tells what a measurement will be like, and what to change before it. Pure.
std::vector<Finding> prospects(const Project& project, const FirstContact& contact);

/// The time that a measurement of such a command takes, with its warm-up. Pure.
double seconds_to_measure(const FirstContact& contact);

/// Makes the tree, builds, installs, starts the target, sends the trigger and looks at its answer, time and
/// path. Stores nothing, and leaves the output folder as jcprof profile would before its first shot.
Tried try_project(const Project& project, const CommonOptions& options);

}  // namespace jcprof::cli
