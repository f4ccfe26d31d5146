// SPDX-License-Identifier: Apache-2.0
// `jcprof query` over several profiles; over one: store_query_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "src/core/error.hpp"
#include "src/core/store.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof {
namespace {

namespace fs = std::filesystem;

/// A profile with one line that takes `ticks`, and as many samples as it has rounds.
fs::path profile_of(const fs::path& file, const std::string& device, double ticks, std::uint32_t rounds) {
  Store store(file, OpenMode::fresh);
  const std::int64_t run = store.begin_run({.device = device}, {.language = "java"}, {});
  for (std::uint32_t round = 1; round <= rounds; ++round)
    store.add_sample(run, {.sequence = round, .round = round, .ticks = 100});
  store.replace_estimates(run, {{.scope = EstimateScope::line, .line = 7, .ticks = ticks, .resolved = true}});
  return file;
}

/// The rows with the folder's name taken out.
std::string shown(const test::TemporaryFolder& folder, const QueryResult& result) {
  std::string text = fmt::format("{}\n", fmt::join(result.columns, "|"));
  for (const auto& row : result.rows) {
    for (const auto& value : row) text += value.value_or("NULL") + "|";
    text += "\n";
  }
  for (std::size_t at = 0; (at = text.find(folder.path().string() + "/")) != std::string::npos;)
    text.erase(at, folder.path().string().size() + 1);
  return text;
}

std::string error_of(const std::vector<fs::path>& files, const std::string& sql) {
  try {
    (void)query_together(files, sql);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("several profiles are seen together, with the profile in front of each row") {
  const test::TemporaryFolder folder;
  const std::vector<fs::path> both{profile_of(folder.path() / "a.jcprof", "gd60", 1.5, 2),
                                   profile_of(folder.path() / "b.jcprof", "gd70", 2.5, 3)};
  CHECK(shown(folder, query_together(both, "SELECT profile, line, ticks FROM line")) ==
        "profile|line|ticks\na.jcprof|7|1.5|\nb.jcprof|7|2.5|\n");
  CHECK(shown(folder, query_together(both, "SELECT profile, count(*) FROM sample GROUP BY profile")) ==
        "profile|count(*)\na.jcprof|2|\nb.jcprof|3|\n");
  CHECK(shown(folder, query_together(both, "SELECT r.device, l.* FROM line l JOIN run r USING (profile)")) ==
        "device|profile|path|line|function|hits|rounds|ticks|low|high|share|share_low|share_high|resolved|"
        "least|average|most|q50|q95|q99|mean|mean_low|mean_high|median|median_low|median_high|q05|hottest\n"
        "gd60|a.jcprof||7||0|0|1.5|0.0|0.0|0.0|0.0|0.0|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
        "NULL|NULL|NULL|NULL|\n"
        "gd70|b.jcprof||7||0|0|2.5|0.0|0.0|0.0|0.0|0.0|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
        "NULL|NULL|NULL|NULL|\n");
}

TEST_CASE("more profiles are queried together than SQLite attaches") {
  const test::TemporaryFolder folder;
  std::vector<fs::path> many;
  for (int i = 0; i < 20; ++i)
    many.push_back(profile_of(folder.path() / fmt::format("{}.jcprof", i), "gd60", i, 1));
  CHECK(
      shown(folder, query_together(many, "SELECT count(DISTINCT profile) AS n, sum(ticks) AS s FROM line")) ==
      "n|s\n20|190.0|\n");
}

TEST_CASE("a query over several profiles can only read, and names the profile that is none") {
  const test::TemporaryFolder folder;
  const std::vector<fs::path> both{profile_of(folder.path() / "a.jcprof", "gd60", 1.5, 2),
                                   folder.path() / "none.jcprof"};
  const std::string denied =
      "query: a query may only read\nhint: a query is one SELECT; only jcprof changes profiles";
  CHECK(error_of(both, "DELETE FROM sample") == denied);
  CHECK(error_of(both, "ATTACH '/tmp/x' AS x") == denied);
  CHECK(error_of(both, "SELECT profil FROM run") ==
        "query:1: no such column: profil\n  1 | SELECT profil FROM run\n    |        ^\n"
        "hint: did you mean \"profile\"?");
  CHECK(error_of(both, "SELECT 1") ==
        both[1].string() + ": there is no such profile\nhint: `jcprof run` writes one");
}

}  // namespace
}  // namespace jcprof
