// SPDX-License-Identifier: Apache-2.0
#include "src/core/store.hpp"

#include <array>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/name_table.hpp"
#include "src/core/sqlite.hpp"
#include "src/core/store_schema.hpp"
#include "src/core/store_state.hpp"

namespace jcprof {
namespace {

using sqlite::Access;
using sqlite::Atomically;
using sqlite::Database;
using sqlite::Statement;

constexpr NameTable<RunState, 3> run_states{{
    {RunState::running, "running"},
    {RunState::interrupted, "interrupted"},
    {RunState::complete, "complete"},
}};

void refuse_foreign(const Database& database) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  const auto refuse = [&](std::string message, std::string hint) {
    throw UserError(
        Fault{.message = std::move(message), .place = {.file = database.file()}, .hint = std::move(hint)});
  };
  if (application != store_application_id)
    refuse("not a profile (an SQLite file of another program)", "profiles are written by `jcprof run`");
  if (version > version_of_store)
    refuse(fmt::format("written by a newer jcprof (format {}; this one reads {})", version, version_of_store),
           "use that jcprof, or move the file away and measure again");
  if (version >= 1 && version < version_of_store)
    refuse(
        fmt::format("written by an older jcprof (format {}; this one reads {})", version, version_of_store),
        "use that jcprof, or move the file away and measure again");
  if (version < 1) sqlite::damaged(database.file(), fmt::format("format {}", version));
}

/// The only name of this table that a file cannot give to something of its own.
constexpr const char* schema_rows =
    "SELECT type, name, coalesce(sql, '') FROM main.sqlite_master ORDER BY type, name";

bool is_empty(const Database& database) {
  return !database.prepare(schema_rows).step() && database.integer("PRAGMA application_id") == 0;
}

void make_tables(const Database& database) {
  Atomically atomically(database);
  database.execute(store_tables);
  database.execute(store_views);
  database.execute(fmt::format("PRAGMA application_id = {}", store_application_id).c_str());
  database.execute(fmt::format("PRAGMA user_version = {}", version_of_store).c_str());
  atomically.commit();
}

[[noreturn]] void refuse_schema(const Database& database) {
  throw UserError(Fault{.message = "its tables or views are not those that jcprof makes",
                        .place = {.file = database.file()},
                        .hint = "restore it from a copy, or measure into another folder with -o"});
}

/// A view or trigger of others is a program that every look at the profile would run.
void refuse_foreign_schema(const Database& database) {
  const Database own(sqlite::nameless, Access::read_write);
  own.execute(store_tables);
  own.execute(store_views);
  Statement ours = own.prepare(schema_rows);
  Statement theirs = database.prepare(schema_rows);
  while (ours.step()) {
    const bool is_same = theirs.step() && theirs.text_view(0) == ours.text_view(0) &&
                         theirs.text_view(1) == ours.text_view(1) && theirs.text_view(2) == ours.text_view(2);
    if (!is_same) refuse_schema(database);
  }
  if (theirs.step()) refuse_schema(database);
}

constexpr std::array suffixes{"", "-wal", "-shm", "-journal"};

/// What is written in place must be nobody else's: by a link, or by another name.
void refuse_links(const std::filesystem::path& file) {
  for (const char* suffix : suffixes) {
    const std::filesystem::path part = file.string() + suffix;
    std::error_code error;
    const bool is_link = std::filesystem::is_symlink(std::filesystem::symlink_status(part, error));
    if (is_link ||
        (std::filesystem::is_regular_file(part, error) && std::filesystem::hard_link_count(part, error) > 1))
      throw UserError(
          Fault{.message = is_link ? "a link, which jcprof does not follow where it writes"
                                   : "has another name (a hard link), which would be written to as well",
                .place = {.file = part.string()},
                .hint = "move it away; or copy the profile, and use the copy"});
  }
}

void remove_profile(const std::filesystem::path& file) {
  for (const char* suffix : suffixes) {
    std::error_code error;
    std::filesystem::remove(file.string() + suffix, error);
    if (error)
      throw environment_error(fmt::format("{}: cannot be replaced: {}", file.string(), error.message()));
  }
}

Database open(const std::filesystem::path& file, OpenMode mode) {
  if (mode == OpenMode::fresh) {
    Database waiting(sqlite::nameless, Access::read_write);
    make_tables(waiting);
    return waiting;
  }
  if (mode == OpenMode::read_write) {
    std::error_code error;
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
    refuse_links(file);
  }
  Database database(file, mode == OpenMode::read_only ? Access::read_only : Access::read_write);
  if (mode != OpenMode::read_only && is_empty(database)) make_tables(database);
  refuse_foreign(database);
  refuse_foreign_schema(database);
  if (mode != OpenMode::read_only) {
    // Readers go on while a run writes, and a commit does not wait for the disk's cache: a power cut may cost
    // the last rounds, never the file.
    database.execute("PRAGMA journal_mode = WAL");
    database.execute("PRAGMA synchronous = NORMAL");
  }
  return database;
}

}  // namespace

Store::Store(const std::filesystem::path& file, OpenMode mode)
    : state_(new State{.database = open(file, mode),
                       .mode = mode,
                       .replaced = mode == OpenMode::fresh ? file : std::filesystem::path()}) {}

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

Store::~Store() {
  if (!state_) return;
  try {
    state_->leave_wal();
  } catch (const UserError&) {
    // Nobody can be told here; the file with its -wal beside it is whole, and the next writer folds them.
    return;
  }
}

void Store::close() {
  if (!state_) return;
  state_->leave_wal();
  state_.reset();
}

std::optional<RunInfo> Store::last_run() const {
  const Database& database = state_->database;
  Statement row = database.prepare(
      "SELECT id, state, started, tool, project, project_digest, trap_digest, transport, agent, device, atr,"
      " simulated, unit, hz, resolution, seed, rounds, reader, protocol, absolute, relative, zoom, hot FROM "
      "run "
      "ORDER BY id DESC LIMIT 1");
  if (!row.step()) return std::nullopt;
  state_->verify(row.integer(0), "run");
  return RunInfo{.id = row.integer(0),
                 .state = known(database, row.text(1), value_in(run_states, row.text(1))),
                 .started = row.text(2),
                 .tool = row.text(3),
                 .project = row.text(4),
                 .project_digest = row.text(5),
                 .trap_digest = row.text(6),
                 .transport = row.text(7),
                 .agent = row.text(8),
                 .reader = row.text(17),
                 .protocol = row.text(18),
                 .device = row.text(9),
                 .atr = row.text(10),
                 .simulated = row.integer(11) != 0,
                 .unit = known(database, row.text(12), clock_unit(row.text(12))),
                 .hz = row.real(13),
                 .resolution = row.real(14),
                 .seed = static_cast<std::uint64_t>(row.integer(15)),
                 .rounds = row.number<std::uint32_t>(16),
                 .absolute = row.real(19),
                 .relative = row.real(20),
                 .zoom = row.real_if_any(21),
                 .hot = row.real(22)};
}

void Store::replace_old() {
  if (state_->replaced.empty()) return;
  remove_profile(state_->replaced);
  state_->database = open(std::exchange(state_->replaced, {}), OpenMode::read_write);
}

std::int64_t Store::begin_run(const RunInfo& info, const TrapMap& map,
                              const std::vector<StoredInput>& inputs) {
  replace_old();
  const Database& database = state_->database;
  Atomically atomically(database);
  const std::int64_t run = database.integer("SELECT coalesce(max(id), 0) + 1 FROM run");
  database
      .prepare(
          "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
          " ?, ?, ?)")
      .bind(run, name_in(run_states, info.state), info.started, info.tool, info.project, info.project_digest,
            info.trap_digest, info.transport, info.agent, info.reader, info.protocol, info.device, info.atr,
            info.simulated, name_of(info.unit), info.hz, info.resolution, info.seed, info.rounds,
            info.absolute, info.relative, info.zoom, info.hot, map.language, map.build,
            std::uint32_t{map.card.cla}, std::uint32_t{map.card.ins}, std::uint32_t{map.card.stop_status})
      .run();
  Statement source = database.prepare("INSERT INTO source VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < map.sources.size(); ++i)
    source.bind(run, i, map.sources[i].path, map.sources[i].sha256).run();
  Statement trap = database.prepare("INSERT INTO trap VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const Trap& t : map.traps)
    trap.bind(run, number(t.id), t.key, t.name, name_of(t.kind), t.function, t.path, t.line, t.column,
              t.offset, t.end_line, t.end_offset, t.guards)
        .run();
  Statement input = database.prepare("INSERT INTO input VALUES (?, ?, ?, ?)");
  for (const StoredInput& i : inputs) input.bind(run, i.index, i.bytes, i.input_class).run();
  for (const char* part : {"run", "source", "trap", "input"}) state_->seal(run, part);
  atomically.commit();
  return run;
}

void Store::set_state(std::int64_t run, RunState state) {
  Atomically atomically(state_->database);
  state_->database.prepare("UPDATE run SET state = ? WHERE id = ?")
      .bind(name_in(run_states, state), run)
      .run();
  state_->seal(run, "run");
  atomically.commit();
}

void Store::go_on(std::int64_t run, std::uint32_t rounds) {
  Atomically atomically(state_->database);
  state_->database.prepare("UPDATE run SET state = ?, rounds = ? WHERE id = ?")
      .bind(name_in(run_states, RunState::running), rounds, run)
      .run();
  state_->seal(run, "run");
  atomically.commit();
}

TrapMap Store::traps(std::int64_t run) const {
  const Database& database = state_->database;
  for (const char* part : {"run", "source", "trap"}) state_->verify(run, part);
  TrapMap map;
  Statement head = database.prepare("SELECT language, build, cla, ins, stop_status FROM run WHERE id = ?");
  if (!head.bind(run).step()) sqlite::damaged(database.file(), fmt::format("no run {}", run));
  map.language = head.text(0);
  map.build = head.number<std::uint32_t>(1);
  map.card = {.cla = head.number<std::uint8_t>(2),
              .ins = head.number<std::uint8_t>(3),
              .stop_status = head.number<std::uint16_t>(4)};
  Statement source = database.prepare("SELECT path, sha256 FROM source WHERE run = ? ORDER BY position");
  for (source.bind(run); source.step();)
    map.sources.push_back({.path = source.text(0), .sha256 = source.text(1)});
  Statement row = database.prepare(
      "SELECT id, key, name, kind, function, path, line, column, offset, end_line, end_offset, guards"
      " FROM trap WHERE run = ? ORDER BY id");
  for (row.bind(run); row.step();) {
    if (row.integer(0) != static_cast<std::int64_t>(map.traps.size()) + 1)
      sqlite::damaged(database.file(),
                      fmt::format("trap {} of run {} is missing", map.traps.size() + 1, run));
    map.traps.push_back({.id = TrapId{row.number<std::uint32_t>(0)},
                         .key = row.text(1),
                         .name = row.text(2),
                         .kind = known(database, row.text(3), trap_kind(row.text(3))),
                         .function = row.text(4),
                         .path = row.text(5),
                         .line = row.number<std::uint32_t>(6),
                         .column = row.number<std::uint32_t>(7),
                         .offset = row.number<std::uint32_t>(8),
                         .end_line = row.number<std::uint32_t>(9),
                         .end_offset = row.number<std::uint32_t>(10),
                         .guards = row.number<std::uint32_t>(11)});
  }
  return map;
}

std::vector<StoredInput> Store::inputs(std::int64_t run) const {
  state_->verify(run, "input");
  Statement row =
      state_->database.prepare("SELECT number, bytes, class FROM input WHERE run = ? ORDER BY number");
  std::vector<StoredInput> inputs;
  for (row.bind(run); row.step();)
    inputs.push_back(
        {.index = row.number<std::uint32_t>(0), .bytes = row.blob(1), .input_class = row.text(2)});
  return inputs;
}

}  // namespace jcprof
