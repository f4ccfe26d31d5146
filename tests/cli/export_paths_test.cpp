// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "programs/verbs.hpp"
#include "src/core/file.hpp"
#include "src/core/store.hpp"
#include "src/core/text.hpp"
#include "tests/annotator/some_recording.hpp"
#include "tests/core/temporary_folder.hpp"

namespace jcprof::cli {

TEST_CASE("exports name sources relative to their common folder") {
  const test::TemporaryFolder folder;
  annotator::RecordedRun run = test::some_recording();
  run.recording.symbols[3].path = "/src/lib/put.c";
  for (StoredEstimate& row : run.estimates)
    if (row.function == "put") row.path = "/src/lib/put.c";
  {
    Store store(folder / "profile.jcprof", OpenMode::fresh);
    const std::int64_t id = store.begin_run(run.info, run.map, {});
    store.replace_estimates(id, run.estimates);
    store.replace_recording(id, run.recording);
    store.close();
  }
  for (const auto& [format, name] : export_formats) {
    if (is_one_of(name, {"pprof", "gmon", "parquet"})) continue;  // not as text, without paths, and as stored
    const bool is_whole = name == "callgrind";
    export_profile({.projects = {(folder / "profile.jcprof").string()},
                    .format = format,
                    .elf = "",
                    .out = (folder / "out").string()});
    const std::string text = read_file(folder / "out");
    INFO(name << ": " << text);
    CHECK((text.find("/src/") == std::string::npos) == !is_whole);
    // perf has no paths, folded stacks have names of files alone, and SARIF has no result for this run.
    if (!is_one_of(name, {"perf", "folded", "sarif"})) CHECK(text.find("lib/put.c") != std::string::npos);
  }
}

TEST_CASE("exports keep paths that have no common folder, and those of the system") {
  const test::TemporaryFolder folder;
  annotator::RecordedRun run = test::some_recording();
  run.recording.symbols[3].path = "/usr/include/put.h";
  for (StoredEstimate& row : run.estimates)
    if (row.function == "put") row.path = "/usr/include/put.h";
  run.recording.symbols[2].path = "/usr/src/count.c";
  for (StoredEstimate& row : run.estimates)
    if (row.function == "count") row.path = "/usr/src/count.c";
  const auto csv = [&] {
    {
      Store store(folder / "profile.jcprof", OpenMode::fresh);
      const std::int64_t id = store.begin_run(run.info, run.map, {});
      store.replace_estimates(id, run.estimates);
      store.replace_recording(id, run.recording);
      store.close();
    }
    export_profile({.projects = {(folder / "profile.jcprof").string()},
                    .format = ExportFormat::csv,
                    .elf = "",
                    .out = (folder / "out").string()});
    return read_file(folder / "out");
  };
  CHECK_THAT(csv(), Catch::Contains("\"/usr/include/put.h\"") && Catch::Contains("\"/usr/src/count.c\"") &&
                        Catch::Contains("\"/src/words.c\""));
  for (StoredSymbol& symbol : run.recording.symbols)
    if (symbol.path == "/src/words.c") symbol.path = "/usr/lib64/words.c";
  for (StoredEstimate& row : run.estimates)
    if (row.path == "/src/words.c") row.path = "/usr/lib64/words.c";
  CHECK_THAT(csv(), Catch::Contains("\"/usr/include/put.h\"") && Catch::Contains("\"src/count.c\""));
}

}  // namespace jcprof::cli
