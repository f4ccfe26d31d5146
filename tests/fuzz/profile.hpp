// SPDX-License-Identifier: Apache-2.0
// A small profile as our own Store writes it, and all ways of reading one, for the fuzz targets of the store.
#pragma once

#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "annotator/estimate/estimates.hpp"
#include "annotator/export/exports.hpp"
#include "annotator/report/report.hpp"
#include "annotator/show/show.hpp"
#include "src/core/store.hpp"
#include "tests/annotator/trap_maps.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace jcprof::fuzzing {

inline std::filesystem::path profile_file() {
  return std::filesystem::temp_directory_path() / fmt::format("jcprof_fuzz_{}.jcprof", ::getpid());
}

inline void write_profile() {
  const TrapMap map = annotator::MapMaker()
                          .trap(TrapKind::entry0, "A.process", 1)
                          .trap(TrapKind::before, "A.process", 2, 4)
                          .trap(TrapKind::loop_body, "A.process", 3)
                          .trap(TrapKind::exit, "A.process", 5)
                          .map();
  const std::vector<Event> path{
      {TrapId{1}, 1}, {TrapId{2}, 1}, {TrapId{3}, 1}, {TrapId{3}, 2}, {TrapId{4}, 1}};
  Store store(profile_file(), OpenMode::fresh);
  const std::int64_t run = store.begin_run(
      {.state = RunState::complete, .started = "2026-01-02T03:04:05Z", .device = "card", .rounds = 8}, map,
      {{.index = 0, .bytes = {1, 2}}});
  store.add_path(run, {.runs = 3, .signature = 77, .events = path});
  store.add_path(run, {.variant = 1, .events = {path.front(), path.back()}});
  store.add_look(run, {.number = 1, .rounds = 8, .blocks = path.size()});
  store.replace_warnings(run, {{.text = "a warning"}});
  std::uint64_t sequence = 0;
  for (std::uint32_t round = 0; round <= 8; ++round) {
    for (std::size_t i = 0; i <= path.size(); ++i)
      store.add_sample(run, {.sequence = sequence++,
                             .round = round,
                             .asked = i < path.size() ? path[i] : Event{},
                             .ticks = static_cast<Ticks>(1000 * (i + 1) + round),
                             .outcome = i < path.size() ? Outcome::stopped : Outcome::ended,
                             .status = 0x9000,
                             .signature = 77});
    for (const char* kind : {"empty", "unarmed", "counting", "returned", "stop", "calls", "frames", "guards"})
      store.add_calibrations(run, std::array{StoredCalibration{kind, 1000, 5000 + round}});
  }
  store.replace_recording(
      run,
      {.symbols = {{.name = "(lost)"}, {.number = 1, .name = "f"}},
       .threads = {{.serial = 1, .events = 4, .last = 9, .recorded = 9, .running = 5.0}},
       .calls =
           {{.id = 1, .thread = 1, .symbol = 1, .count = 1, .inclusive = 9, .exclusive = 4},
            {.id = 2, .parent = 1, .thread = 1, .symbol = 1, .count = 1, .inclusive = 5, .exclusive = 5}},
       .slow = {{.symbol = 1, .thread = 1, .ticks = 9}},
       .marks = {{.name = "m", .payload = 7, .thread = 1, .call = 2, .at = 3}}});
  store.replace_estimates(run, annotator::stored(annotator::estimate(annotator::load_newest_run(store))));
}

/// As `jcprof query`, `export` and `annotate` read it.
inline void read_profile() {
  survives([] {
    for (const char* sql :
         {"SELECT * FROM block", "SELECT * FROM edge", "SELECT * FROM line", "SELECT * FROM function",
          "SELECT * FROM loop", "SELECT * FROM call", "SELECT * FROM caller", "SELECT * FROM thread",
          "SELECT * FROM mark", "SELECT * FROM slow"})
      (void)query(profile_file(), sql);
  });
  survives([] {
    const Store store(profile_file(), OpenMode::read_only);
    if (const std::optional<RunInfo> run = store.last_run())
      (void)std::pair(store.estimates(run->id), store.recording(run->id));
    const annotator::Profile profile = annotator::estimate(annotator::load_newest_run(store));
    (void)annotator::show_profile(profile, {});
    (void)annotator::to_json(profile);
    (void)annotator::to_csv(profile);
    const annotator::Compared self{profile, store.traps(profile.run.id)};
    const annotator::Against against{profile, annotator::compare({self}, {self})};
    (void)annotator::report_data({.profile = profile, .against = &against}, 100'000);
  });
}

}  // namespace jcprof::fuzzing
