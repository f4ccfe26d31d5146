// SPDX-License-Identifier: Apache-2.0
// Parquet files as DuckDB reads them. It gives what `jcprof query` gives.
#include "programs/parquet.hpp"

#include <cstdlib>
#include <limits>
#include <regex>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "src/core/file.hpp"
#include "src/core/fleet_rows.hpp"
#include "src/core/sqlite.hpp"
#include "src/core/store.hpp"
#include "tests/annotator/foreign_reader.hpp"
#include "tests/annotator/some_recording.hpp"

namespace jcprof::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A name that SQL, JSON, CSV and paths each could trip over.
const std::string hostile = std::string("a'b\"c,\n\t\\N\x01") + '\0' + "\xC3\xA4 {} -- =/..";

/// Tables of a measured run: values at the ends of their types, and none.
void store_measured(const fs::path& profile) {
  Store store(profile, OpenMode::fresh);
  TrapMap map;
  map.build = 0x0000BEEF;
  map.traps = {{.id = TrapId{1},
                .key = "k",
                .name = "TRAP_1",
                .kind = TrapKind::entry0,
                .function = hostile,
                .path = "A.java",
                .line = 3},
               {.id = TrapId{2},
                .key = "l",
                .name = "TRAP_2",
                .kind = TrapKind::before,
                .function = "f",
                .path = "A.java",
                .line = 4}};
  RunInfo info{.state = RunState::complete,
               .started = "2026-01-02T03:04:05.678Z",
               .tool = "jcprof 0.1.0",
               .project = "pin/../x",
               .transport = "vpcd",
               .device = "",
               .simulated = true,
               .seed = ~std::uint64_t{0}};
  const std::int64_t run = store.begin_run(info, map, {{.index = 0, .bytes = {1, 2}, .input_class = ""}});
  store.begin();
  store.add_sample(run, {.sequence = 1,
                         .round = 1,
                         .asked = {TrapId{1}, 1},
                         .ticks = 9'007'199'254'740'993,
                         .outcome = Outcome::stopped});
  store.add_sample(
      run, {.sequence = 2, .round = 1, .asked = {TrapId{0}, 1}, .ticks = 5, .outcome = Outcome::ended});
  store.commit();
  const double infinite = std::numeric_limits<double>::infinity();
  store.replace_estimates(run, {{.scope = EstimateScope::block,
                                 .position = 0,
                                 .from = {TrapId{1}, 1},
                                 .to = {TrapId{2}, 1},
                                 .function = hostile,
                                 .path = "A.java",
                                 .line = 3,
                                 .rounds = 9,
                                 .ticks = 0.1 + 0.2,
                                 .low = -infinite,
                                 .high = infinite,
                                 .hot = Hot::undecided},
                                {.scope = EstimateScope::edge,
                                 .position = 1,
                                 .from = {TrapId{1}, 0},
                                 .to = {TrapId{2}, 0},
                                 .function = "f",
                                 .path = "A.java",
                                 .line = 3,
                                 .hits = 3,
                                 .ticks = 1e300,
                                 .rate = 1,
                                 .mean = 1e-7},
                                {.scope = EstimateScope::loop,
                                 .position = 2,
                                 .function = "f",
                                 .path = "A.java",
                                 .line = 4,
                                 .hits = 7,
                                 .entries = 2,
                                 .ticks = 10},
                                {.scope = EstimateScope::line,
                                 .position = 3,
                                 .function = hostile,
                                 .path = "A.java",
                                 .line = 3,
                                 .hits = 3,
                                 .ticks = 10},
                                {.scope = EstimateScope::function,
                                 .position = 4,
                                 .function = hostile,
                                 .path = "A.java",
                                 .line = 3,
                                 .hits = 1,
                                 .ticks = 10,
                                 .inclusive = 12}});
  store.replace_warnings(run, {{.kind = WarningKind::lost, .text = "a text", .advice = ""}});
  store.close();
}

void store_recorded(const fs::path& profile) {
  annotator::RecordedRun run = test::some_recording();
  run.recording.symbols[2].name = hostile;
  run.recording.symbols[1].build_id = run.recording.symbols[2].build_id = "fb04";
  run.recording.slow = {{.symbol = 3, .thread = 1, .at = 5, .ticks = 60}};
  run.recording.marks = {{.name = "file", .payload = ~std::uint64_t{0}, .thread = 1, .call = 2, .at = 4}};
  Store store(profile, OpenMode::fresh);
  const std::int64_t id = store.begin_run(run.info, run.map, {});
  store.replace_estimates(id, run.estimates);
  store.replace_recording(id, run.recording);
  store.close();
}

/// DuckDB in the exported folder.
class ExportedFleet {
 public:
  /// False without DuckDB.
  bool write(const std::vector<fs::path>& profiles) const {
    if (duckdb_.empty()) return false;
    ::setenv("JCPROF_DUCKDB", duckdb_.c_str(), 1);
    write_parquet(profiles, folder());
    return true;
  }

  json rows(const std::string& sql) const {
    const std::string script =
        fmt::format("cd '{}' && '{}' -json -init views.sql -c \"$0\" 2>faults || {{ cat faults; exit 1; }}",
                    folder().string(), duckdb_);
    const std::string text = reader_.says({"sh", "-c", script, sql});
    return text.empty() ? json::array() : json::parse(text);
  }

  fs::path folder() const { return reader_.folder() / "fleet"; }
  fs::path profile(const std::string& name) const { return reader_.folder() / name; }

 private:
  test::ForeignReader reader_;
  std::string duckdb_ = test::from_cache("duckdb-1.5.6/duckdb");
};

/// DuckDB prints all digits, `jcprof query` 15 of them.
bool is_same(const json& cell, const std::optional<std::string>& expected) {
  if (!expected) return cell.is_null();
  if (cell.is_number_integer()) return cell.dump() == *expected;
  if (cell.is_number()) return cell.get<double>() == Approx(std::stod(*expected)).epsilon(1e-14);
  return cell == *expected;
}

void check_view(const ExportedFleet& fleet, const fs::path& profile, const std::string& view) {
  const QueryResult expected = query(profile, fmt::format("SELECT * FROM \"{}\"", view));
  const json rows = fleet.rows(fmt::format(
      "SELECT * EXCLUDE (profile, run_id, project, build, device) FROM \"{}\" WHERE profile = '{}'", view,
      profile.string()));
  INFO(view);
  REQUIRE(rows.size() == expected.rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    REQUIRE(rows[r].size() == expected.columns.size());
    for (std::size_t c = 0; c < expected.columns.size(); ++c) {
      INFO(expected.columns[c] << ": " << rows[r].at(expected.columns[c]).dump() << ", not "
                               << expected.rows[r][c].value_or("NULL"));
      CHECK(is_same(rows[r].at(expected.columns[c]), expected.rows[r][c]));
    }
  }
}

const std::vector<std::string> all_views{"block", "edge",   "loop",   "line", "function",
                                         "call",  "caller", "thread", "mark", "slow"};

}  // namespace

TEST_CASE("DuckDB gives each view of a measured and of a recorded run as jcprof query does") {
  const ExportedFleet fleet;
  const fs::path measured = fleet.profile("measured.jcprof");
  const fs::path recorded = fleet.profile("recorded.jcprof");
  store_measured(measured);
  store_recorded(recorded);
  if (!fleet.write({measured, recorded})) return;
  for (const std::string& view : all_views) {
    check_view(fleet, measured, view);
    check_view(fleet, recorded, view);
  }
}

TEST_CASE("samples of a fleet keep all bits, and have the lines of their traps") {
  const ExportedFleet fleet;
  store_measured(fleet.profile("measured.jcprof"));
  if (!fleet.write({fleet.profile("measured.jcprof")})) return;
  CHECK(fleet.rows("SELECT trap, ticks, outcome, path, line FROM sample ORDER BY sequence") ==
        json::parse(
            R"([{"trap": 1, "ticks": 9007199254740993, "outcome": "stopped", "path": "A.java", "line": 3},
                        {"trap": 0, "ticks": 5, "outcome": "ended", "path": null, "line": null}])"));
  CHECK(fleet.rows("SELECT project, build, device, seed, simulated FROM run") ==
        json::parse(
            R"([{"project": "pin/../x", "build": "0000beef", "device": null, "seed": -1, "simulated": 1}])"));
}

TEST_CASE(
    "folders of a fleet are named by project, build and device, and a profile that comes again replaces its "
    "rows") {
  const ExportedFleet fleet;
  const fs::path recorded = fleet.profile("recorded.jcprof");
  store_recorded(recorded);
  if (!fleet.write({recorded}) || !fleet.write({recorded})) return;
  CHECK(fs::exists(fleet.folder() / "functions/project=words/build=fb04/device=host"));
  CHECK(fleet.rows("SELECT count(*) AS n FROM run") == json::parse(R"([{"n": 1}])"));
  CHECK(fleet.rows("SELECT count(*) AS n FROM line") == json::parse(R"([{"n": 0}])"));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fleet.folder()))
    CHECK_FALSE(entry.path().filename().string().starts_with("."));
}

TEST_CASE("each table of a fleet has types for all of its columns") {
  for (const FleetTable& table : fleet_tables()) {
    INFO(table.name);
    CHECK(table.columns.size() > 3);
    CHECK(table.columns[0].name == "profile");
    CHECK(table.columns[1].name == "run_id");
  }
}

TEST_CASE("DuckDB understands each statement of docs/fleet.md") {
  const ExportedFleet fleet;
  store_measured(fleet.profile("measured.jcprof"));
  store_recorded(fleet.profile("recorded.jcprof"));
  if (!fleet.write({fleet.profile("measured.jcprof"), fleet.profile("recorded.jcprof")})) return;
  const std::string page = read_file(JCPROF_SOURCE_DIR "/docs/fleet.md");
  static const std::regex form("```sql\n([^`]+)```");
  int statements = 0;
  for (std::sregex_iterator match(page.begin(), page.end(), form), end; match != end; ++match, ++statements)
    CHECK(fleet.rows((*match)[1].str()).is_array());
  CHECK(statements >= 4);
}

TEST_CASE("a fleet takes a profile once by whatever name, and namesakes of two folders each") {
  const ExportedFleet fleet;
  const fs::path one = fleet.profile("one/profile.jcprof"), other = fleet.profile("other/profile.jcprof");
  store_recorded(one);
  store_recorded(other);
  if (!fleet.write({one, one.parent_path() / "../one/profile.jcprof"}) || !fleet.write({other, one})) return;
  CHECK(fleet.rows("SELECT count(*) AS n, count(DISTINCT run_id) AS runs FROM run") ==
        json::parse(R"([{"n": 2, "runs": 2}])"));
  CHECK(fleet.rows("SELECT count(*) = (SELECT count(*) FROM function) AS same FROM function JOIN run USING "
                   "(run_id)") == json::parse(R"([{"same": true}])"));
}

TEST_CASE("an export to Parquet refuses a damaged profile before it makes a folder") {
  const ExportedFleet fleet;
  const fs::path good = fleet.profile("good.jcprof"), bad = fleet.profile("bad.jcprof");
  store_measured(good);
  store_measured(bad);
  sqlite::Database(bad, sqlite::Access::read_write).execute("UPDATE sample SET ticks = 6 WHERE sequence = 2");
  CHECK_THROWS_WITH(write_parquet({good, bad}, fleet.folder()), Catch::Contains("damaged"));
  CHECK_FALSE(fs::exists(fleet.folder()));
}

TEST_CASE("files of others and parts of killed exports do no harm to a fleet") {
  const ExportedFleet fleet;
  const fs::path profile = fleet.profile("recorded.jcprof");
  store_recorded(profile);
  write_file(fleet.folder() / "marks/_SUCCESS", "");
  write_file(fleet.folder() / "marks/project=a/x.parquet", "");
  const fs::path dead = fleet.folder() / (std::string(part_prefix) + "00");
  fs::create_directories(dead);
  if (!fleet.write({profile})) return;
  CHECK(fleet.rows("SELECT count(*) AS n FROM edge") == json::parse(R"([{"n": 0}])"));
  CHECK_FALSE(fs::exists(dead));
}

TEST_CASE("a fleet has room for long names, and devices have the whole ones") {
  const ExportedFleet fleet;
  const fs::path profile = fleet.profile("recorded.jcprof");
  std::string name;
  for (int i = 0; i < 100; ++i) name += "\xC3\xA9";
  Store store(profile, OpenMode::fresh);
  store.begin_run({.project = "p", .transport = "record", .device = name}, {}, {});
  store.close();
  if (!fleet.write({profile})) return;
  CHECK(fleet.rows("SELECT device_name FROM run") == json::array({{{"device_name", name}}}));
}

TEST_CASE("a program that is not DuckDB leaves no tables") {
  const ExportedFleet fleet;
  store_recorded(fleet.profile("recorded.jcprof"));
  ::setenv("JCPROF_DUCKDB", "/bin/true", 1);
  CHECK_THROWS_WITH(write_parquet({fleet.profile("recorded.jcprof")}, fleet.folder()),
                    Catch::Contains("wrote no"));
  ::unsetenv("JCPROF_DUCKDB");
  CHECK(fs::is_empty(fleet.folder()));
}

TEST_CASE("without DuckDB an export to Parquet says how to get it, and leaves nothing half done") {
  const ExportedFleet fleet;
  store_recorded(fleet.profile("recorded.jcprof"));
  ::setenv("JCPROF_DUCKDB", "/nowhere/duckdb", 1);
  CHECK_THROWS_WITH(write_parquet({fleet.profile("recorded.jcprof")}, fleet.folder()),
                    Catch::Contains("/nowhere/duckdb"));
  ::unsetenv("JCPROF_DUCKDB");
  CHECK(fs::is_empty(fleet.folder()));
}

}  // namespace jcprof::cli
