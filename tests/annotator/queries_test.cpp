// SPDX-License-Identifier: Apache-2.0
// docs/queries.md as a test: each of its statements says something about a recorded run.
#include <regex>

#include <catch2/catch.hpp>

#include "src/core/file.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::annotator {
namespace {

std::vector<std::string> statements_of(const std::string& page) {
  static const std::regex form("```sql\n([^`]+)```");
  std::vector<std::string> statements;
  for (std::sregex_iterator match(page.begin(), page.end(), form), end; match != end; ++match)
    statements.push_back((*match)[1].str());
  return statements;
}

/// The made-up run under the names of examples/record-wordcount, with all that the page asks for.
annotator::RecordedRun wordcount() {
  RecordedRun run = test::some_recording();
  std::vector<StoredSymbol>& symbols = run.recording.symbols;
  symbols[2].name = "count_words(std::string const&, Table&)";
  symbols[3].name = "Table::add(std::string const&)";
  for (std::size_t i = 0; i < symbols.size(); ++i)
    for (StoredEstimate& row : run.estimates)
      if (row.function == test::some_recording().recording.symbols[i].name) row.function = symbols[i].name;
  run.estimates.push_back(
      {.scope = EstimateScope::line, .path = "src/words.cpp", .line = 3, .hits = 2, .ticks = 9});
  run.recording.slow = {{.symbol = 3, .thread = 1, .at = 5, .ticks = 60}};
  run.recording.calls.at(2).away = 70;
  run.recording.marks = {{.name = "file", .payload = 17, .thread = 1, .call = 2, .at = 4}};
  return run;
}

}  // namespace

TEST_CASE("each statement of docs/queries.md finds something") {
  const test::TemporaryFolder folder;
  const RecordedRun run = wordcount();
  Store store(folder / "profile.jcprof", OpenMode::fresh);
  const std::int64_t id = store.begin_run(run.info, run.map, {});
  store.replace_estimates(id, run.estimates);
  store.replace_recording(id, run.recording);
  store.replace_warnings(id, run.warnings);
  store.close();
  const std::vector<std::string> statements =
      statements_of(read_file(std::filesystem::path(JCPROF_SOURCE_DIR) / "docs/queries.md"));
  CHECK(statements.size() > 20);
  for (const std::string& statement : statements) {
    INFO(statement);
    CHECK(!query(folder / "profile.jcprof", statement).rows.empty());
  }
}

}  // namespace jcprof::annotator
