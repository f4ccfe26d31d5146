// SPDX-License-Identifier: Apache-2.0
// What store.cpp and store_rows.cpp share. Not for anybody else.
#pragma once

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "src/core/sqlite.hpp"
#include "src/core/store.hpp"

namespace jcprof {

struct Store::State {
  sqlite::Database database;
  OpenMode mode;
  std::optional<sqlite::Statement> sample = {};  // prepared once: one row a shot

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
