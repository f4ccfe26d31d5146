// SPDX-License-Identifier: Apache-2.0
// `jcprof query`: somebody's SQL on files that may be somebody else's. Only SELECT gets through.
#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/store.hpp"
#include "src/core/store_state.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

using Words = std::vector<std::string>;
using Handle = std::unique_ptr<sqlite3_stmt, sqlite::FinalizeStatement>;

using Names = std::set<std::string, std::less<>>;

/// Reading tables, calling functions, looking at the schema. ATTACH, writes and all other pragmas are denied.
/// `read` is where the names of the tables go, or nullptr.
// NOLINTNEXTLINE(readability-function-size): SQLite fixes the parameters
int only_reading(void* read, int action, const char* first, const char* second, const char* /*database*/,
                 const char* /*trigger*/) {
  const std::string_view name = first == nullptr ? "" : first;
  const std::string_view detail = second == nullptr ? "" : second;
  switch (action) {
    case SQLITE_READ:
      if (read != nullptr) static_cast<Names*>(read)->emplace(name);
      return SQLITE_OK;
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return detail == "load_extension" || detail == "fts3_tokenizer" ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return name == "table_info" || name == "table_xinfo" || name == "table_list" ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

/// A statement about a profile's tables and views: SQLite's own are not among them.
std::string of_ours(std::string_view select) {
  return fmt::format(
      "WITH ours AS (SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')"
      " AND name NOT GLOB 'sqlite_*') SELECT {}",
      select);
}

Words names(const sqlite::Database& database, const std::string& sql) {
  Words words;
  sqlite::Statement statement = database.prepare(sql);
  while (statement.step()) words.push_back(statement.text(0));
  return words;
}

Words tables(const sqlite::Database& database) {
  return names(database, of_ours("name FROM ours ORDER BY type DESC, name"));
}

std::string what_there_is(const sqlite::Database& database) {
  std::string list;
  for (const std::string& name : tables(database)) list += (list.empty() ? "" : ", ") + name;
  return "there are " + list;
}

Words tables_with(const sqlite::Database& database, std::string_view column) {
  Words words;
  sqlite::Statement statement = database.prepare(of_ours(
      "s.name FROM ours s, pragma_table_info(s.name) c WHERE c.name = ? ORDER BY s.type DESC, s.name"));
  statement.bind(std::string(column));
  while (statement.step()) words.push_back(statement.text(0));
  return words;
}

/// A way out for "no such table: x" and "no such column: x".
std::string hint_for(const sqlite::Database& database, std::string_view why) {
  constexpr std::string_view no_table = "no such table: ";
  constexpr std::string_view no_column = "no such column: ";
  if (why.starts_with(no_column)) {
    std::string_view word = why.substr(no_column.size());
    word.remove_prefix(word.find_last_of('.') == std::string_view::npos ? 0 : word.find_last_of('.') + 1);
    if (const Words others = tables_with(database, word); !others.empty())
      return fmt::format("\"{}\" is a column of {}", word, fmt::join(others, ", "));
    const Words columns =
        names(database, of_ours("DISTINCT c.name FROM ours s, pragma_table_info(s.name) c ORDER BY 1"));
    const std::string guess = did_you_mean(word, columns);
    return guess.empty() ? "`SELECT * FROM block` shows the columns of a view" : guess;
  }
  if (!why.starts_with(no_table)) return "";
  const std::string guess = did_you_mean(why.substr(no_table.size()), tables(database));
  return (guess.empty() ? "" : guess + " ") + what_there_is(database);
}

[[noreturn]] void refuse(std::string message, const std::string& sql, int offset, std::string hint) {
  Place place = {.file = "query"};
  if (offset >= 0) place = place_at("query", sql, static_cast<std::size_t>(offset));
  throw UserError(Fault{.message = std::move(message), .place = std::move(place), .hint = std::move(hint)});
}

[[noreturn]] void refuse_sql(const sqlite::Database& database, const std::string& sql) {
  sqlite3* handle = database.handle();
  const int code = sqlite3_errcode(handle);
  const std::string why = sqlite3_errmsg(handle);
  const int offset = sqlite3_error_offset(handle);
  // A denied CREATE is reported while the schema is read, as another code with the same words.
  if (code == SQLITE_AUTH || why == "not authorized")
    refuse("a query may only read", sql, -1, "a query is one SELECT; only jcprof changes profiles");
  if (code != SQLITE_ERROR) sqlite::fail(handle, database.file());
  sqlite3_set_authorizer(handle, nullptr, nullptr);  // the rest is our own SQL
  refuse(why, sql, offset, hint_for(database, why));
}

Handle prepare(const sqlite::Database& database, const std::string& sql, std::string_view& rest) {
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  const int code =
      sqlite3_prepare_v2(database.handle(), rest.data(), static_cast<int>(rest.size()), &statement, &tail);
  Handle handle(statement);
  if (code != SQLITE_OK) refuse_sql(database, sql);
  rest.remove_prefix(static_cast<std::size_t>(tail - rest.data()));
  return handle;
}

Handle only_statement(const sqlite::Database& database, const std::string& sql) {
  std::string_view rest = sql;
  Handle statement = prepare(database, sql, rest);
  if (!statement) refuse("no statement", sql, -1, "for example: SELECT * FROM line LIMIT 10");
  const auto offset = static_cast<int>(sql.size() - rest.size());
  // What is left may be blanks and comments, which make no statement; anything else is refused, valid or not.
  sqlite3_stmt* second = nullptr;
  const int code =
      sqlite3_prepare_v2(database.handle(), rest.data(), static_cast<int>(rest.size()), &second, nullptr);
  const Handle more(second);
  if (more || code != SQLITE_OK) refuse("more than one statement", sql, offset, "a query is one SELECT");
  return statement;
}

std::optional<std::string> cell(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::nullopt;
    case SQLITE_BLOB: {
      const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement, column));
      return to_hex({data, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))});
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

QueryResult all_rows(const sqlite::Database& database, const Handle& statement, const std::string& sql) {
  QueryResult result;
  const int columns = sqlite3_column_count(statement.get());
  for (int i = 0; i < columns; ++i) result.columns.emplace_back(sqlite3_column_name(statement.get(), i));
  int code = sqlite3_step(statement.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
    auto& row = result.rows.emplace_back();
    auto& kinds = result.kinds.emplace_back();
    for (int i = 0; i < columns; ++i) {
      const int type = sqlite3_column_type(statement.get(), i);  // first: reading it as text may change it
      row.push_back(cell(statement.get(), i));
      kinds.push_back(type == SQLITE_INTEGER || type == SQLITE_FLOAT ? CellKind::number : CellKind::text);
    }
  }
  if (code != SQLITE_DONE) refuse_sql(database, sql);
  return result;
}

sqlite::Database open_profile(const std::filesystem::path& file) {
  sqlite::Database database = connected_profile(file);
  sqlite3_set_authorizer(database.handle(), only_reading, nullptr);
  return database;
}

/// A table or view of a profile.
struct Shape {
  std::string name;
  std::string columns;       // "a", "b"
  std::string declarations;  // "a" TEXT, "b" REAL
};

std::vector<Shape> shapes_of_profiles() {
  const sqlite::Database empty(sqlite::nameless, sqlite::Access::read_write);
  empty.execute(store_schema().c_str());
  sqlite::Statement statement =
      empty.prepare(of_ours("s.name, group_concat(format('\"%w\"', c.name), ', '),"
                            " group_concat(format('\"%w\" %s', c.name, c.type), ', ')"
                            " FROM ours s, pragma_table_info(s.name) c GROUP BY s.name"));
  std::vector<Shape> shapes;
  while (statement.step()) shapes.push_back({statement.text(0), statement.text(1), statement.text(2)});
  return shapes;
}

void copy_rows(const sqlite::Database& from, const sqlite::Database& to, const Shape& shape) {
  const Handle select =
      sqlite::raw_statement(from, fmt::format("SELECT {} FROM \"{}\"", shape.columns, shape.name));
  const int columns = sqlite3_column_count(select.get());
  std::string places = "?";
  for (int i = 0; i < columns; ++i) places += ", ?";
  const Handle insert =
      sqlite::raw_statement(to, fmt::format("INSERT INTO \"{}\" VALUES ({})", shape.name, places));
  int code = sqlite3_step(select.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(select.get())) {
    sqlite3_bind_text(insert.get(), 1, from.file().c_str(), -1, SQLITE_TRANSIENT);
    for (int i = 0; i < columns; ++i)
      sqlite3_bind_value(insert.get(), i + 2, sqlite3_column_value(select.get(), i));
    if (sqlite3_step(insert.get()) != SQLITE_DONE) sqlite::fail(to.handle(), "query");
    sqlite3_reset(insert.get());
  }
  if (code != SQLITE_DONE) sqlite::fail(from.handle(), from.file());
}

}  // namespace

QueryResult query(const std::filesystem::path& file, const std::string& sql) {
  const sqlite::Database database = open_profile(file);
  return all_rows(database, only_statement(database, sql), sql);
}

// What the statement reads is copied together from all profiles: ATTACH would take no more than ten of them.
QueryResult query_together(const std::vector<std::filesystem::path>& files, const std::string& sql) {
  const sqlite::Database all(sqlite::nameless, sqlite::Access::read_write);
  const std::vector<Shape> shapes = shapes_of_profiles();
  for (const Shape& shape : shapes)
    all.execute(
        fmt::format("CREATE TABLE \"{}\" (profile TEXT, {})", shape.name, shape.declarations).c_str());
  Names read;
  sqlite3_set_authorizer(all.handle(), only_reading, &read);
  const Handle statement = only_statement(all, sql);
  sqlite3_set_authorizer(all.handle(), nullptr, nullptr);
  for (const std::filesystem::path& file : files) {
    const sqlite::Database profile = open_profile(file);
    sqlite::Atomically atomically(all);
    for (const Shape& shape : shapes)
      if (read.contains(shape.name)) copy_rows(profile, all, shape);
    atomically.commit();
  }
  sqlite3_set_authorizer(all.handle(), only_reading, nullptr);
  return all_rows(all, statement, sql);
}

}  // namespace jcprof
