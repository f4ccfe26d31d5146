// SPDX-License-Identifier: Apache-2.0
// docs/queries.md as a test: each of its statements says something about a recorded run.
#include <chrono>
#include <random>
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

/// A tree of so many calls, as a program with deep stacks has it.
void grow(StoredRecording& recording, std::uint32_t calls) {
  std::mt19937 random(1);
  for (std::uint32_t id = static_cast<std::uint32_t>(recording.calls.size()) + 1; id <= calls; ++id) {
    StoredCall call = recording.calls.front();
    call.id = id;
    call.parent = id - 1 - static_cast<std::uint32_t>(random()) % std::min(id - 1, 60U);
    call.thread = recording.calls.at(call.parent - 1).thread;
    call.symbol = 1 + id % (static_cast<std::uint32_t>(recording.symbols.size()) - 1);
    recording.calls.push_back(call);
  }
}

std::vector<std::string> statements_of_the_page() {
  return statements_of(read_file(std::filesystem::path(JCPROF_SOURCE_DIR) / "docs/queries.md"));
}

void store(const RecordedRun& run, const std::filesystem::path& profile) {
  Store store(profile, OpenMode::fresh);
  const std::int64_t id = store.begin_run(run.info, run.map, {});
  store.replace_estimates(id, run.estimates);
  store.replace_recording(id, run.recording);
  store.replace_warnings(id, run.warnings);
  store.close();
}

}  // namespace

TEST_CASE("each statement of docs/queries.md finds something") {
  const test::TemporaryFolder folder;
  store(wordcount(), folder / "profile.jcprof");
  const std::vector<std::string> statements = statements_of_the_page();
  CHECK(statements.size() > 20);
  for (const std::string& statement : statements) {
    INFO(statement);
    CHECK(!query(folder / "profile.jcprof", statement).rows.empty());
  }
}

// Without an index it takes minutes.
TEST_CASE("each statement of docs/queries.md ends within two seconds on 15,000 calls") {
  const test::TemporaryFolder folder;
  RecordedRun run = wordcount();
  grow(run.recording, 15000);
  store(run, folder / "profile.jcprof");
  for (const std::string& statement : statements_of_the_page()) {
    INFO(statement);
    const auto begun = std::chrono::steady_clock::now();
    query(folder / "profile.jcprof", statement);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
  }
}

}  // namespace jcprof::annotator
