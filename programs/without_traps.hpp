// SPDX-License-Identifier: Apache-2.0
// Traps keep a compiler from work across them: a call may stay in a loop, a loop may not be vectorised. No
// calibration knows that time. A build of the same program without traps shows it.
#pragma once

#include <optional>
#include <string_view>

#include "annotator/estimate/estimates.hpp"
#include "programs/doctor_try.hpp"
#include "programs/options.hpp"
#include "src/core/output_folder.hpp"
#include "src/core/project.hpp"
#include "src/core/warning.hpp"

namespace jcprof::cli {

/// A tree with traps at the entry and at the user's own markers only.
GenOptions without_traps(const CommonOptions& common);

/// A warning where `shown_ns` is a quarter longer than `usual_ns`, and longer by `doubt_ns` besides.
/// `shown_by`: "the profile" or "the recording".
std::optional<Warning> longer_with_traps(double usual_ns, double shown_ns, double doubt_ns,
                                         std::string_view shown_by);

/// The same for a profile by stops: its time behind the entry, without the cost of the traps, by the lower
/// end. `plain` is a look at a tree without traps.
std::optional<Warning> changed_by_traps(const FirstContact& plain, const annotator::Profile& measured);

/// Makes and builds a tree without traps of a program behind `exec:` in "plain" of `folder`, which is held,
/// and times it. The newest run there, which was `measured`, keeps the warning. Does nothing for a project
/// with "install" steps, as the target would then be another one, and says so where a step or a run fails.
void compare_without_traps(const Project& project, const OutputFolder& folder, const CommonOptions& common,
                           const annotator::Profile& measured);

}  // namespace jcprof::cli
