// SPDX-License-Identifier: Apache-2.0
// Finds the reason why a build step failed in its output. Knows compilers, linkers, make, shells, CMake,
// Meson, Java, Maven and Gradle.
#pragma once

#include <string>
#include <string_view>

namespace jcprof::cli {

struct StepCause {
  std::string what = {};     // one line; empty: the output does not say
  std::string way_out = {};  // may be empty
};

/// The first error of a compiler or a linker; else a program that is not there, if a command ended by that;
/// else what make or another build tool complains of first; else a file that is not there. `status`: the
/// step's exit status.
StepCause cause_of_failure(std::string_view output, int status);

}  // namespace jcprof::cli
