// SPDX-License-Identifier: Apache-2.0
#include "src/core/store.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include "src/core/error.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("jcprof_store_{}", ::getpid());
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path profile() const { return path / "profile.jcprof"; }
};

TrapMap two_traps() {
  return {.language = "java",
          .sources = {{.path = "src/A.java", .sha256 = "00ff"}},
          .traps = {{.id = TrapId{1},
                     .key = "k1",
                     .name = "TRAP_process_1",
                     .kind = TrapKind::entry0,
                     .function = "A.process",
                     .path = "src/A.java",
                     .line = 10,
                     .column = 3,
                     .offset = 100,
                     .end_line = 10},
                    {.id = TrapId{2},
                     .key = "k2",
                     .name = "TRAP_process_2",
                     .kind = TrapKind::loop_body,
                     .function = "A.process",
                     .path = "src/A.java",
                     .line = 12,
                     .column = 5,
                     .offset = 140,
                     .end_line = 14,
                     .end_offset = 190,
                     .guards = 3}},
          .card = {.cla = 0x80, .ins = 0xF4, .stop_status = 0x6FB5},
          .build = 0xDEADBEEF};
}

RunInfo some_run() {
  return {.state = RunState::running,
          .started = "2026-01-02T03:04:05.678Z",
          .tool = "jcprof 0.1.0",
          .project = "pin",
          .project_digest = "aa",
          .trap_digest = "bb",
          .transport = "pcsc",
          .agent = "jcprof-run",
          .device = "gd60",
          .atr = "3b00",
          .simulated = true,
          .unit = ClockUnit::cycles,
          .hz = 1e9,
          .resolution = 2.5,
          .seed = 0xFFFFFFFFFFFFFFFF,
          .rounds = 40,
          .absolute = 0.01,
          .relative = 0.1,
          .hot = 0.02};
}

StoredSample some_sample(std::uint64_t sequence) {
  return {.sequence = sequence,
          .round = 1,
          .asked = {.trap = TrapId{2}, .hit = 3},
          .ticks = 1234,
          .outcome = Outcome::stopped,
          .signature = 0xFFFFFFFF};
}

template <class Act>
std::string error_of(const Folder& folder, Act act) {
  try {
    act();
  } catch (const UserError& error) {
    std::string text = error.what();
    const std::string prefix = folder.path.string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return fmt::format("{} [{}]", text, static_cast<int>(error.exit_code()));
  }
  return "no error";
}

std::string shown(const QueryResult& result) {
  std::string text;
  for (const std::string& column : result.columns) text += column + "|";
  for (const auto& row : result.rows) {
    text += "\n";
    for (const auto& cell : row) text += cell.value_or("NULL") + "|";
  }
  return text;
}

void overwrite(const fs::path& file, std::size_t offset, std::size_t count) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(offset));
  stream << std::string(count, '\x5A');
}

}  // namespace

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
    store.add_calibration(run, {.kind = "unarmed", .passes = 3000, .ticks = 99});
    store.commit();
    store.add_look(run, look);
    store.add_look(run, {.number = 0, .method = Method::exact});
    store.add_look(run, {.number = 0, .method = Method::coarse, .tick = 10, .grid = 1e6});
    store.replace_warnings(run, {{.text = "of an earlier call"}});
    store.replace_warnings(
        run, {{.kind = WarningKind::grid, .text = "first", .advice = "do"}, {.text = "second"}});
    store.go_on(run, 12);
    CHECK(store.last_run()->rounds == 12);
    CHECK(store.last_run()->state == RunState::running);
    store.go_on(run, some_run().rounds);
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

TEST_CASE("a disk that takes no more is an error of the environment, and the committed rounds stay") {
  const Folder folder;
  Store store(folder.profile(), OpenMode::fresh);
  const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
  store.begin();
  store.add_sample(run, some_sample(0));
  store.commit();

  // A limit on the size of files stands for the full disk.
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{.rlim_cur = 200'000, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  const std::string error = error_of(folder, [&] {
    store.begin();
    for (std::uint64_t i = 1; i < 20'000; ++i) store.add_sample(run, some_sample(i));
    store.commit();
  });
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(error ==
        "profile.jcprof: cannot be written or read: disk I/O error\n"
        "hint: what was committed before is kept; run the same command again and it goes on from there [3]");
  store.close();
  CHECK(Store(folder.profile(), OpenMode::read_only).samples(run).size() == 1);
}

TEST_CASE("what is not a profile is refused, each kind with its own words") {
  const Folder folder;
  const auto open = [&] { Store(folder.profile(), OpenMode::read_only); };
  CHECK(error_of(folder, open) ==
        "profile.jcprof: there is no such profile\nhint: `jcprof run` writes one [2]");
  std::ofstream(folder.profile()) << "";
  CHECK(error_of(folder, open) ==
        "profile.jcprof: not a profile (an SQLite file of another program)\n"
        "hint: profiles are written by `jcprof run` [2]");
  std::ofstream(folder.profile()) << std::string(5000, 'x');
  CHECK(error_of(folder, open) ==
        "profile.jcprof: not a profile (not even an SQLite file)\n"
        "hint: profiles are written by `jcprof run` [2]");
  CHECK(error_of(folder, [&] { Store(folder.path, OpenMode::read_write); }).find("a folder, not a profile") !=
        std::string::npos);
  Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {});
  CHECK(error_of(folder, open) == "no error");
}

TEST_CASE("a profile of a newer or an older jcprof is refused by name") {
  const Folder folder;
  {
    Store store(folder.profile(), OpenMode::fresh);
  }
  const auto error_of_version = [&](char version) {
    std::fstream stream(folder.profile(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(63);  // the last byte of user_version in SQLite's header
    stream.put(version);
    stream.close();
    return error_of(folder, [&] { Store(folder.profile(), OpenMode::read_write); });
  };
  CHECK(error_of_version(4) ==
        "profile.jcprof: written by a newer jcprof (format 4; this one reads 3)\n"
        "hint: use that jcprof, or measure again with `jcprof run --fresh` [2]");
  CHECK(error_of_version(2) ==
        "profile.jcprof: written by an older jcprof (format 2; this one reads 3)\n"
        "hint: measure again with `jcprof run --fresh`, or use that jcprof [2]");
}

TEST_CASE("a damaged profile is an error, never a crash") {
  const Folder folder;
  {
    Store store(folder.profile(), OpenMode::fresh);
    const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
    store.begin();
    for (std::uint64_t i = 0; i < 2000; ++i) store.add_sample(run, some_sample(i));
    store.commit();
  }
  const auto size = static_cast<std::size_t>(fs::file_size(folder.profile()));
  std::string whole;
  {
    std::ifstream stream(folder.profile(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(stream), {});
  }
  int refused = 0;
  for (std::size_t offset = 100; offset + 300 < size; offset += 1500) {
    std::ofstream(folder.profile(), std::ios::binary | std::ios::trunc) << whole;
    overwrite(folder.profile(), offset, 300);
    const std::string error = error_of(folder, [&] {
      const Store store(folder.profile(), OpenMode::read_only);
      const auto run = store.last_run();
      if (!run) return;
      (void)store.traps(run->id);
      (void)store.samples(run->id);
      (void)store.warnings(run->id);
    });
    if (error != "no error") {
      ++refused;
      CHECK(error.find("[2]") != std::string::npos);
    }
  }
  CHECK(refused > 10);
  fs::resize_file(folder.profile(), size / 2);
  CHECK(error_of(folder, [&] { (void)Store(folder.profile(), OpenMode::read_only).samples(1); }) ==
        "profile.jcprof: the profile is damaged: database disk image is malformed\n"
        "hint: restore it from a copy, or measure again with `jcprof run --fresh` [2]");
}

TEST_CASE("a query shows the newest run's estimates by block, line and function") {
  const Folder folder;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const StoredEstimate block{.from = {TrapId{1}, 1},
                             .to = {TrapId{2}, 4},
                             .function = "A.process",
                             .path = "src/A.java",
                             .line = 10,
                             .rounds = 5,
                             .hits = 1,
                             .raw = -3,
                             .ticks = 0,
                             .low = -infinity,
                             .high = infinity,
                             .share = 0.25,
                             .share_low = -infinity,
                             .share_high = infinity};
  StoredEstimate line = block;
  line.scope = EstimateScope::line;
  StoredEstimate function = block;
  function.scope = EstimateScope::function;
  function.inclusive = 12.5;
  StoredEstimate last = block;
  last.position = 1;
  last.to = {};
  last.hot = Hot::undecided;
  StoredEstimate edge = block;
  edge.scope = EstimateScope::edge;
  edge.hits = 4;
  edge.ticks = 8;
  edge.rate = 0.5;
  edge.mean = 9;
  edge.q05 = 7;
  edge.q95 = 30;
  {
    Store store(folder.profile(), OpenMode::fresh);
    store.begin_run(some_run(), two_traps(), {});
    const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
    store.replace_estimates(run, {line});
    store.replace_estimates(run, {block, last, line, function, edge});
    CHECK(store.estimates(run) == std::vector<StoredEstimate>{block, last, edge, function, line});
  }
  CHECK(shown(query(folder.profile(),
                    "SELECT from_name, to_name, to_hit, line, ticks, low, share, hot FROM block;")) ==
        "from_name|to_name|to_hit|line|ticks|low|share|hot|\n"
        "TRAP_process_1|TRAP_process_2|4|10|0.0|NULL|0.25|NULL|\n"
        "TRAP_process_1|end|1|10|0.0|NULL|0.25|undecided|");
  CHECK(shown(query(folder.profile(), "SELECT from_name, rate, count, each, mean, q05, q95 FROM edge")) ==
        "from_name|rate|count|each|mean|q05|q95|\nTRAP_process_1|0.5|4|2.0|9.0|7.0|30.0|");
  CHECK(shown(query(folder.profile(), "SELECT line, function, hits FROM line -- a comment\n")) ==
        "line|function|hits|\n10|A.process|1|");
  CHECK(shown(query(folder.profile(), "SELECT calls, exclusive, inclusive FROM function")) ==
        "calls|exclusive|inclusive|\n1|0.0|12.5|");
}

TEST_CASE("a query can only read, and says what is wrong with it") {
  const Folder folder;
  {
    Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {});
  }
  const auto error = [&](const std::string& sql) {
    return error_of(folder, [&] { (void)query(folder.profile(), sql); });
  };
  CHECK(error("SELECT *\nFROM smaple") ==
        "query: no such table: smaple\n"
        "hint: did you mean \"sample\"? there are block, edge, function, line, loop, calibration, estimate, "
        "input, "
        "look, path, run, sample, source, trap, warning [2]");
  CHECK(error("SELECT tcks FROM sample") ==
        "query:1: no such column: tcks\n  1 | SELECT tcks FROM sample\n    |        ^\n"
        "hint: did you mean \"ticks\"? [2]");
  CHECK(error("SELECT outcome FROM line") ==
        "query:1: no such column: outcome\n  1 | SELECT outcome FROM line\n    |        ^\n"
        "hint: \"outcome\" is a column of sample [2]");
  CHECK(error("SELEC 1") == "query:1: near \"SELEC\": syntax error\n  1 | SELEC 1\n    | ^ [2]");
  CHECK(error("  ") == "query: no statement\nhint: for example: SELECT * FROM line LIMIT 10 [2]");
  CHECK(error("SELECT 1; SELECT 2") ==
        "query:1: more than one statement\n  1 | SELECT 1; SELECT 2\n    |          ^\n"
        "hint: a query is one SELECT [2]");
  const std::string denied =
      "query: only reading is allowed\n"
      "hint: a query is one SELECT; profiles are changed by jcprof alone [2]";
  CHECK(error("ATTACH '/tmp/x' AS x") == denied);
  CHECK(error("DELETE FROM sample") == denied);
  CHECK(error("PRAGMA journal_mode = WAL") == denied);
  CHECK(error("PRAGMA writable_schema = 1") == denied);
  CHECK(error("CREATE TEMP TABLE t (x)") == denied);
  CHECK(error("VACUUM INTO '/tmp/jcprof_vacuum'") == denied);
  CHECK(shown(query(folder.profile(), "SELECT x'00ff' AS b, 1.5 AS r, NULL AS n, 'é' AS t")) ==
        "b|r|n|t|\n00ff|1.5|NULL|é|");
}

}  // namespace jcprof
