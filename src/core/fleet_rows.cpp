// SPDX-License-Identifier: Apache-2.0
#include "src/core/fleet_rows.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "src/core/error.hpp"
#include "src/core/file.hpp"
#include "src/core/json_text.hpp"
#include "src/core/store_state.hpp"
#include "src/core/text.hpp"

namespace jcprof {
namespace {

struct Source {
  const char* name;
  const char* view;
  const char* select;
};

using Handle = std::unique_ptr<sqlite3_stmt, sqlite::FinalizeStatement>;

/// `profile` and `run_id`, which no table of a profile has.
constexpr std::size_t own_columns = 2;

/// ?1 is the run; views know it by themselves.
constexpr auto sources = std::to_array<Source>({
    {"devices", "run",
     "SELECT started, state, tool, transport, agent, reader, protocol, atr, simulated, unit, hz, resolution,"
     " seed, rounds, absolute, relative, zoom, hot, language,"
     " project AS project_name, device AS device_name FROM run WHERE id = ?1"},
    {"samples", "sample",
     "SELECT s.sequence, s.round, s.trap, s.hit, s.input, s.ticks, s.outcome, s.status, s.signature,"
     " t.function, t.path, t.line FROM sample s LEFT JOIN trap t ON t.run = s.run AND t.id = s.trap"
     " WHERE s.run = ?1 ORDER BY s.sequence"},
    {"warnings", "warning", "SELECT number, kind, text, advice FROM warning WHERE run = ?1 ORDER BY number"},
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

/// Columns that a view computes have no declared type: apart from these they are real numbers.
FleetType type_of(std::string_view name, std::string_view declared) {
  if (declared == "INTEGER" || (declared.empty() && name == "calls")) return FleetType::integer;
  const bool is_computed_text =
      declared.empty() && is_one_of(name, {"from_name", "to_name", "tree", "caller", "function"});
  return declared == "TEXT" || is_computed_text ? FleetType::text : FleetType::real;
}

FleetTable table_of(const sqlite::Database& empty, const Source& source) {
  FleetTable table{.name = source.name,
                   .view = source.view,
                   .select = source.select,
                   .columns = {{.name = "profile"}, {.name = "run_id"}}};
  const Handle statement = sqlite::raw_statement(empty, table.select);
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

}  // namespace

std::vector<FleetTable> fleet_tables() {
  const sqlite::Database empty(sqlite::nameless, sqlite::Access::read_write);
  empty.execute(store_schema().c_str());
  std::vector<FleetTable> tables;
  for (const Source& source : sources) tables.push_back(table_of(empty, source));
  return tables;
}

FleetProfile::FleetProfile(const std::filesystem::path& profile)
    : name_(profile.string()), database_(connected_profile(profile)), steadily_(database_, "BEGIN") {
  // A recorded program with libraries has several build-ids: that of most functions stands for it.
  sqlite::Statement statement = database_.prepare(
      "SELECT project, device, started, CASE WHEN build THEN format('%08x', build) ELSE coalesce("
      "(SELECT build_id FROM symbol WHERE run = r.id AND build_id <> '' GROUP BY build_id"
      " ORDER BY count(*) DESC, build_id LIMIT 1), '') END, id FROM run r ORDER BY id DESC LIMIT 1");
  if (!statement.step())
    throw UserError(Fault{.message = fmt::format("{}: there is no run in it", name_),
                          .hint = "`jcprof run` or `jcprof record` adds one"});
  number_ = statement.integer(4);
  verify_seals(database_, number_);
  const std::string path = std::filesystem::canonical(profile).string();
  run_ = {.id = fmt::format("{}-{}", statement.text(2), sha256(path).substr(0, 16)),
          .project = statement.text(0),
          .build = statement.text(3),
          .device = statement.text(1)};
}

void FleetProfile::each_row(const FleetTable& table,
                            const std::function<void(std::string_view)>& take) const {
  const Handle statement = sqlite::raw_statement(database_, table.select);
  if (sqlite3_bind_parameter_count(statement.get()) > 0) sqlite3_bind_int64(statement.get(), 1, number_);
  const std::string begin =
      fmt::format("{{\"profile\":{},\"run_id\":{}", json_string(name_), json_string(run_.id));
  int code = sqlite3_step(statement.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(statement.get())) {
    std::string row = begin;
    for (std::size_t i = own_columns; i < table.columns.size(); ++i)
      if (const auto value = json_of(statement.get(), static_cast<int>(i - own_columns)))
        row += fmt::format(",\"{}\":{}", table.columns[i].name, *value);
    take(row + "}\n");
  }
  if (code != SQLITE_DONE) sqlite::fail(database_.handle(), database_.file());
}

}  // namespace jcprof
