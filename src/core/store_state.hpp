// SPDX-License-Identifier: Apache-2.0
// What the files of the store share. Not for anybody else.
#pragma once

#include "src/core/store_rows.hpp"

namespace jcprof {

/// UserError where a table, or any of them, is not what was stored (store_seals.cpp).
void verify_seals(const sqlite::Database& database, std::int64_t run, const std::string& part);
void verify_seals(const sqlite::Database& database, std::int64_t run);

/// Another connection to what is a profile of this version, for statements that the store has not.
sqlite::Database connected_profile(const std::filesystem::path& file);

struct Store::State {
  sqlite::Database database;
  OpenMode mode;
  std::filesystem::path replaced = {};  // by the first run of a fresh profile, which is in memory until then
  std::optional<sqlite::Statement> sample = {};  // prepared once: one row a shot
  std::int64_t batch_run = 0;
  std::optional<Seal> batch = {};  // samples that were added and have no digest yet

  /// In place of all that the run has in this table.
  template <class Row>
  void replace(std::int64_t run, const std::vector<Row>& rows) const {
    const std::string table = layout<Row>().table.name;
    database.prepare(fmt::format("DELETE FROM {} WHERE run = ?", table)).bind(run).run();
    sqlite::Statement statement = insertion<Row>(database);
    for (std::size_t i = 0; i < rows.size(); ++i) insert(statement, run, rows[i], i);
    seal(run, table);
  }
  template <class Row>
  std::vector<Row> rows(std::int64_t run) const {
    const std::string table = layout<Row>().table.name;
    verify(run, table);
    sqlite::Statement select = database.prepare(selection(table, "run = ?"));
    std::vector<Row> rows;
    for (select.bind(run); select.step();) rows.push_back(row_in<Row>(select));
    return rows;
  }

  /// Newest first; below 0: all of them.
  std::vector<RunInfo> newest_runs(std::int64_t most) const;
  /// All rows of the run get another number, after a look whether they are what was stored.
  void renumber(std::int64_t from, std::int64_t to) const;

  /// `part` is a table. Within the transaction that changed those rows (store_seals.cpp).
  void seal(std::int64_t run, const std::string& part, const Seal& seal) const;
  void seal(std::int64_t run, const std::string& part) const { seal(run, part, Seal{}); }
  /// A sample that has been added.
  void take(std::int64_t run, const StoredSample& added);
  void seal_batch();
  /// UserError where a table is not what was stored.
  void verify(std::int64_t run, const std::string& part) const;

  void leave_wal() {
    sample.reset();
    if (database.in_transaction()) database.execute("ROLLBACK");
    if (mode != OpenMode::read_only) database.execute("PRAGMA journal_mode = DELETE");
  }
};

}  // namespace jcprof
