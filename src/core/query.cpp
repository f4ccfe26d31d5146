// SPDX-License-Identifier: Apache-2.0
// `jcprof query`: somebody's SQL on a file that may be somebody else's. Only SELECT gets through.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "src/core/error.hpp"
#include "src/core/hex.hpp"
#include "src/core/sqlite.hpp"
#include "src/core/store.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

using Words = std::vector<std::string>;
using Handle = std::unique_ptr<sqlite3_stmt, sqlite::FinalizeStatement>;

/// Reading tables, calling functions, looking at the schema. ATTACH, writes and all other pragmas are denied.
// NOLINTNEXTLINE(readability-function-size): SQLite fixes the parameters
int only_reading(void* /*unused*/, int action, const char* first, const char* second,
                 const char* /*database*/, const char* /*trigger*/) {
  const std::string_view name = first == nullptr ? "" : first;
  const std::string_view detail = second == nullptr ? "" : second;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
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

Words names(const sqlite::Database& database, const std::string& sql) {
  Words words;
  sqlite::Statement statement = database.prepare(sql);
  while (statement.step()) words.push_back(statement.text(0));
  return words;
}

Words tables(const sqlite::Database& database) {
  return names(database,
               "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY type DESC, name");
}

std::string what_there_is(const sqlite::Database& database) {
  std::string list;
  for (const std::string& name : tables(database)) list += (list.empty() ? "" : ", ") + name;
  return "there are " + list;
}

Words tables_with(const sqlite::Database& database, std::string_view column) {
  Words words;
  sqlite::Statement statement = database.prepare(
      "SELECT s.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type IN ('table', 'view')"
      " AND c.name = ? ORDER BY s.type DESC, s.name");
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
    const Words columns = names(database,
                                "SELECT DISTINCT c.name FROM sqlite_schema s, pragma_table_info(s.name) c"
                                " WHERE s.type IN ('table', 'view') ORDER BY 1");
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
    refuse("only reading is allowed", sql, -1, "a query is one SELECT; profiles are changed by jcprof alone");
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

}  // namespace

QueryResult query(const std::filesystem::path& file, const std::string& sql) {
  {
    const Store is_a_profile(file, OpenMode::read_only);
  }
  const sqlite::Database database(file, sqlite::Access::read_only);
  sqlite3_set_authorizer(database.handle(), only_reading, nullptr);
  const Handle statement = only_statement(database, sql);
  QueryResult result;
  const int columns = sqlite3_column_count(statement.get());
  for (int i = 0; i < columns; ++i) result.columns.emplace_back(sqlite3_column_name(statement.get(), i));
  int code = sqlite3_step(statement.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
    auto& row = result.rows.emplace_back();
    for (int i = 0; i < columns; ++i) row.push_back(cell(statement.get(), i));
  }
  if (code != SQLITE_DONE) refuse_sql(database, sql);
  return result;
}

}  // namespace jcprof
