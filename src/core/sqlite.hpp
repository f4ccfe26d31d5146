// SPDX-License-Identifier: Apache-2.0
// RAII round SQLite for store.cpp, query.cpp and history.cpp: a connection, its statements, its errors as
// UserErrors. Not a general wrapper: integers, reals, texts and blobs are all that they hold.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/core/types.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace jcprof::sqlite {

/// The name of a database that lives in memory and goes when it is closed.
inline constexpr const char* nameless = "";

enum class Access : std::uint8_t { read_only, read_write };

struct CloseDatabase {
  void operator()(sqlite3* database) const;
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const;
};

/// One prepared statement. Columns and parameters count from 0 and 1, as SQLite has it.
class Statement {
 public:
  Statement(Statement&&) = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  Statement& bind(const Values&... values) {
    int index = 0;
    (set(++index, values), ...);
    return *this;
  }
  void set(int index, std::int64_t value);
  void set(int index, std::integral auto value) { set(index, static_cast<std::int64_t>(value)); }
  void set(int index, double value);  // an infinite value becomes NULL
  void set(int index, std::string_view value);
  void set(int index, const std::string& value) { set(index, std::string_view(value)); }
  void set(int index, const Bytes& value);
  template <class Value>
  void set(int index, const std::optional<Value>& value) {
    if (value) set(index, *value);
  }
  /// True while there is a row; resets itself after the last one, ready to be bound again.
  bool step();
  /// For statements without rows.
  void run() {
    while (step()) {
    }
  }

  std::int64_t integer(int column) const;
  double real(int column, double if_null = 0) const;
  std::string text(int column) const;
  std::string_view text_view(int column) const;  // until the next step or other look at this column
  Bytes blob(int column) const;
  bool is_null(int column) const;
  const std::string& file() const { return file_; }
  /// All columns of the row, each with its type and length.
  void append_row(std::string& bytes) const;

  /// An integer that fits `Number`; a value that does not is a damaged file.
  template <class Number>
  Number number(int column) const {
    return static_cast<Number>(
        integer_in(column, std::numeric_limits<Number>::min(),
                   static_cast<std::int64_t>(std::numeric_limits<Number>::max() &
                                             std::numeric_limits<std::int64_t>::max())));
  }

 private:
  friend class Database;
  Statement(sqlite3* database, const std::string& file, std::string_view sql);

  std::int64_t integer_in(int column, std::int64_t low, std::int64_t high) const;

  sqlite3* database_;
  const std::string& file_;
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> statement_;
};

class Database {
 public:
  /// UserError when there is no such file, or it cannot be opened. Defensive: the file may be hostile.
  Database(const std::filesystem::path& file, Access access);

  Statement prepare(std::string_view sql) const { return {handle_.get(), file_, sql}; }
  void execute(const char* sql) const;
  std::int64_t integer(std::string_view sql) const;
  bool in_transaction() const;

  const std::string& file() const { return file_; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  std::string file_;  // as the user named it
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
};

/// A statement of our own for SQLite's own functions.
std::unique_ptr<sqlite3_stmt, FinalizeStatement> raw_statement(const Database& database,
                                                               const std::string& sql);

/// BEGIN … COMMIT, or nothing of it when left by an exception. Inside an open transaction it joins that one.
class Atomically {
 public:
  explicit Atomically(const Database& database, const char* begin = "BEGIN IMMEDIATE");
  ~Atomically();
  Atomically(const Atomically&) = delete;
  Atomically& operator=(const Atomically&) = delete;
  void commit();

 private:
  const Database& database_;
  bool open_;
};

/// The error that SQLite has just met, in words for the user; `file` is the profile.
[[noreturn]] void fail(sqlite3* database, const std::string& file);
/// The way out of a damaged profile: nothing that would delete it.
inline constexpr const char* damaged_hint =
    "the file stays as it is: bring back a copy of it, or move it away and measure again";
[[noreturn]] void damaged(const std::string& file, std::string_view what);

}  // namespace jcprof::sqlite
