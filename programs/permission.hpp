// SPDX-License-Identifier: Apache-2.0
// Programs that a project names are shown before jcprof runs them for the first time (docs/safety.md). Runs
// none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/core/project.hpp"

namespace jcprof::cli {

/// Programs of the build and install steps, a line each.
std::vector<std::string> programs_of_steps(const Project& project);
std::vector<std::string> programs_of_install(const Project& project);

/// Programs of a run: device, agent, trigger, session scripts.
std::vector<std::string> programs_of_run(const Project& project);

enum class Consent : std::uint8_t { to_be_asked, given };
/// --yes gives it.
inline Consent consent_of(bool yes) {
  return yes ? Consent::given : Consent::to_be_asked;
}

/// Returns when the user has allowed these before, allows them now, or has given consent for all. UserError
/// where the answer is no, or there is no terminal to ask on.
void ask_about(const Project& project, std::vector<std::string> programs, Consent consent);

}  // namespace jcprof::cli
