// SPDX-License-Identifier: Apache-2.0
// What the files of the store share. Not for anybody else.
#pragma once

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "src/core/sqlite.hpp"
#include "src/core/store.hpp"

namespace jcprof {

/// Rows that one digest is of: sequences of a batch of samples, input and variant of a path, else 0.
struct Seal {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint32_t round = 0;  // of samples
};

struct Store::State {
  sqlite::Database database;
  OpenMode mode;
  std::filesystem::path replaced = {};  // by the first run of a fresh profile, which is in memory until then
  std::optional<sqlite::Statement> sample = {};  // prepared once: one row a shot
  std::int64_t batch_run = 0;
  std::optional<Seal> batch = {};  // samples that were added and have no digest yet

  /// `part` is a table. Within the transaction that changed those rows (store_seals.cpp).
  void seal(std::int64_t run, const std::string& part, const Seal& seal) const;
  void seal(std::int64_t run, const std::string& part) const { seal(run, part, Seal{}); }
  /// A sample that has been added.
  void take(std::int64_t run, const StoredSample& added);
  void seal_batch();
  /// UserError where a table is not what was stored.
  void verify(std::int64_t run, const std::string& part) const;

  std::int64_t next_number(std::string_view table, std::int64_t run) const {
    sqlite::Statement statement =
        database.prepare(fmt::format("SELECT coalesce(max(number) + 1, 0) FROM {} WHERE run = ?", table));
    statement.bind(run).step();
    return statement.integer(0);
  }

  void leave_wal() {
    sample.reset();
    if (database.in_transaction()) database.execute("ROLLBACK");
    if (mode != OpenMode::read_only) database.execute("PRAGMA journal_mode = DELETE");
  }
};

/// The value of an enumeration, or a damaged file.
template <class Value>
Value known(const sqlite::Database& database, std::string_view text, std::optional<Value> value) {
  if (!value) sqlite::damaged(database.file(), fmt::format("unknown word \"{}\"", text));
  return *value;
}

}  // namespace jcprof
