// SPDX-License-Identifier: Apache-2.0
#include "harness/record/warnings.hpp"

#include <fmt/format.h>

namespace jcprof::harness {
namespace {

double in_milliseconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

void of_clock(const RecordFacts& facts, std::vector<Warning>& warnings) {
  const ClockHealth& health = facts.health;
  const bool is_own = facts.clock == RecordClock::own;
  if (facts.is_unfit)
    warnings.push_back(
        {.kind = WarningKind::lost,
         .text = is_own ? "what was built with -DJCPROF_CLOCK_SHARED recorded nothing: it reads a clock of "
                          "jcprof's, and there was none"
                        : "what was built without -DJCPROF_CLOCK_SHARED recorded nothing: it cannot read the "
                          "clock that counts",
         .advice = is_own ? "record with --clock published, or --clock counted without a counter to publish"
                          : "build it with -DJCPROF_CLOCK_SHARED, or record with --clock own"});
  if (health.stalls > 0)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text = fmt::format("the clock stood still {} times, {:.1f} ms together, {:.1f} ms at most",
                             health.stalls, in_milliseconds(health.stalled_ns),
                             in_milliseconds(health.longest_ns)),
         .advice = is_own ? "" : "it needs a processor that nobody else uses; --clock own needs none"});
  if (health.steps_back > 0)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text = fmt::format("the clock stepped back {} times, by {} ticks at most", health.steps_back,
                             health.furthest_back),
         .advice = is_own ? "the processors' counters differ: keep the command on one, with taskset" : ""});
}

void of_losses(const LogWritten& log, std::vector<Warning>& warnings) {
  if (!log.why.empty() && log.dropped > 0)
    warnings.push_back(
        {.kind = WarningKind::lost,
         .text =
             fmt::format("the log on the disk is full ({}): {} chunks were dropped", log.why, log.dropped),
         .advice = "record fewer functions or lines (\"include\" and \"level\" in jcprof.json; "
                   "hooks: docs/record.md), or less of the run (JCPROF_PAUSE); or use a "
                   "larger --max-log"});
  if (!log.is_whole)
    warnings.push_back({.kind = WarningKind::lost,
                        .text = fmt::format("the end of the log could not be written ({})", log.why),
                        .advice = "what comes before it is good"});
  if (log.lost > 0)
    warnings.push_back({.kind = WarningKind::lost,
                        .text = fmt::format("{} of {} events are lost", log.lost, log.lost + log.events),
                        .advice = log.dropped > 0 ? "" : "more --memory, or fewer functions with hooks"});
}

}  // namespace

std::vector<Warning> record_warnings(const RecordFacts& facts) {
  std::vector<Warning> warnings;
  if (facts.is_misplaced)
    warnings.push_back({.kind = WarningKind::other,
                        .text =
                            "an enclave has recorded nothing: the thread-local storage of its code is the "
                            "host's, as the SDK's simulation leaves the base of %fs as it is",
                        .advice = "compile the trusted sources with -mno-tls-direct-seg-refs (docs/sgx.md)"});
  else if (facts.log.events + facts.log.lost == 0 && !facts.is_unfit)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text =
             facts.attached == 0 ? "the command never opened the log" : "the command has recorded nothing",
         .advice = fmt::format(
             "compile it with -finstrument-functions, or with traps of jcprof gen and "
             "-DJCPROF_RECORD{}; a static program needs jcprof.h with JCPROF_HOOKS (docs/record.md)",
             facts.clock == RecordClock::counted ? ", and with -DJCPROF_CLOCK_SHARED" : "")});
  of_losses(facts.log, warnings);
  of_clock(facts, warnings);
  if (facts.refused > 0)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text = fmt::format("the log is of process {}; programs that came later and were not recorded: {}",
                             facts.attached, facts.refused)});
  if (facts.others > 0)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text = fmt::format("processes that the command left behind, which are recorded no more: {}",
                             facts.others)});
  return warnings;
}

}  // namespace jcprof::harness
