// SPDX-License-Identifier: Apache-2.0
#include "src/core/store.hpp"

#include <array>

#include <catch2/catch.hpp>

#include "tests/core/stored.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using Folder = test::StoreFolder;
using test::shown;
using test::some_run;
using test::some_sample;
using test::two_traps;

TEST_CASE("everything that is put into a profile comes out again") {
  const Folder folder;
  const std::vector<Event> path{{TrapId{1}, 1}, {TrapId{2}, 1}, {TrapId{2}, 2}};
  StoredSample ended = some_sample(8);
  ended.asked = {};
  ended.outcome = Outcome::ended;
  ended.status = 0x9000;
  ended.signature.reset();
  const StoredLook look{.number = 1,
                        .input = 1,
                        .rounds = 12,
                        .first_round = 3,
                        .method = Method::fine,
                        .tick = 2.5,
                        .folded = true,
                        .blocks = 20,
                        .settled = 7,
                        .shots = 300,
                        .whole = 1.5e6};
  {
    Store store(folder.profile(), OpenMode::read_write);
    const std::int64_t run = store.begin_run(some_run(), two_traps(), {{0, {0x31, 0x32}, ""}, {1, {}, "b"}});
    CHECK(run == 1);
    store.add_path(run, {.input = 1, .runs = 2, .signature = 78, .events = {{TrapId{2}, 1}}});
    store.add_path(run, {.variant = 1, .runs = 1, .signature = 79, .events = {{TrapId{1}, 1}}});
    store.add_path(run, {.runs = 4, .signature = 77, .events = {{TrapId{2}, 1}}});
    store.add_path(run, {.runs = 5, .signature = 77, .events = path});
    store.begin();
    store.add_sample(run, some_sample(7));
    store.add_sample(run, ended);
    store.add_calibrations(run, std::array{StoredCalibration{"unarmed", 3000, 99}});
    store.commit();
    store.add_look(run, look);
    store.add_look(run, {.number = 0, .method = Method::exact});
    store.add_look(run, {.number = 0, .method = Method::coarse, .tick = 10, .grid = 1e6});
    store.replace_warnings(run, {{.text = "of an earlier call"}});
    store.replace_warnings(
        run, {{.kind = WarningKind::grid, .text = "first", .advice = "do"}, {.text = "second"}});
    const RunInfo begun = store.last_run().value();
    RunInfo resumed = begun;
    resumed.rounds = 12;
    resumed.absolute = 0.25;
    resumed.relative = 0.125;
    resumed.zoom = 0.5;
    resumed.hot = 0.75;
    store.resume_run(resumed);
    const RunInfo seen = store.last_run().value();
    CHECK(std::tuple(seen.rounds, seen.absolute, seen.relative, seen.zoom, seen.hot) ==
          std::tuple(12U, 0.25, 0.125, std::optional(0.5), 0.75));
    CHECK(seen.state == RunState::running);
    store.resume_run(begun);
    store.set_state(run, RunState::complete);
  }
  const Store store(folder.profile(), OpenMode::read_only);
  const std::optional<RunInfo> run = store.last_run();
  REQUIRE(run);
  CHECK(run->id == 1);
  CHECK(run->state == RunState::complete);
  CHECK(run->started == "2026-01-02T03:04:05.678Z");
  CHECK(run->seed == 0xFFFFFFFFFFFFFFFF);
  CHECK(run->unit == ClockUnit::cycles);
  CHECK(run->resolution == 2.5);
  CHECK(run->simulated);
  const TrapMap map = store.traps(1);
  CHECK(map.traps == two_traps().traps);
  CHECK(map.sources == two_traps().sources);
  CHECK(map.card == two_traps().card);
  CHECK(map.build == 0xDEADBEEF);
  CHECK(store.paths(1) ==
        std::vector<StoredPath>{{.runs = 5, .signature = 77, .events = path},
                                {.variant = 1, .runs = 1, .signature = 79, .events = {{TrapId{1}, 1}}},
                                {.input = 1, .runs = 2, .signature = 78, .events = {{TrapId{2}, 1}}}});
  CHECK(store.looks(1) ==
        std::vector<StoredLook>{{.number = 0, .method = Method::coarse, .tick = 10, .grid = 1e6}, look});
  CHECK(run->absolute == 0.01);
  CHECK(run->relative == 0.1);
  CHECK(run->hot == 0.02);
  const auto samples = store.samples(1);
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].asked == Event{TrapId{2}, 3});
  CHECK(samples[0].signature == 0xFFFFFFFF);
  CHECK_FALSE(samples[0].status);
  CHECK_FALSE(samples[1].signature);
  CHECK(samples[1].outcome == Outcome::ended);
  CHECK(samples[1].status == 0x9000);
  CHECK(store.inputs(1).at(0).bytes == Bytes{0x31, 0x32});
  CHECK(store.inputs(1).at(1).input_class == "b");
  CHECK(store.calibrations(1).at(0).passes == 3000);
  CHECK(store.warnings(1) ==
        std::vector<Warning>{{WarningKind::grid, "first", "do"}, {WarningKind::other, "second"}});
}

TEST_CASE("a closed profile is one plain file, also after a drop in the middle of a round") {
  const Folder folder;
  {
    Store store(folder.profile(), OpenMode::fresh);
    const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
    store.begin();
    store.add_sample(run, some_sample(1));
    store.commit();
    store.begin();
    store.add_sample(run, some_sample(2));
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder.path)) files.push_back(entry.path().filename());
  CHECK(files == std::vector<std::string>{"profile.jcprof"});
  CHECK(Store(folder.profile(), OpenMode::read_only).samples(1).size() == 1);
}

TEST_CASE("opening for writing goes on with what is there, opening fresh does not") {
  const Folder folder;
  Store(folder.profile(), OpenMode::read_write).begin_run(some_run(), two_traps(), {});
  CHECK(Store(folder.profile(), OpenMode::read_write).begin_run(some_run(), two_traps(), {}) == 2);
  CHECK(Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {}) == 1);
}

TEST_CASE("a reader sees the committed rounds while a run writes") {
  const Folder folder;
  Store writer(folder.profile(), OpenMode::fresh);
  const std::int64_t run = writer.begin_run(some_run(), two_traps(), {});
  writer.begin();
  writer.add_sample(run, some_sample(1));
  CHECK(shown(query(folder.profile(), "SELECT count(*) FROM sample")) == "count(*)|\n0|");
  writer.commit();
  CHECK(shown(query(folder.profile(), "SELECT count(*) FROM sample")) == "count(*)|\n1|");
}

}  // namespace
}  // namespace jcprof
