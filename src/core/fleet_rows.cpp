// SPDX-License-Identifier: Apache-2.0
#include "src/core/fleet_rows.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "src/core/error.hpp"
#include "src/core/json_text.hpp"
#include "src/core/sqlite.hpp"
#include "src/core/store.hpp"
#include "src/core/store_tables.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

struct Source {
  const char* name;
  const char* view;
  const char* select;
};

constexpr auto sources = std::to_array<Source>({
    {"devices", "run",
     "SELECT started, state, tool, transport, agent, reader, protocol, atr, simulated, unit, hz, resolution,"
     " seed, rounds, absolute, relative, zoom, hot, language FROM run WHERE id = (SELECT max(id) FROM run)"},
    {"samples", "sample",
     "SELECT s.sequence, s.round, s.trap, s.hit, s.input, s.ticks, s.outcome, s.status, s.signature,"
     " t.function, t.path, t.line FROM sample s LEFT JOIN trap t ON t.run = s.run AND t.id = s.trap"
     " WHERE s.run = (SELECT max(id) FROM run) ORDER BY s.sequence"},
    {"warnings", "warning",
     "SELECT number, kind, text, advice FROM warning WHERE run = (SELECT max(id) FROM run) ORDER BY number"},
    {"blocks", "block", "SELECT * FROM block"},
    {"edges", "edge", "SELECT * FROM edge"},
    {"loops", "loop", "SELECT * FROM loop"},
    {"lines", "line", "SELECT * FROM line"},
    {"functions", "function", "SELECT * FROM function"},
    {"calls", "call", "SELECT * FROM call"},
    {"callers", "caller", "SELECT * FROM caller"},
    {"threads", "thread", "SELECT * FROM thread"},
    {"marks", "mark", "SELECT * FROM mark"},
    {"slow_calls", "slow", "SELECT * FROM slow"},
});

using Handle = std::unique_ptr<sqlite3_stmt, sqlite::FinalizeStatement>;

Handle prepared(const sqlite::Database& database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr);
  Handle handle(statement);
  if (code != SQLITE_OK) sqlite::fail(database.handle(), database.file());
  return handle;
}

/// Columns that a view computes have no declared type: apart from these they are real numbers.
FleetType type_of(std::string_view name, std::string_view declared) {
  if (declared == "INTEGER" || (declared.empty() && name == "calls")) return FleetType::integer;
  const bool is_computed_text =
      declared.empty() && is_one_of(name, {"from_name", "to_name", "tree", "caller", "function"});
  return declared == "TEXT" || is_computed_text ? FleetType::text : FleetType::real;
}

FleetTable table_of(const sqlite::Database& empty, const Source& source) {
  FleetTable table{
      .name = source.name, .view = source.view, .select = source.select, .columns = {{.name = "profile"}}};
  const Handle statement = prepared(empty, table.select);
  for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
    const std::string name = sqlite3_column_name(statement.get(), i);
    const char* const declared = sqlite3_column_decltype(statement.get(), i);
    table.columns.push_back({.name = name, .type = type_of(name, declared == nullptr ? "" : declared)});
  }
  return table;
}

std::string text_in(sqlite3_stmt* row, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

/// Nothing for NULL.
std::optional<std::string> json_of(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
      return std::nullopt;
    case SQLITE_INTEGER:
      return fmt::format("{}", sqlite3_column_int64(row, column));
    case SQLITE_FLOAT: {
      const double value = sqlite3_column_double(row, column);
      if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
      return fmt::format("{}", value);
    }
    default:
      return json_string(text_in(row, column));
  }
}

sqlite::Database opened(const std::filesystem::path& profile) {
  {
    const Store is_a_profile(profile, OpenMode::read_only);
  }
  return {profile, sqlite::Access::read_only};
}

}  // namespace

std::vector<FleetTable> fleet_tables() {
  const sqlite::Database empty(sqlite::nameless, sqlite::Access::read_write);
  empty.execute(store_schema().c_str());
  std::vector<FleetTable> tables;
  for (const Source& source : sources) tables.push_back(table_of(empty, source));
  return tables;
}

FleetRun fleet_run(const std::filesystem::path& profile) {
  const sqlite::Database database = opened(profile);
  // A recorded program with libraries has several build-ids: that of most functions stands for it.
  sqlite::Statement statement = database.prepare(
      "SELECT project, device, started, CASE WHEN build THEN format('%08x', build) ELSE coalesce("
      "(SELECT build_id FROM symbol WHERE run = r.id AND build_id <> '' GROUP BY build_id"
      " ORDER BY count(*) DESC, build_id LIMIT 1), '') END FROM run r ORDER BY id DESC LIMIT 1");
  if (!statement.step())
    throw UserError(Fault{.message = fmt::format("{}: there is no run in it", profile.string()),
                          .hint = "`jcprof run` or `jcprof record` adds one"});
  return {.project = statement.text(0),
          .build = statement.text(3),
          .device = statement.text(1),
          .started = statement.text(2)};
}

void each_fleet_row(const std::filesystem::path& profile, const FleetTable& table,
                    const std::function<void(std::string_view)>& take) {
  const sqlite::Database database = opened(profile);
  const Handle statement = prepared(database, table.select);
  const std::string begin = "{\"profile\":" + json_string(profile.string());
  int code = sqlite3_step(statement.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
    std::string row = begin;
    for (std::size_t i = 1; i < table.columns.size(); ++i)
      if (const auto value = json_of(statement.get(), static_cast<int>(i) - 1))
        row += fmt::format(",\"{}\":{}", table.columns[i].name, *value);
    take(row + "}\n");
  }
  if (code != SQLITE_DONE) sqlite::fail(database.handle(), database.file());
}

}  // namespace jcprof
