// SPDX-License-Identifier: Apache-2.0
// jcprof query: one SQL statement over one profile or several.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "programs/output.hpp"
#include "programs/verbs.hpp"
#include "src/core/store.hpp"

namespace jcprof::cli {
namespace {

using Row = std::vector<std::optional<std::string>>;

/// Columns of one name are told apart by a number: "x", "x:1".
std::vector<std::string> keys_of(const std::vector<std::string>& columns) {
  std::vector<std::string> keys;
  for (const std::string& column : columns) {
    std::string key = column;
    for (int i = 1; std::ranges::find(keys, key) != keys.end(); ++i) key = fmt::format("{}:{}", column, i);
    keys.push_back(std::move(key));
  }
  return keys;
}

/// A number as it is printed elsewhere; what JSON knows no number for, as infinity, is a text.
nlohmann::ordered_json json_of(const std::optional<std::string>& cell, CellKind kind) {
  if (!cell) return nullptr;
  if (kind == CellKind::number && nlohmann::ordered_json::accept(*cell))
    return nlohmann::ordered_json::parse(*cell);
  return *cell;
}

void print_json(const QueryResult& result) {
  const std::vector<std::string> keys = keys_of(result.columns);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    const Row& row = result.rows[r];
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[keys[i]] = json_of(row[i], result.kinds[r][i]);
    rows.push_back(std::move(object));
  }
  fmt::print("{}\n", rows.dump(2, ' ', true, nlohmann::json::error_handler_t::replace));
}

void print_table(const QueryResult& result) {
  std::vector<Row> rows{Row(result.columns.begin(), result.columns.end())};
  rows.insert(rows.end(), result.rows.begin(), result.rows.end());
  std::vector<std::size_t> widths(result.columns.size());
  for (Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = harmless(row[i].value_or("-"));
      widths[i] = std::max(widths[i], row[i]->size());
    }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", *row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

}  // namespace

ExitCode query_profiles(const QueryOptions& options) {
  if (std::error_code too_long; std::filesystem::exists(options.words.back(), too_long))
    throw UserError(Fault{.message = fmt::format("there is no SQL behind \"{}\"", options.words.back()),
                          .hint = "such as \"SELECT * FROM function\"; docs/queries.md has more"});
  const std::vector<std::filesystem::path> profiles =
      profiles_meant(std::span(options.words).first(options.words.size() - 1));
  const std::string& sql = options.words.back();
  const QueryResult result = profiles.size() == 1 ? query(profiles[0], sql) : query_together(profiles, sql);
  options.json ? print_json(result) : print_table(result);
  return ExitCode::done;
}

}  // namespace jcprof::cli
