// SPDX-License-Identifier: Apache-2.0
// CREATE, INSERT and SELECT, made of the descriptions in store_tables.hpp. Only the store uses it.
#pragma once

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "src/core/name_table.hpp"
#include "src/core/sqlite.hpp"
#include "src/core/store_tables.hpp"

namespace jcprof {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Enumerations stand in columns as words.
template <class T>
inline constexpr bool is_stored_as_word = std::is_enum_v<T> && !std::is_same_v<T, TrapId>;

template <class T>
std::string declaration(Cell cell) {
  const auto is_one_of = [cell](auto... cells) { return ((cell == cells) || ...); };
  const std::string nullable = is_one_of(Cell::low_end, Cell::high_end, Cell::nullable) ? "" : " NOT NULL";
  if constexpr (is_optional<T>) return declaration<typename T::value_type>(Cell::nullable);
  if constexpr (std::is_same_v<T, Bytes>) return "BLOB" + nullable;
  if constexpr (std::is_same_v<T, std::string> || is_stored_as_word<T>) return "TEXT" + nullable;
  return (std::is_same_v<T, double> ? "REAL" : "INTEGER") + nullable;
}

template <class T>
void put(sqlite::Statement& insert, int parameter, const T& value) {
  if constexpr (is_optional<T>) {
    if (value) put(insert, parameter, *value);
  } else if constexpr (is_stored_as_word<T>) {
    insert.set(parameter, name_of(value));
  } else if constexpr (std::is_same_v<T, TrapId>) {
    insert.set(parameter, number(value));
  } else {
    insert.set(parameter, value);
  }
}

/// A value that jcprof does not write is a damaged file.
template <class T>
void get(const sqlite::Statement& select, int column, T& to, Cell cell) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if constexpr (is_optional<T>) {
    to.reset();
    if (!select.is_null(column)) get(select, column, to.emplace(), cell);
  } else if constexpr (is_stored_as_word<T>) {
    const std::string_view text = select.text_view(column);
    const std::optional<T> word = value_named<T>(text);
    if (!word) sqlite::damaged(select.file(), fmt::format("unknown word \"{}\"", text));
    to = *word;
  } else if constexpr (std::is_same_v<T, TrapId>) {
    to = TrapId{select.number<std::uint32_t>(column)};
  } else if constexpr (std::is_same_v<T, bool>) {
    to = select.integer(column) != 0;
  } else if constexpr (std::is_same_v<T, double>) {
    to = select.real(column, cell == Cell::low_end ? -infinity : cell == Cell::high_end ? infinity : 0);
  } else if constexpr (std::is_same_v<T, std::string>) {
    to = select.text(column);
  } else if constexpr (std::is_same_v<T, Bytes>) {
    to = select.blob(column);
  } else if (cell == Cell::bits_64) {
    to = static_cast<T>(select.integer(column));
  } else {
    to = cell == Cell::bits_32 ? static_cast<T>(select.number<std::uint32_t>(column))
                               : select.number<T>(column);
  }
}

/// A description as text.
struct Layout {
  Table table;
  std::vector<std::string> columns;  // "name TYPE", without that of the run

  std::string creation() const;
  std::string insertion(std::string_view or_else) const;
};

template <class Row>
Layout layout() {
  const Row row{};
  return std::apply(
      [](const Table& table, const auto&... column) {
        Layout layout{table, {}};
        if (table.counter != nullptr)
          layout.columns.push_back(table.counter + std::string(" INTEGER NOT NULL"));
        (layout.columns.push_back(fmt::format(
             "{} {}", column.name, declaration<std::remove_cvref_t<decltype(column.value)>>(column.cell))),
         ...);
        return layout;
      },
      columns(row));
}

template <class Row>
sqlite::Statement insertion(const sqlite::Database& database, std::string_view or_else = "") {
  return database.prepare(layout<Row>().insertion(or_else));
}

/// `count`: of the rows before it, where the table has a counter.
template <class Row>
void insert(sqlite::Statement& insertion, std::int64_t run, const Row& row, std::uint64_t count = 0) {
  std::apply(
      [&](const Table& table, const auto&... column) {
        int parameter = 0;
        insertion.set(++parameter, run);
        if (table.counter != nullptr) insertion.set(++parameter, count);
        (put(insertion, ++parameter, column.value), ...);
      },
      columns(row));
  insertion.run();
}

/// In the order of the primary key, which comes first in each table.
std::string selection(std::string_view table, std::string_view where);

template <class Row>
Row row_in(const sqlite::Statement& select) {
  Row row;
  std::apply(
      [&](const Table& table, const auto&... column) {
        int index = table.counter == nullptr ? 0 : 1;
        (get(select, ++index, column.value, column.cell), ...);
      },
      columns(row));
  return row;
}

}  // namespace jcprof
