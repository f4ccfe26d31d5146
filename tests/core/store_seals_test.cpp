// SPDX-License-Identifier: Apache-2.0
// Profiles that something has changed since they were written, links in their place, and fresh ones.
#include <array>
#include <fstream>
#include <random>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
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

constexpr const char* hint =
    "hint: the file stays as it is: bring back a copy of it, or move it away and measure again [2]";

/// Two rounds and a warm-up, and one of everything else.
void fill(const Folder& folder) {
  Store store(folder.profile(), OpenMode::fresh);
  const std::int64_t run =
      store.begin_run(some_run(), two_traps(), {{.index = 0, .bytes = {1, 2}, .input_class = "a"}});
  store.add_path(run, {.input = 0, .variant = 0, .events = {{TrapId{1}, 1}, {TrapId{2}, 1}}});
  store.add_path(run, {.input = 0, .variant = 1, .events = {{TrapId{1}, 1}}});
  for (std::uint32_t round = 0; round < 3; ++round) {
    store.begin();
    if (round == 0) store.add_calibrations(run, std::array{StoredCalibration{"stop", 1000, 77}});
    for (std::uint64_t i = 0; i < 20; ++i) {
      StoredSample sample = some_sample(round * 20 + i);
      // In a prepared round each other sample is of none.
      sample.round = round == 2 && i % 2 == 0 ? 0 : round;
      sample.ticks = static_cast<Ticks>(1000 + i);
      store.add_sample(run, sample);
    }
    store.commit();
  }
  store.add_look(run, {.number = 0, .rounds = 2, .whole = 5});
  store.replace_warnings(run, {{.kind = WarningKind::precision, .text = "so"}});
  store.set_state(run, RunState::complete);
}

/// All that estimates are made of, as text.
std::string read_all(const fs::path& profile) {
  const Store store(profile, OpenMode::read_only);
  const std::optional<RunInfo> run = store.last_run();
  if (!run) return "no run";
  std::string text = fmt::format("{} {} {}", run->id, run->hz, run->device);
  for (const Trap& trap : store.traps(run->id).traps) text += fmt::format(" {}:{}", trap.name, trap.line);
  for (const StoredInput& input : store.inputs(run->id)) text += fmt::format(" {}", input.bytes.size());
  for (const StoredPath& path : store.paths(run->id)) text += fmt::format(" {}", path.events.size());
  for (const StoredSample& sample : store.samples(run->id))
    text += fmt::format(" {}/{}/{}", sample.sequence, sample.round, sample.ticks);
  for (const StoredCalibration& one : store.calibrations(run->id)) text += fmt::format(" {}", one.ticks);
  for (const StoredLook& look : store.looks(run->id)) text += fmt::format(" {}", look.whole);
  for (const Warning& warning : store.warnings(run->id)) text += " " + warning.text;
  return text;
}

void change(const Folder& folder, const char* sql) {
  const sqlite::Database database(folder.profile(), sqlite::Access::read_write);
  database.execute(sql);
}

TEST_CASE("a changed sample is refused with its round") {
  const Folder folder;
  const auto error_after = [&](const char* sql) {
    fill(folder);
    REQUIRE(error_of(folder, [&] { read_all(folder.profile()); }) == "no error");
    change(folder, sql);
    return error_of(folder, [&] { read_all(folder.profile()); });
  };
  const std::string start = "profile.jcprof: the profile is damaged: ";
  const std::string round_2 =
      start + "round 2 of run 1 is not as it was measured (samples 40 to 59)\n" + hint;
  CHECK(error_after("UPDATE sample SET ticks = ticks + 1 WHERE sequence = 45") == round_2);
  CHECK(error_after("UPDATE sample SET round = 1 WHERE sequence = 45") == round_2);
  CHECK(error_after("DELETE FROM sample WHERE sequence = 59") == round_2);
  CHECK(error_after("UPDATE sample SET ticks = 1 WHERE sequence = 3") ==
        start + "the warm-up of run 1 is not as it was measured (samples 0 to 19)\n" + hint);
  CHECK(error_after("UPDATE sample SET sequence = 100 WHERE sequence = 59") == round_2);
  CHECK(error_after("INSERT INTO sample SELECT run, 100, round, trap, hit, input, ticks, outcome, status, "
                    "signature FROM sample WHERE sequence = 1") ==
        start + "\"sample\" holds 61 rows of run 1; 60 were stored\n" + hint);
}

TEST_CASE("whatever else carries numbers into estimates is refused when it was changed") {
  const Folder folder;
  for (const char* sql :
       {"UPDATE calibration SET ticks = 78", "UPDATE path SET runs = 7 WHERE variant = 1",
        "UPDATE input SET bytes = x'0103'", "UPDATE trap SET line = 11 WHERE id = 1",
        "UPDATE look SET whole = 6", "UPDATE run SET hz = hz * 2", "DELETE FROM path WHERE variant = 1",
        "UPDATE source SET sha256 = 'ff'", "UPDATE run SET id = 4"}) {
    fill(folder);
    change(folder, sql);
    INFO(sql);
    CHECK_THAT(error_of(folder, [&] { read_all(folder.profile()); }),
               Catch::StartsWith("profile.jcprof: the profile is damaged: "));
  }
}

TEST_CASE("a word that jcprof does not know is damage") {
  const Folder folder;
  fill(folder);
  change(folder, "UPDATE run SET state = 'asleep'");
  CHECK_THAT(error_of(folder, [&] { read_all(folder.profile()); }),
             Catch::StartsWith("profile.jcprof: the profile is damaged: unknown word \"asleep\"\n"));
}

TEST_CASE("bits that flip in a profile change no number silently") {
  const Folder folder;
  fill(folder);
  const std::string whole = read_file(folder.profile());
  const std::string before = read_all(folder.profile());
  std::mt19937 random(20);  // NOLINT: the same flips each time
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    std::string flipped = whole;
    const std::size_t bit = random() % (whole.size() * 8);
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(folder.profile(), std::ios::binary | std::ios::trunc) << flipped;
    try {
      const std::string after = read_all(folder.profile());
      INFO("bit " << bit);
      CHECK(after == before);
    } catch (const UserError&) {
      ++refused;
    }
  }
  CHECK(refused > 20);
}

TEST_CASE("a fresh profile takes the old one's place when its first run begins, not before") {
  const Folder folder;
  fill(folder);
  const std::string before = read_file(folder.profile());
  {
    Store store(folder.profile(), OpenMode::fresh);
    CHECK_FALSE(store.last_run());
    store.close();
  }
  CHECK(read_file(folder.profile()) == before);
  Store store(folder.profile(), OpenMode::fresh);
  const std::int64_t run = store.begin_run(some_run(), two_traps(), {});
  CHECK(run == 1);
  CHECK(store.samples(run).empty());
}

TEST_CASE("a profile is not written through links, and is read through them") {
  const Folder folder;
  fill(folder);
  const std::string before = read_file(folder.profile());
  fs::create_symlink(folder.profile(), folder.path / "link.jcprof");
  const auto open = [&](const fs::path& file) {
    return error_of(folder, [&] { Store(file, OpenMode::read_write).set_state(1, RunState::running); });
  };
  CHECK_THAT(open(folder.path / "link.jcprof"), Catch::Contains("a link, which jcprof does not follow"));
  CHECK_FALSE(read_all(folder.path / "link.jcprof").empty());
  fs::create_symlink(folder.path / "elsewhere", folder.profile().string() + "-wal");
  CHECK_THAT(open(folder.profile()), Catch::Contains("profile.jcprof-wal: a link"));
  fs::remove(folder.profile().string() + "-wal");
  fs::create_hard_link(folder.profile(), folder.path / "copy.jcprof");
  CHECK_THAT(open(folder.profile()), Catch::Contains("has another name (a hard link)"));
  CHECK(read_file(folder.path / "copy.jcprof") == before);
  CHECK_FALSE(fs::exists(folder.path / "elsewhere"));
}

}  // namespace
}  // namespace jcprof
