// SPDX-License-Identifier: Apache-2.0
#include "harness/memory.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/cancellable.hpp"
#include "harness/survey.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"
#include "src/core/path_signature.hpp"

namespace jcprof::harness {
namespace {

UserError no_memory_told() {
  return Fault{.message = "only applets on cards tell their free memory",
               .hint = "--memory is for \"target\": \"applet\" over vpcd: or pcsc:"};
}

UserError not_traced(const Sample& end) {
  return environment_error(
      fmt::format("the free memory of the command could not be traced ({}{}{})", name_of(end.outcome),
                  end.why.empty() ? "" : ": ", end.why),
      end.outcome == Outcome::refused
          ? "the card needs 40 bytes of transient memory for it, or the applet is of an earlier jcprof: "
            "`jcprof profile --memory` builds and installs it again"
          : "run `jcprof run` without --memory, which says more about the command");
}

MemoryTrace traced(Transport& transport) {
  std::optional<MemoryTrace> trace = transport.trace_memory(0);
  if (!trace) throw no_memory_told();
  if (trace->window.end.outcome != Outcome::ended) throw not_traced(trace->window.end);
  return std::move(*trace);
}

std::vector<TrapId> traps_of(const std::vector<Event>& path) {
  std::vector<TrapId> traps;
  for (const Event& event : path) traps.push_back(event.trap);
  return traps;
}

/// The path is that of the run, as far as its window and its digest tell.
bool is_path_of(const TraceWindow& window, const std::vector<Event>& path) {
  const std::vector<TrapId> traps = traps_of(path);
  const PathDigest& digest = window.run->digest;
  return traps.size() == window.run->events &&
         std::ranges::equal(window.traps, std::span(traps).first(window.traps.size())) &&
         path_signature(traps) == digest.signature && (!digest.mix || path_mix(traps) == *digest.mix);
}

/// The path of a run whose window was too small for it: that of later runs, where they go the same way, else
/// its beginning, and then the changes behind it are left out.
std::vector<Event> joined_path(const TrapMap& map, Transport& transport,
                               const std::vector<StoredInput>& inputs, const TraceWindow& first,
                               MemoryLog& log, bool may_send_more) {
  try {
    if (may_send_more)
      if (Survey found = survey(map, transport, {inputs.front()});
          is_path_of(first, found.paths.front().path.events))
        return std::move(found.paths.front().path.events);
  } catch (const UserError&) {
    // The first command cannot be had again: its beginning is kept.
  }
  std::erase_if(log.changes, [&](const MemoryChange& one) { return one.event >= first.traps.size(); });
  log.is_cut = true;
  return events_of(first.traps);
}

}  // namespace

MemoryRun measure_memory(const TrapMap& map, Transport& target, const std::vector<StoredInput>& inputs) {
  CancellableTransport transport(target, cancellation());
  MemoryTrace first = traced(transport);
  if (first.window.run->events == 0)
    throw UserError(Fault{.message = "the command passes no trap",
                          .hint = "does \"trigger\" reach the code that \"include\" names?"},
                    ExitCode::check_failed);
  MemoryRun run{.path = {}, .log = std::move(first.log), .after = {}};
  // A command that is answered otherwise may have tried a PIN: no more are sent.
  bool is_answered_alike = true;
  while (is_answered_alike && run.after.size() < later_commands) {
    const MemoryTrace later = traced(transport);
    is_answered_alike = later.window.end.status == first.window.end.status;
    if (is_answered_alike) run.after.push_back(later.log.after);
  }
  run.path = first.window.more ? joined_path(map, transport, inputs, first.window, run.log, is_answered_alike)
                               : events_of(first.window.traps);
  return run;
}

}  // namespace jcprof::harness
