// SPDX-License-Identifier: Apache-2.0
// Profiles for other programs. The same Profile gives the same bytes.
#pragma once

#include <string>

#include "annotator/estimate/estimates.hpp"

namespace jcprof::annotator {

/// `{"format": "jcprof-profile", "version": 1, …}`; shares are fractions of 1, infinite ends of intervals
/// null.
std::string to_json(const Profile& profile);

/// One row a line of source, RFC 4180 with a header; infinite ends are empty. Hooks know no lines: a profile
/// of theirs has one row a function.
std::string to_csv(const Profile& profile);

/// A summary for a pull request, in the Markdown that GitHub and GitLab take: facts, the hottest lines and
/// functions, warnings. Names stand in code, so that they mark nothing up.
std::string to_markdown(const Profile& profile);

/// SARIF 2.1.0 (OASIS, 2020), which editors and code review show at lines of source. A line whose share may
/// reach the run's `hot` one has a result: a warning where it surely does, else a note. Where the run knows
/// no lines its functions have them. Paths are relative to SRCROOT unless they are absolute.
std::string to_sarif(const Profile& profile);

/// The text format of OpenMetrics 1.0: the total and its parts, lines and functions as gauges, the ends of
/// their intervals as series of their own. Times are seconds; `cycles` and `instructions` if they are no
/// times.
std::string to_openmetrics(const Profile& profile);

// ---- call trees. Each stack stands with the own cost of its last frame; threads of recorded runs stand side
// by side, lines of measured ones at the ends of their stacks.

/// One line a stack, `thread;function (file:line);…;file:line ticks`, as flamegraph.pl, inferno and
/// speedscope read it. The lines' ticks are whole and sum to the total, rounded.
std::string to_folded(const Profile& profile);

/// speedscope's own format, one profile a thread. It is a sampled one: each stack is a sample with its time
/// as weight, in the order of the tree, not of time.
std::string to_speedscope(const Profile& profile);

/// callgrind.out, version 1, for callgrind_annotate, KCachegrind and QCachegrind. Costs of lines are whole
/// ticks that sum to the total. The cost of a call is what it adds to its function: in a recursion the
/// outermost call has all.
std::string to_callgrind(const Profile& profile);

/// profile.proto, gzipped, for pprof and other readers of Go's profiles. Each line of each stack is a sample:
/// its calls and its cost, in whole ticks that sum up. Threads are labels.
std::string to_pprof(const Profile& profile);

/// The Firefox Profiler's processed profile, version 48, one thread a thread. Each stack is a sample with its
/// time as weight, in the order of the tree, not of time. Own costs that noise hides have a category.
std::string to_firefox(const Profile& profile);

/// The text of `perf script`, as stackcollapse-perf.pl, speedscope and the Firefox Profiler read it: a stack
/// has as many samples of one period as its cost has, in the order of the tree, not of time. Less where
/// stacks are deep: at most some 50 MB.
std::string to_perf(const Profile& profile);

}  // namespace jcprof::annotator
