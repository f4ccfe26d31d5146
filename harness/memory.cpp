// SPDX-License-Identifier: Apache-2.0
#include "harness/memory.hpp"

#include <utility>

#include <fmt/format.h>

#include "harness/cancellable.hpp"
#include "harness/survey.hpp"
#include "src/core/cancellation.hpp"
#include "src/core/error.hpp"

namespace jcprof::harness {
namespace {

constexpr int most_tries = 3;

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

/// A card that is lost comes back, and the next try is the first command after its start again.
MemoryTrace traced(Transport& transport) {
  for (int attempt = 1;; ++attempt) {
    std::optional<MemoryTrace> trace = transport.trace_memory(0);
    if (!trace) throw no_memory_told();
    if (trace->window.end.outcome == Outcome::ended) return std::move(*trace);
    if (attempt == most_tries || trace->window.end.outcome == Outcome::refused)
      throw not_traced(trace->window.end);
  }
}

/// The path of a run whose window was too small for it: that of later runs, where they go the same way, else
/// its beginning, and then the changes behind it are left out.
std::vector<Event> joined_path(const TrapMap& map, Transport& transport,
                               const std::vector<StoredInput>& inputs, const TraceWindow& first,
                               MemoryLog& log) {
  Survey found = survey(map, transport, {inputs.front()});
  TracedPath& path = found.paths.front().path;
  if (path.events.size() == first.run->events && path.signature == first.run->digest.signature)
    return std::move(path.events);
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
  for (int i = 0; i < later_commands; ++i) {
    const MemoryTrace later = traced(transport);
    if (later.window.end.status != first.window.end.status) break;
    run.after.push_back(later.log.after);
  }
  run.path = first.window.more ? joined_path(map, transport, inputs, first.window, run.log)
                               : events_of(first.window.traps);
  return run;
}

}  // namespace jcprof::harness
