// SPDX-License-Identifier: Apache-2.0
#include "src/core/store.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/store_state.hpp"

namespace jcprof {
namespace {

using sqlite::Access;
using sqlite::Atomically;
using sqlite::Database;
using sqlite::Statement;

void refuse_foreign(const Database& database) {
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  const auto refuse = [&](std::string message, std::string hint) {
    throw UserError(
        Fault{.message = std::move(message), .place = {.file = database.file()}, .hint = std::move(hint)});
  };
  if (application != store_application_id)
    refuse("not a profile (an SQLite file of another program)", "`jcprof run` writes profiles");
  if (version > version_of_store)
    refuse(fmt::format("written by a newer jcprof (format {}; this one reads {})", version, version_of_store),
           "use that jcprof, or move the file away and measure again");
  if (version >= 1 && version < version_of_store)
    refuse(
        fmt::format("written by an older jcprof (format {}; this one reads {})", version, version_of_store),
        "use that jcprof, or move the file away and measure again");
  if (version < 1) sqlite::damaged(database.file(), fmt::format("format {}", version));
}

/// The only name of this table that a file cannot give to something of its own. SQLite decides itself which
/// tables of statistics it makes.
constexpr const char* schema_rows =
    "SELECT type, name, coalesce(sql, '') FROM main.sqlite_master"
    " WHERE NOT (type = 'table' AND name GLOB 'sqlite_stat[134]') ORDER BY type, name";

bool is_empty(const Database& database) {
  return !database.prepare(schema_rows).step() && database.integer("PRAGMA application_id") == 0;
}

void make_tables(const Database& database) {
  Atomically atomically(database);
  database.execute(store_schema().c_str());
  database.execute(fmt::format("PRAGMA application_id = {}", store_application_id).c_str());
  database.execute(fmt::format("PRAGMA user_version = {}", version_of_store).c_str());
  atomically.commit();
}

/// Earlier profiles of this version have comments in their tables.
std::string without_comments(std::string_view sql) {
  std::string rest;
  while (!sql.empty()) {
    const bool is_comment = sql.starts_with("--");
    const bool is_blank = is_comment || sql.front() == ' ' || sql.front() == '\n';
    if (!is_blank || !rest.ends_with(' ')) rest += is_blank ? ' ' : sql.front();
    sql.remove_prefix(is_comment ? std::min(sql.find('\n'), sql.size()) : 1);
  }
  return rest;
}

[[noreturn]] void refuse_schema(const Database& database) {
  throw UserError(Fault{.message = "its tables or views are not those that jcprof makes",
                        .place = {.file = database.file()},
                        .hint = "restore it from a copy, or measure into another folder with -o"});
}

/// A view or trigger of others is a program that every look at the profile would run.
void refuse_foreign_schema(const Database& database) {
  const Database own(sqlite::nameless, Access::read_write);
  own.execute(store_schema().c_str());
  Statement ours = own.prepare(schema_rows);
  Statement theirs = database.prepare(schema_rows);
  while (ours.step()) {
    const bool is_same = theirs.step() && theirs.text_view(0) == ours.text_view(0) &&
                         theirs.text_view(1) == ours.text_view(1) &&
                         without_comments(theirs.text_view(2)) == without_comments(ours.text_view(2));
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

sqlite::Database connected_profile(const std::filesystem::path& file) {
  {
    const Store is_a_profile(file, OpenMode::read_only);
  }
  return {file, Access::read_only};
}

std::string utc(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::string utc_now() {
  return utc(std::time(nullptr));
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
  const std::vector<RunInfo> newest = state_->newest_runs(1);
  return newest.empty() ? std::nullopt : std::optional(newest.front());
}

std::vector<RunInfo> Store::runs() const {
  return state_->newest_runs(-1);
}

void Store::replace_old() {
  if (state_->replaced.empty()) return;
  remove_profile(state_->replaced);
  state_->database = open(std::exchange(state_->replaced, {}), OpenMode::read_write);
}

std::vector<RunInfo> Store::State::newest_runs(std::int64_t most) const {
  std::vector<RunInfo> runs;
  Statement select = database.prepare("SELECT * FROM run ORDER BY id DESC LIMIT ?");
  for (select.bind(most); select.step();) {
    runs.push_back(row_in<RunRow>(select).info);
    runs.back().id = select.integer(0);
    verify(runs.back().id, "run");
  }
  return runs;
}

std::int64_t Store::begin_run(const RunInfo& info, const TrapMap& map,
                              const std::vector<StoredInput>& inputs) {
  replace_old();
  const Database& database = state_->database;
  Atomically atomically(database);
  const std::int64_t run = database.integer("SELECT coalesce(max(id), 0) + 1 FROM run");
  Statement row = insertion<RunRow>(database);
  insert(row, run, RunRow{.info = info, .language = map.language, .build = map.build, .card = map.card});
  state_->seal(run, "run");
  state_->replace(run, map.sources);
  state_->replace(run, map.traps);
  state_->replace(run, inputs);
  atomically.commit();
  return run;
}

void Store::set_state(std::int64_t run, RunState state) {
  Atomically atomically(state_->database);
  state_->database.prepare("UPDATE run SET state = ? WHERE id = ?").bind(name_of(state), run).run();
  state_->seal(run, "run");
  atomically.commit();
}

std::int64_t Store::resume_run(const RunInfo& info) {
  Atomically atomically(state_->database);
  const std::int64_t newest = state_->database.integer("SELECT max(id) FROM run");
  const std::int64_t id = info.id == newest ? newest : newest + 1;
  if (id != info.id) state_->renumber(info.id, id);
  state_->database
      .prepare(
          "UPDATE run SET state = ?, rounds = ?, absolute = ?, relative = ?, zoom = ?, hot = ? WHERE id = ?")
      .bind(name_of(RunState::running), info.rounds, info.absolute, info.relative, info.zoom, info.hot, id)
      .run();
  state_->seal(id, "run");
  atomically.commit();
  return id;
}

void Store::add_path(std::int64_t run, const StoredPath& path) {
  const Database& database = state_->database;
  Atomically atomically(database);
  database.prepare("DELETE FROM path WHERE run = ? AND input = ? AND variant = ?")
      .bind(run, path.input, path.variant)
      .run();
  Statement event = insertion<PathRow>(database);
  for (std::size_t i = 0; i < path.events.size(); ++i)
    insert(event, run,
           PathRow{.input = path.input,
                   .variant = path.variant,
                   .position = i,
                   .event = path.events[i],
                   .runs = path.runs,
                   .signature = path.signature});
  state_->seal(run, "path", {.first = path.input, .last = path.variant});
  atomically.commit();
}

void Store::add_look(std::int64_t run, const StoredLook& look) {
  Atomically atomically(state_->database);
  Statement row = insertion<StoredLook>(state_->database, "OR REPLACE");
  insert(row, run, look);
  state_->seal(run, "look");
  atomically.commit();
}

void Store::replace_warnings(std::int64_t run, const std::vector<Warning>& warnings) {
  Atomically atomically(state_->database);
  state_->replace(run, warnings);
  atomically.commit();
}

void Store::begin() {
  replace_old();
  check(!state_->database.in_transaction(), "Store::begin() twice");
  state_->batch.reset();  // of one that came to nothing
  state_->database.execute("BEGIN IMMEDIATE");
}

void Store::add_sample(std::int64_t run, const StoredSample& sample) {
  if (!state_->sample) state_->sample.emplace(insertion<StoredSample>(state_->database));
  insert(*state_->sample, run, sample);
  state_->take(run, sample);
}

void Store::add_calibrations(std::int64_t run, std::span<const StoredCalibration> calibrations) {
  if (calibrations.empty()) return;
  const Database& database = state_->database;
  Atomically atomically(database);
  Statement next = database.prepare("SELECT coalesce(max(number) + 1, 0) FROM calibration WHERE run = ?");
  next.bind(run).step();
  auto number = next.number<std::size_t>(0);
  Statement row = insertion<StoredCalibration>(database);
  for (const StoredCalibration& calibration : calibrations) insert(row, run, calibration, number++);
  state_->seal(run, "calibration");
  atomically.commit();
}

void Store::commit() {
  check(state_->database.in_transaction(), "Store::commit() without begin()");
  state_->seal_batch();
  state_->database.execute("COMMIT");
}

void Store::replace_estimates(std::int64_t run, const std::vector<StoredEstimate>& estimates) {
  Atomically atomically(state_->database);
  state_->replace(run, estimates);
  atomically.commit();
}

TrapMap Store::traps(std::int64_t run) const {
  const Database& database = state_->database;
  state_->verify(run, "run");
  Statement select = database.prepare("SELECT * FROM run WHERE id = ?");
  if (!select.bind(run).step()) sqlite::damaged(database.file(), fmt::format("no run {}", run));
  const RunRow head = row_in<RunRow>(select);
  TrapMap map{.language = head.language,
              .sources = state_->rows<SourceDigest>(run),
              .traps = state_->rows<Trap>(run),
              .card = head.card,
              .build = head.build};
  for (std::size_t i = 0; i < map.traps.size(); ++i)
    if (number(map.traps[i].id) != i + 1)
      sqlite::damaged(database.file(), fmt::format("trap {} of run {} is missing", i + 1, run));
  return map;
}

std::vector<StoredPath> Store::paths(std::int64_t run) const {
  std::vector<StoredPath> paths;
  for (const PathRow& row : state_->rows<PathRow>(run)) {
    if (paths.empty() || paths.back().input != row.input || paths.back().variant != row.variant)
      paths.push_back({.input = row.input,
                       .variant = row.variant,
                       .runs = row.runs,
                       .signature = row.signature,
                       .events = {}});
    paths.back().events.push_back(row.event);
  }
  return paths;
}

std::vector<StoredInput> Store::inputs(std::int64_t run) const {
  return state_->rows<StoredInput>(run);
}
std::vector<StoredSample> Store::samples(std::int64_t run) const {
  return state_->rows<StoredSample>(run);
}
std::vector<StoredLook> Store::looks(std::int64_t run) const {
  return state_->rows<StoredLook>(run);
}
std::vector<StoredCalibration> Store::calibrations(std::int64_t run) const {
  return state_->rows<StoredCalibration>(run);
}
std::vector<Warning> Store::warnings(std::int64_t run) const {
  return state_->rows<Warning>(run);
}
std::vector<StoredEstimate> Store::estimates(std::int64_t run) const {
  return state_->rows<StoredEstimate>(run);
}

}  // namespace jcprof
