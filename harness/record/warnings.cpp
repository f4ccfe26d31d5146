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
  const bool is_own = is_of_target(facts.clock);
  if (facts.is_unfit)
    warnings.push_back(
        {.kind = WarningKind::lost,
         .text = is_own ? "code built with -DJCPROF_CLOCK_SHARED recorded nothing: it reads jcprof's clock, "
                          "and --clock own gives none"
                        : "code built without -DJCPROF_CLOCK_SHARED recorded nothing: it cannot read the "
                          "clock of --clock counted",
         .advice =
             is_own ? "record with --clock published, or with --clock counted if the processor has no counter"
                    : "build it with -DJCPROF_CLOCK_SHARED, or record with --clock own"});
  if (health.stalls > 0)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text =
             fmt::format("the clock stood still {} times: {:.1f} ms in all, {:.1f} ms at most", health.stalls,
                         in_milliseconds(health.stalled_ns), in_milliseconds(health.longest_ns)),
         .advice = is_own ? "" : "keep a processor free for the clock, or record with --clock own"});
  if (health.steps_back > 0)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text = fmt::format("the clock jumped back {} times, by {} ticks at most", health.steps_back,
                             health.furthest_back),
         .advice =
             is_own ? "the counters of the processors differ: keep the command on one processor, with taskset"
                    : ""});
}

void of_losses(const LogWritten& log, std::vector<Warning>& warnings) {
  if (!log.why.empty() && log.dropped > 0)
    warnings.push_back({.kind = WarningKind::lost,
                        .text = fmt::format("the log on the disk is full ({}): jcprof discarded {} chunks",
                                            log.why, log.dropped),
                        .advice =
                            "record fewer functions or lines (\"include\" and \"level\" in jcprof.json; "
                            "hooks: docs/record.md), or less of the run (JCPROF_PAUSE); or use a "
                            "larger --max-log"});
  if (!log.is_whole)
    warnings.push_back({.kind = WarningKind::lost,
                        .text = fmt::format("jcprof could not write the end of the log ({})", log.why),
                        .advice = "everything before it is valid"});
  if (log.lost > 0)
    warnings.push_back({.kind = WarningKind::lost,
                        .text = fmt::format("{} of {} events are lost", log.lost, log.lost + log.events),
                        .advice = log.dropped > 0 ? "" : "use more --memory, or hooks in fewer functions"});
}

}  // namespace

std::vector<Warning> record_warnings(const RecordFacts& facts) {
  std::vector<Warning> warnings;
  if (facts.is_misplaced)
    warnings.push_back({.kind = WarningKind::other,
                        .text = "an enclave recorded nothing: its code uses the thread-local storage of the "
                                "host, because the SDK's simulation does not change %fs",
                        .advice = "compile the trusted sources with -mno-tls-direct-seg-refs (docs/sgx.md)"});
  else if (facts.log.events + facts.log.lost == 0 && !facts.is_unfit)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text = facts.attached == 0 ? "the command never opened the log" : "the command recorded nothing",
         .advice = fmt::format(
             "compile it with -finstrument-functions, or with traps of jcprof gen and "
             "-DJCPROF_RECORD{}; a static program needs jcprof.h with JCPROF_HOOKS (docs/record.md)",
             facts.clock == RecordClock::counted ? ", and with -DJCPROF_CLOCK_SHARED" : "")});
  of_losses(facts.log, warnings);
  of_clock(facts, warnings);
  if (facts.others > 0)
    warnings.push_back(
        {.kind = WarningKind::other,
         .text =
             fmt::format("the command left {} processes behind; they are no longer recorded", facts.others)});
  return warnings;
}

}  // namespace jcprof::harness
