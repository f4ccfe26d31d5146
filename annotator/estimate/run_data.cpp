// SPDX-License-Identifier: Apache-2.0
#include "annotator/estimate/run_data.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/sqlite.hpp"

namespace jcprof::annotator {
namespace {

[[noreturn]] void damaged(const std::string& how) {
  throw UserError(Fault{.message = "the profile is damaged: " + how, .hint = sqlite::damaged_hint});
}

void check_event(const TrapMap& map, const Event& event) {
  if (event.hit >= 1 && number(event.trap) <= map.traps.size()) return;
  damaged(fmt::format("it names hit {} of trap {}, of {} traps", event.hit, number(event.trap),
                      map.traps.size()));
}

void check_path(const TrapMap& map, const StoredPath& path) {
  std::vector<std::uint32_t> passed(map.traps.size() + 1);
  for (const Event& event : path.events) {
    check_event(map, event.trap == run_to_end ? Event{event.trap, 0} : event);
    if (event.hit != ++passed[number(event.trap)])
      damaged(fmt::format("a path has hit {} of trap {} as its {}th", event.hit, number(event.trap),
                          passed[number(event.trap)]));
  }
}

}  // namespace

RunData load_newest_run(const Store& store) {
  const std::optional<RunInfo> run = store.last_run();
  if (!run)
    throw UserError(Fault{.message = "the profile holds no run yet", .hint = "`jcprof run` adds one"});
  RunData data{.run = *run,
               .map = store.traps(run->id),
               .inputs = store.inputs(run->id),
               .paths = store.paths(run->id),
               .samples = store.samples(run->id),
               .calibrations = store.calibrations(run->id),
               .looks = store.looks(run->id),
               .warnings = store.warnings(run->id)};
  for (const Warning& warning : data.warnings) {
    data.is_cut |= warning.kind == WarningKind::path_cut;
    // The paths are of another command, or the times of no command.
    data.is_void |= warning.kind == WarningKind::traced_answer || warning.kind == WarningKind::locked_grid ||
                    warning.kind == WarningKind::memory;
  }
  for (const StoredPath& path : data.paths) check_path(data.map, path);
  for (const StoredSample& sample : data.samples) check_event(data.map, sample.asked);
  return data;
}

}  // namespace jcprof::annotator
