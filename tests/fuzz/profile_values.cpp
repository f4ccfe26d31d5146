// SPDX-License-Identifier: Apache-2.0
// A profile in which some values are others. The input is a list of changes: which column of which table, the
// row whose value there gives way wherever it stands, and what takes its place.
#include <cstring>

#include "src/core/file.hpp"
#include "src/core/sqlite.hpp"
#include "tests/fuzz/profile.hpp"

using namespace jcprof;
using namespace jcprof::fuzzing;

namespace {

std::vector<std::string> updates_of_columns() {
  const sqlite::Database database(profile_file(), sqlite::Access::read_only);
  sqlite::Statement statement = database.prepare(
      "SELECT format('UPDATE OR IGNORE %s SET %s = ? WHERE %s = (SELECT %s FROM %s LIMIT 1 OFFSET ?)',"
      " s.name, c.name, c.name, c.name, s.name)"
      " FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table'");
  std::vector<std::string> updates;
  while (statement.step()) updates.push_back(statement.text(0));
  return updates;
}

template <class Number>
Number take_number(Input& changes) {
  Number number{};
  const Input bytes = take(changes, sizeof number);
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

void change(sqlite::Statement update, Input& changes) {
  const std::uint32_t row = take_byte(changes) % 64U;
  switch (take_byte(changes) % 4) {
    case 0:
      return update.bind(std::uint32_t{take_byte(changes)}, row).run();
    case 1:
      return update.bind(take_number<std::int64_t>(changes), row).run();
    case 2:
      return update.bind(take_number<double>(changes), row).run();
    default:
      return update.bind(text_of(take(changes, take_byte(changes) % 32U)), row).run();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string seed = (write_profile(), read_file(profile_file()));
  static const std::vector<std::string> updates = updates_of_columns();
  write_file(profile_file(), seed);
  survives([&] {
    const sqlite::Database database(profile_file(), sqlite::Access::read_write);
    database.execute("PRAGMA journal_mode = OFF");
    database.execute("PRAGMA synchronous = OFF");
    for (Input changes{data, size}; !changes.empty();)
      change(database.prepare(updates[take_byte(changes) % updates.size()]), changes);
  });
  read_profile();
  return 0;
}
