// SPDX-License-Identifier: Apache-2.0
// Disks that are full, and files that are no profile, or no longer one.
#include <csignal>
#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <catch2/catch.hpp>

#include "src/core/sqlite.hpp"
#include "tests/core/stored.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;
using Folder = test::StoreFolder;
using test::error_of;
using test::some_run;
using test::some_sample;
using test::two_traps;

void overwrite(const fs::path& file, std::size_t offset, std::size_t count) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(offset));
  stream << std::string(count, '\x5A');
}

TEST_CASE("a disk that takes no more is an error of the environment, and the committed rounds stay") {
  const Folder folder;
  Store store(folder.profile(), OpenMode::fresh);
  const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
  store.begin();
  store.add_sample(run, some_sample(0));
  store.commit();

  // A limit on the size of files stands for the full disk.
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{.rlim_cur = 200'000, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
  const std::string error = error_of(folder, [&] {
    store.begin();
    for (std::uint64_t i = 1; i < 20'000; ++i) store.add_sample(run, some_sample(i));
    store.commit();
  });
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(
      error ==
      "profile.jcprof: cannot be written or read: disk I/O error; the size of files is limited\n"
      "hint: raise it (`ulimit -f unlimited`); earlier results are safe; the same command resumes there [3]");
  store.close();
  CHECK(Store(folder.profile(), OpenMode::read_only).samples(run).size() == 1);
}

TEST_CASE("what is not a profile is refused, each kind with its own words") {
  const Folder folder;
  const auto open = [&] { Store(folder.profile(), OpenMode::read_only); };
  CHECK(error_of(folder, open) ==
        "profile.jcprof: there is no such profile\nhint: `jcprof run` writes one [2]");
  std::ofstream(folder.profile()) << "";
  CHECK(error_of(folder, open) ==
        "profile.jcprof: not a profile (an SQLite file of another program)\n"
        "hint: `jcprof run` writes profiles [2]");
  std::ofstream(folder.profile()) << std::string(5000, 'x');
  CHECK(error_of(folder, open) ==
        "profile.jcprof: not a profile (not even an SQLite file)\n"
        "hint: `jcprof run` writes profiles [2]");
  CHECK(error_of(folder, [&] { Store(folder.path, OpenMode::read_write); }).find("a folder, not a profile") !=
        std::string::npos);
  Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {});
  CHECK(error_of(folder, open) == "no error");
}

TEST_CASE("a profile with tables, views or triggers of others is refused before any of them runs") {
  const char* const endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c";
  for (const std::string& sql :
       {std::string("DROP VIEW line; CREATE VIEW line AS ") + endless,
        "DROP TABLE warning; CREATE VIEW warning AS " + std::string(endless),
        std::string("CREATE VIEW zz AS SELECT 1"),  // behind all of jcprof's
        std::string("CREATE TABLE more (a, b AS (printf('%.*c', 100000000, 'x')))"),
        std::string("CREATE TRIGGER t AFTER INSERT ON sample BEGIN DELETE FROM sample; END")}) {
    INFO(sql);
    const Folder folder;
    Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {});
    sqlite::Database(folder.profile(), sqlite::Access::read_write).execute(sql.c_str());
    const std::string refused =
        "profile.jcprof: its tables or views are not those that jcprof makes\n"
        "hint: restore it from a copy, or measure into another folder with -o [2]";
    CHECK(error_of(folder, [&] { Store(folder.profile(), OpenMode::read_only); }) == refused);
    CHECK(error_of(folder, [&] { Store(folder.profile(), OpenMode::read_write); }) == refused);
    CHECK(error_of(folder, [&] { (void)query(folder.profile(), "SELECT * FROM line"); }) == refused);
  }
}

TEST_CASE("comments in the tables of a profile do no harm, expressions do") {
  const auto error_with = [](const std::string& text_column) {
    const Folder folder;
    Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {});
    const std::string sql =
        "DROP TABLE warning; CREATE TABLE warning (\n  run INTEGER NOT NULL REFERENCES run, -- of 1\n"
        "  number INTEGER NOT NULL,\n  kind TEXT NOT NULL, " +
        text_column + ", advice TEXT NOT NULL,  -- what to do\n  PRIMARY KEY (run, number)\n) WITHOUT ROWID";
    sqlite::Database(folder.profile(), sqlite::Access::read_write).execute(sql.c_str());
    return error_of(folder, [&] { Store(folder.profile(), OpenMode::read_only); });
  };
  CHECK(error_with("text TEXT NOT NULL") == "no error");
  CHECK(error_with("text TEXT NOT NULL CHECK (length(text) > 0)").find("not those that jcprof makes") !=
        std::string::npos);
  CHECK(error_with("text TEXT NOT NULL DEFAULT '--\n'").find("not those that jcprof makes") !=
        std::string::npos);
}

TEST_CASE("a pipe in place of a profile, or beside it, is refused and not waited for") {
  for (const char* suffix : {"", "-wal", "-journal"}) {
    const Folder folder;
    if (*suffix != '\0') Store(folder.profile(), OpenMode::fresh).begin_run(some_run(), two_traps(), {});
    REQUIRE(mkfifo((folder.profile().string() + suffix).c_str(), 0600) == 0);
    CHECK(error_of(folder, [&] { Store(folder.profile(), OpenMode::read_only); }) ==
          std::string("profile.jcprof") + suffix +
              ": a pipe, device or folder where a profile is expected\nhint: move it away [2]");
  }
}

TEST_CASE("a profile of a newer or an older jcprof is refused by name") {
  const Folder folder;
  {
    const Store store(folder.profile(), OpenMode::read_write);
  }
  const auto error_of_version = [&](char version) {
    std::fstream stream(folder.profile(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(63);  // the last byte of user_version in SQLite's header
    stream.put(version);
    stream.close();
    return error_of(folder, [&] { Store(folder.profile(), OpenMode::read_write); });
  };
  CHECK(error_of_version(12) ==
        "profile.jcprof: written by a newer jcprof (format 12; this one reads 11)\n"
        "hint: use that jcprof, or move the file away and measure again [2]");
  CHECK(error_of_version(3) ==
        "profile.jcprof: written by an older jcprof (format 3; this one reads 11)\n"
        "hint: use that jcprof, or move the file away and measure again [2]");
}

TEST_CASE("a damaged profile is an error, never a crash") {
  const Folder folder;
  {
    Store store(folder.profile(), OpenMode::fresh);
    const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
    store.begin();
    for (std::uint64_t i = 0; i < 2000; ++i) store.add_sample(run, some_sample(i));
    store.commit();
  }
  const auto size = static_cast<std::size_t>(fs::file_size(folder.profile()));
  std::string whole;
  {
    std::ifstream stream(folder.profile(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(stream), {});
  }
  int refused = 0;
  for (std::size_t offset = 100; offset + 300 < size; offset += 1500) {
    std::ofstream(folder.profile(), std::ios::binary | std::ios::trunc) << whole;
    overwrite(folder.profile(), offset, 300);
    const std::string error = error_of(folder, [&] {
      const Store store(folder.profile(), OpenMode::read_only);
      const auto run = store.last_run();
      if (!run) return;
      (void)store.traps(run->id);
      (void)store.samples(run->id);
      (void)store.warnings(run->id);
    });
    if (error != "no error") {
      ++refused;
      CHECK(error.find("[2]") != std::string::npos);
    }
  }
  CHECK(refused > 10);
  fs::resize_file(folder.profile(), size / 2);
  CHECK(error_of(folder, [&] { (void)Store(folder.profile(), OpenMode::read_only).samples(1); }) ==
        "profile.jcprof: the profile is damaged: database disk image is malformed\n"
        "hint: the file stays as it is: bring back a copy of it, or move it away and measure again [2]");
}

}  // namespace
}  // namespace jcprof
