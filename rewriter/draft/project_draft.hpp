// SPDX-License-Identifier: Apache-2.0
// The project file that `jcprof init` writes: text made of facts, with a few words on each key. Pure; finds
// nothing out and knows no file system.
#pragma once

#include <string>
#include <vector>

#include "rewriter/found_tree.hpp"

namespace jcprof::rewriter {

struct Draft {
  std::string text;
  std::vector<std::string> others;  // further applets or programs, which --entry chooses; applications: --ta
  bool is_test = false;             // of a program: there is none but tests
  std::string taken = {};           // of a program: which one this is
  std::string about_kit = {};  // what it does where the environment names no kit or SDK; empty: nothing else
};

/// What it has is a program at most, so that its build system is worth asking.
bool is_for_program(const FoundTree& tree);

/// The applet's project file for a tree that has one, else the enclave's, the trusted application's, the
/// program's. UserError that says what was looked for where there is neither.
Draft draft_project(const FoundTree& tree);

}  // namespace jcprof::rewriter
