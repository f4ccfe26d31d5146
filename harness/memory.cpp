// SPDX-License-Identifier: Apache-2.0
#include "harness/memory.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/cancellable.hpp"
#include "harness/path.hpp"
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

/// The path is that of the run, as far as its window and its digest tell.
bool is_path_of(const TraceWindow& window, const std::vector<Event>& path) {
  const std::vector<TrapId> traps = traps_of(path);
  const PathDigest& digest = window.run->digest;
  return traps.size() == window.run->events &&
         std::ranges::equal(window.traps, std::span(traps).first(window.traps.size())) &&
         path_signature(traps) == digest.signature && (!digest.mix || path_mix(traps) == *digest.mix);
}

/// The path of later commands, if it is that of the first one. Nothing where it cannot be had.
std::optional<std::vector<Event>> path_of_later(const TrapMap& map, Transport& transport,
                                                const StoredInput& input, const TraceWindow& first) {
  try {
    Survey found = survey(map, transport, {input});
    if (is_path_of(first, found.paths.front().path.events)) return std::move(found.paths.front().path.events);
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;  // the first command cannot be had again, so that its beginning is kept
  }
}

/// Leaves out the changes behind the window.
void cut(MemoryLog& log, const TraceWindow& window) {
  std::erase_if(log.changes, [&](const MemoryChange& one) { return one.event >= window.traps.size(); });
  log.is_cut = true;
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
  std::optional<std::vector<Event>> whole;
  if (first.window.more && is_answered_alike)
    whole = path_of_later(map, transport, inputs.front(), first.window);
  if (first.window.more && !whole) cut(run.log, first.window);
  run.path = whole ? std::move(*whole) : events_of(first.window.traps);
  return run;
}

}  // namespace jcprof::harness
