// SPDX-License-Identifier: Apache-2.0
#include "src/core/history.hpp"

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "src/core/sqlite.hpp"
#include "src/core/store.hpp"
#include "tests/core/fault_text.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

HistoryEntry entry_of(const std::string& started, double total) {
  return {.started = started,
          .project = "pin",
          .device = "card",
          .simulated = true,
          .build = 0xDEADBEEF,
          .label = "c1",
          .values = {{"own p", "%", 40, 39, 41}, {"total", "ns", total}}};
}

/// Without the folder.
std::string refusal_of(const test::TemporaryFolder& folder, const std::string& name) {
  std::string text = test::fault_text([&] { add_to_history(folder / name, entry_of("a", 1)); });
  const std::string path = folder.path().string() + "/";
  for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
    text.erase(at, path.size());
  return text;
}

}  // namespace

TEST_CASE("a history gives back its entries in the order of their starts, and ends that are not known") {
  const test::TemporaryFolder folder;
  const HistoryEntry late = entry_of("2026-01-03T00:00:00Z", 2);
  const HistoryEntry early = entry_of("2026-01-02T00:00:00Z", 1);
  add_to_history(folder / "h", late);
  add_to_history(folder / "h", early);
  CHECK(read_history(folder / "h") == std::vector{early, late});
}

TEST_CASE("the same run again renews its entry of a history, and loses nothing of it") {
  const test::TemporaryFolder folder;
  HistoryEntry entry = entry_of("2026-01-02T00:00:00Z", 1);
  add_to_history(folder / "h", entry);
  HistoryEntry fewer = entry;
  fewer.label = "c2";
  fewer.values = {{"total", "ns", 3, 2, 4}};
  add_to_history(folder / "h", fewer);
  entry.label = "c2";
  entry.values.back() = fewer.values.front();
  CHECK(read_history(folder / "h") == std::vector{entry});
  fewer.label.clear();
  add_to_history(folder / "h", fewer);
  CHECK(read_history(folder / "h") == std::vector{entry});
  fewer.build = 1;
  add_to_history(folder / "h", fewer);
  CHECK(read_history(folder / "h").size() == 2);
}

TEST_CASE("a history file that is none is refused, and stays as it is") {
  const test::TemporaryFolder folder;
  CHECK_THAT(test::fault_text([&] { read_history(folder / "none"); }),
             Catch::EndsWith("none: there is no such history\n"
                             "hint: `jcprof check --history FILE` writes histories"));
  write_file(folder / "notes", "these are the notes of a person");
  CHECK(
      refusal_of(folder, "notes") ==
      "notes: not a history (not even an SQLite file)\nhint: `jcprof check --history FILE` writes histories");
  CHECK(read_file(folder / "notes") == "these are the notes of a person");
  Store(folder / "profile.jcprof", OpenMode::read_write).close();
  CHECK_THAT(refusal_of(folder, "profile.jcprof"),
             Catch::StartsWith("profile.jcprof: not a history (an SQLite file of another kind)\n"));
  std::filesystem::create_directory(folder / "d");
  CHECK_THAT(refusal_of(folder, "d"), Catch::StartsWith("d: a folder, not a history\n"));
}

TEST_CASE("an infinite value in a history is refused") {
  const test::TemporaryFolder folder;
  add_to_history(folder / "h", entry_of("a", 1));
  sqlite::Database(folder / "h", sqlite::Access::read_write).execute("UPDATE value SET value = 9e999");
  CHECK_THAT(test::fault_text([&] { read_history(folder / "h"); }),
             Catch::Contains("h: damaged: a value of a is infinite\n"));
}

TEST_CASE("a history of a newer version, or with tables of others, is refused") {
  const test::TemporaryFolder folder;
  for (const char* name : {"newer", "stranger"}) add_to_history(folder / name, entry_of("a", 1));
  sqlite::Database(folder / "newer", sqlite::Access::read_write).execute("PRAGMA user_version = 2");
  CHECK_THAT(refusal_of(folder, "newer"),
             Catch::StartsWith("newer: written by a newer jcprof (format 2; this one reads 1)\n"));
  sqlite::Database(folder / "stranger", sqlite::Access::read_write).execute("CREATE VIEW x AS SELECT 1");
  CHECK_THAT(refusal_of(folder, "stranger"),
             Catch::StartsWith("stranger: its tables are not those that jcprof makes\n"));
}

}  // namespace jcprof
