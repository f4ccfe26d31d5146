// SPDX-License-Identifier: Apache-2.0
#include "src/core/history.hpp"

#include <array>
#include <cmath>
#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "src/core/error.hpp"
#include "src/core/sqlite.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using sqlite::Access;
using sqlite::Database;
using sqlite::Statement;

/// "jcph" in SQLite's header.
constexpr int history_application_id = 0x6A637068;
/// SQLite's user_version.
constexpr int version_of_history = 1;

constexpr const char* history_schema = R"(
CREATE TABLE entry (id INTEGER PRIMARY KEY, started TEXT NOT NULL, project TEXT NOT NULL, device TEXT NOT NULL,
 simulated INTEGER NOT NULL, build INTEGER NOT NULL, label TEXT NOT NULL, UNIQUE (started, project, device, build));
CREATE TABLE value (entry INTEGER NOT NULL, subject TEXT NOT NULL, unit TEXT NOT NULL, value REAL NOT NULL,
 low REAL, high REAL, PRIMARY KEY (entry, subject, unit)) WITHOUT ROWID;
)";

[[noreturn]] void refuse_history(const std::string& file, std::string message, std::string hint) {
  throw UserError(Fault{.message = std::move(message), .place = {.file = file}, .hint = std::move(hint)});
}

[[noreturn]] void refuse_stranger(const std::string& file, std::string message) {
  refuse_history(file, std::move(message), "`jcprof check --history FILE` writes histories");
}

/// SQLite's own words are about profiles.
void refuse_other_files(const fs::path& file) {
  if (fs::is_directory(file)) refuse_stranger(file.string(), "a folder, not a history");
  if (!fs::is_regular_file(file)) return;
  constexpr std::string_view head("SQLite format 3\0", 16);
  std::array<char, 16> bytes{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return;
  stream.read(bytes.data(), bytes.size());
  const auto count = static_cast<std::size_t>(stream.gcount());
  if (count > 0 && std::string_view(bytes.data(), count) != head)
    refuse_stranger(file.string(), "not a history (not even an SQLite file)");
}

std::string schema_in(const Database& database) {
  // No file can give the name of this table to something of its own.
  Statement rows = database.prepare(
      "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM main.sqlite_master ORDER BY type, name");
  std::string schema;
  while (rows.step()) schema += rows.text(0) + "\n";
  return schema;
}

void make_history(const Database& database) {
  sqlite::Atomically atomically(database);
  database.execute(history_schema);
  database.execute(fmt::format("PRAGMA application_id = {}", history_application_id).c_str());
  database.execute(fmt::format("PRAGMA user_version = {}", version_of_history).c_str());
  atomically.commit();
}

void refuse_other_databases(const Database& database) {
  if (database.integer("PRAGMA application_id") != history_application_id)
    refuse_stranger(database.file(), "not a history (an SQLite file of another kind)");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > version_of_history)
    refuse_history(
        database.file(),
        fmt::format("written by a newer jcprof (format {}; this one reads {})", version, version_of_history),
        "use that jcprof, or begin a new file");
  // A view of others is a program that every look at the file would run.
  const Database own(sqlite::nameless, Access::read_write);
  make_history(own);
  if (schema_in(database) != schema_in(own))
    refuse_history(database.file(), "its tables are not those that jcprof makes", "restore it from a copy");
}

Database open_history(const fs::path& file, Access access) {
  if (access == Access::read_only && !fs::exists(file))
    refuse_stranger(file.string(), "there is no such history");
  refuse_other_files(file);
  Database database(file, access);
  const bool is_empty = schema_in(database).empty() && database.integer("PRAGMA application_id") == 0;
  if (access == Access::read_write && is_empty) make_history(database);
  refuse_other_databases(database);
  return database;
}

}  // namespace

void add_to_history(const fs::path& file, const HistoryEntry& entry) {
  const Database database = open_history(file, Access::read_write);
  sqlite::Atomically atomically(database);
  database
      .prepare(
          "INSERT INTO entry (started, project, device, simulated, build, label) VALUES (?, ?, ?, ?, ?, ?) "
          "ON CONFLICT DO UPDATE SET label = coalesce(nullif(excluded.label, ''), label)")
      .bind(entry.started, entry.project, entry.device, entry.simulated, entry.build, entry.label)
      .run();
  Statement known =
      database.prepare("SELECT id FROM entry WHERE started = ? AND project = ? AND device = ? AND build = ?");
  check(known.bind(entry.started, entry.project, entry.device, entry.build).step(), "the entry is there");
  const std::int64_t id = known.integer(0);
  Statement row = database.prepare("INSERT OR REPLACE INTO value VALUES (?, ?, ?, ?, ?, ?)");
  for (const HistoryValue& value : entry.values)
    row.bind(id, value.subject, value.unit, value.value, value.low, value.high).run();
  atomically.commit();
}

std::vector<HistoryEntry> read_history(const fs::path& file) {
  const Database database = open_history(file, Access::read_only);
  std::vector<HistoryEntry> entries;
  Statement row = database.prepare("SELECT * FROM entry ORDER BY started, id");
  Statement value = database.prepare("SELECT * FROM value WHERE entry = ? ORDER BY subject, unit");
  while (row.step()) {
    HistoryEntry entry{.started = row.text(1),
                       .project = row.text(2),
                       .device = row.text(3),
                       .simulated = row.integer(4) != 0,
                       .build = row.number<std::uint32_t>(5),
                       .label = row.text(6)};
    for (value.bind(row.integer(0)); value.step();) {
      if (!std::isfinite(value.real(3)))
        refuse_history(file.string(), fmt::format("damaged: a value of {} is infinite", row.text(1)),
                       "restore it from a copy");
      entry.values.push_back({.subject = value.text(1),
                              .unit = value.text(2),
                              .value = value.real(3),
                              .low = value.real(4, -std::numeric_limits<double>::infinity()),
                              .high = value.real(5, std::numeric_limits<double>::infinity())});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace jcprof
